"""Serves the stand-in with uvicorn: as a program, or in a thread beside a test."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from dev.standin.app import create_app


def listen(host: str, port: int) -> socket.socket:
    """A socket that already listens, so that its address answers from now on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1024)


def server() -> uvicorn.Server:
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    config = uvicorn.Config(
        create_app(),
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


@contextmanager
def running() -> Iterator[str]:
    """The address of a stand-in that runs in a thread of this process until the block ends."""
    with listen("127.0.0.1", 0) as listener:
        served = server()
        thread = threading.Thread(target=served.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            served.should_exit = True
            thread.join()


def _is_news(record: logging.LogRecord) -> bool:
    """A scenario that cuts its answer leaves it unfinished on purpose."""
    return "without completing response" not in record.getMessage()
