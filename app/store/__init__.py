"""What outlives a process: conversations, turns, their measures, documents and the outbox.

Every method that touches somebody's rows takes their owner. Knows SQL, and nothing of streams or pages.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from app.settings import Settings
from app.store.conversations import Conversation, Conversations, StoredTurn
from app.store.documents import Documents
from app.store.engine import open_engine
from app.store.histories import Histories
from app.store.measures import Measured, Measures, Painted
from app.store.migrate import migrate
from app.store.outbox import Job, Outbox
from app.store.summaries import Due, Summaries

__all__ = [
    "Conversation",
    "Conversations",
    "Documents",
    "Due",
    "Histories",
    "Job",
    "Measured",
    "Measures",
    "Outbox",
    "Painted",
    "Store",
    "StoredTurn",
    "Summaries",
    "open_store",
]


class Store:
    """The parts of the database, by what they keep."""

    def __init__(self, settings: Settings) -> None:
        self.engine = open_engine(settings)
        self.conversations = Conversations(self.engine)
        self.histories = Histories(self.engine)
        self.documents = Documents(self.engine)
        self.outbox = Outbox(self.engine)
        self.measures = Measures(self.engine)
        self.summaries = Summaries(self.engine)


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncGenerator[Store, None]:
    """The store, its tables brought to the newest version; closes its connections at the end."""
    store = Store(settings)
    try:
        await migrate(store.engine, settings.data_dir)
        yield store
    finally:
        await store.engine.dispose()
