"""The jobs: each a few lines that call the core. A job may run twice; both leave the same state."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

from app.documents.ingest import Library, ingest
from app.jobs import INGEST, TITLE, ingestion_key
from app.retrieval import SHARED, open_index
from app.services import Services
from app.titles import clean, title_prompt

INGEST_SECONDS = 8.0  # a slice, well below the job's timeout; what is left becomes the next job

log = logging.getLogger(__name__)

Work = Callable[[Services, dict[str, Any]], Awaitable[None]]


async def title(services: Services, payload: dict[str, Any]) -> None:
    """{"conversation": id}: the small model names a conversation by its first exchange."""
    exchange = await services.store.conversations.first_exchange(payload["conversation"])
    if exchange is None:
        return
    chunks = services.model.stream(title_prompt(exchange), services.router.background)
    texts = []
    with services.telemetry.chat(services.router.background.model) as used:
        async with aclosing(chunks):
            async for chunk in chunks:
                texts.append(chunk.text)
                if chunk.usage:
                    used(chunk.usage)
    if name := clean("".join(texts)):
        await services.store.conversations.entitle(payload["conversation"], name)


async def ingest_documents(services: Services, payload: dict[str, Any]) -> None:
    """{"owner": id, "path": file or folder, "slice": n}: one slice of an ingestion, then the next."""
    library = _library(services, payload["owner"])
    summary = await ingest(Path(payload["path"]), library, budget_s=INGEST_SECONDS)
    for refusal in summary.refused:
        log.warning("refused: %s", refusal)
    if summary.more:
        following = {**payload, "slice": payload["slice"] + 1}
        await services.store.outbox.add(INGEST, ingestion_key(following), following)
        await services.bell.ring()
    else:
        log.info("ingested %s", payload["path"])


def _library(services: Services, owner: str) -> Library:
    """An owner's passages lie in an index of their own."""
    shared = owner == SHARED
    index = services.index if shared else open_index(services.settings, services.embedder, owner)
    return Library(owner, services.store.documents, index, services.embedder)


JOBS: dict[str, Work] = {TITLE: title, INGEST: ingest_documents}
