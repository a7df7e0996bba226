"""Takes over what waits in the outbox: rows become jobs of the queue, and only then go away."""

import asyncio
import logging

from arq import ArqRedis
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from app.services import Services

SWEEP_SECONDS = 10  # how long a job waits at the most when nobody rang
RETRY_SECONDS = 0.5

log = logging.getLogger(__name__)


async def hand_over_forever(services: Services, queue: ArqRedis) -> None:
    """Whenever the bell rings, and every ten seconds; a database or Redis that is away is tried again."""
    while True:
        try:
            await hand_over(services, queue)
            await services.bell.wait(SWEEP_SECONDS)
        except (RedisError, OSError, SQLAlchemyError) as error:
            log.warning("handover: %s", error)
            await asyncio.sleep(RETRY_SECONDS)


async def hand_over(services: Services, queue: ArqRedis) -> None:
    """Until the outbox is empty. Enqueued twice is queued once: the id is made of the job's name and key."""
    while waiting := await services.store.outbox.waiting():
        for job in waiting:
            await queue.enqueue_job(job.name, job.payload, _job_id=f"{job.name}:{job.key}")
            await services.store.outbox.remove(job)
