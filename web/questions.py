"""What a client may send as a question, checked once for both doors: the page's form and the API's JSON."""

import time
from uuid import UUID, uuid4

from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.turn import Turn
from app.turnlog import TurnLog
from web.state import Door, owner_of

LONGEST = 8_000  # characters
LARGEST_BODY = 128 * 1024  # a form takes twelve bytes for a character that JSON holds in four


class BadQuestion(Exception):
    """`key` is one of the interface's words; `values` go into it."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


def read_question(
    request: Request,
    question: object,
    conversation: object,
    turn: object,
    replaces: object = None,
    large: object = None,
) -> Turn:
    """A new Turn from raw fields; raises BadQuestion, or HTTPException 400 for an id that is no UUID."""
    text = question.strip() if isinstance(question, str) else ""
    text = text.replace("\x00", "").encode("utf-8", "replace").decode()
    if not text:
        raise BadQuestion("empty")
    if len(text) > LONGEST:
        raise BadQuestion("too_long", length=len(text), limit=LONGEST)
    return Turn(
        id=_uuid("turn", turn),
        owner=owner_of(request),
        conversation=_uuid("conversation", conversation),
        question=text,
        created=time.time() - (time.perf_counter() - request.state.arrived),
        arrived=request.state.arrived,
        large=bool(large),
        replaces=_uuid("replaces", replaces) if replaces else "",
    )


async def start(door: Door, turn: Turn) -> TurnLog | None:
    """Keeps the turn and sets it going, once: the same request again is the same turn, and gets no log.

    HTTPException 404 when the turn is somebody else's, 409 when it was asked something else.
    """
    if not door.services.stages.warmth.holds(turn.owner, turn.question):
        door.services.embedder.begin(turn.question)  # while the turn is being kept
    await door.services.runner.settle(turn.conversation)
    try:
        new = await door.services.store.conversations.add(turn)
    except LookupError:
        raise HTTPException(404) from None
    if new:
        return door.services.runner.start(turn)
    stored = await door.services.store.conversations.turn(turn.owner, turn.id)
    if stored is not None and stored.question != turn.question:
        raise HTTPException(409, "That turn was asked something else; a new question takes a new turn.")
    return None


def check_size(request: Request) -> None:
    """411 or 413 for a body that no question needs, before it is read."""
    length = request.headers.get("content-length", "")
    if not length.isdigit():
        raise HTTPException(411, "A request says by its Content-Length how many bytes it has.")
    if int(length) > LARGEST_BODY:
        raise HTTPException(413, f"A request takes at most {LARGEST_BODY} bytes.")


def id_in(request: Request, name: str) -> str:
    """The UUID in a path, however it is written; 404 when it is none."""
    try:
        return UUID(request.path_params[name]).hex
    except ValueError:
        raise HTTPException(404) from None


def _uuid(name: str, value: object) -> str:
    if value is None or value == "":
        return uuid4().hex
    try:
        return UUID(str(value)).hex
    except ValueError:
        raise HTTPException(400, f"{name} is no UUID.") from None
