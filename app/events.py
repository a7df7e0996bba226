"""The one vocabulary of a turn: everything that can happen to a question on its way to an answer.

A closed union of flat, frozen dataclasses. Handle it with `match` and `assert_never`. A turn ends
with exactly one `Finished` or `Failed`. This module knows nothing of HTTP, HTML or storage.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import msgspec

StepState = Literal["running", "done", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; `cached_tokens` is the part of the prompt a prefix cache held."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """When a stage ran: milliseconds, `start` since the question arrived. Stages may overlap."""

    name: str
    start: float
    ms: float


@dataclass(frozen=True, slots=True)
class Card:
    """One source as people see it. `start` and `end` are characters in the document's extracted text."""

    n: int
    title: str
    uri: str
    page: int | None
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Started:
    turn: str
    conversation: str
    question: str


@dataclass(frozen=True, slots=True)
class Step:
    """A stage changed state; `ms` is how long it took, once it has ended."""

    name: str
    state: StepState
    detail: str = ""
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class Routed:
    """`larger`: the model that its reader may ask instead, if there is one."""

    route: str
    model: str
    reason: str
    larger: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Prompted:
    """What the model was given to read: estimated tokens by part, in the order of the prompt, and a hash of
    what stands before the last message, which a prefix cache can hold."""

    tokens: dict[str, int]
    prefix: str


@dataclass(frozen=True, slots=True)
class Delta:
    text: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """The text so far is withdrawn, for it is no answer: `model` answers instead. `reason` is a few words,
    `usage` what it cost, estimated where the call was left before its end."""

    reason: str
    model: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ToolStarted:
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    id: str
    name: str
    state: StepState
    detail: str
    ms: float


@dataclass(frozen=True, slots=True)
class Partial:
    """A structured output so far: each value replaces the one before."""

    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is whole. `timings` are milliseconds, named as in docs/architecture.md."""

    cached: bool
    model: str
    route: str
    usage: Usage = field(default_factory=Usage)
    timings: dict[str, float] = field(default_factory=dict)
    reason: str = "stop"
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn ended without a whole answer; what had arrived stays. `kind` is a `TurnError` kind."""

    kind: str
    message: str
    retryable: bool
    timings: dict[str, float] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()


TurnEvent = (
    Started
    | Step
    | Routed
    | Sources
    | Prompted
    | Delta
    | Retracted
    | ToolStarted
    | ToolFinished
    | Partial
    | Finished
    | Failed
)
Ended = (Finished, Failed)


def text_of(events: Iterable[TurnEvent]) -> str:
    """The answer as far as it came, without what was withdrawn."""
    texts: list[str] = []
    for event in events:
        if isinstance(event, Delta):
            texts.append(event.text)
        elif isinstance(event, Retracted):
            texts.clear()
    return "".join(texts)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


NAMES: dict[type, str] = {kind: _snake(kind.__name__) for kind in get_args(TurnEvent)}
KINDS: dict[str, type] = {name: kind for kind, name in NAMES.items()}

_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[TurnEvent]] = {
    name: msgspec.json.Decoder(kind) for name, kind in KINDS.items()
}


def name_of(event: TurnEvent) -> str:
    """The event's wire name, e.g. `tool_started`."""
    return NAMES[type(event)]


def encode(event: TurnEvent) -> bytes:
    """The event's JSON object in UTF-8, on one line, without its name."""
    return _encoder.encode(event)


def decode(name: str, data: bytes | str) -> TurnEvent:
    """The inverse of `name_of` and `encode`; raises KeyError or msgspec.ValidationError on foreign data."""
    return _decoders[name].decode(data)
