"""A live page ends up as its history: whoever joins at whatever number, however the events are batched."""

import re
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    TurnEvent,
    Usage,
)
from app.turnlog import Batch, pack, unpack
from dev.standin import content
from tests.conftest import HOSTILE
from web.beat import Beat
from web.frames import Frames, message, take
from web.render import Renderer
from web.view import View
from web.words import LANGUAGES

ID = "a" * 32
QUESTION = f"What is it? {HOSTILE}"
CARDS = (
    Card(1, "城墙", "file:///w.md", 3, 0, 7, "城墙建于明朝。", 0.9),
    Card(2, HOSTILE, HOSTILE, None, 0, 3, HOSTILE, 0.1),
)
BEFORE: list[TurnEvent] = [
    Started(ID, "c", QUESTION),
    Step("history", "running"),
    Step("search", "running"),
    Step("history", "done", "2", 1.5),
    Step("search", "done", HOSTILE, 12.0),
    ToolStarted("x", HOSTILE, "{}"),
    ToolFinished("x", "clock", "done", HOSTILE, 3.0),
    Routed("standard", HOSTILE, HOSTILE),
    Sources(CARDS),
    Step("prefill", "running"),
    Step("prefill", "done", ms=200.0),
    Step("decode", "running"),
]
WHOLE: list[TurnEvent] = [
    *BEFORE,
    *map(Delta, content.chunks("md")),
    Partial({"a": HOSTILE}),
    Step("decode", "done", ms=2_000.0),
    Finished(False, "m", "r", Usage(1, 2), {"ttft": 1.0, "total": 1_500.0}),
]
STOPPED: list[TurnEvent] = [*BEFORE, Delta("**half a"), Delta(" word"), Failed("stopped", HOSTILE, True)]
ESCALATED: list[TurnEvent] = [
    *BEFORE,
    *map(Delta, ["I do", "n't know.\n\n", "The sources", " do not say."]),
    Step("escalate", "done", "refused", 80.0),
    Retracted("refused", HOSTILE),
    Routed("large", HOSTILE, "refused"),
    *map(Delta, content.chunks("md")[:40]),
    Finished(False, "m", "r", Usage(1, 2), {"ttft": 1.0, "total": 1_500.0}),
]
SILENT: list[TurnEvent] = [*BEFORE[:3], Failed("upstream_refused", HOSTILE, False)]

RENDERER, WORDS = Renderer(), LANGUAGES["en"]
PARTIAL = re.compile(r'<hx-partial hx-target="#t-a{32}-(\w+)" hx-swap="(\w+)">(.*?)</hx-partial>', re.DOTALL)
BEHIND = {  # a block, such as a table in its box, may end as the region around it does
    "done": rf'<div id="t-{ID}-open"',
    "open": rf'</div>\s*<div id="t-{ID}-partial"',
}
OTHERS = r'\s*<(?:\w+[^>]* id="t-|/article|/div)'
REGIONS = ("steps", "sources", "note", "done", "open", "partial", "end")

Page = dict[str, str]


def drawn(events: Sequence[TurnEvent]) -> Page:
    """The article's regions for these events, as a page or an answer to a POST has them."""
    view = View(ID, QUESTION)
    view.apply(events)
    return regions(RENDERER.turn.article(view, WORDS, take(view)))


def regions(article: str) -> Page:
    found = {}
    for name in REGIONS:
        (body,) = re.findall(
            rf'<(\w+)[^>]* id="t-{ID}-{name}"[^>]*>(.*?)</\1>(?={BEHIND.get(name, OTHERS)})',
            article,
            re.DOTALL,
        )
        found[name] = body[1]
    return found


async def batches(events: Sequence[TurnEvent], sizes: Sequence[int]) -> AsyncIterator[Batch]:
    """The events in batches of these sizes, the last size for all that is left."""
    at, sizes = 0, list(sizes)
    while at < len(events):
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        batch = events[at : at + size]
        at += len(batch)
        yield at, batch


def data_of(frame: bytes) -> tuple[int, str]:
    """A message as a browser reads it: its id, and its lines of data joined."""
    lines = frame.decode().removesuffix("\n\n").split("\n")
    assert lines[0].startswith("id: ")
    assert all(line.startswith("data: ") for line in lines[1:])
    return int(lines[0][4:]), "\n".join(line[6:] for line in lines[1:])


async def followed(
    events: Sequence[TurnEvent], after: int, sizes: Sequence[int], twice: bool = False
) -> Page:
    """What a client holds that had the article as of `after` and then applied every frame."""
    page, seen = drawn(events[:after]), after
    frames = Frames(View(ID, ""), WORDS, RENDERER, after)
    got = [frame async for frame in frames.stream(batches(events, sizes), Beat(0))]
    assert got.pop() == b"event: done\ndata: \n\n"
    for frame in got:
        for _ in range(2 if twice else 1):
            number, html = data_of(frame)
            if number <= seen:
                continue  # as the page does: a number that it has is not applied again
            apply(page, html)
            seen = number
    assert seen == len(events)
    return page


def apply(page: Page, html: str) -> None:
    assert PARTIAL.sub("", html) == ""
    for name, swap, body in PARTIAL.findall(html):
        page[name] = page[name] + body if swap == "beforeend" else body


ENDINGS = {"whole": WHOLE, "stopped": STOPPED, "silent": SILENT, "escalated": ESCALATED}
EXPECTED = {
    name: drawn(unpack(pack(events), merged=True))
    for name, events in ENDINGS.items()
}


@pytest.mark.parametrize("after", [*range(14), *range(14, len(WHOLE), 29), len(WHOLE) - 1, len(WHOLE)])
async def test_whoever_joins_gets_the_whole(after: int) -> None:
    assert await followed(WHOLE, after, [1, 5, 2, 40]) == EXPECTED["whole"]


@pytest.mark.parametrize("sizes", [[1], [3], [10_000]])
async def test_batches_do_not_matter(sizes: list[int]) -> None:
    assert await followed(WHOLE, 0, sizes) == EXPECTED["whole"]


@settings(max_examples=25, deadline=None)
@given(after=st.integers(0, len(WHOLE)), sizes=st.lists(st.integers(1, 60), min_size=1, max_size=30))
async def test_neither_together(after: int, sizes: list[int]) -> None:
    assert await followed(WHOLE, after, sizes) == EXPECTED["whole"]


@pytest.mark.parametrize("size", [1, 2, 9])
@pytest.mark.parametrize("name", ["stopped", "silent", "escalated"])
async def test_a_turn_with_another_end_ends_up_as_its_history_too(name: str, size: int) -> None:
    events = ENDINGS[name]
    for after in range(len(events) + 1):
        assert await followed(events, after, [size]) == EXPECTED[name]


async def test_frames_sent_twice_are_shown_once() -> None:
    assert await followed(WHOLE, 5, [4], twice=True) == EXPECTED["whole"]


async def test_nobodys_text_becomes_markup() -> None:
    for page in (EXPECTED["whole"], await followed(WHOLE, 0, [7])):
        for name in ("steps", "sources", "partial", "end"):
            assert "<img" not in page[name], name
            assert "<script" not in page[name], name
        assert "<script" not in page["done"]
    assert QUESTION not in RENDERER.turn.article(View(ID, QUESTION), WORDS, take(View(ID, QUESTION)))
    assert EXPECTED["whole"]["sources"].count("&lt;img src=x onerror=alert(1)&gt;") >= 3
    assert f'data-ask="{QUESTION}' not in EXPECTED["stopped"]["end"]


async def test_citations_link_to_the_cards_that_there_are() -> None:
    done = EXPECTED["whole"]["done"]
    assert f'href="#t-{ID}-source-1"' in done or f"t-{ID}-source-1" in done
    assert f"t-{ID}-source-1" in EXPECTED["whole"]["sources"]
    assert "source-99" not in done


@pytest.mark.parametrize(
    "html", ["", "one", "two\nlines", "\n", "a\r\nb\rc", "城\n\n墙", "data: x\n\nevent: done\nid: 9"]
)
def test_a_message_carries_its_lines_and_nothing_else(html: str) -> None:
    frame = message(7, html)
    assert frame.endswith(b"\n\n")
    assert frame.count(b"\n\n") == 1
    assert b"\r" not in frame
    assert data_of(frame) == (7, html.replace("\r", ""))


async def test_the_first_text_goes_out_at_once_and_the_rest_by_the_beat() -> None:
    """The second message of a text waits for the beat; nothing before the text does."""

    class Counted(Beat):
        waited = 0

        async def next(self) -> None:
            self.waited += 1

    beat = Counted()
    frames = Frames(View(ID, ""), WORDS, RENDERER)
    waits = []
    async for _ in frames.stream(batches(WHOLE[: len(BEFORE) + 2], [1]), beat):
        waits.append(beat.waited)
    quiet = 1  # that the history is being read is no news
    assert waits == [0] * (len(BEFORE) - quiet + 1) + [1, 2]
