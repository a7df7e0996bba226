"""What tests of the worker share: one that runs, and services with a part put in another's place."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.services import Services
from app.settings import Settings
from worker.app import work


@asynccontextmanager
async def a_worker(settings: Settings) -> AsyncIterator[None]:
    working = asyncio.create_task(work(settings))
    try:
        yield
    finally:
        working.cancel()
        await asyncio.wait([working])


def replaced(services: Services, **parts: object) -> Services:
    values = {name: getattr(services, name) for name in Services.__dataclass_fields__}
    return Services(**{**values, **parts})
