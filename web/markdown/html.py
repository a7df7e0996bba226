"""Tokens to HTML. Emits only what `safety` allows, by construction; knows nothing of streaming.

Known source numbers become links to `#{prefix}-source-{n}`. An image becomes a link with its
description: nothing remote loads. A link inside a link is only its text.
"""

import re
from collections.abc import Callable, Collection, Sequence
from html import escape as _escape

from markdown_it.token import Token

from . import code
from .formulas import formula, source
from .parser import parse_inline

INLINE_LIMIT = 8_000  # characters of one paragraph; longer ones stay plain text
LANGUAGE = re.compile(r"[\w+#.-]{1,24}", re.ASCII)
OUTWARD = 'target="_blank" rel="noopener noreferrer nofollow"'
MEMO_LIMIT = 2_000
CODE_TYPES = {"fence", "code_block", "math_block", "hr"}

Rule = Callable[["Renderer", Token], str]


def escape(text: str) -> str:
    return _escape(text, quote=False)


def extent(token: Token) -> tuple[int, int]:
    """The block's first line and the one after its last; only tokens inside a block have none."""
    start, end = token.map or (0, 0)
    return start, end


def lines_of(token: Token) -> int:
    return token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")


def is_closed(token: Token) -> bool:
    """Whether a fence or a math block has met its closing line."""
    if token.type == "math_block":
        return bool(token.meta["closed"])
    start, end = extent(token)
    return end - start == lines_of(token) + 2


def figure(content: str, language: str) -> str:
    label = f"<figcaption>{escape(language)}</figcaption>" if language else ""
    return f'<figure class="code">{label}<pre tabindex="0"><code>{content}</code></pre></figure>\n'


def language_of(info: str) -> str:
    match = LANGUAGE.match(info.strip())
    return match[0] if match else ""


class Renderer:
    def __init__(self, cards: Collection[int], prefix: str) -> None:
        self._cards = frozenset(cards)
        self._anchor = f"#{_escape(prefix)}-source-"
        self._memo: dict[str, str] = {}
        self._links = 0
        self.stuck = False

    def forget(self) -> None:
        """Drop what was kept of a block that is now finished."""
        self._memo.clear()

    def render(self, tokens: Sequence[Token], *, growing: bool = False) -> str:
        """Block tokens as HTML; with `growing` the last text is one that is being typed."""
        last = _growing(tokens) if growing else None
        return "".join(
            (self.mended(token.content) if token is last else self._finished(token.content))
            if token.type == "inline"
            else self._block(token)
            for token in tokens
        )

    def mended(self, text: str) -> str:
        """A text that still grows, with a sentinel where the next character goes; sets `stuck`."""
        if len(text) > INLINE_LIMIT:
            return escape(text)
        env = {"cards": self._cards, "open": True}
        html = self._inline(parse_inline(text, env))
        self.stuck = bool(env["stuck"])
        return html

    def _finished(self, text: str) -> str:
        html = self._memo.get(text)
        if html is None:
            html = self._memo[text] = self._whole(text)
            if len(self._memo) > MEMO_LIMIT:
                self._memo.clear()
        return html

    def _whole(self, text: str) -> str:
        if len(text) > INLINE_LIMIT:
            return escape(text)
        return self._inline(parse_inline(text, {"cards": self._cards}))

    def _block(self, token: Token) -> str:
        if token.hidden:
            return ""
        rule = BLOCKS.get(token.type)
        if rule is not None:
            return rule(self, token)
        return f"</{token.tag}>\n" if token.nesting < 0 else f"<{token.tag}>"

    def _inline(self, tokens: Sequence[Token]) -> str:
        self._links = 0
        return "".join(
            escape(token.content) if token.type == "text" else INLINES[token.type](self, token)
            for token in tokens
        )

    def _link_open(self, token: Token) -> str:
        self._links += 1
        href = str(token.attrs["href"])
        if self._links > 1:
            return ""
        title = f' title="{_escape(str(token.attrs["title"]))}"' if "title" in token.attrs else ""
        return f'<a href="{_escape(href)}"{title} {OUTWARD}>'

    def _link_close(self, token: Token) -> str:
        self._links -= 1
        return "" if self._links else "</a>"

    def _image(self, token: Token) -> str:
        href = str(token.attrs["src"])
        name = escape(token.content or href)
        return name if self._links else f'<a href="{_escape(href)}" {OUTWARD}>{name}</a>'

    def _citation(self, token: Token) -> str:
        return f'<a class="cite" href="{self._anchor}{token.content}">{token.content}</a>'

    def _fence(self, token: Token) -> str:
        language = language_of(token.info)
        show = code.highlight if is_closed(token) else _plain_code
        return figure(show(token.content, language), language)

    def _math_block(self, token: Token) -> str:
        if is_closed(token) and token.content.strip():
            return f'<p class="math-block">{formula(token.content.strip(), "block")}</p>\n'
        closer = {"$$": "$$", "\\[": "\\]"}[token.markup] if is_closed(token) else ""
        return f"<p>{source(token.markup + token.content + closer)}</p>\n"


def _growing(tokens: Sequence[Token]) -> Token | None:
    for token in reversed(tokens):
        if token.type in CODE_TYPES:
            return None
        if token.type == "inline" and token.content:
            return token
    return None


def _plain_code(content: str, language: str) -> str:
    return escape(content)


def _cell(token: Token) -> str:
    align = str(token.attrs.get("style", "")).removeprefix("text-align:")
    return f'<{token.tag} class="align-{align}">' if align else f"<{token.tag}>"


def _list_item(token: Token) -> str:
    if "checked" not in token.meta:
        return "<li>"
    return "<li>☑ " if token.meta["checked"] else "<li>☐ "


def _ordered(token: Token) -> str:
    return f'<ol start="{token.attrs["start"]}">' if "start" in token.attrs else "<ol>"


BLOCKS: dict[str, Rule] = {
    "fence": Renderer._fence,
    "code_block": lambda _, token: figure(escape(token.content), ""),
    "math_block": Renderer._math_block,
    "hr": lambda _, token: "<hr>\n",
    "th_open": lambda _, token: _cell(token),
    "td_open": lambda _, token: _cell(token),
    "list_item_open": lambda _, token: _list_item(token),
    "ordered_list_open": lambda _, token: _ordered(token),
    "table_open": lambda _, token: '<div class="table" tabindex="0"><table>',
    "table_close": lambda _, token: "</table></div>\n",
}
INLINES: dict[str, Rule] = {
    "text_special": lambda _, token: escape(token.content),
    "softbreak": lambda _, token: "\n",
    "hardbreak": lambda _, token: "<br>\n",
    "code_inline": lambda _, token: f"<code>{escape(token.content)}</code>",
    "math_inline": lambda _, token: formula(
        token.content.strip(), "inline" if token.markup in ("$", "\\(") else "block"
    ),
    "math_source": lambda _, token: source(token.content),
    "citation": Renderer._citation,
    "link_open": Renderer._link_open,
    "link_close": Renderer._link_close,
    "image": Renderer._image,
    **{
        f"{kind}_{side}": (lambda html: lambda _, token: html)(f"<{mark}{tag}>")
        for kind, tag in (("em", "em"), ("strong", "strong"), ("s", "s"))
        for side, mark in (("open", ""), ("close", "/"))
    },
}
