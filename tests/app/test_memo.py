"""Questions are embedded once, however many ask at the same time, and failures are not remembered."""

import asyncio
from collections.abc import Sequence

import pytest

from app.embedding.memo import REMEMBERED, Memo
from app.embedding.protocol import Vector
from app.errors import TurnError


class Slow:
    """Answers when it is let go; notes every text."""

    name = "slow"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.go = asyncio.Event()
        self.fails = False

    async def query(self, text: str) -> Vector:
        self.asked.append(text)
        await self.go.wait()
        if self.fails:
            raise TurnError("retrieval_failed", "no")
        return [float(len(self.asked))]

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [[0.0] for _ in texts]

    async def warm(self) -> None: ...

    async def close(self) -> None: ...


async def test_what_was_begun_is_joined() -> None:
    embedder = Slow()
    memo = Memo(embedder)
    memo.begin("城墙")
    asking = [asyncio.create_task(memo.query("城墙")) for _ in range(3)]
    embedder.go.set()
    assert await asyncio.gather(*asking) == [[1.0]] * 3
    assert await memo.query("城墙") == [1.0]
    assert embedder.asked == ["城墙"]


async def test_one_that_leaves_takes_nobody_along() -> None:
    embedder = Slow()
    memo = Memo(embedder)
    leaving, staying = (asyncio.create_task(memo.query("a")) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    embedder.go.set()
    assert await staying == [1.0]
    assert leaving.cancelled() or leaving.cancelling()


async def test_a_failure_is_tried_again() -> None:
    embedder = Slow()
    memo = Memo(embedder)
    embedder.fails = True
    embedder.go.set()
    with pytest.raises(TurnError):
        await memo.query("a")
    embedder.fails = False
    assert await memo.query("a") == [2.0]


async def test_the_oldest_are_forgotten() -> None:
    embedder = Slow()
    memo = Memo(embedder)
    embedder.go.set()
    for n in range(REMEMBERED + 1):
        await memo.query(str(n))
    await memo.query("0")
    await memo.query(str(REMEMBERED))
    assert embedder.asked.count("0") == 2
    assert embedder.asked.count(str(REMEMBERED)) == 1
