"""A question on its way, and what is called on the way. Knows no order."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import perf_counter

from app.embedding import Embedder
from app.events import TurnEvent
from app.followups import Rewriter
from app.models import Model
from app.prompt import History
from app.retrieval import Index, Lexical
from app.routing import Router
from app.turn.warmth import Warmth

Emit = Callable[[TurnEvent], object]


@dataclass(frozen=True, slots=True)
class Turn:
    """Ids are UUIDs in hex; `created` is seconds since the epoch, `arrived` the same moment by this process's
    `perf_counter`. `large`: its asker wants the large model. `replaces`: the turn in whose place it is asked,
    once more or edited."""

    id: str
    owner: str
    conversation: str
    question: str
    created: float
    arrived: float = field(default_factory=perf_counter)
    large: bool = False
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Stages:
    """What `answer` calls, each behind its protocol."""

    router: Router
    embedder: Embedder
    index: Index
    lexical: Lexical
    rewriter: Rewriter
    model: Model
    history: Callable[[Turn], Awaitable[History]]
    earlier: Callable[[Turn], Awaitable[str]]  # the answer of the turn that this one replaces
    warmth: Warmth = field(default_factory=Warmth)
