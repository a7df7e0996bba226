"""The job `summary`, from the turn that wished for it to the prompt that holds it, on both databases."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from app.errors import Kind, TurnError
from app.jobs import SUMMARY
from app.models import Chunk
from app.prompt import History
from app.services import Services, open_services
from app.settings import Settings
from tests.app.test_summaries import ENOUGH, Talk
from tests.fakes import FakeModel, Point, raising
from tests.parts import Postgres, Valkey
from tests.worker.working import a_worker, replaced
from worker import jobs
from worker.jobs import summary

WRITTEN = (Chunk("They spoke of **a wall** [1]."), Chunk(reason="stop"))


@pytest_asyncio.fixture(params=["sqlite", "postgres"])
async def services(
    request: pytest.FixtureRequest, valkey: Valkey, redis: Redis, upstream: str, tmp_path: Path
) -> AsyncIterator[Services]:
    """With a language model: the stand-in's, which tells each exchange in a line when it is to summarise."""
    url = ""
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = await server.create()
    settings = Settings(
        data_dir=tmp_path,
        database_url=url,
        redis_url=valkey.url,
        openai_base_url=upstream + "/v1",
        chat_model="asked",
        chroma_url="http://127.0.0.1:1",
    )
    async with open_services(settings) as opened:
        yield opened


async def history(services: Services, talk: Talk) -> History:
    return await services.store.histories.before(await talk.begin())


async def until_cut(services: Services, talk: Talk) -> History:
    async with asyncio.timeout(40):
        while True:  # a poll of what another task does in the database: the deadline decides, not the pause
            had = await history(services, talk)
            if had.summary:
                return had
            await asyncio.sleep(0.02)


async def test_a_long_conversation_is_cut_by_the_worker(services: Services) -> None:
    talk = Talk(services.store)
    async with a_worker(services.settings):
        await talk.add(ENOUGH)
        await services.bell.ring()
        had = await until_cut(services, talk)
    lines = had.summary.splitlines()
    assert all(line.startswith("How old is the wall? → The wall was built in 1370.") for line in lines)
    assert len(lines) + len(had.exchanges) == ENOUGH
    assert await services.store.outbox.waiting() == []


async def asked_for(services: Services, talk: Talk) -> dict[str, object]:
    await talk.add(ENOUGH)
    (job, *_) = [job for job in await services.store.outbox.waiting() if job.name == SUMMARY]
    return job.payload


async def test_twice_is_once(services: Services) -> None:
    talk = Talk(services.store)
    payload = await asked_for(services, talk)
    model = FakeModel(WRITTEN)
    for _ in range(2):
        await summary(replaced(services, model=model), payload)
    assert (await history(services, talk)).summary == "They spoke of a wall."
    assert len(model.asked) == 1
    assert model.closed


async def test_a_cut_that_was_made_meanwhile_stays(services: Services) -> None:
    talk = Talk(services.store)
    payload = await asked_for(services, talk)
    point = Point()
    slow = FakeModel((Chunk("slow"), Chunk(reason="stop")), before={0: point})
    late = asyncio.create_task(summary(replaced(services, model=slow), payload))
    await point.reached.wait()
    await summary(replaced(services, model=FakeModel(WRITTEN)), payload)
    point.open.set()
    await late
    assert (await history(services, talk)).summary == "They spoke of a wall."


async def test_rules_write_it_when_the_reply_is_empty_or_too_slow(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk(services.store)
    payload = await asked_for(services, talk)
    monkeypatch.setattr(jobs, "SUMMARY_SECONDS", 0.01)
    await summary(replaced(services, model=FakeModel(before={0: Point()})), payload)
    assert (await history(services, talk)).summary.startswith("Asked: How old is the wall? Answer: The wall")
    other = Talk(services.store)
    await other.add(ENOUGH)
    monkeypatch.undo()
    empty = FakeModel((Chunk("  "), Chunk(reason="stop")))
    await summary(replaced(services, model=empty), {"conversation": other.id, "since": 0.0})
    assert (await history(services, other)).summary.startswith("Asked: ")


@pytest.mark.parametrize("model", ["extract", "smollm2-135m"])
async def test_where_no_language_model_is_none_is_asked(services: Services, model: str) -> None:
    talk = Talk(services.store)
    payload = await asked_for(services, talk)
    nobody = FakeModel(before={0: raising(AssertionError("asked"))})
    settings = services.settings.model_copy(update={"chat_model": model})
    await summary(replaced(services, settings=settings, model=nobody), payload)
    assert (await history(services, talk)).summary.startswith("Asked: ")


@pytest.mark.parametrize("kind", ["upstream_failed", "upstream_refused", "upstream_unreachable"])
async def test_rules_write_it_when_the_model_fails(services: Services, kind: Kind) -> None:
    talk = Talk(services.store)
    payload = await asked_for(services, talk)
    broken = FakeModel(WRITTEN, before={1: raising(TurnError(kind, "No."))})  # in the midst of its reply
    await summary(replaced(services, model=broken), payload)
    assert (await history(services, talk)).summary.startswith("Asked: How old is the wall? Answer: The wall")
