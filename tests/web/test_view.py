"""What a turn's events add up to, and which regions of the page they change."""

from app.events import (
    Card,
    Delta,
    Failed,
    Finished,
    Partial,
    Retracted,
    Routed,
    Sources,
    Started,
    Step,
    ToolFinished,
    ToolStarted,
)
from web.view import View

CARD = Card(1, "t", "u", None, 0, 1, "x", 0.5)


def test_each_event_changes_its_region() -> None:
    view = View("t", "")
    assert view.apply([Started("t", "c", "How?")]) == {"steps"}
    assert view.apply([Step("search", "running"), Routed("r", "m", "why")]) == {"steps"}
    assert view.apply([Sources((CARD,))]) == {"sources"}
    assert view.apply([Delta("a"), Delta("b"), Step("decode", "running")]) == {"answer", "steps"}
    assert view.apply([Partial({"a": 1})]) == {"partial"}
    assert view.apply([Finished(False, "m", "r")]) == {"end"}
    assert (view.question, view.seen, view.cards) == ("How?", 9, (CARD,))


def test_a_step_is_what_it_was_last() -> None:
    view = View("t", "?")
    view.apply([Step("search", "running"), Step("history", "running"), Step("search", "done", "3", 1.0)])
    assert list(view.steps.values()) == [Step("search", "done", "3", 1.0), Step("history", "running")]


def test_what_readers_need_not_know_changes_nothing() -> None:
    view = View("t", "?")
    assert view.apply([Step("dense", "running"), Step("lexical", "done", "5", 1.0)]) == set()
    assert view.apply([Step("warm", "running"), Step("history", "done", "0")]) == set()
    assert view.told == []
    assert view.apply([Step("dense", "failed", "away")]) == {"steps"}
    assert view.apply([Step("warm", "done"), Step("rewrite", "done", "what is meant")]) == {"steps"}
    view.apply([Step("search", "done", "5"), Step("history", "done", "3")])
    told = [step.name for step in view.told if isinstance(step, Step)]
    assert told == ["dense", "rewrite", "search-warm"], "one line: what is meant tells of the history"


def test_withdrawn_text_leaves_nothing_but_a_note() -> None:
    view = View("t", "?")
    view.apply([Sources((CARD,)), Delta("I don't know.")])
    assert view.apply([Retracted("refused", "large")]) == {"answer"}
    assert (view.blocks, view.cleared) == (None, True)
    view.apply([Delta("It is old.")])
    assert view.blocks is not None
    assert "know" not in view.blocks.take().open


def test_tools_stand_among_the_steps_by_their_id() -> None:
    view = View("t", "?")
    done = ToolFinished("1", "clock", "done", "12:00", 3.0)
    view.apply([ToolStarted("1", "clock", "{}"), ToolStarted("2", "clock", "{}"), done])
    assert list(view.steps.values()) == [done, ToolStarted("2", "clock", "{}")]


def test_a_turn_that_failed_leaves_no_step_running() -> None:
    view = View("t", "?")
    view.apply([Step("search", "done"), Step("prefill", "running"), Failed("stopped", "Stopped.", True)])
    assert [step.state for step in view.steps.values() if isinstance(step, Step)] == ["done", "skipped"]


def test_citations_know_the_cards() -> None:
    view = View("t", "?")
    view.apply([Sources((CARD,)), Delta("one [1] two [2]")])
    assert view.blocks is not None
    html = view.blocks.take().open
    assert "t-t-source-1" in html
    assert "source-2" not in html
    assert "[2]" in html
