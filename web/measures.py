"""A turn's figures: takes what its browser saw, hands out everything that is known, draws the waterfall.

Nobody but its owner gives or gets them. Knows no stage by name; what is plausible is app.measures'.
"""

import asyncio
import time

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.events import Started
from app.measures import Paint, implausible, record, stages, values
from app.store import Measured, Painted
from app.turnlog import TurnLog
from web.questions import id_in
from web.state import Door, door_of, owner_of
from web.waterfall import waterfall as drawn
from web.words import words_for

LARGEST_PAINT = 2_048  # bytes
PAUSES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)  # another process may need so long to keep what has ended there
NO_STORE = {"cache-control": "no-store"}

_paint = msgspec.json.Decoder(Paint)


async def paint(request: Request) -> Response:
    """Keeps what a browser saw. The first word counts: 204 for every further one, which changes nothing.

    400 for what is no Paint, 422 for one that nobody can have seen; and see `measured_turn`.
    """
    door, owner, turn = door_of(request), owner_of(request), id_in(request, "turn")
    known = door.services.runner.find(owner, turn)
    if known and known.ended:
        seen, created = record(known.events), known.created
    else:
        found = await measured_turn(door, owner, turn)
        if found.paint is not None:
            return Response(status_code=204)
        seen, created = found.record, found.created
    try:
        told = _paint.decode(await _body(request))
    except msgspec.MsgspecError as error:
        raise HTTPException(400, f"The body is no measurement: {error}.") from None
    if reason := implausible(told, seen, (time.time() - created) * 1_000):
        door.services.telemetry.metrics.refused_paint()
        raise HTTPException(422, f"Nobody can have seen this: {reason}.")
    if door.paints.add(Painted(owner, turn, told, door.drawings.take(turn))):
        door.services.telemetry.painted(seen, told)
    return Response(status_code=204)


async def figures(request: Request) -> Response:
    """All that is known of a turn, as JSON."""
    found = await measured_turn(door_of(request), owner_of(request), id_in(request, "turn"))
    parts = found.record, found.paint, found.rendered
    names = ("record", "paint", "rendered", "values", "stages")
    whole = dict(zip(names, (*parts, values(*parts), stages(*parts)), strict=True))
    return Response(msgspec.json.encode(whole), media_type="application/json", headers=NO_STORE)


async def waterfall(request: Request) -> Response:
    """A fragment for the line under the answer, or a page of its own."""
    door, words = door_of(request), words_for(request)
    found = await measured_turn(door, owner_of(request), id_in(request, "turn"))
    name = "waterfall.html" if "hx-request" in request.headers else "waterfall_page.html"
    page = door.renderer.page(name, words=words, drawn=drawn(found, words), measured=found)
    return HTMLResponse(page, headers=NO_STORE)


async def measured_turn(door: Door, owner: str, turn: str) -> Measured:
    """The owner's turn with its figures, once it is kept. HTTPException 404 when there is none, 409 while it
    runs; a turn older than measuring has what its transcript tells."""
    log = door.services.runner.find(owner, turn)
    if log is not None:
        await _settle(door, log)
    await door.paints.flush()
    for pause in PAUSES:
        await asyncio.sleep(pause)
        if (found := await door.services.store.measures.one(owner, turn)) is not None:
            return found
        stored = await door.services.store.conversations.turn(owner, turn)
        if stored is None:
            raise HTTPException(404)
        if stored.status != "running":
            conversation, created = stored.conversation, stored.created
            return Measured(turn, conversation, created, True, record(stored.events()), None, None)
    raise HTTPException(409, RUNS)


RUNS = "The turn has not ended, so it has no figures yet."


async def _settle(door: Door, log: TurnLog) -> None:
    if not log.ended:
        raise HTTPException(409, RUNS)
    if isinstance(first := log.events[0], Started):
        await door.services.runner.settle(first.conversation)


async def _body(request: Request) -> bytes:
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > LARGEST_PAINT:
            raise HTTPException(413, f"A measurement takes at most {LARGEST_PAINT} bytes.")
    return bytes(read)
