"""The score with fakes behind the protocols: what is told, in which order, and how it always ends."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from app.errors import TurnError
from app.events import (
    Card,
    Delta,
    Failed,
    Finished,
    Prompted,
    Routed,
    Sources,
    Started,
    Step,
    TurnEvent,
    Usage,
)
from app.models import Chunk
from app.prompt import UNSEARCHED
from app.retrieval.fusion import DEPTH
from app.turn import answer
from app.turn.legs import DEADLINES
from tests.fakes import FakeModel, FakeStages, Hook, Point, a_turn, end_of, raising

TURN = a_turn()


async def played(fakes: FakeStages) -> list[TurnEvent]:
    events: list[TurnEvent] = []
    await answer(TURN, fakes.stages(), events.append)
    return events


def steps(events: list[TurnEvent]) -> list[tuple[str, str]]:
    return [(event.name, event.state) for event in events if isinstance(event, Step)]


async def test_everything_is_told_in_its_order() -> None:
    fakes = FakeStages()
    events = await played(fakes)
    assert events[0] == Started(TURN.id, TURN.conversation, TURN.question)
    kinds = [type(event) for event in events if not isinstance(event, Step)]
    assert kinds == [Started, Routed, Sources, Delta, Delta, Prompted, Finished]
    legs = ("dense", "history", "lexical", "search")
    assert sorted(steps(events)[:8]) == [(leg, state) for leg in legs for state in ("done", "running")]
    assert steps(events)[8:] == [
        ("prefill", "running"),
        ("prefill", "done"),
        ("decode", "running"),
        ("decode", "done"),
    ]
    assert [event.text for event in events if isinstance(event, Delta)] == ["Hello", ", world"]
    end = end_of(events)
    assert isinstance(end, Finished)
    assert (end.cached, end.reason, end.usage) == (False, "stop", Usage(7, 2, 1))
    before = {"queue", "route", "history", "embed", "dense", "lexical", "fuse", "search", "settle", "prompt"}
    stages = before | {"prefill", "decode"}
    assert {span.name for span in end.spans} == stages
    assert set(end.timings) == stages | {"upstream_ttft", "ttft", "stall_max", "total"}
    assert all(milliseconds >= 0 for milliseconds in end.timings.values())
    assert fakes.searched == [([float(len(TURN.question))], DEPTH)]


async def test_sources_are_told_before_the_model_is_called() -> None:
    events: list[TurnEvent] = []
    fakes = FakeStages()
    told_by_then: list[TurnEvent] = []

    async def called() -> None:
        told_by_then.extend(events)

    fakes.model.before[0] = called
    await answer(TURN, fakes.stages(), events.append)
    (sources,) = [event for event in told_by_then if isinstance(event, Sources)]
    assert sources.cards == (Card(1, "城墙", "/wall.md", 3, 10, 17, "城墙建于明朝。", 0.8765),)


async def test_what_was_found_is_what_the_model_reads() -> None:
    fakes = FakeStages()
    await played(fakes)
    (messages,) = fakes.model.asked
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2].content == "Yes."
    assert "城墙建于明朝。" in messages[-1].content
    assert messages[-1].content.endswith(f"<question>\n{TURN.question}\n</question>")


def hooked(hooks: Mapping[str, Hook]) -> FakeStages:
    fakes = FakeStages()
    for leg, hook in hooks.items():
        setattr(fakes, f"on_{leg}", hook)
    return fakes


LEGS = ("history", "embed", "lexical", "earlier")


async def test_what_is_independent_runs_at_once() -> None:
    """Each leg waits until all of them have begun: one after the other they would wait for ever."""
    points = {leg: Point() for leg in LEGS}
    events: list[TurnEvent] = []
    turn = replace(TURN, replaces=a_turn().id)
    playing = asyncio.create_task(answer(turn, hooked(points).stages(), events.append))
    for point in points.values():
        await point.reached.wait()
    for point in points.values():
        point.open.set()
    await playing
    end = end_of(events)
    assert isinstance(end, Finished)
    spans = {span.name: span for span in end.spans}
    last_start = max(spans[leg].start for leg in LEGS)
    assert all(spans[leg].start + spans[leg].ms >= last_start for leg in LEGS)


async def test_the_wait_is_that_of_the_longest_leg_and_not_the_sum() -> None:
    async def long() -> None:
        await asyncio.sleep(0.1)

    fakes = hooked(dict.fromkeys(LEGS, long))
    events: list[TurnEvent] = []
    await answer(replace(TURN, replaces=a_turn().id), fakes.stages(), events.append)
    legs = [span for span in end_of(events).spans if span.name in LEGS]
    waited = max(span.start + span.ms for span in legs) - min(span.start for span in legs)
    assert len(legs) == len(LEGS)
    assert waited < 0.75 * sum(span.ms for span in legs)


def failing(stage: str, hook: Hook) -> FakeStages:
    fakes = FakeStages()
    if stage == "model":
        fakes.model.before[0] = hook
    elif stage == "model mid-way":
        fakes.model.before[1] = hook
    elif stage == "model at the end":
        fakes.model.before[4] = hook
    else:
        setattr(fakes, f"on_{stage}", hook)
    return fakes


FAILING = {"history": "history", "embed": "dense", "search": "dense", "lexical": "lexical"}  # hook, leg


def cards_of(events: list[TurnEvent]) -> tuple[Card, ...]:
    (sources,) = [event for event in events if isinstance(event, Sources)]
    return sources.cards


@pytest.mark.parametrize("hook", FAILING)
async def test_a_failing_leg_is_left_out_visibly(hook: str) -> None:
    events = await played(failing(hook, raising(TurnError("retrieval_failed", "It is away."))))
    (failed,) = [event for event in events if isinstance(event, Step) and event.state == "failed"]
    assert (failed.name, failed.detail) == (FAILING[hook], "It is away.")
    assert isinstance(end_of(events), Finished)
    assert cards_of(events), "the other leg's passages"


@pytest.mark.parametrize("hook", FAILING)
async def test_a_dawdling_leg_is_left_out_visibly(hook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEADLINES, FAILING[hook], 0.02)
    events = await played(failing(hook, Point()))
    (failed,) = [event for event in events if isinstance(event, Step) and event.state == "failed"]
    assert failed.detail == "no answer within 0.02 s"
    assert isinstance(end_of(events), Finished)
    assert cards_of(events), "the other leg's passages"


async def test_words_that_found_nothing_say_nothing_when_meaning_is_away() -> None:
    """There may be no index of words yet, and then it finds nothing of anything."""
    fakes = FakeStages(on_embed=raising(TurnError("retrieval_failed", "It is away.")), matched=())
    events = await played(fakes)
    failed = [event.name for event in events if isinstance(event, Step) and event.state == "failed"]
    assert failed == ["dense", "search"]
    assert UNSEARCHED in fakes.model.asked[0][-1].content


async def test_a_search_with_both_legs_away_fails_visibly() -> None:
    away = raising(TurnError("retrieval_failed", "It is away."))
    fakes = FakeStages(on_embed=away, on_lexical=away)
    events = await played(fakes)
    failed = [event.name for event in events if isinstance(event, Step) and event.state == "failed"]
    assert sorted(failed) == ["dense", "lexical", "search"]
    assert cards_of(events) == ()
    assert UNSEARCHED in fakes.model.asked[0][-1].content
    assert isinstance(end_of(events), Finished)


MODEL = ["model", "model mid-way", "model at the end"]
STAGES = ["history", "embed", "search", "lexical", *MODEL]


@pytest.mark.parametrize("hook", FAILING)
async def test_an_unforeseen_error_of_a_leg_is_left_out_too(
    hook: str, caplog: pytest.LogCaptureFixture
) -> None:
    events = await played(failing(hook, raising(OSError("oops, /secret/path"))))
    (failed,) = [event for event in events if isinstance(event, Step) and event.state == "failed"]
    assert (failed.name, failed.detail) == (FAILING[hook], "something went wrong here")
    assert "oops" in caplog.text
    assert isinstance(end_of(events), Finished)


@pytest.mark.parametrize("stage", MODEL)
@pytest.mark.parametrize(
    "error", [RuntimeError("oops"), ExceptionGroup("two", [ValueError("a"), KeyError("b")])]
)
async def test_an_unforeseen_error_is_an_end_too(
    stage: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    events = await played(failing(stage, raising(error)))
    end = end_of(events)
    assert isinstance(end, Failed)
    assert (end.kind, end.retryable) == ("internal", True)
    assert "oops" not in end.message
    assert TURN.id in caplog.text
    assert "total" in end.timings


async def test_all_legs_failing_at_once_is_an_answer_without_them() -> None:
    error = raising(RuntimeError("oops"))
    events = await played(FakeStages(on_history=error, on_search=error, on_lexical=error))
    assert isinstance(end_of(events), Finished)
    failed = {event.name for event in events if isinstance(event, Step) and event.state == "failed"}
    assert failed == {"history", "dense", "lexical", "search"}


@pytest.mark.parametrize("stage", ["model", "model mid-way", "model at the end"])
async def test_what_the_model_says_of_its_failure_is_the_end(stage: str) -> None:
    fakes = failing(stage, raising(TurnError("upstream_refused", "No key.", retryable=False)))
    events = await played(fakes)
    end = end_of(events)
    assert isinstance(end, Failed)
    assert (end.kind, end.message, end.retryable) == ("upstream_refused", "No key.", False)
    heard = {"model": 0, "model mid-way": 1, "model at the end": 2}[stage]
    assert len([event for event in events if isinstance(event, Delta)]) == heard
    assert fakes.model.closed


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", ["stopped", "interrupted"])
async def test_an_order_to_stop_ends_the_turn_wherever_it_is(stage: str, kind: str) -> None:
    point = Point()
    fakes = failing(stage, point)
    events: list[TurnEvent] = []
    running = asyncio.create_task(answer(TURN, fakes.stages(), events.append))
    await point.reached.wait()
    running.cancel(kind)
    await running  # it never raises, not even this
    end = end_of(events)
    assert isinstance(end, Failed)
    assert (end.kind, end.retryable) == (kind, True)
    assert fakes.model.closed is stage.startswith("model")


async def test_a_cancellation_without_a_word_is_an_interruption() -> None:
    point = Point()
    events: list[TurnEvent] = []
    running = asyncio.create_task(answer(TURN, FakeStages(on_search=point).stages(), events.append))
    await point.reached.wait()
    running.cancel()
    await running
    end = end_of(events)
    assert isinstance(end, Failed)
    assert end.kind == "interrupted"


async def test_the_model_is_closed_when_its_listener_fails() -> None:
    """At once: a generator that is only dropped closes its connection some time later."""
    fakes = FakeStages()

    def emit(event: TurnEvent) -> None:
        if isinstance(event, Delta):
            raise RuntimeError("nobody can hear it")

    await answer(TURN, fakes.stages(), emit)
    assert fakes.model.closed


async def test_pressing_stop_twice_is_pressing_it_once() -> None:
    reached, closing = Point(), asyncio.Event()

    class Reluctant(FakeModel):
        async def linger(self) -> None:
            try:
                await reached()
            finally:
                closing.set()
                await asyncio.sleep(0)

    model = Reluctant()
    model.before[1] = model.linger
    events: list[TurnEvent] = []
    running = asyncio.create_task(answer(TURN, FakeStages(model=model).stages(), events.append))
    await reached.reached.wait()
    running.cancel("stopped")
    await closing.wait()
    running.cancel("stopped")
    await running
    end = end_of(events)
    assert isinstance(end, Failed)
    assert end.kind == "stopped"


@pytest.mark.parametrize(
    ("chunks", "check"),
    [
        ((), lambda events: end_of(events).timings.get("ttft") is None),
        ((Chunk(reason="length"),), lambda events: "reason='length'" in repr(end_of(events))),
        ((Chunk(""), Chunk("a")), lambda events: Delta("") not in events),
    ],
)
async def test_a_model_that_says_little(
    chunks: tuple[Chunk, ...], check: Callable[[list[TurnEvent]], bool]
) -> None:
    events = await played(FakeStages(model=FakeModel(chunks)))
    assert isinstance(end_of(events), Finished)
    assert check(events)


async def test_a_nul_from_the_model_goes_nowhere() -> None:
    model = FakeModel(chunks=[Chunk("a\0b"), Chunk("\0"), Chunk("c", "stop")])
    events = await played(FakeStages(model=model))
    assert [event.text for event in events if isinstance(event, Delta)] == ["ab", "c"]
