"""What each turn's wait was made of: the server's record, kept with its transcript, and the browser's paint.

Two tables, for the two come independently; a paint is taken once, and only for its owner's turn.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import LargeBinary, Row, String, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.events import TurnEvent
from app.measures import Paint, Record, Rendered, record
from app.store.engine import insert
from app.store.tables import paints, records, turns

_encode = msgspec.json.Encoder().encode
_records = msgspec.json.Decoder(Record)
_paints = msgspec.json.Decoder(Paint)
_rendered = msgspec.json.Decoder(Rendered)

_TURN, _OWNER = bindparam("its_turn", type_=String), bindparam("its_owner", type_=String)
_PAINT, _RENDERED = bindparam("its_paint", type_=LargeBinary), bindparam("its_rendered", type_=LargeBinary)

PART = 500  # rows at a time: reading ten thousand in one go held the event loop up for 400 ms


@dataclass(frozen=True, slots=True)
class Measured:
    """One turn's figures; `created` is seconds since the epoch, `mine` whether it is the asker's own."""

    turn: str
    conversation: str
    created: float
    mine: bool
    record: Record
    paint: Paint | None
    rendered: Rendered | None


async def add_record(
    engine: AsyncEngine, connection: AsyncConnection, turn: Any, events: Sequence[TurnEvent]
) -> None:
    """In the transaction that keeps the transcript; `turn` is its row (id, owner, conversation, created)."""
    kept = insert(engine, records).on_conflict_do_nothing(index_elements=["turn"])
    row = {"turn": turn.id, "owner": turn.owner, "conversation": turn.conversation, "created": turn.created}
    await connection.execute(kept, row | {"record": _encode(record(events))})


@dataclass(frozen=True, slots=True)
class Painted:
    """What a browser saw of its owner's turn, and what drawing it had cost, where that is known."""

    owner: str
    turn: str
    paint: Paint
    rendered: Rendered | None = None


class Measures:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        mine = select(turns.c.id, _PAINT, _RENDERED).where(turns.c.id == _TURN, turns.c.owner == _OWNER)
        kept = insert(engine, paints).from_select(["turn", "paint", "rendered"], mine)
        self._keep_paint = kept.on_conflict_do_nothing(index_elements=["turn"])

    async def paint(self, owner: str, turn: str, paint: Paint, rendered: Rendered | None = None) -> bool:
        """Keeps what a browser saw of its owner's turn; False when there is no such turn, or it is known."""
        row = _row(Painted(owner, turn, paint, rendered))
        async with self._engine.begin() as connection:
            return bool((await connection.execute(self._keep_paint, row)).rowcount)

    async def paint_all(self, told: Sequence[Painted]) -> None:
        """Many at once, at a twentieth of the cost of each; what cannot be kept is passed over, as above."""
        async with self._engine.begin() as connection:
            await connection.execute(self._keep_paint, [_row(each) for each in told])

    async def one(self, owner: str, turn: str) -> Measured | None:
        async with self._engine.connect() as connection:
            row = (
                await connection.execute(_JOINED.where(records.c.turn == turn, records.c.owner == owner))
            ).one_or_none()
        return None if row is None else _measured(row, owner)

    async def of(self, owner: str, conversation: str) -> dict[str, Measured]:
        """A conversation's, by turn."""
        asked = _JOINED.where(records.c.conversation == conversation, records.c.owner == owner)
        async with self._engine.connect() as connection:
            return {row.turn: _measured(row, owner) for row in await connection.execute(asked)}

    async def parts(
        self, owner: str, *, since: float = 0.0, mine: bool = False, limit: int = 20_000
    ) -> AsyncGenerator[list[Measured], None]:
        """The deployment's latest turns, or the asker's alone, newest first, a few hundred at a time; figures
        only, nobody's words."""
        asked = _JOINED.where(records.c.created >= since).order_by(records.c.created.desc()).limit(limit)
        if mine:
            asked = asked.where(records.c.owner == owner)
        async with self._engine.connect() as connection:
            rows = await connection.stream(asked.execution_options(yield_per=PART))
            async for part in rows.partitions():
                yield await asyncio.to_thread(_all_measured, part, owner)


def _row(told: Painted) -> dict[str, Any]:
    return {
        "its_turn": told.turn,
        "its_owner": told.owner,
        "its_paint": _encode(told.paint),
        "its_rendered": None if told.rendered is None else _encode(told.rendered),
    }


_JOINED = select(
    records.c.turn,
    records.c.owner,
    records.c.conversation,
    records.c.created,
    records.c.record,
    paints.c.paint,
    paints.c.rendered,
).select_from(records.outerjoin(paints, paints.c.turn == records.c.turn))


def _all_measured(rows: Sequence[Row[*tuple[Any, ...]]], owner: str) -> list[Measured]:
    return [_measured(row, owner) for row in rows]


def _measured(row: Row[*tuple[Any, ...]], owner: str) -> Measured:
    return Measured(
        row.turn,
        row.conversation,
        row.created,
        row.owner == owner,
        _records.decode(row.record),
        None if row.paint is None else _paints.decode(row.paint),
        None if row.rendered is None else _rendered.decode(row.rendered),
    )
