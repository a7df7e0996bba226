"""The only place that constructs things: both doors build themselves from here."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError, TimeoutError

from app.embedding import open_embedder
from app.embedding.memo import Memo
from app.errors import TurnError
from app.followups import open_rewriter
from app.jobs import RedisBell
from app.mirror import Mirror
from app.models import Model, open_model
from app.retrieval import Index, Lexical, open_index, open_lexical
from app.routing import Router
from app.runner import Runner
from app.settings import Settings
from app.store import Store, open_store
from app.telemetry import Telemetry
from app.turn import Stages

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    store: Store
    redis: Redis
    embedder: Memo
    index: Index
    lexical: Lexical
    stages: Stages
    model: Model
    router: Router
    mirror: Mirror
    runner: Runner
    bell: RedisBell
    telemetry: Telemetry


@asynccontextmanager
async def open_services(settings: Settings, door: str = "web") -> AsyncGenerator[Services, None]:
    """Everything that a door needs, opened together and closed in reverse; `door` names it to operators."""
    async with AsyncExitStack() as stack:
        telemetry = Telemetry(settings, door)
        stack.push_async_callback(asyncio.to_thread, telemetry.close)
        store = await stack.enter_async_context(open_store(settings))
        redis = open_redis(settings)
        stack.push_async_callback(redis.aclose)
        embedder = Memo(open_embedder(settings))
        stack.push_async_callback(embedder.close)
        index, lexical = open_index(settings, embedder), open_lexical(settings)
        model = open_model(settings)
        stack.push_async_callback(model.close)
        router = Router(settings)
        mirror, bell = Mirror(redis), RedisBell(redis)
        stages = Stages(
            router,
            embedder,
            index,
            lexical,
            open_rewriter(settings, model, router),
            model,
            store.histories.before,
            store.histories.earlier,
        )
        runner = Runner(stages, store.conversations, mirror, bell, telemetry.ended, telemetry.metrics.running)
        yield Services(
            settings,
            store,
            redis,
            embedder,
            index,
            lexical,
            stages,
            model,
            router,
            mirror,
            runner,
            bell,
            telemetry,
        )


async def warm(services: Services) -> None:
    """The first question pays for nothing that can be paid before: a part that fails here fails there too."""
    try:
        await services.embedder.warm()
        await services.lexical.warm()
        await services.index.warm(await services.embedder.query("warm"))
    except TurnError as error:
        log.warning("warming: %s", error)
    await services.model.warm()


def open_redis(settings: Settings) -> Redis:
    """A client that connects on first use and rides out a restart of a second or so."""
    redis: Redis = Redis.from_url(
        settings.redis_url,
        socket_connect_timeout=2,
        retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 3),
        retry_on_error=[ConnectionError, TimeoutError, OSError],
    )
    return redis
