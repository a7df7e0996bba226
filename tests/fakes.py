"""Fakes of the core's protocols, for tests of what lies between them. Real parts are in `tests.parts`."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from app.embedding import Vector
from app.events import Failed, Finished, TurnEvent, Usage
from app.followups import Rewriter, RulesOnly
from app.models import NO_HINTS, Chunk, Hints
from app.prompt import Exchange, History, Message
from app.retrieval import Index, Passage
from app.routing import Route, Router
from app.settings import Settings
from app.turn import Stages, Turn

PASSAGE = Passage("p1", "城墙建于明朝。", "城墙", "file:///wall.md", 3, 10, 17, 0.87654)
WHOLE = (Chunk("Hello"), Chunk(", world"), Chunk(reason="stop"), Chunk(usage=Usage(7, 2, 1)))

Hook = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """A stage that takes no time."""


@dataclass
class FakeModel:
    """Streams its chunks; `before[n]` runs before chunk n (from 0), where it may wait or raise."""

    chunks: Sequence[Chunk] = WHOLE
    before: dict[int, Hook] = field(default_factory=dict)
    asked: list[Sequence[Message]] = field(default_factory=list)
    hints: list[Hints] = field(default_factory=list)
    closed: bool = False

    async def stream(
        self, messages: Sequence[Message], route: Route, hints: Hints = NO_HINTS
    ) -> AsyncGenerator[Chunk, None]:
        self.asked.append(messages)
        self.hints.append(hints)
        try:
            for n, chunk in enumerate(self.chunks):
                await self.before.get(n, nothing)()
                yield chunk
            await self.before.get(len(self.chunks), nothing)()
        finally:
            self.closed = True

    async def warm(self) -> None: ...


@dataclass
class FakeStages:
    """Every stage, each with a hook that runs inside it."""

    on_history: Hook = nothing
    on_embed: Hook = nothing
    on_search: Hook = nothing
    exchanges: Sequence[Exchange] = (Exchange("before?", "Yes."),)
    passages: tuple[Passage, ...] = (PASSAGE,)
    model: FakeModel = field(default_factory=FakeModel)
    router: Router = field(default_factory=lambda: Router(Settings()))
    rewriter: Rewriter = field(default_factory=RulesOnly)
    matched: tuple[Passage, ...] = (PASSAGE,)
    on_lexical: Hook = nothing
    on_earlier: Hook = nothing
    searched: list[tuple[Vector, int]] = field(default_factory=list)
    worded: list[str] = field(default_factory=list)  # what was searched for by its words

    async def query(self, text: str) -> Vector:
        await self.on_embed()
        return [float(len(text))]

    async def search(self, vector: Vector, k: int) -> tuple[Passage, ...]:
        await self.on_search()
        self.searched.append((vector, k))
        return self.passages

    def match(self, question: str) -> tuple[Passage, ...]:
        self.worded.append(question)
        return self.matched

    async def history(self, turn: Turn) -> History:
        await self.on_history()
        return History("", self.exchanges)

    async def earlier(self, turn: Turn) -> str:
        await self.on_earlier()
        return "An earlier answer."

    def stages(self) -> Stages:
        return Stages(
            self.router,
            _Embedder(self),
            _Index(self),
            _Lexical(self),
            self.rewriter,
            self.model,
            self.history,
            self.earlier,
        )


@dataclass
class _Embedder:
    fakes: FakeStages
    name: str = "fake"

    async def query(self, text: str) -> Vector:
        return await self.fakes.query(text)

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise NotImplementedError

    async def warm(self) -> None: ...

    async def close(self) -> None: ...


@dataclass
class _Index:
    fakes: FakeStages

    async def search(self, vector: Vector, k: int) -> tuple[Passage, ...]:
        return await self.fakes.search(vector, k)

    async def missing(self, ids: Sequence[str]) -> set[str]:
        raise NotImplementedError

    async def add(self, document: str, passages: Sequence[Passage], vectors: Sequence[Vector]) -> None:
        raise NotImplementedError

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        raise NotImplementedError

    async def count(self) -> int:
        raise NotImplementedError

    async def ids(self) -> set[str]:
        raise NotImplementedError

    async def passages(self, ids: Sequence[str]) -> Sequence[tuple[str, Passage]]:
        raise NotImplementedError

    async def warm(self, vector: Vector) -> None: ...


@dataclass
class _Lexical:
    fakes: FakeStages

    async def search(self, question: str, k: int) -> tuple[Passage, ...]:
        await self.fakes.on_lexical()
        return self.fakes.match(question)

    async def add(self, document: str, passages: Sequence[Passage]) -> None:
        raise NotImplementedError

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        raise NotImplementedError

    async def count(self) -> int:
        raise NotImplementedError

    async def ids(self) -> set[str]:
        raise NotImplementedError

    async def mend(self, ids: Sequence[str], index: Index) -> None:
        raise NotImplementedError

    async def warm(self) -> None: ...


@dataclass
class FakeQueue:
    """Counts how often it was rung."""

    rung: int = 0

    async def ring(self) -> None:
        self.rung += 1


class Point:
    """A place where code waits until a test lets it go on, and where a test waits for the code to come."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self) -> None:
        self.reached.set()
        await self.open.wait()


def raising(error: BaseException) -> Hook:
    async def throw() -> None:
        raise error

    return throw


def a_turn(
    question: str = "城墙 how old?", *, owner: str = "", conversation: str = "", created: float = 1.0
) -> Turn:
    return Turn(uuid4().hex, owner or uuid4().hex, conversation or uuid4().hex, question, created)


def end_of(events: Sequence[TurnEvent]) -> Finished | Failed:
    """The one end, which must be the last event."""
    ends = [event for event in events if isinstance(event, Finished | Failed)]
    assert len(ends) == 1, ends
    assert events[-1] is ends[0]
    return ends[0]
