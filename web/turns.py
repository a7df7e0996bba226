"""The page's way to ask, to follow and to stop."""

import asyncio
from collections.abc import AsyncIterable

from redis.exceptions import RedisError
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.store import StoredTurn
from app.turn import Turn
from app.turnlog import TurnLog
from web.frames import Frames, take
from web.questions import BadQuestion, check_size, id_in, read_question, start
from web.state import Door, door_of, owner_of
from web.view import View
from web.words import Words, words_for

PING_SECONDS = 15
SEND_SECONDS = 60  # a reader that takes nothing for so long is gone


async def ask(request: Request) -> Response:
    """An article with the turn's first steps, which opens the stream; or 422 with what was wrong."""
    check_size(request)
    door, words = door_of(request), words_for(request)
    form = await request.form(max_files=0, max_fields=8)
    try:
        turn = read_question(
            request,
            form.get("question"),
            form.get("conversation"),
            form.get("turn"),
            form.get("replaces"),
            form.get("large"),
        )
    except BadQuestion as error:
        return HTMLResponse(words(error.key, **error.values), status_code=422)
    log = await start(door, turn)
    if "hx-request" not in request.headers:
        return RedirectResponse(f"/c/{turn.conversation}", status_code=303)
    for _ in ("the turn begins", "its first stages begin"):
        await asyncio.sleep(0)  # so that the article holds their steps
    return HTMLResponse(_article(door, turn, log, words))


def _article(door: Door, turn: Turn, log: TurnLog | None, words: Words) -> str:
    view = View(turn.id, turn.question)
    if log is not None:
        view.apply(log.events)
    return door.renderer.page(
        "asked.html", view=view, frame=take(view), words=words, turn=turn, new=log is not None
    )


async def events(request: Request) -> Response:
    """The turn's frames behind number `after`, until it ends. `Last-Event-ID` overrides `after`."""
    door, owner = door_of(request), owner_of(request)
    turn = await find_turn(door, owner, id_in(request, "turn"))
    frames = Frames(View(turn.id, turn.question), words_for(request), door.renderer, number_after(request))
    door.drawings.keep(turn.id, frames.drawing)
    return event_source(frames.stream(door.services.runner.read(owner, turn, 0), door.beat))


async def stop(request: Request) -> Response:
    """204 once the order is on its way; stopping an ended turn is no mistake."""
    door, owner = door_of(request), owner_of(request)
    turn = await find_turn(door, owner, id_in(request, "turn"))
    try:
        if turn.status == "running":
            await door.services.runner.stop(turn.id)
    except (RedisError, OSError):
        raise HTTPException(503, "The turn runs in another process, which cannot be reached.") from None
    return Response(status_code=204)


async def find_turn(door: Door, owner: str, id_: str) -> StoredTurn:
    """The owner's turn; without asking the database while it runs here. 404 when there is none."""
    log = door.services.runner.find(owner, id_)
    if log is not None:
        return StoredTurn(id_, "", "", "running", 0.0, b"")
    turn = await door.services.store.conversations.turn(owner, id_)
    if turn is None:
        raise HTTPException(404)
    return turn


def number_after(request: Request) -> int:
    value = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not value.isdecimal() or len(value) > 9:
        raise HTTPException(400, f"after is {value[:20]!r}, but it takes the number of an event.")
    return int(value)


def event_source(content: AsyncIterable[bytes]) -> Response:
    return EventSourceResponse(content, ping=PING_SECONDS, sep="\n", send_timeout=SEND_SECONDS)
