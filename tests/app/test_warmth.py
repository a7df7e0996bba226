"""Searches before their question: for the same text only, once, and nobody else's."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from app.retrieval import Passage
from app.turn import warmth as module
from app.turn.warmth import Searched, Warmth, normalised
from tests.fakes import PASSAGE, Point

ME, OTHER = "me", "other"


@dataclass
class Searches:
    """Notes what is searched for; `held` keeps searches from ending."""

    texts: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    held: Point | None = None
    error: Exception | None = None

    async def __call__(self, text: str) -> Searched:
        self.texts.append(text)
        try:
            if self.held:
                await self.held()
            if self.error:
                raise self.error
        except asyncio.CancelledError:
            self.ended.append(text)
            raise
        found: Sequence[Passage] = (PASSAGE,)
        return found, found


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("How old is it", "How old is it?"),
        ("How  old is it? ", " How old is it"),
        ("城墙有多高", "城墙有多高？"),
        ("城墙有多高？？", "城墙有多高。"),
        ("ＡＢＣ", "ABC"),
        ("wait…", "wait..."),
    ],
)
def test_width_spaces_and_final_marks_make_no_other_question(typed: str, sent: str) -> None:
    assert normalised(typed) == normalised(sent)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("turn it on", "turn it off"),
        ("How old is", "How old is it"),
        ("C", "C++"),
        ("it", "IT"),
        ("第1条", "第2条"),
    ],
)
def test_every_other_difference_does(typed: str, sent: str) -> None:
    assert normalised(typed) != normalised(sent)


async def test_the_same_text_is_there_once() -> None:
    warmth, searches = Warmth(), Searches()
    warmth.begin(ME, ["How old is it"], searches)
    assert warmth.holds(ME, "How old is it?")
    task = warmth.take(ME, "How old is it?")
    assert task is not None
    assert await task == ((PASSAGE,), (PASSAGE,))
    assert warmth.take(ME, "How old is it?") is None, "given away once"
    assert searches.texts == ["How old is it"]


@pytest.mark.parametrize(("owner", "text"), [(ME, "How young is it?"), (OTHER, "How old is it"), (ME, "")])
async def test_nothing_else_is(owner: str, text: str) -> None:
    warmth = Warmth()
    warmth.begin(ME, ["How old is it"], Searches())
    assert not warmth.holds(owner, text)
    assert warmth.take(owner, text) is None


async def test_going_on_typing_ends_what_was_begun_before() -> None:
    warmth, searches = Warmth(), Searches(held=Point())
    warmth.begin(ME, ["How old"], searches)
    await asyncio.sleep(0)
    warmth.begin(ME, ["How old is it"], searches)
    await asyncio.sleep(0)
    assert searches.texts == ["How old", "How old is it"]
    assert searches.ended == ["How old"]
    assert warmth.take(ME, "How old") is None


async def test_the_same_text_again_goes_on() -> None:
    warmth, searches = Warmth(), Searches(held=Point())
    warmth.begin(ME, ["How old is it"], searches)
    await asyncio.sleep(0)
    warmth.begin(ME, ["How old is it?", "How old is the wall?"], searches)
    await asyncio.sleep(0)
    assert searches.texts == ["How old is it", "How old is the wall?"]
    assert searches.ended == []


async def test_the_end_ends_all_but_what_was_taken() -> None:
    warmth, searches = Warmth(), Searches(held=Point())
    warmth.begin(ME, ["one", "two"], searches)
    await asyncio.sleep(0)
    taken = warmth.take(ME, "one")
    warmth.end(ME)
    await asyncio.sleep(0)
    assert searches.ended == ["two"]
    assert taken is not None
    assert searches.held is not None
    searches.held.open.set()
    assert await taken


async def test_what_is_old_is_not_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    warmth = Warmth()
    warmth.begin(ME, ["How old is it"], Searches())
    monkeypatch.setattr(module, "SECONDS", -1.0)
    assert warmth.take(ME, "How old is it") is None


async def test_many_typists_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OWNERS", 3)
    warmth = Warmth()
    for n in range(5):
        warmth.begin(f"owner {n}", ["a question"], Searches())
    assert [warmth.holds(f"owner {n}", "a question") for n in range(5)] == [False, False, True, True, True]


async def test_a_failure_that_nobody_asks_for_is_no_noise(caplog: pytest.LogCaptureFixture) -> None:
    warmth = Warmth()
    warmth.begin(ME, ["How old is it"], Searches(error=RuntimeError("oops")))
    for _ in range(3):
        await asyncio.sleep(0)
    warmth.end(ME)
    assert "never retrieved" not in caplog.text
