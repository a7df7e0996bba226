"""Passages by their words, in a tantivy index: one folder an owner. Knows no vectors and no model.

Any number of processes read, one writes at a time; the others wait for it, for so long. A reader looks
before every search whether something was written since. A folder that is not there finds nothing: ingestion
makes it.
"""

import asyncio
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import tantivy
from tantivy import Document, Occur, Query

from app.errors import TurnError
from app.retrieval.damage import clear, is_damage, told
from app.retrieval.protocol import Index, Passage
from app.retrieval.words import QUESTION_TOKENS, asked, phrases, words
from app.text import ends_of

HEAP = 15_000_000  # bytes that a writer holds before it writes: the least that tantivy takes
PATIENCE = 8.0  # seconds that a writer waits for others; with a job's slice still less than its timeout
POLL = 0.05
NAMED = 2.0  # an identifier found whole weighs so much more than a word as rare
SATURATED = 2.2  # tantivy's k1 + 1: times its rarity, what a word comes to that stands there again and again

Change = Callable[[tantivy.IndexWriter], object]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Reader:
    searcher: tantivy.Searcher
    written: tuple[int, int]  # of which state of the index


class TantivyIndex:
    """A `Lexical` in a folder, which is made by the first to write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schema = _schema()
        self._reader: _Reader | None = None
        self._opening = threading.Lock()

    async def warm(self) -> None:
        await self.search("Is everything ready? 准备好了吗？", 1)

    async def search(self, question: str, k: int) -> tuple[Passage, ...]:
        return await asyncio.to_thread(self._search, ends_of(question, QUESTION_TOKENS), k)

    async def add(self, document: str, passages: Sequence[Passage]) -> None:
        await self._write(lambda writer: _add(writer, [(document, passage) for passage in passages]))

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        all_of_it = Query.term_query(self._schema, "document", document, "basic")
        kept = [Query.term_query(self._schema, "id", id, "basic") for id in keep]
        gone = all_of_it.and_must_not_match(*kept) if kept else all_of_it
        await self._write(lambda writer: writer.delete_documents_by_query(gone))

    async def count(self) -> int:
        searcher = await asyncio.to_thread(self._searcher)
        return searcher.num_docs if searcher else 0

    async def ids(self) -> set[str]:
        return await asyncio.to_thread(self._ids)

    async def mend(self, ids: Sequence[str], index: Index) -> None:
        """The index is asked while nobody else writes: whoever changes it meanwhile comes here afterwards."""
        writer = await self._writer()
        try:
            rows = await index.passages(ids)
        except BaseException:
            writer.wait_merging_threads()  # gives the lock back; nothing was written
            raise
        gone = set(ids) - {passage.id for _, passage in rows}
        await self._finish(writer, lambda writer: _replace(writer, gone, rows))

    def _search(self, question: str, k: int) -> tuple[Passage, ...]:
        searcher = self._searcher()
        if searcher is None:
            return ()
        query, most = self._query(question, searcher)
        try:
            hits = searcher.search(query, k, count=False).hits
            return tuple(_passage(searcher.doc(at), min(1.0, score / most)) for score, at in hits)
        except ValueError as error:
            raise self._failed(error) from error

    def _query(self, question: str, searcher: tantivy.Searcher) -> tuple[Query, float]:
        """Any of the question's words, and the most that they could score; unknown words count among them."""
        alternatives: list[tuple[Occur, Query]] = []
        most = 0.0
        for word, is_name in asked(question).items():
            weight, found = NAMED if is_name else 1.0, searcher.doc_freq("words", word)
            most += weight * SATURATED * _rarity(found, searcher.num_docs)
            if found:
                term = Query.term_query(self._schema, "words", word, "freq")
                alternatives.append((Occur.Should, Query.boost_query(term, weight)))
        for phrase in phrases(question):
            alternatives.append((Occur.Should, Query.phrase_query(self._schema, "words", list(phrase))))
        return Query.boolean_query(alternatives), most or 1.0

    def _ids(self) -> set[str]:
        searcher = self._searcher()
        stored = Query.all_query()  # else ids of removed passages are listed as well
        return {id for id, _ in searcher.terms_with_prefix("id", "", stored)} if searcher else set()

    def _searcher(self) -> tantivy.Searcher | None:
        """Of the state that was written last; None where nothing was."""
        with self._opening:
            try:
                at = (self._folder / "meta.json").stat()  # replaced by every commit
                written = (at.st_ino, at.st_mtime_ns)
                if self._reader is None or self._reader.written != written:
                    self._reader = _Reader(tantivy.Index.open(os.fspath(self._folder)).searcher(), written)
            except (FileNotFoundError, NotADirectoryError):
                self._reader = None
                return None
            except (ValueError, OSError) as error:
                raise self._failed(error) from error
            return self._reader.searcher

    async def _write(self, change: Change) -> None:
        """All of the change or nothing. Once begun it is ended, even if nobody waits for it any more."""
        await self._finish(await self._writer(), change)

    async def _finish(self, writer: tantivy.IndexWriter, change: Change) -> None:
        try:
            await asyncio.to_thread(_commit, writer, change)
        except (ValueError, OSError) as error:
            raise self._failed(error) from error

    async def _writer(self) -> tantivy.IndexWriter:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return await asyncio.to_thread(self._take)
            except (ValueError, OSError) as error:
                if not _is_held(error):
                    raise self._failed(error) from error
                if time.monotonic() > end:
                    held = f"has been held by another writer for {PATIENCE:g} s"
                    raise self._failed(error, held) from error
            await asyncio.sleep(POLL)

    def _take(self) -> tantivy.IndexWriter:
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            return self._open().writer(HEAP, num_threads=1)
        except ValueError as error:
            if not is_damage(error):
                raise
        clear(self._folder, self._open)
        return self._open().writer(HEAP, num_threads=1)

    def _open(self) -> tantivy.Index:
        return tantivy.Index(self._schema, os.fspath(self._folder))

    def _failed(self, error: Exception, what: str = "") -> TurnError:
        """Where it lies and what the engine says is for operators; who asked gets a sentence."""
        log.warning("%s: %s", self._folder, error)
        return TurnError("retrieval_failed", f"The lexical index {what or told(error)}.")


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "document"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", tokenizer_name="whitespace")
    builder.add_bytes_field("passage", stored=True)
    return builder.build()


def _is_held(error: Exception) -> bool:
    return isinstance(error, BlockingIOError) or "LockBusy" in str(error)


def _commit(writer: tantivy.IndexWriter, change: Change) -> None:
    try:
        change(writer)
        writer.commit()
    finally:
        writer.wait_merging_threads()  # and so gives the lock back


def _replace(writer: tantivy.IndexWriter, gone: Iterable[str], rows: Sequence[tuple[str, Passage]]) -> None:
    for id in gone:
        writer.delete_documents_by_term("id", id)
    _add(writer, rows)


def _add(writer: tantivy.IndexWriter, rows: Sequence[tuple[str, Passage]]) -> None:
    for document, passage in rows:
        entry = Document(id=passage.id, document=document, words=_text_of(passage))
        entry.add_bytes("passage", msgspec.json.encode(_carried(passage)))
        writer.delete_documents_by_term("id", passage.id)
        writer.add_document(entry)


def _text_of(passage: Passage) -> str:
    """The headings belong to what a passage says."""
    return " ".join(words(f"{passage.title}\n{passage.text}"))


def _carried(passage: Passage) -> Passage:
    text, title = (part.encode("utf-8", "replace").decode() for part in (passage.text, passage.title))
    return replace(passage, text=text, title=title, score=0.0)


def _passage(entry: Document, score: float) -> Passage:
    return replace(msgspec.json.decode(entry["passage"][0], type=Passage), score=score)


def _rarity(found: int, of: int) -> float:
    """BM25's inverse document frequency, as tantivy reckons it."""
    return math.log(1 + (max(0, of - found) + 0.5) / (found + 0.5))
