"""The web door with one fault built in, to prove that the suite finds it: `python -m e2e.latency.faults X`.

Every fault is patched in from here; the product has no place for them.
"""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from app.prompt import Message
from app.turn import score
from web import __main__ as web
from web import frames


def late_sources() -> None:
    """150 ms more before the sources are known."""
    search = vars(score)["search"]

    async def slower(*arguments: Any) -> Any:
        found = await search(*arguments)
        await asyncio.sleep(0.15)
        return found

    vars(score)["search"] = slower


def slow_index() -> None:
    """150 ms more in the search itself."""
    from app.retrieval.chroma import ChromaIndex

    search = ChromaIndex.search

    async def slower(self: Any, *arguments: Any) -> Any:
        await asyncio.sleep(0.15)
        return await search(self, *arguments)

    put(ChromaIndex, "search", slower)


def blocking() -> None:
    """200 ms in which the event loop does nothing else."""
    build = vars(score)["build"]

    def slower(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.2)
        return build(*arguments, **named)

    vars(score)["build"] = slower


def title_first() -> None:
    """The model names the conversation before it answers."""
    generate = vars(score)["_generate"]

    async def later(given: Any, route: Any, stages: Any, *others: Any) -> Any:
        title = [Message("user", f"A title for: {given.turn.question}")]
        async with aclosing(stages.model.stream(title, route)) as chunks:
            async for _ in chunks:
                pass
        return await generate(given, route, stages, *others)

    vars(score)["_generate"] = later


def unflushed() -> None:
    """The first text stays in the server until the next one comes."""
    stream = frames.Frames.stream

    async def holding(self: Any, batches: Any, beat: Any) -> AsyncGenerator[bytes, None]:
        held = b""
        was_held = False
        async with aclosing(stream(self, batches, beat)) as sent:
            async for message in sent:
                if b'-open"' in message and not was_held:
                    held, was_held = message, True
                else:
                    yield held + message
                    held = b""

    put(frames.Frames, "stream", holding)


def none() -> None:
    """The door as it is."""


def put(kind: type, name: str, value: Any) -> None:
    setattr(kind, name, value)


FAULTS: dict[str, Callable[[], None]] = {
    "none": none,
    "late-sources": late_sources,
    "slow-index": slow_index,
    "blocking": blocking,
    "title-first": title_first,
    "unflushed": unflushed,
}


if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    web.main()
