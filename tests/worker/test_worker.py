"""The background door on real parts: what a finished turn wishes for is done, once, whatever was down."""

import asyncio
from pathlib import Path

import pytest
from arq.connections import ArqRedis
from arq.constants import default_queue_name
from redis.asyncio import Redis
from redis.exceptions import RedisError

from app.events import Delta, Finished, Started, TurnEvent
from app.jobs import BELL, INGEST, TITLE, RedisBell
from app.models import Chunk
from app.services import Services
from app.settings import Settings
from app.store import Store, open_store
from app.turn import Turn
from tests.app.asking import requests
from tests.app.made import FakeEmbedder, FakeIndex
from tests.fakes import FakeModel, a_turn, raising
from tests.parts import Valkey
from tests.worker.working import a_worker, replaced
from worker import jobs
from worker.handover import hand_over
from worker.jobs import ingest_documents, title

QUESTION = "How do I measure the time to the first token of a streaming chat application?"


async def finish(store: Store, turn: Turn) -> None:
    await store.conversations.add(turn)
    told: list[TurnEvent] = [
        Started(turn.id, turn.conversation, turn.question),
        Delta("By looking."),
        Finished(False, "m", "r"),
    ]
    await store.conversations.save(turn.id, told)


async def title_of(store: Store, turn: Turn) -> str:
    found = await store.conversations.find(turn.owner, turn.conversation)
    assert found is not None
    return found.title


async def until_titled(store: Store, turn: Turn, provisional: str) -> str:
    async with asyncio.timeout(40):
        while True:  # a poll of what another task does in the database: the deadline decides, not the pause
            if (name := await title_of(store, turn)) != provisional:
                return name
            await asyncio.sleep(0.02)


async def test_the_outbox_becomes_jobs_and_is_empty(services: Services, queue: ArqRedis) -> None:
    turn = a_turn(QUESTION)
    await finish(services.store, turn)
    await hand_over(services, queue)
    (job,) = await queue.queued_jobs()
    payload = {"conversation": turn.conversation, "turn": turn.id}
    assert (job.function, job.args) == (TITLE, (payload,))
    assert await services.store.outbox.waiting() == []


async def test_the_same_work_twice_is_queued_once(services: Services, queue: ArqRedis) -> None:
    for _ in range(2):
        await services.store.outbox.add(TITLE, "c", {"conversation": "c"})
        await hand_over(services, queue)
    await services.store.outbox.add(TITLE, "d", {"conversation": "d"})
    await hand_over(services, queue)
    assert await queue.zcard(default_queue_name) == 2
    assert await services.store.outbox.waiting() == []


async def test_more_than_a_page_of_work_is_handed_over(services: Services, queue: ArqRedis) -> None:
    for n in range(130):
        await services.store.outbox.add(TITLE, str(n), {"conversation": str(n)})
    await hand_over(services, queue)
    assert await queue.zcard(default_queue_name) == 130


async def test_a_queue_that_is_away_loses_nothing(services: Services) -> None:
    await services.store.outbox.add(TITLE, "c", {"conversation": "c"})
    async with ArqRedis.from_url("unix:///nowhere/redis.sock") as nowhere:
        with pytest.raises(RedisError):
            await hand_over(services, nowhere)
    assert len(await services.store.outbox.waiting()) == 1


async def test_a_bell_that_rings_often_rings_once(redis: Redis) -> None:
    bell = RedisBell(redis)
    for _ in range(5):
        await bell.ring()
    assert await redis.lrange(BELL, 0, -1) == [b"1"]  # type: ignore[misc]  # redis-py types it as sync too
    await bell.wait(5)
    assert await redis.exists(BELL) == 0
    async with Redis.from_url("unix:///nowhere/redis.sock") as nowhere:
        await RedisBell(nowhere).ring()  # never raises


async def test_a_finished_turn_gets_its_title(services: Services, redis: Redis) -> None:
    async with a_worker(services.settings):
        turn = a_turn(QUESTION)
        await finish(services.store, turn)
        provisional = await title_of(services.store, turn)
        assert provisional.endswith("…")
        await services.bell.ring()
        name = await until_titled(services.store, turn, provisional)
    assert 0 < len(name.split()) <= 6
    assert await services.store.outbox.waiting() == []


async def test_a_worker_learns_whom_it_speaks_to_as_it_starts(services: Services, upstream: str) -> None:
    """Ollama is told to load the model: who is not known to be one is not."""
    model = "sim-n1-tagwarmedbyaworker"
    base = f"{upstream}/as/ollama/v1"
    settings = services.settings.model_copy(update={"openai_base_url": base, "chat_model": model})
    async with a_worker(settings), asyncio.timeout(40):
        while True:  # a poll of what another server was asked: the deadline decides, not the pause
            if asked := await requests(upstream, model):
                break
            await asyncio.sleep(0.02)
    assert asked[0]["path"] == "/as/ollama/api/generate"


async def test_what_was_asked_for_while_redis_was_down_is_done_when_it_is_back(
    own_valkey: Valkey, upstream: str, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path, redis_url=own_valkey.url, openai_base_url=upstream + "/v1")
    own_valkey.kill()
    async with open_store(settings) as store:
        turn = a_turn("城墙是什么时候修建的，它有多高，又是谁主持修建的呢？请详细说明一下它的历史。")
        await finish(store, turn)
        provisional = await title_of(store, turn)
        async with a_worker(settings):
            await asyncio.to_thread(own_valkey.start)
            assert await until_titled(store, turn, provisional) != provisional


@pytest.mark.parametrize(
    ("reply", "expected"),
    [('"The wall"\nand more', "The wall"), ("   ", "provisional"), ("《城墙》", "城墙")],
)
async def test_a_title_is_what_is_left_of_the_reply(services: Services, reply: str, expected: str) -> None:
    turn = a_turn("provisional")
    await finish(services.store, turn)
    model = FakeModel((Chunk(reply), Chunk(reason="stop")))
    for _ in range(2):  # twice leaves the same
        await title(replaced(services, model=model), {"conversation": turn.conversation})
    assert await title_of(services.store, turn) == expected
    assert model.closed


async def test_a_title_for_a_conversation_that_is_gone_is_nothing(services: Services) -> None:
    model = FakeModel(before={0: raising(AssertionError("asked"))})
    await title(replaced(services, model=model), {"conversation": "gone"})


async def test_an_ingestion_goes_on_in_slices_until_it_is_done(
    services: Services, queue: ArqRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "INGEST_SECONDS", 0.0)  # a slice is as small as it can be
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.md").write_text("\n\n".join(f"# Part {m}\n\nText {n} {m}." for m in range(20)))
    index = FakeIndex()
    faked = replaced(services, index=index, embedder=FakeEmbedder())
    await ingest_documents(faked, {"owner": "shared", "path": str(folder), "slice": 0})
    slices = 1
    while waiting := await services.store.outbox.waiting():
        (job,) = waiting
        assert (job.name, job.payload["slice"]) == (INGEST, slices)
        await services.store.outbox.remove(job)
        await ingest_documents(faked, job.payload)
        slices += 1
        assert slices < 100
    assert slices > 2
    assert len(index.texts) == 60
    documents = await services.store.documents.under("shared", "file:")
    assert [document.complete for document in documents] == [True] * 3
