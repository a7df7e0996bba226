"""What happens when the small model passes: the large one answers, and everybody sees it."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from app.errors import TurnError
from app.events import Delta, Finished, Prompted, Retracted, Routed, Step, TurnEvent, Usage, text_of
from app.measures import record
from app.models import NO_HINTS, Chunk, Hints
from app.prompt import Message
from app.routing import Route, Router
from app.settings import Settings
from app.turn import answer
from tests.fakes import FakeModel, FakeStages, a_turn, end_of, raising

ROUTER = Router(Settings(chat_model="large", chat_model_small="small"))
LOOKUP = "How old is the city wall?"
PASSES = "I don't know. The sources do not say how old it is."
REASON = "refused"


class Models(FakeModel):
    """The small model passes, the large one knows."""

    def __init__(self, small: str, large: str = "It was built in 1373 [1].") -> None:
        super().__init__()
        self.texts = {"small": small, "large": large}
        self.routes: list[str] = []

    def stream(
        self, messages: Sequence[Message], route: Route, hints: Hints = NO_HINTS
    ) -> AsyncGenerator[Chunk, None]:
        self.routes.append(route.model)
        words = self.texts[route.model].split(" ")
        self.chunks = [
            *(Chunk(f"{' ' if n else ''}{word}") for n, word in enumerate(words)),
            Chunk(reason="stop", usage=Usage(7, len(words), 0)),
        ]
        return super().stream(messages, route)


async def played(model: Models, question: str = LOOKUP, *, found: bool = True) -> list[TurnEvent]:
    events: list[TurnEvent] = []
    fakes = FakeStages(router=ROUTER, model=model, exchanges=())
    if not found:
        fakes.passages = fakes.matched = ()
    await answer(a_turn(question), fakes.stages(), events.append)
    return events


async def test_a_small_model_that_knows_is_left_alone() -> None:
    model = Models("It was built in 1373, under the Ming dynasty [1].")
    events = await played(model)
    assert model.routes == ["small"]
    assert not [event for event in events if isinstance(event, Retracted)]
    end = end_of(events)
    assert isinstance(end, Finished)
    assert end.model == "small"
    assert next(event for event in events if isinstance(event, Routed)).larger == "large"


@pytest.mark.parametrize("said", [PASSES, "我不知道。文档中没有提到城墙的年代。"])
async def test_one_that_passes_is_followed_by_the_large_one_visibly(said: str) -> None:
    model = Models(said)
    events = await played(model)
    assert model.routes == ["small", "large"]
    (retracted,) = [event for event in events if isinstance(event, Retracted)]
    assert (retracted.model, retracted.reason) == ("large", REASON)
    assert retracted.usage.prompt_tokens > 100, "its prompt was read, and is paid for"
    routed = [event for event in events if isinstance(event, Routed)][-1]
    assert (routed.model, routed.reason, routed.larger) == ("large", REASON, "")
    assert ("escalate", "done") in [(event.name, event.state) for event in events if isinstance(event, Step)]
    end = end_of(events)
    assert isinstance(end, Finished)
    assert end.model == "large"
    assert text_of(events) == "It was built in 1373 [1]."
    after = events[events.index(retracted) :]
    told = [(event.name, event.state) for event in after if isinstance(event, Step)]
    assert told == [(step, state) for step in ("prefill", "decode") for state in ("running", "done")]
    spans = {span.name: span for span in end.spans}
    assert spans["small"].start <= spans["prefill"].start, "the large model's, after the small one's"
    assert len([event for event in events if isinstance(event, Prompted)]) == 2


async def test_a_pass_is_heard_before_its_end() -> None:
    """The reader need not wait until all reasons for not answering are told."""
    model = Models(PASSES + " And furthermore" * 100)
    events = await played(model)
    before = events[: next(n for n, event in enumerate(events) if isinstance(event, Retracted))]
    assert len([event for event in before if isinstance(event, Delta)]) < 20


async def test_the_large_models_pass_is_an_answer() -> None:
    model = Models(PASSES, PASSES)
    events = await played(model)
    assert model.routes == ["small", "large"]
    assert text_of(events) == PASSES
    assert isinstance(end_of(events), Finished)


async def test_where_nothing_was_found_a_pass_is_right() -> None:
    model = Models(PASSES)
    events = await played(model, found=False)
    assert model.routes == ["small"]
    assert text_of(events) == PASSES


async def test_one_model_for_all_escalates_nowhere() -> None:
    model = Models(PASSES)
    model.texts["only"] = PASSES
    events: list[TurnEvent] = []
    router = Router(Settings(chat_model="only"))
    stages = FakeStages(router=router, model=model, exchanges=()).stages()
    await answer(a_turn(LOOKUP), stages, events.append)
    assert model.routes == ["only"]
    assert isinstance(end_of(events), Finished)


async def test_its_asker_gets_the_large_model_at_once() -> None:
    model = Models(PASSES)
    events: list[TurnEvent] = []
    stages = FakeStages(router=ROUTER, model=model, exchanges=()).stages()
    await answer(replace(a_turn(LOOKUP), large=True), stages, events.append)
    assert model.routes == ["large"]


async def test_a_large_model_that_is_away_is_an_honest_failure() -> None:
    model = Models(PASSES)

    async def away() -> None:
        if model.routes[-1] == "large":
            await raising(TurnError("upstream_unreachable", "It is away."))()

    model.before[0] = away
    events = await played(model)
    end = end_of(events)
    assert not isinstance(end, Finished)
    assert (end.kind, end.retryable) == ("upstream_unreachable", True)
    assert text_of(events) == ""


@pytest.mark.parametrize(
    ("kind", "chunk", "answers"),
    [
        ("upstream_failed", 0, ["small", "large"]),
        ("upstream_refused", 0, ["small", "large"]),  # knows no such model, say
        ("upstream_unreachable", 0, ["small"]),  # the large one's server is the same
        ("upstream_failed", 2, ["small"]),  # there is text, and Retry
    ],
)
async def test_a_small_model_that_fails_at_once_is_followed_too(
    kind: str, chunk: int, answers: list[str]
) -> None:
    model = Models("It was built in 1373, under the Ming dynasty [1].")

    async def fail() -> None:
        if model.routes[-1] == "small":
            raise TurnError(kind, "It failed.")  # type: ignore[arg-type]  # one of its kinds

    model.before[chunk] = fail
    events = await played(model)
    assert model.routes == answers
    assert isinstance(end_of(events), Finished) == (answers[-1] == "large")
    retracted = [event.reason for event in events if isinstance(event, Retracted)]
    assert retracted == (["failed"] if answers[-1] == "large" else [])


async def test_the_first_token_is_that_of_the_answer_that_stands() -> None:
    events = await played(Models(PASSES))
    end = end_of(events)
    spans = {span.name: span for span in end.spans}
    assert end.timings["ttft"] >= spans["small"].start + spans["small"].ms
    whole = record(events)
    assert (whole.route, whole.model) == ("large", "large")
