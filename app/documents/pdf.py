"""PDF to text, page by page. Lines that the page's width had broken are joined again."""

import re
import statistics
import threading
from collections.abc import Iterator
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # ships no types
import pypdfium2.raw as raw  # type: ignore[import-untyped]

from app.documents.extract import Extract, Refused, tidy

PAGE_BREAK = "\n\n"
_pdfium = threading.Lock()  # the library is not safe to call from two threads
_FULL = 0.7  # a line this long, relative to the page's long lines, was broken by the margin
_ENDS = tuple(".!?:;。！？：；…")
_CJK = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_WORD_END = re.compile(r"(?<=\w)[-\u00ad\ufffe]$")
_UNTITLED = re.compile(r"untitled|microsoft word|\.(docx?|tex|indd|pptx?)$|^\s*$", re.IGNORECASE)


def pdf(data: bytes) -> Extract:
    with _pdfium:
        document = _open(data)
        try:
            pages = [unwrap(tidy(page)) for page in _pages(document)]
            title = str(document.get_metadata_dict().get("Title", "")).strip()
        finally:
            document.close()
    if not pages:
        raise Refused("has no pages")
    if not any(page.strip() for page in pages):
        raise Refused("is a scan: its pages are pictures without a text layer; run OCR on it first")
    return Extract(PAGE_BREAK.join(pages), title="" if _UNTITLED.search(title) else title,
                   pages=tuple(_starts(pages)))


def unwrap(page: str) -> str:
    """Joins a line to the next where the margin broke it: with a space, or with none between CJK."""
    lines = [line.strip() for line in page.split("\n")]
    widths = sorted(len(line) for line in lines if line)
    long = statistics.median(widths[len(widths) // 2 :]) if widths else 0
    joined = ""
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        joined += line if not _broken(line, after, long) else _open_end(line, after)
        if not _broken(line, after, long):
            joined += "\n"
    return joined.strip()


def _broken(line: str, after: str, long: float) -> bool:
    return bool(after) and len(line) >= _FULL * long and len(line) > 10 and not line.endswith(_ENDS)


def _open_end(line: str, after: str) -> str:
    if _WORD_END.search(line) and after[0].islower():
        return line[:-1]
    return line if re.search(f"[{_CJK}]$", line) and re.match(f"[{_CJK}]", after) else line + " "


def _open(data: bytes) -> Any:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise Refused("is encrypted: it opens with a password only") from None
        raise Refused("is broken: it is no PDF that can be opened") from None


def _pages(document: Any) -> Iterator[str]:
    for number in range(len(document)):
        try:
            yield document[number].get_textpage().get_text_range()
        except pdfium.PdfiumError:
            raise Refused(f"is broken: page {number + 1} cannot be read") from None


def _starts(pages: list[str]) -> Iterator[int]:
    start = 0
    for page in pages:
        yield start
        start += len(page) + len(PAGE_BREAK)
