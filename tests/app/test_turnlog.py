"""A turn's log: any number of readers from any number, and a transcript that keeps the numbers."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.events import Delta, Failed, Finished, Routed, Started, Step, TurnEvent
from app.turnlog import TurnLog, pack, unpack

END = Finished(False, "m", "r")
EVENTS: list[TurnEvent] = [
    Started("t", "c", "?"),
    Step("search", "running"),
    Delta("一"),
    Delta("two"),
    Delta(""),
    END,
]


async def collect(log: TurnLog, after: int) -> list[tuple[int, TurnEvent]]:
    """What a reader gets, each event with the number that it is told."""
    got: list[tuple[int, TurnEvent]] = []
    async for last, batch in log.read(after):
        got.extend(enumerate(batch, last - len(batch) + 1))
    return got


NUMBERED = list(enumerate(EVENTS, 1))


@pytest.mark.parametrize("after", range(len(EVENTS) + 1))
async def test_an_ended_log_is_read_from_any_number(after: int) -> None:
    log = TurnLog("t")
    assert [log.append(event) for event in EVENTS] == [1, 2, 3, 4, 5, 6]
    assert log.ended
    assert await collect(log, after) == NUMBERED[after:]


async def test_readers_that_come_while_it_grows_get_everything_once() -> None:
    log = TurnLog("t")
    readers = []
    for event in EVENTS:
        readers += [(after, asyncio.create_task(collect(log, after))) for after in range(len(EVENTS) + 1)]
        await asyncio.sleep(0)  # each is waiting now, at whatever number
        assert not log.ended
        log.append(event)
    for after, reader in readers:
        assert await reader == NUMBERED[after:], after


async def test_a_reader_that_leaves_disturbs_nobody() -> None:
    log = TurnLog("t")
    stays, leaves = asyncio.create_task(collect(log, 0)), asyncio.create_task(collect(log, 0))
    for event in EVENTS[:3]:
        log.append(event)
        await asyncio.sleep(0)
    leaves.cancel()
    await asyncio.wait([leaves])
    assert leaves.cancelled()
    for event in EVENTS[3:]:
        log.append(event)
    assert await stays == NUMBERED


async def test_whoever_mirrors_it_hears_of_every_event() -> None:
    heard: list[int] = []
    log = TurnLog("t", lambda grown: heard.append(len(grown.events)))
    for event in EVENTS:
        log.append(event)
    assert heard == [1, 2, 3, 4, 5, 6]


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
ANY_EVENT = st.one_of(
    st.builds(Delta, TEXTS),
    st.builds(Delta, TEXTS),
    st.builds(
        Step,
        TEXTS,
        st.sampled_from(["running", "done", "failed", "skipped"]),
        TEXTS,
        st.none() | st.floats(0, 1e6),
    ),
    st.builds(Routed, TEXTS, TEXTS, TEXTS),
    st.builds(Failed, TEXTS, TEXTS, st.booleans()),
)


@given(st.lists(ANY_EVENT))
def test_a_transcript_is_read_back_event_by_event(events: list[TurnEvent]) -> None:
    assert unpack(pack(events)) == events


@given(st.lists(ANY_EVENT))
def test_merged_it_says_the_same_in_fewer_pieces(events: list[TurnEvent]) -> None:
    merged = unpack(pack(events), merged=True)
    assert _said(merged) == _said(events)
    assert not any(isinstance(a, Delta) and isinstance(b, Delta) for a, b in pairwise(merged))
    others = [event for event in events if not isinstance(event, Delta)]
    assert [event for event in merged if not isinstance(event, Delta)] == others


def _said(events: list[TurnEvent]) -> str:
    return "".join(event.text if isinstance(event, Delta) else "\0" for event in events)
