"""HTML as a browser's parser understands it, in a form that tests can compare and walk."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode


def parse(html: str) -> LexborNode:
    body = LexborHTMLParser(f"<!doctype html><body>{html}</body>").body
    assert body is not None
    return body


def elements(html: str) -> Iterator[LexborNode]:
    """Every element that stands in the page once the HTML is put there."""
    return (node for node in parse(html).traverse(include_text=False) if node.tag != "body")


def text(html: str) -> str:
    return parse(html).text()


def canonical(html: str) -> str:
    """The tree as text: attributes sorted, whitespace that does not show left out."""
    return re.sub(r"\s*\n\s*", "\n", "".join(_walk(parse(html), pre=False))).strip()


def _walk(node: LexborNode, *, pre: bool) -> Iterator[str]:
    for child in node.iter(include_text=True):
        if child.tag == "-text":
            content = child.text_content or ""
            shown = content if pre else re.sub(r"\s+", " ", content)
            if pre or shown.strip():
                yield shown.replace("&", "&amp;").replace("<", "&lt;")
        else:
            attributes = "".join(f" {name}={value!r}" for name, value in sorted(child.attributes.items()))
            yield f"\n<{child.tag}{attributes}>"
            yield from _walk(child, pre=pre or child.tag == "pre")
            yield f"</{child.tag}>\n"
