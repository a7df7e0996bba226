"""What browsers saw waits for company on its way to the database; none of it is lost."""

from uuid import uuid4

import pytest
from sqlalchemy import event, text

from app.measures import Rendered, record
from app.store import Painted, Store
from tests.measured import a_paint, events, keep
from web.drawings import Drawings
from web.frames import Drawing
from web.paints import Paints

ME = uuid4().hex
NEVER, AT_ONCE = 3_600.0, 0.0


async def told(store: Store) -> Painted:
    turn = await keep(store, ME, 1.0, painted=False)
    return Painted(ME, turn.id, a_paint(record(events(turn))), Rendered(1.0, 2.0, 3))


async def is_kept(store: Store, one: Painted) -> bool:
    found = await store.measures.one(ME, one.turn)
    return found is not None and (found.paint, found.rendered) == (one.paint, one.rendered)


async def test_many_are_written_at_once(sqlite: Store) -> None:
    written: list[str] = []
    event.listen(sqlite.engine.sync_engine, "commit", lambda connection: written.append("commit"))
    all_told = [await told(sqlite) for _ in range(5)]
    written.clear()
    paints = Paints(sqlite.measures, NEVER)
    for one in all_told:
        paints.add(one)
    assert not await is_kept(sqlite, all_told[0])
    await paints.flush()
    assert written == ["commit"]
    assert all([await is_kept(sqlite, one) for one in all_told])
    await paints.close()


async def test_the_first_word_counts(sqlite: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.paints.REMEMBERED", 1)
    paints, one, other = Paints(sqlite.measures, NEVER), await told(sqlite), await told(sqlite)
    assert [paints.add(each) for each in (one, one, other, other, one)] == [True, False, True, False, True]
    await paints.flush()
    assert await is_kept(sqlite, one)
    assert await is_kept(sqlite, other)
    await paints.close()


async def test_nobody_need_ask_for_it(sqlite: Store) -> None:
    paints = Paints(sqlite.measures, AT_ONCE)
    for _ in range(2):
        one = await told(sqlite)
        paints.add(one)
        for _ in range(2_000):
            if await is_kept(sqlite, one):
                break
        assert await is_kept(sqlite, one)


async def test_closing_keeps_what_waits(sqlite: Store) -> None:
    paints, one = Paints(sqlite.measures, NEVER), await told(sqlite)
    paints.add(one)
    await paints.close()
    assert await is_kept(sqlite, one)
    await paints.close()


async def test_a_broken_database_loses_figures_and_nothing_else(
    sqlite: Store, caplog: pytest.LogCaptureFixture
) -> None:
    paints, lost = Paints(sqlite.measures, NEVER), await told(sqlite)

    async def rename(old: str, new: str) -> None:
        async with sqlite.engine.begin() as connection:
            await connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))

    paints.add(lost)
    await rename("paints", "elsewhere")
    await paints.flush()
    assert "of 1 turns could not be kept" in caplog.text
    await rename("elsewhere", "paints")
    later = await told(sqlite)
    paints.add(later)
    await paints.flush()
    assert await is_kept(sqlite, later)
    await paints.close()


def test_the_first_readers_drawing_counts() -> None:
    drawings, first = Drawings(), Drawing()
    first.add(0.0, text=True)
    drawings.keep("a", first)
    drawings.keep("a", Drawing())
    assert drawings.take("a") == first.rendered()


def test_the_oldest_are_forgotten() -> None:
    drawings = Drawings(most=2)
    for frames, turn in enumerate("abca", 1):
        drawing = Drawing()
        drawing.add(0.0, text=frames > 1)
        drawings.keep(turn, drawing)
    assert drawings.take("b") is None  # forgotten for the second a, as the first a was for c
    assert drawings.take("c") is not None
    assert drawings.take("c") is None


def test_a_reader_that_was_sent_nothing_drew_nothing() -> None:
    drawings = Drawings()
    drawings.keep("a", Drawing())
    assert drawings.take("a") is None


def test_only_the_first_text_is_the_first() -> None:
    drawing = Drawing()
    drawing.add(0.0, text=False)
    assert drawing.rendered().first == 0.0
    drawing.add(0.0, text=True)
    first = drawing.rendered().first
    drawing.add(0.0, text=True)
    assert drawing.rendered().first == first > 0
    assert drawing.rendered().frames == 3
    assert drawing.rendered().total > 2 * first
