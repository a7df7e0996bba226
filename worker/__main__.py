"""`python -m worker`: the background door."""

import asyncio
import contextlib

from app.settings import load_settings
from app.telemetry import set_up_logs
from worker.app import work


def main() -> None:
    settings = load_settings()
    set_up_logs(settings)
    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt):
        asyncio.run(work(settings))


if __name__ == "__main__":
    main()
