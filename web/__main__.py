"""`python -m web`: the web door, served by uvicorn. WEB_CONCURRENCY says by how many processes."""

import asyncio

import uvicorn

from app.settings import Settings, load_settings
from app.store import open_store
from app.telemetry.files import forget_dead
from app.telemetry.metrics import METRICS
from web import logs
from web.identity import secret_from

GRACE_SECONDS = 5  # for requests at shutdown; streams end at once, turns get their own time to drain


def main() -> None:
    settings = load_settings()
    logs.set_up(settings)
    asyncio.run(_find_what_it_stands_on(settings))
    forget_dead(settings.data_dir / METRICS)
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


async def _find_what_it_stands_on(settings: Settings) -> None:
    """Before the server, which would make a traceback of the one line that says what is missing."""
    secret_from(settings.secret_key, settings.data_dir)
    async with open_store(settings):
        pass


if __name__ == "__main__":
    main()
