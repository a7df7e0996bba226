"""`python -m web`: the web door, served by uvicorn. WEB_CONCURRENCY says by how many processes."""

import logging

import uvicorn
from sse_starlette.sse import SendTimeoutError

from app.settings import load_settings
from app.telemetry import log_to_stderr

GRACE_SECONDS = 5  # for requests at shutdown; streams end at once, turns get their own time to drain


def main() -> None:
    settings = load_settings()
    log_to_stderr()
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    uvicorn.run(
        "web.app:create_app",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.web_concurrency,
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        log_config=None,
    )


def _is_news(record: logging.LogRecord) -> bool:
    """A reader that froze and was let go is not an application's error."""
    return not (record.exc_info and isinstance(record.exc_info[1], SendTimeoutError))


if __name__ == "__main__":
    main()
