"""A file's name and bytes to its text, by the one parser for its extension. Knows no folders."""

from collections.abc import Callable

from app.documents.docx import docx
from app.documents.extract import Extract, Refused
from app.documents.html import html
from app.documents.pdf import pdf
from app.documents.plain import markdown, text

PARSERS: dict[str, Callable[[bytes], Extract]] = {
    ".md": markdown,
    ".markdown": markdown,
    ".txt": text,
    ".html": html,
    ".htm": html,
    ".pdf": pdf,
    ".docx": docx,
}


def parse(name: str, data: bytes) -> Extract:
    """The file's text; raises Refused with the reason when there is none to be had."""
    extract = parser(name)(data)
    if not extract.text.strip():
        raise Refused("is empty")
    return extract


def parser(name: str) -> Callable[[bytes], Extract]:
    extension = extension_of(name)
    if extension not in PARSERS:
        shown = extension or "without an extension"
        raise Refused(f"is {shown}, not one of {', '.join(PARSERS)}")
    return PARSERS[extension]


def extension_of(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    return f".{extension.lower()}" if dot and stem else ""
