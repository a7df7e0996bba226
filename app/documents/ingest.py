"""From files to passages in an index, kept in step with the files. Knows no queue and no terminal.

What is the same is left alone, what changed is replaced, what is gone leaves nothing behind. Passages
have ids made from what they say and where, so an interrupted ingestion embeds only what is missing. Every
change is made to the vectors' index first; the lexical one follows, and catches up before anything else.
"""

import asyncio
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.documents.extract import Refused
from app.documents.files import Found, find, located, read
from app.documents.healing import heal
from app.documents.parse import parse
from app.documents.progress import Progress, Refusal, Report, Summary, quiet
from app.documents.split import VERSION, Piece, split
from app.documents.store import Document, DocumentStore
from app.embedding.protocol import Embedder
from app.retrieval.protocol import BETWEEN, Index, Lexical, Passage

BATCH = (1, 64)  # passages embedded between two looks at the clock
HEALING = "words"  # what progress shows instead of a file's name while the lexical index catches up
PACE = (0.25, 1.0)  # seconds: a batch grows when it took less, shrinks when it took more


@dataclass(frozen=True, slots=True)
class Library:
    """One owner's documents: what is known of them, and where their passages lie."""

    owner: str
    store: DocumentStore
    index: Index
    lexical: Lexical
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Plan:
    """A document that is new, changed or unfinished, and everything that it should have in the index."""

    document: Document
    passages: tuple[Passage, ...]
    contexts: tuple[str, ...]  # each passage as the embedder reads it
    missing: tuple[int, ...]  # which of them are still to be embedded
    replaces: bool  # an earlier, whole version


async def ingest(source: Path, library: Library, *, report: Report = quiet,
                 budget_s: float | None = None) -> Summary:
    """Brings the library in step with a file or folder, or with its absence.

    A file that cannot be ingested is named in the summary and the rest goes on. The budget, in seconds,
    is looked at between batches: when it is used up, `Summary.more` says so. Raises
    TurnError('retrieval_failed') when the index or the embedder fails; what was done until then is kept.
    """
    return await _Ingestion(located(source), library, report, budget_s).run()


class _Ingestion:
    def __init__(self, source: Path, library: Library, report: Report, budget_s: float | None) -> None:
        self._source = source
        self._library = library
        self._report = report
        self._end = None if budget_s is None else time.monotonic() + budget_s
        self._summary = Summary()
        self._files_done = 0
        self._files_total = 0

    async def run(self) -> Summary:
        if not await self._heal():
            self._summary.more = True
            return self._summary
        found = await asyncio.to_thread(find, self._source)
        self._files_total = len(found.files)
        self._summary.skipped = found.skipped
        self._summary.refused += [Refusal(path, "cannot be listed") for path in found.closed]
        await self._remove_gone(found)
        whole = await self._is_whole()
        plans = [plan for path in found.files if (plan := await self._plan(path, whole))]
        await self._embed_all(plans)
        return self._summary

    async def _heal(self) -> bool:
        began = time.monotonic()

        def tell(done: int, total: int) -> bool:
            self._tell(HEALING, done, total, time.monotonic() - began)
            return done > 0 and self._is_over()

        return await heal(self._library.index, self._library.lexical, tell)

    async def _remove_gone(self, found: Found) -> None:
        store, owner, uri = self._library.store, self._library.owner, self._source.as_uri()
        known = [*await store.under(owner, uri.rstrip("/") + "/")]
        if itself := await store.get(owner, uri):
            known.append(itself)
        present = {path.as_uri() for path in found.files}
        unseen = tuple(path.as_uri() + "/" for path in found.closed)
        for document in known:
            if document.uri not in present and not document.uri.startswith(unseen):
                await self._remove(document)

    async def _remove(self, document: Document) -> None:
        await self._library.index.remove(document.id)
        await self._library.lexical.remove(document.id)
        await self._library.store.remove(document.owner, document.uri)
        self._summary.removed.append(document.uri)

    async def _is_whole(self) -> bool:
        """Whether the index holds at least what the store believes; if not, it lost something or is new."""
        everything = await self._library.store.under(self._library.owner, "")
        return await self._library.index.count() >= sum(d.passages for d in everything if d.complete)

    async def _plan(self, path: Path, whole: bool) -> Plan | None:
        self._tell(path.name, 0, 0)
        known = await self._library.store.get(self._library.owner, path.as_uri())
        try:
            data = await asyncio.to_thread(read, path)
            document = self._document(path, data)
            if known and known.complete and known.hash == document.hash and whole:
                self._summary.unchanged.append(document.uri)
                self._files_done += 1
                return None
            return await self._read(path, data, document, bool(known and known.complete))
        except Refused as refused:
            self._refuse(path, str(refused))
            if known:
                await self._remove(known)
        except OSError as error:
            self._refuse(path, f"cannot be read: {error.strerror or error}")
        return None

    def _refuse(self, path: Path, reason: str) -> None:
        self._summary.refused.append(Refusal(path, reason))
        self._files_done += 1

    def _document(self, path: Path, data: bytes) -> Document:
        uri = path.as_uri()
        content = hashlib.sha256(f"{VERSION}\0{self._library.embedder.name}\0".encode() + data)
        return Document(id=_digest(self._library.owner, uri), owner=self._library.owner, uri=uri,
                        title=path.stem, hash=content.hexdigest(), passages=0, size=len(data), complete=False)

    async def _read(self, path: Path, data: bytes, document: Document, replaces: bool) -> Plan:
        title, pieces = await asyncio.to_thread(_pieces, path.name, data)
        document = replace(document, title=title or document.title, passages=len(pieces))
        passages = tuple(_passage(document, piece) for piece in pieces)
        missing = await self._library.index.missing([passage.id for passage in passages])
        return Plan(
            document, passages, contexts=tuple(_context(piece) for piece in pieces),
            missing=tuple(i for i, passage in enumerate(passages) if passage.id in missing),
            replaces=replaces,
        )

    async def _embed_all(self, plans: Sequence[Plan]) -> None:
        total, started, size = sum(len(plan.missing) for plan in plans), time.monotonic(), BATCH[0]
        for plan in plans:
            await self._library.store.put(plan.document)  # incomplete, so that a deletion finds it
            at = 0
            while at < len(plan.missing):
                if self._is_late():
                    self._summary.more = True
                    return
                began = time.monotonic()
                await self._embed(plan, plan.missing[at : at + size])
                at += size
                size = _next_size(size, time.monotonic() - began)
                self._tell(plan.document.title, self._summary.embedded, total, time.monotonic() - started)
            await self._finish(plan)
            self._tell(plan.document.title, self._summary.embedded, total, time.monotonic() - started)

    async def _embed(self, plan: Plan, which: Sequence[int]) -> None:
        vectors = await self._library.embedder.passages([plan.contexts[i] for i in which])
        passages = [plan.passages[i] for i in which]
        await self._library.index.add(plan.document.id, passages, vectors)
        await self._library.lexical.add(plan.document.id, passages)
        self._summary.embedded += len(which)

    async def _finish(self, plan: Plan) -> None:
        """Only now the old passages go: until here a question found either version."""
        keep = [passage.id for passage in plan.passages]
        await self._library.index.remove(plan.document.id, keep=keep)
        await self._library.lexical.remove(plan.document.id, keep=keep)
        await self._library.store.put(replace(plan.document, complete=True))
        (self._summary.replaced if plan.replaces else self._summary.added).append(plan.document.uri)
        self._files_done += 1

    def _is_late(self) -> bool:
        """Never before something was done, so that every call gets further."""
        return self._summary.embedded > 0 and self._is_over()

    def _is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end

    def _tell(self, file: str, done: int, total: int, seconds: float = 0.0) -> None:
        left = seconds / done * (total - done) if done else None
        self._report(Progress(file, self._files_done, self._files_total, done, total, left))


def _pieces(name: str, data: bytes) -> tuple[str, list[Piece]]:
    """The document's own title, or that of its first heading, and its pieces."""
    extract = parse(name, data)
    pieces = split(extract)
    first = next((piece.headings[0] for piece in pieces if piece.headings), "")
    return extract.title or first, pieces


def _passage(document: Document, piece: Piece) -> Passage:
    headings = piece.headings[1:] if piece.headings[:1] == (document.title,) else piece.headings
    title = BETWEEN.join((document.title, *headings))
    identity = _digest(title, str(piece.page), str(piece.start), piece.text)
    return Passage(id=f"{document.id}-{identity}", text=piece.text, title=title, uri=document.uri,
                   page=piece.page, start=piece.start, end=piece.end)


def _context(piece: Piece) -> str:
    """Headings are part of what a passage means. A file's name or metadata are not: they cost recall."""
    return "\n".join((BETWEEN.join(piece.headings), piece.text)) if piece.headings else piece.text


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _next_size(size: int, seconds: float) -> int:
    if seconds < PACE[0]:
        return min(size * 2, BATCH[1])
    return max(size // 2, BATCH[0]) if seconds > PACE[1] else size
