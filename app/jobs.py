"""The work that is done behind people's backs: its names, its payloads, and how it is asked for.

Work is written to the store's outbox and a bell is rung; the worker empties the outbox into its queue. So
whoever asks needs no queue library, and a queue that is down loses nothing.
"""

import logging
from typing import Final, Protocol

from redis.asyncio import Redis
from redis.exceptions import RedisError

TITLE: Final = "title"  # {"conversation": id}
INGEST: Final = "ingest"  # {"owner": id, "path": file}

BELL = "outbox:bell"

log = logging.getLogger(__name__)


class Queue(Protocol):
    async def ring(self) -> None:
        """Says that the outbox holds something. Never raises: the worker also looks by itself."""
        ...


class RedisBell:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def ring(self) -> None:
        try:
            async with self._redis.pipeline() as pipe:
                pipe.delete(BELL)  # one entry is enough, however often it rings
                pipe.rpush(BELL, 1)
                await pipe.execute()
        except (RedisError, OSError) as error:
            log.warning("the worker's bell: %s", error)

    async def wait(self, seconds: int) -> None:
        """Until it rings, or for so many seconds at the most."""
        await self._redis.blpop([BELL], timeout=seconds)  # type: ignore[misc]  # redis-py types it as sync too
