"""The handler of /latency. Reads figures, never anybody's words; counts and draws them in a thread."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.statistics import BY
from web.latency.reading import Reading
from web.latency.report import Choice, report
from web.state import door_of, owner_of
from web.words import words_for

DAYS = ("1", "7", "30")
WHOSE = ("all", "mine")
MOST = 10_000  # turns that are read, in half a second: their p99 stands on 100
DAY_SECONDS = 86_400.0

LONGEST_LINE = 8
_in_line = 0
_one_at_a_time = asyncio.Semaphore(1)  # several threads that count would leave the event loop few turns


async def latency(request: Request) -> Response:
    """503 when several wait for it already: whoever waits for an answer comes first."""
    choice = chosen(request)
    with in_line():
        async with _one_at_a_time:
            page = await asyncio.to_thread(_draw, request, choice, await _read(request, choice))
    return HTMLResponse(page, headers={"cache-control": "no-store"})


@contextmanager
def in_line() -> Iterator[None]:
    global _in_line
    if _in_line >= LONGEST_LINE:
        raise HTTPException(503, "Several people wait for this page already.", {"retry-after": "5"})
    _in_line += 1
    try:
        yield
    finally:
        _in_line -= 1


def chosen(request: Request) -> Choice:
    """What the page is asked for; 400 for what there is not."""
    return Choice(
        days=int(_one_of(request, "days", DAYS, "7")),
        whose=_one_of(request, "whose", WHOSE, "all"),
        by=_one_of(request, "by", tuple(BY), "route"),
    )


def _one_of(request: Request, name: str, values: Sequence[str], default: str) -> str:
    value = request.query_params.get(name, default)
    if value not in values:
        raise HTTPException(400, f"{name} is {value!r}, but it takes one of: {', '.join(values)}.")
    return value


async def _read(request: Request, choice: Choice) -> Reading:
    reading, since = Reading(), time.time() - choice.days * DAY_SECONDS
    measures, mine = door_of(request).services.store.measures, choice.whose == "mine"
    async with aclosing(measures.parts(owner_of(request), since=since, mine=mine, limit=MOST)) as parts:
        async for part in parts:
            await asyncio.to_thread(reading.take, part)
    return reading


def _draw(request: Request, choice: Choice, reading: Reading) -> str:
    words = words_for(request)
    found = report(reading, choice, words, capped=len(reading.samples) >= MOST)
    return door_of(request).renderer.page("latency.html", words=words, report=found)
