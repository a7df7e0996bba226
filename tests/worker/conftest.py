"""The worker's parts: arq's own connection, and the services that jobs are given."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from arq.connections import ArqRedis, RedisSettings, create_pool
from redis.asyncio import Redis

from app.services import Services, open_services
from app.settings import Settings
from tests.parts import Valkey


@pytest_asyncio.fixture
async def queue(valkey: Valkey, redis: Redis) -> AsyncIterator[ArqRedis]:
    """arq's own connection to an empty Valkey."""
    pool = await create_pool(RedisSettings.from_dsn(valkey.url))
    yield pool
    await pool.aclose()


@pytest_asyncio.fixture
async def services(valkey: Valkey, upstream: str, tmp_path: Path) -> AsyncIterator[Services]:
    settings = Settings(
        data_dir=tmp_path,
        redis_url=valkey.url,
        openai_base_url=upstream + "/v1",
        chroma_url="http://127.0.0.1:1",
    )
    async with open_services(settings) as opened:
        yield opened
