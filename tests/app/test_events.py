"""Every event has a wire form that can be read back, a macro that draws it, and a place in the view."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

import web
from app.events import (
    KINDS,
    Card,
    Delta,
    Failed,
    Finished,
    Partial,
    Prompted,
    Retracted,
    Routed,
    Sources,
    Span,
    Started,
    Step,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    Usage,
    decode,
    encode,
    name_of,
)
from web.view import View

HOSTILE = 'a"b\n\\\u2028</script>\x07 é 中文 🀄'
SAMPLES: dict[type, TurnEvent] = {
    Started: Started("t", "c", HOSTILE),
    Step: Step("search", "done", HOSTILE, 1.5),
    Routed: Routed("standard", "model", HOSTILE),
    Sources: Sources(
        (Card(1, HOSTILE, "file:///城.md", None, 0, 7, HOSTILE, 0.5), Card(2, "", "", 4, 0, 0, "", 1))
    ),
    Prompted: Prompted({"instructions": 1, "question": 2}, "0123abcd"),
    Delta: Delta(HOSTILE),
    Retracted: Retracted(HOSTILE, "large"),
    ToolStarted: ToolStarted("id", "clock", HOSTILE),
    ToolFinished: ToolFinished("id", "clock", "done", HOSTILE, 2.0),
    Partial: Partial({"a": [1, None, {"b": HOSTILE}]}),
    Finished: Finished(True, "m", "r", Usage(1, 2, 3), {"ttft": 1.25}, "length", (Span("embed", 0.5, 2.0),)),
    Failed: Failed("stopped", HOSTILE, False, {"total": 1.0}, (Span("embed", 0.5, 2.0),)),
}
EVERY = get_args(TurnEvent)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_it_survives_the_wire(kind: type) -> None:
    event = SAMPLES[kind]
    data = encode(event)
    assert b"\n" not in data
    assert decode(name_of(event), data) == event


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_a_macro_of_its_name_draws_it(kind: type) -> None:
    templates = (Path(web.__path__[0]) / "templates" / "events.html").read_text()
    assert name_of(SAMPLES[kind]) in re.findall(r"{%-? macro (\w+)\(", templates)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_the_view_takes_it(kind: type) -> None:
    view = View("t", "?")
    assert len(view.apply([SAMPLES[kind]])) == 1
    assert view.seen == 1


def test_names_are_the_contract() -> None:
    assert list(KINDS) == [
        "started",
        "step",
        "routed",
        "sources",
        "prompted",
        "delta",
        "retracted",
        "tool_started",
        "tool_finished",
        "partial",
        "finished",
        "failed",
    ]


def test_the_fields_that_others_rely_on() -> None:
    def fields(kind: type) -> set[str]:
        return set(msgspec.json.decode(encode(SAMPLES[kind])))

    (card, _) = msgspec.json.decode(encode(SAMPLES[Sources]))["cards"]
    assert set(card) == {"n", "title", "uri", "page", "start", "end", "text", "score"}
    assert fields(Delta) == {"text"}
    assert fields(Step) == {"name", "state", "detail", "ms"}
    assert fields(Routed) == {"route", "model", "reason", "larger"}
    assert fields(Finished) >= {"cached", "model", "route", "usage", "timings"}
    assert fields(Failed) >= {"kind", "message", "retryable"}


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("rumour", b"{}", KeyError),
        ("delta", b'{"text": 3}', msgspec.ValidationError),
        ("delta", b"{", msgspec.DecodeError),
    ],
)
def test_what_is_no_event_is_refused(name: str, data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode(name, data)
