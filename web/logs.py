"""What the web door logs, set up in each of its processes."""

import logging

from sse_starlette.sse import SendTimeoutError

from app.telemetry import log_to_stderr


def set_up() -> None:
    log_to_stderr()
    logging.getLogger("uvicorn.error").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Neither a reader that froze and was let go, nor a stream that ends with the server, is an error."""
    frozen = record.exc_info and isinstance(record.exc_info[1], SendTimeoutError)
    return not frozen and "without completing response" not in record.getMessage()
