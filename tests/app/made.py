"""Files of every format, made when a test wants them; and fakes of the protocols that ingestion needs."""

import hashlib
import io
from collections.abc import Sequence

from docx import Document as Word
from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]  # ships no types
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import registerFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from app.documents.ingest import Library
from app.documents.store import Document
from app.embedding import Vector
from app.errors import TurnError
from app.retrieval import Index, Passage


def pdf(*pages: Sequence[str], title: str = "", password: str = "") -> bytes:
    """A page for each sequence of lines, in a font that knows Chinese and need not be installed."""
    registerFont(UnicodeCIDFont("STSong-Light"))
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(password) if password else None)
    canvas.setTitle(title or "untitled")
    for lines in pages:
        canvas.setFont("STSong-Light", 11)
        for number, line in enumerate(lines):
            canvas.drawString(72, 760 - 16 * number, line)
        if not lines:
            canvas.rect(72, 400, 200, 200, fill=1)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def docx() -> bytes:
    word = Word()
    word.add_heading("Trip report", 0)
    word.add_heading("Getting there", 1)
    word.add_paragraph("The night train left Xi'an at 21:40.")
    word.add_heading("费用", 1)
    word.add_paragraph("车票一共三百二十元。")
    table = word.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text = "hotel"
    table.rows[0].cells[1].text = "180 yuan"
    out = io.BytesIO()
    word.save(out)
    return out.getvalue()


class FakeStore:
    def __init__(self) -> None:
        self.documents: dict[tuple[str, str], Document] = {}

    async def get(self, owner: str, uri: str) -> Document | None:
        return self.documents.get((owner, uri))

    async def put(self, document: Document) -> None:
        self.documents[document.owner, document.uri] = document

    async def remove(self, owner: str, uri: str) -> None:
        self.documents.pop((owner, uri), None)

    async def under(self, owner: str, prefix: str) -> list[Document]:
        known = sorted(self.documents.items())
        return [d for (who, uri), d in known if who == owner and uri.startswith(prefix)]


class FakeIndex:
    def __init__(self) -> None:
        self.stored: dict[str, tuple[str, Passage]] = {}

    async def warm(self, vector: Vector) -> None:
        raise NotImplementedError

    async def search(self, vector: Vector, k: int) -> tuple[Passage, ...]:
        raise NotImplementedError

    async def missing(self, ids: Sequence[str]) -> set[str]:
        return set(ids) - self.stored.keys()

    async def add(self, document: str, passages: Sequence[Passage], vectors: Sequence[Vector]) -> None:
        self.stored |= {p.id: (document, p) for p, _ in zip(passages, vectors, strict=True)}

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        kept = set(keep)
        self.stored = {id: row for id, row in self.stored.items() if row[0] != document or id in kept}

    async def count(self) -> int:
        return len(self.stored)

    async def ids(self) -> set[str]:
        return set(self.stored)

    async def passages(self, ids: Sequence[str]) -> list[tuple[str, Passage]]:
        return [self.stored[id] for id in ids if id in self.stored]

    @property
    def texts(self) -> list[str]:
        return sorted(passage.text for _, passage in self.stored.values())


class FakeLexical:
    """Fails once `fails_after` passages were added."""

    def __init__(self, fails_after: int | None = None) -> None:
        self.fails_after = fails_after
        self.stored: dict[str, tuple[str, Passage]] = {}

    async def warm(self) -> None:
        raise NotImplementedError

    async def search(self, question: str, k: int) -> tuple[Passage, ...]:
        raise NotImplementedError

    async def add(self, document: str, passages: Sequence[Passage]) -> None:
        if self.fails_after is not None and len(self.stored) + len(passages) > self.fails_after:
            raise TurnError("retrieval_failed", "The lexical index failed: it is a test.")
        self.stored |= {p.id: (document, p) for p in passages}

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        kept = set(keep)
        self.stored = {id: row for id, row in self.stored.items() if row[0] != document or id in kept}

    async def count(self) -> int:
        return len(self.stored)

    async def ids(self) -> set[str]:
        return set(self.stored)

    async def mend(self, ids: Sequence[str], index: Index) -> None:
        self.stored = {id: row for id, row in self.stored.items() if id not in ids}
        self.stored |= {passage.id: (document, passage) for document, passage in await index.passages(ids)}


class FakeEmbedder:
    """Remembers what it embedded; fails once it has embedded `fails_after` texts."""

    def __init__(self, name: str = "fake", fails_after: int | None = None) -> None:
        self.name = name
        self.fails_after = fails_after
        self.embedded: list[str] = []

    async def warm(self) -> None: ...

    async def close(self) -> None: ...

    async def query(self, text: str) -> Vector:
        return [1.0, *(byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:3])]

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        if self.fails_after is not None and len(self.embedded) + len(texts) > self.fails_after:
            raise TurnError("retrieval_failed", "The embedding model failed: it is a test.")
        self.embedded += texts
        return [await self.query(text) for text in texts]


def library(owner: str = "shared") -> Library:
    return Library(owner, FakeStore(), FakeIndex(), FakeLexical(), FakeEmbedder())
