"""From files to passages in an index: parse, split, ingest. Knows no queue, no terminal and no database."""

from app.documents.store import Document, DocumentStore

__all__ = ["Document", "DocumentStore"]
