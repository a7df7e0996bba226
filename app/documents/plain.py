"""Bytes to text, whatever their encoding; and Markdown, which is text with a title in it."""

import codecs
import re

from charset_normalizer import from_bytes

from app.documents.extract import Extract, Refused, tidy

# In the order in which they win a tie: gb18030 contains every older mainland Chinese encoding.
LEGACY = ["gb18030", "big5", "shift_jis", "euc_kr", "cp1252", "cp1251"]
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)


def text(data: bytes) -> Extract:
    return Extract(decode(data))


def markdown(data: bytes) -> Extract:
    """Front matter is no text; a title in it is the document's."""
    body, title = decode(data), ""
    if front := _FRONT_MATTER.match(body):
        found = _TITLE.search(front[1])
        body, title = body[front.end() :], found[1] if found else ""
    return Extract(body, title=title, markdown=True)


def decode(data: bytes) -> str:
    """A byte order mark decides, then UTF-8 if it fits, then what the letters look most like."""
    try:
        for bom, encoding in _BOMS.items():
            if data.startswith(bom):
                return tidy(data.decode(encoding))
        if b"\0" in data[:8192]:
            raise Refused("is not text, although its name says so")
        return tidy(data.decode("utf-8"))
    except UnicodeDecodeError:
        best = from_bytes(data, cp_isolation=LEGACY).best()
        if best is None:
            raise Refused("is in no encoding that can be told; save it as UTF-8") from None
        return tidy(str(best))
