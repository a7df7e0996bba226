"""The programs' way to ask, to follow and to stop: JSON in, an event stream out."""

from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Sequence
from itertools import groupby

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.events import Delta, TurnEvent, encode, name_of
from app.turnlog import Batch
from web.questions import BadQuestion, check_size, id_in, read_question, start
from web.state import door_of, owner_of
from web.turns import event_source, find_turn, number_after, stop
from web.words import LANGUAGES

__all__ = ["ask", "events", "stop"]


class Question(msgspec.Struct):
    """The body of POST /api/turns. `fresh` asks past the answer cache, `large` asks the large model;
    `replaces` is the turn in whose place it is asked, once more or edited."""

    question: str
    conversation: str | None = None
    turn: str | None = None
    fresh: bool = False
    large: bool = False
    replaces: str | None = None


_body = msgspec.json.Decoder(Question)


async def ask(request: Request) -> Response:
    """The turn's events from the first on, at once. The same `turn` again joins the same turn."""
    check_size(request)
    door = door_of(request)
    try:
        body = _body.decode(await request.body())
        turn = read_question(
            request, body.question, body.conversation, body.turn, body.replaces, body.large
        )
    except msgspec.MsgspecError as error:
        return problem(400, f"The body is no question: {error}.")
    except BadQuestion as error:
        return problem(422, LANGUAGES["en"](error.key, **error.values))
    log = await start(door, turn)
    if log is not None:
        return event_source(messages(log.read(0)))
    stored = await find_turn(door, turn.owner, turn.id)
    return event_source(messages(door.services.runner.read(turn.owner, stored, 0)))


async def events(request: Request) -> Response:
    door, owner = door_of(request), owner_of(request)
    turn = await find_turn(door, owner, id_in(request, "turn"))
    return event_source(messages(door.services.runner.read(owner, turn, number_after(request))))


async def messages(batches: AsyncIterable[Batch]) -> AsyncGenerator[bytes, None]:
    """One SSE message an event; texts that arrived together go out together, under the last one's number."""
    async for last, batch in batches:
        yield b"".join(_encode(last - len(batch), batch))


def _encode(before: int, batch: Sequence[TurnEvent]) -> Iterator[bytes]:
    n = before
    for is_delta, group in groupby(batch, lambda event: isinstance(event, Delta)):
        run = list(group)
        if is_delta:
            n += len(run)
            yield _message(n, Delta("".join(event.text for event in run if isinstance(event, Delta))))
        else:
            for event in run:
                n += 1
                yield _message(n, event)


def _message(n: int, event: TurnEvent) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (n, name_of(event).encode(), encode(event))


def problem(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)
