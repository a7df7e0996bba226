"""A stream's bytes as chunks: server-sent lines decoded, cut anywhere. Knows no connection."""

from collections.abc import Iterator
from typing import Any

import msgspec

from app.errors import TurnError
from app.events import Usage
from app.models.chunk import Chunk

LONGEST_LINE = 1 << 20


class _Delta(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = 0


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _Line(msgspec.Struct):
    choices: list[_Choice] = msgspec.field(default_factory=list)
    usage: _Usage | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Line)


class Lines:
    """The `data:` lines of an event stream, from bytes cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""
        self.done = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise TurnError("upstream_failed", "The model sent a line of over a megabyte.")
        for line in lines:
            if line.startswith(b"data:"):
                value = line[5:].strip()
                if value == b"[DONE]":
                    self.done = True
                elif value:
                    yield value


def read(lines: Iterator[bytes]) -> Iterator[Chunk]:
    """All that one read brought, as one chunk or none; what came before a fault comes before its error."""
    texts, reason, usage, fault = [], "", None, None
    try:
        for line in map(_decode, lines):
            usage = _usage(line.usage) if line.usage else usage
            for choice in line.choices[:1]:
                texts.append(choice.delta.content or "")
                reason = choice.finish_reason or reason
    except (TurnError, msgspec.DecodeError) as error:
        fault = error
    text = "".join(texts)
    if text or reason or usage:
        yield Chunk(text, reason, usage)
    if fault:
        raise fault


def _decode(data: bytes) -> _Line:
    line = _decoder.decode(data)
    if line.error:
        raise TurnError("upstream_failed", f"The model failed while answering: {brief(line.error)}")
    return line


def _usage(usage: _Usage) -> Usage:
    details = usage.prompt_tokens_details
    return Usage(usage.prompt_tokens, usage.completion_tokens, (details and details.cached_tokens) or 0)


def brief(error: Any) -> str:
    text = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(text).split())[:200]
