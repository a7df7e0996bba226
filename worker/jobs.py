"""The jobs: each a few lines that call the core. A job may run twice; both leave the same state."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.documents.ingest import Library, ingest
from app.errors import TurnError
from app.jobs import INGEST, SUMMARY, TITLE, ingestion_key
from app.prompt import Message
from app.retrieval import SHARED, open_index, open_lexical
from app.routing import Route
from app.services import Services
from app.summaries import LONGEST, by_rules, summary_prompt
from app.summaries import clean as cleaned
from app.titles import clean, title_prompt

SUMMARY_SECONDS = 15.0  # below the job's timeout; who needs longer gets a summary by rules
INGEST_SECONDS = 8.0  # a slice, well below the job's timeout; what is left becomes the next job

log = logging.getLogger(__name__)

Work = Callable[[Services, dict[str, Any]], Awaitable[None]]


async def title(services: Services, payload: dict[str, Any]) -> None:
    """{"conversation": id}: the small model names a conversation by its first exchange."""
    exchange = await services.store.conversations.first_exchange(payload["conversation"])
    if exchange is None:
        return
    if name := clean(await _told(services, title_prompt(exchange), services.router.background)):
        await services.store.conversations.entitle(payload["conversation"], name)


async def summary(services: Services, payload: dict[str, Any]) -> None:
    """{"conversation": id, "since": time}: cuts a conversation that has grown long; the small model writes
    what is told of it from then on."""
    due = await services.store.summaries.due(payload["conversation"], payload["since"])
    if due is None:
        return
    route = replace(services.router.background, max_tokens=2 * LONGEST)  # more than is kept: no cut in a word
    text = ""
    if services.settings.is_language_model and not services.settings.is_for_measuring:
        try:
            async with asyncio.timeout(SUMMARY_SECONDS):
                text = cleaned(await _told(services, summary_prompt(due.summary, due.exchanges), route))
        except TimeoutError:
            log.warning("summary: the model took too long")
        except TurnError as error:  # asked again it would mostly fail again, and the cut is due
            log.warning("summary: %s", error.kind)
    await services.store.summaries.write(due, text or by_rules(due.summary, due.exchanges))


async def _told(services: Services, messages: Sequence[Message], route: Route) -> str:
    """All that the model says to it."""
    texts = []
    with services.telemetry.chat(route.model) as used:
        async with aclosing(services.model.stream(messages, route)) as chunks:
            async for chunk in chunks:
                texts.append(chunk.text)
                if chunk.usage:
                    used(chunk.usage)
    return "".join(texts)


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
    """An owner's passages lie in indexes of their own."""
    shared = owner == SHARED
    index = services.index if shared else open_index(services.settings, services.embedder, owner)
    lexical = services.lexical if shared else open_lexical(services.settings, owner)
    return Library(owner, services.store.documents, index, lexical, services.embedder)


JOBS: dict[str, Work] = {TITLE: title, SUMMARY: summary, INGEST: ingest_documents}
