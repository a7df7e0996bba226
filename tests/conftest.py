"""The real parts that several rooms' tests share, started once when the first test wants them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from app.settings import Settings
from app.store import Store, open_store
from dev.standin.serving import running as running_standin
from e2e.stack import Stack
from e2e.stack import running as running_stack
from tests.parts import Postgres, Valkey, running_postgres, running_valkey

HOSTILE = """<img src=x onerror=alert(1)>"'</script><script>alert(2)</script>{{ 7*7 }}"""
LIBRARY = {
    "wall.md": "# The city wall\n\nThe city wall was built in 1370 and is twelve metres high.\n",
    "城墙.md": "# 城墙\n\n城墙建于明朝，高十二米。\n",
    "hostile.md": f"# Hostile\n\nA hostile document says `{HOSTILE}` to whoever asks for it.\n",
}


@pytest.fixture(autouse=True)
def _no_settings_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the shell of whoever runs the tests has set is not what is tested."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """One for all; whoever kills a Valkey takes `own_valkey`."""
    with running_valkey() as server:
        yield server


@pytest.fixture
def own_valkey() -> Iterator[Valkey]:
    with running_valkey() as server:
        yield server


@pytest_asyncio.fixture
async def redis(valkey: Valkey) -> AsyncIterator[Redis]:
    async with Redis.from_url(valkey.url) as client:
        await client.flushall()
        yield client


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest_asyncio.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store of each kind: what holds for one must hold for the other."""
    url = ""
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = await server.create()
    async with open_store(Settings(data_dir=tmp_path, database_url=url)) as opened:
        yield opened


@pytest_asyncio.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(Settings(data_dir=tmp_path)) as opened:
        yield opened


@pytest.fixture(scope="session")
def upstream() -> Iterator[str]:
    """The stand-in model's address."""
    with running_standin() as address:
        yield address


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A whole application but for the worker; the model plays the scenario that a question names."""
    library = tmp_path_factory.mktemp("library")
    for name, text in LIBRARY.items():
        (library / name).write_text(text, encoding="utf-8")
    with running_stack(tmp_path_factory.mktemp("stack"), worker=False) as running:
        running.ingest(library)
        yield running
