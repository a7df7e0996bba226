"""Brings the tables to the newest version, once, however many processes start at the same time."""

import asyncio
import fcntl
import re
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.settings import make_data_dir

LOCK = 0x5072656C  # "Prel": any number, the same in every process


async def migrate(engine: AsyncEngine, data_dir: Path) -> None:
    """Runs what is missing of the migrations; SystemExit with one line when the database is not there."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    if await _is_done(engine, config):
        return
    # SQLite has no lock that spans DDL and commit; Postgres has, and takes it in _upgrade.
    has_lock = engine.dialect.name == "postgresql"
    with nullcontext() if has_lock else await asyncio.to_thread(_alone, data_dir):
        async with engine.begin() as connection:
            await connection.run_sync(_upgrade, config)


async def _is_done(engine: AsyncEngine, config: Config) -> bool:
    address = re.sub(r"\+\w+", "", engine.url.render_as_string(hide_password=True), count=1)
    try:
        async with engine.connect() as connection:
            return await connection.run_sync(_is_newest, config)
    except OSError as error:
        raise SystemExit(f"DATABASE_URL is {address}, but nothing answers there ({error}).") from None
    except DBAPIError as error:
        reason = str(error.orig).splitlines()[0]
        raise SystemExit(f"DATABASE_URL is {address}, but it takes one that opens ({reason}).") from None


def _is_newest(connection: Connection, config: Config) -> bool:
    head = ScriptDirectory.from_config(config).get_current_head()
    return MigrationContext.configure(connection).get_current_revision() == head


def _upgrade(connection: Connection, config: Config) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _alone(data_dir: Path) -> IO[str]:
    """Waits for its turn among this machine's processes; closing the file ends it."""
    lock = (make_data_dir(data_dir) / "migrate.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
