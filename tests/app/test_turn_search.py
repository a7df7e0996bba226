"""How the score searches: for what a follow-up means, with what was found while it was typed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from app.errors import TurnError
from app.events import Card, Finished, Sources, Step, TurnEvent
from app.followups import Rewriter
from app.prompt import Exchange
from app.retrieval import Passage
from app.turn import Stages, Turn, answer, foresee
from app.turn.legs import DEADLINES
from tests.fakes import PASSAGE, FakeStages, Hook, Point, a_turn, end_of, nothing, raising

BEFORE = (Exchange("How many books can teachers borrow?", "Ten."),)
FOLLOW_UP = "and for students?"
MEANT = "How many books can students borrow?"


@dataclass
class Rewrites:
    """Puts the follow-up as a person would."""

    hook: Hook = nothing

    async def rewrite(self, question: str, history: Sequence[Exchange], rules: str) -> str:
        await self.hook()
        return MEANT


class Library(FakeStages):
    """Finds a passage that says what was searched for."""

    def match(self, question: str) -> tuple[Passage, ...]:
        self.worded.append(question)
        return (replace(PASSAGE, id=question, text=question, score=0.9),)


def library(rewriter: Rewriter | None = None, exchanges: Sequence[Exchange] = BEFORE) -> Library:
    """By words only: what is found then says what was searched for."""
    away = raising(TurnError("retrieval_failed", "It is away."))
    made = Library(on_embed=away, exchanges=exchanges)
    if rewriter:
        made.rewriter = rewriter
    return made


async def played(stages: Stages, turn: Turn) -> list[TurnEvent]:
    events: list[TurnEvent] = []
    await answer(turn, stages, events.append)
    assert isinstance(end_of(events), Finished)
    return events


def found(events: Sequence[TurnEvent]) -> list[str]:
    (sources,) = [event for event in events if isinstance(event, Sources)]
    return [card.text for card in sources.cards if isinstance(card, Card)]


def told(events: Sequence[TurnEvent], name: str) -> list[tuple[str, str]]:
    return [
        (event.state, event.detail) for event in events if isinstance(event, Step) and event.name == name
    ]


async def test_a_follow_up_is_searched_for_by_what_it_means() -> None:
    shelf = library(Rewrites())
    events = await played(shelf.stages(), a_turn(FOLLOW_UP))
    assert shelf.worded == [FOLLOW_UP, MEANT], "the raw search did not wait"
    assert found(events) == [MEANT]
    assert told(events, "rewrite") == [("running", ""), ("done", MEANT)]


async def test_what_stands_alone_is_searched_for_as_it_is() -> None:
    shelf = library(Rewrites())
    events = await played(shelf.stages(), a_turn("How high is the city wall in Nanjing?"))
    assert shelf.worded == ["How high is the city wall in Nanjing?"]
    assert told(events, "rewrite") == []


@pytest.mark.parametrize(
    ("hook", "why"),
    [
        (Point(), "no answer within 0.02 s"),
        (raising(TurnError("upstream_failed", "It is ill.")), "It is ill."),
    ],
    ids=["dawdles", "fails"],
)
async def test_a_model_that_cannot_say_leaves_it_to_the_rules(
    hook: Hook, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DEADLINES, "rewrite", 0.02)
    shelf = library(Rewrites(hook))
    events = await played(shelf.stages(), a_turn(FOLLOW_UP))
    assert told(events, "rewrite")[-1] == ("failed", why)
    (meant,) = found(events)
    assert "teachers" in meant
    assert "students" in meant


@pytest.mark.parametrize(
    ("before", "asked", "words"),
    [("老师可以借几本书？", "那学生呢？", ("借", "学生")), ("How old is the wall?", "why?", ("wall",))],
)
async def test_without_a_model_the_rules_say(before: str, asked: str, words: Sequence[str]) -> None:
    shelf = library(exchanges=(Exchange(before, "…"),))
    (meant,) = found(await played(shelf.stages(), a_turn(asked)))
    assert all(word in meant for word in words)


async def test_the_raw_search_and_the_rewriting_run_at_once() -> None:
    rewriting, raw = Point(), Point()
    shelf = library(Rewrites(rewriting))
    shelf.on_lexical = raw
    playing = asyncio.create_task(played(shelf.stages(), a_turn(FOLLOW_UP)))
    await raw.reached.wait()
    await rewriting.reached.wait()
    raw.open.set()
    rewriting.open.set()
    assert found(await playing) == [MEANT]


async def test_what_was_typed_is_not_searched_for_again() -> None:
    shelf = library(exchanges=())
    stages, typed = shelf.stages(), a_turn("How old is the wall", owner="me")
    shelf.on_embed = nothing
    await foresee(typed, stages)
    events = await played(stages, replace(typed, question="How old is the wall?"))
    assert shelf.worded == ["How old is the wall"]
    assert told(events, "warm")[-1][0] == "done"
    assert told(events, "dense") == []


async def test_a_typed_follow_up_is_foreseen_by_rules_alone() -> None:
    """Nobody pays a model for what may never be sent."""
    shelf = library(Rewrites(raising(RuntimeError("asked a model"))))
    stages, typed = shelf.stages(), a_turn(FOLLOW_UP, owner="me")
    await foresee(typed, stages)
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(shelf.worded) == 2
    assert shelf.worded[0] == FOLLOW_UP
    assert "teachers" in shelf.worded[1]


async def test_a_search_that_failed_while_typing_is_tried_again() -> None:
    shelf = library(exchanges=())
    stages, typed = shelf.stages(), a_turn("How old is the wall", owner="me")
    await foresee(typed, stages)  # the leg by meaning is away
    for _ in range(5):
        await asyncio.sleep(0)
    shelf.on_embed = nothing
    events = await played(stages, typed)
    assert told(events, "dense")[-1][0] == "done"


async def test_sending_ends_what_was_begun_for_other_texts() -> None:
    shelf = library(exchanges=())
    stages = shelf.stages()
    shelf.on_embed = held = Point()
    await foresee(a_turn("How old is", owner="me"), stages)
    await held.reached.wait()
    shelf.on_embed = nothing
    await played(stages, a_turn("Where is the wall?", owner="me"))
    assert not stages.warmth.holds("me", "How old is")


async def test_hints_name_the_conversation_and_the_answer_that_may_be_repeated() -> None:
    fakes = FakeStages()
    turn = a_turn()
    await played(fakes.stages(), turn)
    await played(fakes.stages(), replace(turn, replaces=a_turn().id))
    assert [hint.cache_key for hint in fakes.model.hints] == [turn.conversation] * 2
    assert [hint.prediction for hint in fakes.model.hints] == ["", "An earlier answer."]


async def test_an_earlier_answer_that_is_away_is_done_without() -> None:
    fakes = FakeStages(on_earlier=raising(TurnError("internal", "It is away.")))
    events = await played(fakes.stages(), replace(a_turn(), replaces=a_turn().id))
    assert told(events, "earlier")[-1] == ("failed", "It is away.")
    assert fakes.model.hints[0].prediction == ""


async def test_a_raw_search_that_dawdles_is_not_waited_for() -> None:
    """Nobody waits for what is probably not meant."""
    shelf = library(Rewrites(), exchanges=BEFORE)
    slow = Point()

    async def only_the_raw_one() -> None:
        if len(shelf.worded) == 0:
            shelf.worded.append("raw")
            await slow()

    shelf.on_lexical = only_the_raw_one
    events = await played(shelf.stages(), a_turn(FOLLOW_UP))
    assert not slow.open.is_set()
    assert found(events) == [MEANT]


async def test_what_was_found_as_it_stands_serves_when_what_is_meant_cannot_be_searched() -> None:
    shelf = library(Rewrites())

    async def only_once() -> None:
        if shelf.worded:
            raise TurnError("retrieval_failed", "It is away.")

    shelf.on_lexical = only_once
    events = await played(shelf.stages(), a_turn(FOLLOW_UP))
    assert found(events) == [FOLLOW_UP]


async def test_a_rewriting_that_changes_nothing_is_not_searched_again() -> None:
    shelf = library(Rewrites(), exchanges=BEFORE)
    events = await played(shelf.stages(), a_turn("And how many books can students borrow"))
    assert len(shelf.worded) == len(set(shelf.worded))
    assert isinstance(end_of(events), Finished)
