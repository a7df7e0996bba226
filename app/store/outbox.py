"""Work that is to be done after a turn, written in the turn's own transaction.

Rows wait here until the worker has handed them to its queue, so a lost queue loses no work.
"""

import json
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.tables import outbox


@dataclass(frozen=True, slots=True)
class Job:
    """`name` and `key` identify the work: the same pair twice is the same work."""

    id: int
    name: str
    key: str
    payload: dict[str, Any]


async def add_job(connection: AsyncConnection, name: str, key: str, payload: dict[str, Any]) -> None:
    await connection.execute(
        outbox.insert().values(job=name, key=key, payload=json.dumps(payload), created=time.time())
    )


class Outbox:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(self, name: str, key: str, payload: dict[str, Any]) -> None:
        async with self._engine.begin() as connection:
            await add_job(connection, name, key, payload)

    async def waiting(self, limit: int = 100) -> list[Job]:
        """The oldest jobs that nobody has taken over yet."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(outbox).order_by(outbox.c.id).limit(limit))
            return [Job(row.id, row.job, row.key, json.loads(row.payload)) for row in rows]

    async def count(self) -> int:
        async with self._engine.connect() as connection:
            return await connection.scalar(select(func.count()).select_from(outbox)) or 0

    async def remove(self, job: Job) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(delete(outbox).where(outbox.c.id == job.id))
