"""`python -m worker`: the background door."""

import asyncio
import contextlib
import logging

from app.settings import load_settings
from worker.app import work


def main() -> None:
    settings = load_settings()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for noisy in ("httpx", "alembic", "arq"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt):
        asyncio.run(work(settings))


if __name__ == "__main__":
    main()
