"""The tables come into being once, however many processes start at once; a bad address is one line."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import PIPE

import pytest
from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine.interfaces import ReflectedColumn

from app.settings import Settings
from app.store import open_store
from app.store.tables import metadata
from tests.parts import Postgres

OPEN = """
import asyncio, sys
from app.settings import load_settings
from app.store import open_store
from tests.fakes import a_turn

print("ready", flush=True)
sys.stdin.readline()  # all go at once

async def main():
    async with open_store(load_settings()) as store:
        assert await store.conversations.add(a_turn())

asyncio.run(main())
"""
Address = Callable[[], Awaitable[str]]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest) -> Address:
    async def make() -> str:
        if request.param == "sqlite":
            return ""
        server: Postgres = request.getfixturevalue("postgres")
        return await server.create()

    return make


async def test_many_processes_at_once_make_the_tables_once(address: Address, tmp_path: Path) -> None:
    url = await address()
    command = [sys.executable, "-W", "ignore", "-c", OPEN]
    starting = []
    for n in range(4):
        folder = tmp_path / str(n) if url else tmp_path  # a shared Postgres has its doors on many machines
        environment = os.environ | {"DATA_DIR": str(folder), "DATABASE_URL": url}
        starting.append(
            await asyncio.create_subprocess_exec(
                *command, env=environment, stdin=PIPE, stdout=PIPE, stderr=PIPE
            )
        )
    for process in starting:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    for process in starting:
        assert process.stdin is not None
        process.stdin.write(b"\n")
    for process in starting:
        _, said = await process.communicate()
        assert process.returncode == 0, said.decode()
    async with (
        open_store(Settings(data_dir=tmp_path, database_url=url)) as store,
        store.engine.connect() as connection,
    ):
        assert await connection.scalar(text("SELECT count(*) FROM turns")) == 4
        assert await connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1


def columns_of(connection: Connection, table: str) -> list[ReflectedColumn]:
    return inspect(connection).get_columns(table)


async def test_the_migrations_make_the_tables_that_the_code_names(address: Address, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url=await address())
    async with open_store(settings) as store, store.engine.connect() as connection:
        for table in metadata.sorted_tables:
            made = await connection.run_sync(columns_of, table.name)
            assert {(column["name"], column["nullable"]) for column in made} == {
                (column.name, column.nullable) for column in table.columns
            }


async def test_a_second_start_finds_everything_done(address: Address, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url=await address())
    for _ in range(2):
        async with open_store(settings) as store:
            assert await store.outbox.waiting() == []


async def refusal(url: str, folder: Path) -> str:
    with pytest.raises(SystemExit) as stopped:
        async with open_store(Settings(data_dir=folder, database_url=url)):
            raise AssertionError(f"{url} was opened")
    return str(stopped.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://someone:secret@127.0.0.1:1/x", "postgresql://someone:***@127.0.0.1:1/x"),
        ("postgresql://nowhere.invalid/x", "postgresql://nowhere.invalid/x"),
        ("sqlite:////nowhere/at/all.db", "sqlite:////nowhere/at/all.db"),
    ],
)
async def test_an_address_where_nothing_answers_is_one_line(url: str, shown: str, tmp_path: Path) -> None:
    said = await refusal(url, tmp_path)
    assert said.startswith(f"DATABASE_URL is {shown}, but ")
    assert "\n" not in said
    assert "secret" not in said


async def test_a_database_that_does_not_exist_is_one_line(postgres: Postgres, tmp_path: Path) -> None:
    url = await postgres.create()
    said = await refusal(url.replace("/t", "/missing_", 1), tmp_path)
    assert said.startswith("DATABASE_URL is postgresql://")
    assert "does not exist" in said
    assert "\n" not in said


async def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Not a database at all. " * 100)
    said = await refusal(f"sqlite:///{tmp_path}/notes.txt", tmp_path)
    assert said.startswith("DATABASE_URL is sqlite://")
    assert "\n" not in said


async def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = await refusal("", tmp_path / "file" / "data")
    assert said.startswith("DATA_DIR is ")
    assert "\n" not in said


@pytest.mark.parametrize("door", ["web", "worker"])
def test_a_door_that_cannot_start_says_it_in_one_line(door: str, tmp_path: Path) -> None:
    environment = os.environ | {
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": "postgres://127.0.0.1:1/x",
        "PORT": "1",
    }
    ended = subprocess.run(
        [sys.executable, "-m", door], env=environment, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode != 0
    assert "DATABASE_URL is postgresql://127.0.0.1:1/x, but nothing answers there" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) <= 2
