"""The work that is done behind people's backs: its names, its payloads, and how it is asked for.

Work is written to the store's outbox and a bell is rung; the worker empties the outbox into its queue. So
whoever asks needs no queue library, and a queue that is down loses nothing.
"""

import hashlib
import logging
from typing import Any, Final, Protocol

from redis.asyncio import Redis
from redis.exceptions import RedisError

TITLE: Final = "title"  # {"conversation": id, "turn": the one after which it is done}
SUMMARY: Final = "summary"  # {"conversation": id, "since": up to when it had been cut when it was asked for}
INGEST: Final = "ingest"  # {"owner": id, "path": file or folder, "slice": n}

BELL = "outbox:bell"

log = logging.getLogger(__name__)


def ingestion_key(payload: dict[str, Any]) -> str:
    """Short however long the path is; each slice of an ingestion is work of its own."""
    identity = f"{payload['owner']}\0{payload['path']}\0{payload['slice']}"
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]


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
