"""Which documents there are: the SQL side of `app.documents.store.DocumentStore`."""

from dataclasses import asdict

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.documents.store import Document
from app.store.engine import insert
from app.store.tables import documents

_COLUMNS = [documents.c[name] for name in Document.__dataclass_fields__]


class Documents:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def get(self, owner: str, uri: str) -> Document | None:
        async with self._engine.connect() as connection:
            row = (
                await connection.execute(
                    select(*_COLUMNS).where(documents.c.owner == owner, documents.c.uri == uri)
                )
            ).one_or_none()
        return None if row is None else Document(**row._mapping)

    async def put(self, document: Document) -> None:
        values = asdict(document)
        async with self._engine.begin() as connection:
            await connection.execute(
                insert(self._engine, documents)
                .values(**values)
                .on_conflict_do_update(index_elements=["owner", "uri"], set_=values)
            )

    async def remove(self, owner: str, uri: str) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(
                delete(documents).where(documents.c.owner == owner, documents.c.uri == uri)
            )

    async def under(self, owner: str, prefix: str) -> list[Document]:
        """A prefix is compared as it is: LIKE would fold case in SQLite and read % and _."""
        begins = func.substr(documents.c.uri, 1, len(prefix)) == prefix
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(*_COLUMNS).where(documents.c.owner == owner, begins).order_by(documents.c.uri)
            )
            return [Document(**row._mapping) for row in rows]
