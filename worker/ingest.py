"""The command line door to ingestion: `python -m worker.ingest FROM...`.

Exit status: 0, or 1 when something was refused or could not be reached, 2 for a usage error, 130 after
Ctrl-C. Knows how to show progress and sums; what happens to a document is app.documents' matter.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence, Sized
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from app.documents.files import located
from app.documents.ingest import Library, ingest
from app.documents.progress import Summary
from app.documents.store import DocumentStore
from app.embedding import open_embedder
from app.errors import TurnError
from app.jobs import INGEST, RedisBell, ingestion_key
from app.retrieval import SHARED, open_index, open_lexical
from app.services import open_redis
from app.settings import Settings, load_settings
from app.store import open_store
from worker.progress import watched

STOPPED = 130  # what shells give a program that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m worker.ingest", description="Reads documents into Prelude.")
    parser.add_argument("source", nargs="+", type=Path, metavar="FROM", help="a folder or a file")
    parser.add_argument("--later", action="store_true", help="let the worker do it in the background")
    asked = parser.parse_args(arguments)
    settings = load_settings()
    with suppress(AttributeError, OSError):
        os.nice(5)  # whoever chats meanwhile comes first
    try:
        return asyncio.run((_hand_over if asked.later else _run)(settings, asked.source))
    except TurnError as error:
        print(error.message, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What was read is kept; the same command goes on from here.", file=sys.stderr)
        return STOPPED


async def _run(settings: Settings, sources: Sequence[Path]) -> int:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        if unknown := [source for source in sources if not await _is_known(store.documents, located(source))]:
            print(f"There is no file or folder {unknown[0]}.", file=sys.stderr)
            return 2
        embedder = open_embedder(settings)
        stack.push_async_callback(embedder.close)
        index, lexical = open_index(settings, embedder), open_lexical(settings)
        library = Library(SHARED, store.documents, index, lexical, embedder)
        with watched() as report:
            summaries = [await ingest(source, library, report=report) for source in sources]
    print(conclusion(summaries))
    return 1 if any(summary.refused for summary in summaries) else 0


async def _hand_over(settings: Settings, sources: Sequence[Path]) -> int:
    async with open_store(settings) as store:
        for source in sources:
            payload = {"owner": SHARED, "path": str(located(source)), "slice": 0}
            await store.outbox.add(INGEST, ingestion_key(payload), payload)
    async with open_redis(settings) as redis:
        await RedisBell(redis).ring()
    return 0


async def _is_known(documents: DocumentStore, path: Path) -> bool:
    """It exists, or something there was ingested once and can be removed."""
    uri = path.as_uri()
    exists = await asyncio.to_thread(path.exists)
    return exists or bool(await documents.get(SHARED, uri) or await documents.under(SHARED, uri + "/"))


def conclusion(summaries: Sequence[Summary]) -> str:
    """What became of the files: a line for each that was refused, then the sums."""
    def total(part: Callable[[Summary], Sized]) -> int:
        return sum(len(part(summary)) for summary in summaries)

    lines = [f"Refused: {refusal}." for summary in summaries for refusal in summary.refused]
    sums = (f"{total(lambda s: s.added)} added, {total(lambda s: s.replaced)} replaced, "
            f"{total(lambda s: s.unchanged)} unchanged, {total(lambda s: s.removed)} removed, "
            f"{total(lambda s: s.refused)} refused")
    if skipped := sum(summary.skipped for summary in summaries):
        sums += f", {skipped} skipped (hidden, or of another format)"
    return "\n".join([*lines, f"{sums}."])


if __name__ == "__main__":
    sys.exit(main())
