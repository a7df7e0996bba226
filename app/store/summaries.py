"""What has been cut of a conversation and is told in a summary: when it is due, not how it is written."""

import time
from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.jobs import SUMMARY
from app.prompt import Exchange, cut, is_due
from app.store.outbox import add_job
from app.store.replacing import is_replaced
from app.store.tables import conversations, turns

LOST_SECONDS = 900  # after which a turn that was never seen to end is not waited for


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be cut: the exchanges after `since` up to `until`, both a turn's `created`. `summary` tells
    what was cut before."""

    conversation: str
    summary: str
    since: float
    until: float
    exchanges: tuple[Exchange, ...]


class Summaries:
    """For jobs, which act for the owner."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def due(self, conversation: str, since: float) -> Due | None:
        """What is to be cut now; None when nothing is, or when it has been cut since `since`."""
        async with self._engine.connect() as connection:
            found = await _due(connection, conversation)
        return found if found is not None and found.since == since else None

    async def write(self, due: Due, summary: str) -> bool:
        """Cuts; False, and nothing happens, when somebody else has cut meanwhile."""
        written = (
            update(conversations)
            .where(conversations.c.id == due.conversation, conversations.c.summarised == due.since)
            .values(summary=summary, summarised=due.until)
        )
        async with self._engine.begin() as connection:
            return (await connection.execute(written)).rowcount > 0


async def wish_summary(connection: AsyncConnection, conversation: str) -> None:
    """In the transaction of a turn that has ended: asks for a cut when one is due. Asked for again and again
    until it is made, the work has one identity."""
    if due := await _due(connection, conversation):
        payload = {"conversation": conversation, "since": due.since}
        await add_job(connection, SUMMARY, f"{conversation}:{due.since!r}", payload)


async def _due(connection: AsyncConnection, conversation: str) -> Due | None:
    had = (
        await connection.execute(
            select(conversations.c.summary, conversations.c.summarised).where(
                conversations.c.id == conversation
            )
        )
    ).one_or_none()
    if had is None:
        return None
    later = turns.alias()
    # Behind a turn that still runs nothing is cut: it would be in no prompt and in no summary.
    running = select(func.min(later.c.created)).where(
        later.c.conversation == conversation,
        later.c.status == "running",
        later.c.created > time.time() - LOST_SECONDS,
    )
    exchanges = (
        select(turns.c.question, turns.c.answer, turns.c.created)
        .where(
            turns.c.conversation == conversation,
            turns.c.answer != "",
            turns.c.created > had.summarised,
            turns.c.created < func.coalesce(running.scalar_subquery(), float("1e18")),
            ~is_replaced(),
        )
        .order_by(turns.c.created)
    )
    rows = (await connection.execute(exchanges)).all()
    told = [Exchange(row.question, row.answer) for row in rows]
    going = cut(told) if is_due(told) else 0
    if not going:
        return None
    return Due(conversation, had.summary, had.summarised, rows[going - 1].created, tuple(told[:going]))
