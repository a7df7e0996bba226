"""Conversations and their turns."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.events import Finished, TurnEvent, text_of
from app.prompt import Exchange
from app.store.engine import insert
from app.store.measures import add_record
from app.store.outbox import add_job
from app.store.summaries import wish_summary
from app.store.tables import conversations, turns
from app.text import shorten
from app.turn.stages import Turn
from app.turnlog import pack, unpack

LISTED = 200
TITLE_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    title: str
    updated: float


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it was kept; `transcript` is empty while `status` is running."""

    id: str
    conversation: str
    question: str
    status: str
    created: float
    transcript: bytes
    replaces: str = ""  # the turn in whose place it was asked

    def events(self, *, merged: bool = False) -> list[TurnEvent]:
        return unpack(self.transcript, merged=merged) if self.transcript else []


_STORED = (
    turns.c.id,
    turns.c.conversation,
    turns.c.question,
    turns.c.status,
    turns.c.created,
    turns.c.transcript,
    turns.c.replaces,
)

_MEASURED = (turns.c.id, turns.c.owner, turns.c.conversation, turns.c.created)


class Conversations:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(self, turn: Turn) -> bool:
        """Keeps a new turn, and its conversation when that is new too.

        False when it was there already (a repeated request); LookupError when the conversation or the turn
        is somebody else's.
        """
        async with self._engine.connect() as connection:
            await self._touch(connection, turn)
            if await self._insert(connection, turn):
                await connection.commit()
                return True
            await connection.rollback()  # the conversation may have been made for nothing
            owner = await connection.scalar(select(turns.c.owner).where(turns.c.id == turn.id))
        if owner != turn.owner:
            raise LookupError("the turn is somebody else's")
        return False

    async def _touch(self, connection: AsyncConnection, turn: Turn) -> None:
        """The conversation as of now: made, or moved to the top of the list, if it is the asker's."""
        made = insert(self._engine, conversations).values(
            id=turn.conversation,
            owner=turn.owner,
            title=shorten(turn.question, TITLE_WIDTH),
            titled=False,
            created=turn.created,
            updated=turn.created,
        )
        mine = made.on_conflict_do_update(
            index_elements=["id"],
            set_={"updated": turn.created},
            where=conversations.c.owner == turn.owner,
        ).returning(conversations.c.id)
        if (await connection.execute(mine)).one_or_none() is None:
            raise LookupError("the conversation is somebody else's")

    async def _insert(self, connection: AsyncConnection, turn: Turn) -> bool:
        """False when there is such a turn already, which somebody may be adding at this moment."""
        added = insert(self._engine, turns).values(
            id=turn.id,
            conversation=turn.conversation,
            owner=turn.owner,
            question=turn.question,
            replaces=turn.replaces or None,
            status="running",
            answer="",
            created=turn.created,
        )
        once = added.on_conflict_do_nothing(index_elements=["id"]).returning(turns.c.id)
        return (await connection.execute(once)).one_or_none() is not None

    async def save(self, turn: str, events: Sequence[TurnEvent]) -> None:
        """Keeps an ended turn's transcript and, in the same transaction, what is to be done afterwards."""
        await self._end(events, turns.c.id == turn)

    async def bury(self, turn: str, events: Sequence[TurnEvent]) -> None:
        """Keeps what a lost process left of a turn, unless its end is known by now."""
        await self._end(events, turns.c.id == turn, turns.c.status == "running")

    async def _end(self, events: Sequence[TurnEvent], *which: ColumnElement[bool]) -> None:
        whole = isinstance(events[-1], Finished)
        ended = (
            update(turns)
            .where(*which)
            .values(
                status="finished" if whole else "failed",
                answer=text_of(events),
                transcript=pack(events),
                ended=time.time(),
            )
        )
        async with self._engine.begin() as connection:
            row = (await connection.execute(ended.returning(*_MEASURED))).one_or_none()
            if row is None:
                return
            await add_record(self._engine, connection, row, events)
            if whole:
                await self._wish_title(connection, row.conversation, row.id)
            await wish_summary(connection, row.conversation)

    async def _wish_title(self, connection: AsyncConnection, conversation: str, turn: str) -> None:
        titled = await connection.scalar(
            select(conversations.c.titled).where(conversations.c.id == conversation)
        )
        if titled is False:
            await add_job(connection, "title", conversation, {"conversation": conversation, "turn": turn})

    async def turn(self, owner: str, turn: str) -> StoredTurn | None:
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(*_STORED).where(turns.c.id == turn, turns.c.owner == owner)
            )
            row = found.one_or_none()
        return None if row is None else _stored(row)

    async def turns(self, owner: str, conversation: str) -> list[StoredTurn]:
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(*_STORED)
                .where(turns.c.conversation == conversation, turns.c.owner == owner)
                .order_by(turns.c.created)
            )
            return [_stored(row) for row in rows]

    async def listed(self, owner: str) -> list[Conversation]:
        """The owner's conversations, the latest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(conversations.c.id, conversations.c.title, conversations.c.updated)
                .where(conversations.c.owner == owner)
                .order_by(conversations.c.updated.desc())
                .limit(LISTED)
            )
            return [Conversation(row.id, row.title, row.updated) for row in rows]

    async def find(self, owner: str, conversation: str) -> Conversation | None:
        async with self._engine.connect() as connection:
            row = (
                await connection.execute(
                    select(conversations.c.id, conversations.c.title, conversations.c.updated).where(
                        conversations.c.id == conversation, conversations.c.owner == owner
                    )
                )
            ).one_or_none()
        return None if row is None else Conversation(row.id, row.title, row.updated)

    async def first_exchange(self, conversation: str) -> Exchange | None:
        """What the background title is made from; for jobs, which act for the owner."""
        async with self._engine.connect() as connection:
            row = (
                await connection.execute(
                    select(turns.c.question, turns.c.answer)
                    .where(turns.c.conversation == conversation, turns.c.status == "finished")
                    .order_by(turns.c.created)
                    .limit(1)
                )
            ).one_or_none()
        return None if row is None else Exchange(row.question, row.answer)

    async def entitle(self, conversation: str, title: str) -> None:
        """Replaces a provisional title; one that has been settled stays."""
        async with self._engine.begin() as connection:
            await connection.execute(
                update(conversations)
                .where(conversations.c.id == conversation, conversations.c.titled.is_(False))
                .values(title=title, titled=True)
            )

    async def remove(self, owner: str, conversation: str) -> bool:
        async with self._engine.begin() as connection:
            gone = await connection.execute(
                delete(conversations).where(
                    conversations.c.id == conversation, conversations.c.owner == owner
                )
            )
        return gone.rowcount > 0


def _stored(row: Row[*tuple[Any, ...]]) -> StoredTurn:
    transcript, replaces = row.transcript or b"", row.replaces or ""
    return StoredTurn(
        row.id, row.conversation, row.question, row.status, row.created, transcript, replaces
    )
