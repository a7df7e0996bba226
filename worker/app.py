"""The worker's map: its jobs, their timeouts, and how it rides out a restart of Redis."""

import asyncio
import logging
from typing import Any

from arq import Retry as RetryJob
from arq.connections import RedisSettings, create_pool
from arq.worker import Function, Worker, func
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError, TimeoutError
from sqlalchemy.exc import SQLAlchemyError

from app.errors import TurnError
from app.services import Services, open_services
from app.settings import Settings
from worker.handover import hand_over_forever
from worker.healing import heal_all
from worker.jobs import JOBS, Work

JOB_SECONDS = 20  # after a SIGKILL a job is tried again only this long, and ten seconds, later
TRIES = 5
BACKOFF_SECONDS = 5

log = logging.getLogger(__name__)


async def work(settings: Settings) -> None:
    """Does jobs until it is told to stop; raises what keeps it from starting."""
    async with open_services(settings, "worker") as services:
        queue = await create_pool(_redis(settings))
        worker = Worker(
            functions=[_function(name, job, services) for name, job in JOBS.items()],
            redis_pool=queue,
            max_jobs=4,
            poll_delay=0.2,
            keep_result=0,  # a job whose result is kept could not be enqueued again
            log_results=False,
        )
        beside = [
            asyncio.create_task(hand_over_forever(services, queue)),
            asyncio.create_task(heal_all(services)),
            asyncio.create_task(services.model.warm()),  # learns what the provider takes
        ]
        try:
            await worker.async_run()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
            await worker.close()


def _function(name: str, job: Work, services: Services) -> Function:
    async def run(ctx: dict[str, Any], payload: dict[str, Any]) -> None:
        try:
            with services.telemetry.job(name, payload):
                await job(services, payload)
        except (TurnError, OSError, SQLAlchemyError) as error:
            reason = error.kind if isinstance(error, TurnError) else type(error).__name__
            log.warning("%s, try %d: %s", name, ctx["job_try"], reason)
            raise RetryJob(defer=ctx["job_try"] * BACKOFF_SECONDS) from error

    run.__qualname__ = name
    return func(run, name=name, timeout=JOB_SECONDS, max_tries=TRIES)


def _redis(settings: Settings) -> RedisSettings:
    redis = RedisSettings.from_dsn(settings.redis_url)
    redis.conn_retries = 60
    redis.retry = Retry(ExponentialBackoff(cap=1, base=0.05), 20)
    redis.retry_on_error = [ConnectionError, TimeoutError, OSError]
    return redis
