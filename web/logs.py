"""What the web door logs, set up in each of its processes."""

import logging

from sse_starlette.sse import SendTimeoutError

from app.telemetry import log_to_stderr


def set_up() -> None:
    log_to_stderr()
    logging.getLogger("uvicorn.error").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """A reader that froze and was let go is not an application's error."""
    return not (record.exc_info and isinstance(record.exc_info[1], SendTimeoutError))
