"""What the worker makes good when it starts: every owner's index of words, on a real Chroma."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.retrieval import SHARED, VERSION, Lexical, Passage, open_index, open_lexical
from app.services import Services, open_services
from app.settings import Settings
from tests.chroma import Chroma, running
from tests.parts import Valkey
from tests.worker.working import a_worker
from worker.healing import heal_all

TEXTS = {"wall": "城墙建于明朝。", "train": "The night train is NT-401.", "ferry": "The ferry leaves soon."}


@pytest.fixture
def chroma(tmp_path: Path) -> Iterator[Chroma]:
    with running(tmp_path / "chroma") as server:
        yield server


@pytest_asyncio.fixture
async def services(chroma: Chroma, valkey: Valkey, upstream: str, tmp_path: Path) -> AsyncIterator[Services]:
    settings = Settings(
        data_dir=tmp_path, redis_url=valkey.url, openai_base_url=upstream + "/v1", chroma_url=chroma.url
    )
    async with open_services(settings) as opened:
        yield opened


async def fill(services: Services, owner: str) -> Lexical:
    """Passages that have vectors and no words."""
    rows = [Passage(f"{owner}-{id}", text, "", f"file:///{id}", None, 0, 9) for id, text in TEXTS.items()]
    index = open_index(services.settings, services.embedder, owner)
    await index.add("d", rows, [[1.0, float(n)] for n in range(len(rows))])
    return open_lexical(services.settings, owner)


async def until_whole(lexical: Lexical) -> None:
    async with asyncio.timeout(30):
        while await lexical.count() < len(TEXTS):  # noqa: ASYNC110  # another task's work: no event to await
            await asyncio.sleep(0.02)


async def test_a_worker_that_starts_gives_every_owner_words(services: Services, tmp_path: Path) -> None:
    lexicals = [await fill(services, owner) for owner in (SHARED, "Maria")]
    earlier = tmp_path / "lexical" / f"{SHARED}.{VERSION - 1}"
    earlier.mkdir(parents=True)
    async with a_worker(services.settings):
        for lexical in lexicals:
            await until_whole(lexical)
        async with asyncio.timeout(30):
            while earlier.exists():  # noqa: ASYNC110  # another task's work: no event to await
                await asyncio.sleep(0.02)
    assert [hit.id for hit in await lexicals[1].search("nt401", 1)] == ["Maria-train"]


async def test_damage_is_made_good(services: Services, tmp_path: Path) -> None:
    lexical = await fill(services, SHARED)
    await heal_all(services)
    (tmp_path / "lexical" / f"{SHARED}.{VERSION}" / "meta.json").write_text("garbage")
    await heal_all(services)
    assert await lexical.ids() == {f"{SHARED}-{id}" for id in TEXTS}


async def test_a_lost_vectors_index_takes_no_words_with_it(services: Services, tmp_path: Path) -> None:
    lexical = await fill(services, SHARED)
    await heal_all(services)
    earlier = tmp_path / "lexical" / f"{SHARED}.{VERSION - 1}"
    earlier.mkdir()
    await open_index(services.settings, services.embedder).remove("d")
    await heal_all(services)
    assert (await lexical.count(), earlier.exists()) == (len(TEXTS), True)


async def test_one_owners_trouble_keeps_no_other_waiting(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.healing.WAIT_SECONDS", (0.1, 0.1))
    first, shared = await fill(services, "anna"), await fill(services, SHARED)
    blocked = tmp_path / "lexical" / f"anna.{VERSION}"
    blocked.parent.mkdir()
    blocked.touch()
    healing = asyncio.create_task(heal_all(services))
    await until_whole(shared)
    assert not healing.done()
    blocked.unlink()
    await healing
    assert await first.count() == len(TEXTS)


async def test_a_chroma_that_comes_late_is_waited_for(
    services: Services, chroma: Chroma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.healing.WAIT_SECONDS", (0.1, 0.1))
    lexical = await fill(services, SHARED)
    chroma.stop()
    healing = asyncio.create_task(heal_all(services))
    done, _ = await asyncio.wait([healing], timeout=0.5)
    assert not done
    chroma.start()
    await healing
    assert await lexical.count() == len(TEXTS)
