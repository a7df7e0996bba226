"""What a turn's wait was made of, on SQLite and on Postgres alike: kept once, and only for its owner."""

from typing import Any
from uuid import uuid4

import msgspec
import pytest

from app.measures import Paint, Rendered, record
from app.store import Measured, Painted, Store
from app.turn import Turn
from tests.measured import a_paint, a_turn, events, keep

ME, OTHER = uuid4().hex, uuid4().hex
DRAWN = Rendered(1.5, 9.0, 12)


def seen(turn: Turn) -> Paint:
    return a_paint(record(events(turn)))


async def kept(store: Store, owner: str = ME, created: float = 1.0) -> Turn:
    return await keep(store, owner, created, painted=False)


async def recent(store: Store, owner: str, **which: Any) -> list[Measured]:
    return [one async for part in store.measures.parts(owner, **which) for one in part]


async def test_a_record_is_kept_with_the_transcript(store: Store) -> None:
    turn = await kept(store)
    found = await store.measures.one(ME, turn.id)
    assert found is not None
    assert found.record == record(events(turn))
    assert (found.turn, found.conversation, found.created) == (turn.id, turn.conversation, turn.created)
    assert found.mine
    assert (found.paint, found.rendered) == (None, None)


async def test_a_turn_that_runs_has_none(store: Store) -> None:
    turn = a_turn(ME)
    await store.conversations.add(turn)
    assert await store.measures.one(ME, turn.id) is None


async def test_a_paint_and_its_drawing_stand_beside_it(store: Store) -> None:
    turn = await kept(store)
    assert await store.measures.paint(ME, turn.id, seen(turn), DRAWN)
    found = await store.measures.one(ME, turn.id)
    assert found is not None
    assert (found.paint, found.rendered) == (seen(turn), DRAWN)


async def test_a_paint_may_come_before_the_record(store: Store) -> None:
    turn = a_turn(ME)
    await store.conversations.add(turn)
    assert await store.measures.paint(ME, turn.id, seen(turn))
    await store.conversations.save(turn.id, events(turn))
    found = await store.measures.one(ME, turn.id)
    assert found is not None
    assert found.paint == seen(turn)


async def test_the_first_word_counts(store: Store) -> None:
    turn = await kept(store)
    later = msgspec.structs.replace(seen(turn), hidden=True)
    assert await store.measures.paint(ME, turn.id, seen(turn))
    assert not await store.measures.paint(ME, turn.id, later)
    await store.measures.paint_all([Painted(ME, turn.id, later, DRAWN)])
    found = await store.measures.one(ME, turn.id)
    assert found is not None
    assert (found.paint, found.rendered) == (seen(turn), None)


async def test_nobody_tells_of_anothers_turn_or_of_none(store: Store) -> None:
    turn = await kept(store)
    assert not await store.measures.paint(OTHER, turn.id, seen(turn))
    assert not await store.measures.paint(ME, uuid4().hex, seen(turn))
    await store.measures.paint_all([Painted(OTHER, turn.id, seen(turn))])
    found = await store.measures.one(ME, turn.id)
    assert found is not None
    assert found.paint is None


async def test_nobody_reads_anothers(store: Store) -> None:
    turn = await kept(store)
    assert await store.measures.one(OTHER, turn.id) is None
    assert await store.measures.of(OTHER, turn.conversation) == {}
    (found,) = await recent(store, OTHER)
    assert not found.mine
    assert await recent(store, OTHER, mine=True) == []


async def test_many_are_kept_together_and_what_cannot_be_is_passed_over(store: Store) -> None:
    turns = [await kept(store, created=float(n)) for n in range(3)]
    told = [Painted(ME, turn.id, seen(turn), DRAWN) for turn in turns]
    told[1:1] = [Painted(ME, uuid4().hex, seen(turns[0])), Painted(OTHER, turns[0].id, seen(turns[0]))]
    await store.measures.paint_all([*told, told[0]])
    found = await recent(store, ME)
    assert [(one.paint, one.rendered) for one in found] == [(seen(turns[0]), DRAWN)] * 3
    await store.measures.paint_all([Painted(ME, turns[0].id, seen(turns[0]))])


async def test_a_conversations_are_found_by_turn(store: Store) -> None:
    first = await keep(store, ME, 1.0)
    await keep(store, ME, 2.0)
    found = await store.measures.of(ME, first.conversation)
    assert found.keys() == {first.id}
    assert found[first.id].paint is not None


async def test_the_latest_are_the_first(store: Store) -> None:
    for created in (1.0, 3.0, 2.0):
        await kept(store, created=created)
    assert [one.created for one in await recent(store, ME)] == [3.0, 2.0, 1.0]
    assert [one.created for one in await recent(store, ME, since=2.0)] == [3.0, 2.0]
    assert [one.created for one in await recent(store, ME, limit=1)] == [3.0]


@pytest.mark.parametrize("painted", [True, False])
async def test_a_deleted_conversation_leaves_no_figures(store: Store, painted: bool) -> None:
    turn = await keep(store, ME, 1.0, painted=painted)
    assert await store.conversations.remove(ME, turn.conversation)
    assert await store.measures.one(ME, turn.id) is None
    assert await recent(store, ME) == []
    assert not await store.measures.paint(ME, turn.id, seen(turn))
