"""What the web door holds while it runs: the services, the templates, the beat, and what they found out."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from redis.exceptions import RedisError
from starlette.requests import Request

from app.errors import TurnError
from app.models.ollama import find_ollama
from app.services import Services, warm
from web.beat import Beat
from web.drawings import Drawings
from web.paints import Paints
from web.render import Renderer

DRAIN_SECONDS = 1.5  # a supervisor waits little longer before it kills
PEEK_SECONDS = (2.0, 10.0)  # until it looks again: while the library changes, and while it does not

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Door:
    services: Services
    renderer: Renderer
    beat: Beat
    passages: int = 0  # in the library, as of the last look
    ollama: str = ""  # its address, when one answers and no language model is connected
    ready: bool = False  # whether everything has answered once
    drawings: Drawings = field(default_factory=Drawings)
    paints: Paints = field(init=False)

    def __post_init__(self) -> None:
        self.paints = Paints(self.services.store.measures)


def door_of(request: Request) -> Door:
    door: Door = request.state.door
    return door


def owner_of(request: Request) -> str:
    owner: str = request.state.owner
    return owner


@asynccontextmanager
async def running(door: Door) -> AsyncGenerator[None, None]:
    """Mirrors, warms and looks about while the door is open; drains the turns when it closes."""
    runner, mirror = door.services.runner, door.services.mirror
    tasks = [
        asyncio.create_task(mirror.run(runner.stop_here)),
        asyncio.create_task(_look_about(door)),
    ]
    try:
        yield
    finally:
        await runner.drain(DRAIN_SECONDS)
        await door.paints.close()
        with suppress(RedisError, OSError):
            await mirror.flush()  # readers elsewhere need not wait until this process counts as lost
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _look_about(door: Door) -> None:
    while True:
        before = door.passages
        try:
            await _look(door)
        except Exception:  # whatever it stumbled over, the next look may not
            log.exception("looking about")
        await asyncio.sleep(PEEK_SECONDS[door.passages == before > 0])


async def _look(door: Door) -> None:
    if door.services.embedder.state != "ok":
        await warm(door.services)
    try:
        door.passages = await door.services.index.count()
    except TurnError as error:
        log.warning("%s", error)
    if not door.services.settings.is_language_model:
        door.ollama = await find_ollama()
