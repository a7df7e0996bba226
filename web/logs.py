"""What the web door logs, set up in each of its processes."""

import logging

from sse_starlette.sse import SendTimeoutError

from app.settings import Settings
from app.telemetry import set_up_logs


def set_up(settings: Settings) -> None:
    set_up_logs(settings)
    logging.getLogger("uvicorn.error").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Neither a reader that froze and was let go, nor a stream that ends with the server, is an error."""
    frozen = record.exc_info and isinstance(record.exc_info[1], SendTimeoutError)
    return not frozen and "without completing response" not in record.getMessage()
