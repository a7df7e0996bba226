"""Brings the lexical index in step with the vectors' one: after a crash between the two, when its folder was
lost or damaged, or when it is new. Knows neither files nor vectors.
"""

import asyncio
from collections.abc import Callable

from app.errors import TurnError
from app.retrieval.protocol import Index, Lexical

PAGE = 500  # passages that are made good at once
PAUSE = 0.1  # seconds between two pages, in which another writer finds the index free


async def heal(index: Index, lexical: Lexical, tell: Callable[[int, int], bool]) -> bool:
    """Whether all is well in the end. Told what is done and how much there is, `tell` may say to stop there.

    Counts are compared first, for that costs nothing; two that differ by a passage each way look the same.
    """
    stored = await index.count()
    try:
        if stored == await lexical.count():
            return True
        here = await lexical.ids()  # first: what is in both must not look as if it were only here
    except TurnError:
        await lexical.mend([], index)  # whoever writes finds out whether it is beyond repair, and empties it
        here = await lexical.ids()
    wrong = sorted(here ^ await index.ids())
    for done in range(0, len(wrong), PAGE):
        if tell(done, len(wrong)):
            return False
        await lexical.mend(wrong[done : done + PAGE], index)
        await asyncio.sleep(PAUSE)
    return True
