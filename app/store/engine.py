"""The connection to the database: SQLite (WAL) or Postgres, whichever the address names."""

from typing import Any

from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.sql.schema import Table

from app.settings import Settings, make_data_dir

PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=5000", "foreign_keys=ON")


def open_engine(settings: Settings) -> AsyncEngine:
    """An engine that connects on first use; SystemExit with one line when DATA_DIR cannot be written."""
    address = settings.database
    if not address.startswith("sqlite"):
        return create_async_engine(address, pool_pre_ping=True, hide_parameters=True)
    if not settings.database_url:
        make_data_dir(settings.data_dir)
    engine = create_async_engine(address, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _tune_sqlite)
    return engine


def insert(engine: AsyncEngine, table: Table) -> Any:
    """An INSERT of the engine's own dialect, which knows ON CONFLICT; both dialects share that form."""
    return postgresql.insert(table) if engine.dialect.name == "postgresql" else sqlite.insert(table)


def _tune_sqlite(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
