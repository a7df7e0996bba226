"""When the worker starts: every owner's lexical index catches up with the vectors' one, beside the jobs.

What is lost, damaged or of an earlier version is built anew page by page; until then questions find by
meaning. Tried again, ever less often, while a part is away.
"""

import asyncio
import logging

from app.documents.healing import heal
from app.errors import TurnError
from app.retrieval import SHARED, forget_earlier, open_index, open_lexical
from app.services import Services

WAIT_SECONDS = (2.0, 600.0)  # before the second try, and at the most

log = logging.getLogger(__name__)


async def heal_all(services: Services) -> None:
    """Ends when all are whole; never raises."""
    wait, longest = WAIT_SECONDS
    left: set[str] = set()
    while True:
        try:
            owners = left or {SHARED} | await open_index(services.settings, services.embedder).owners()
            left = {owner for owner in sorted(owners) if not await _is_healed(services, owner)}
            if not left:
                return
        except TurnError as error:
            log.warning("healing: %s", error)
        except Exception:
            log.exception("healing")
        await asyncio.sleep(wait)
        wait = min(2 * wait, longest)


async def _is_healed(services: Services, owner: str) -> bool:
    """An empty vectors' index may be a lost or a new one: its words stay until it is filled again."""
    settings = services.settings
    index, lexical = open_index(settings, services.embedder, owner), open_lexical(settings, owner)
    try:
        if await index.count():
            await heal(index, lexical, _tell)
            await asyncio.to_thread(forget_earlier, settings, owner)
    except (TurnError, OSError) as error:
        log.warning("healing %s: %s", owner, error)
        return False
    return True


def _tell(done: int, total: int) -> bool:
    if done == 0:
        log.info("%d passages get their words anew", total)
    return False
