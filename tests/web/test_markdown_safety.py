"""Whatever a model or a document writes, only allowed tags, attributes and addresses stand in the page."""

import re
import time
from collections.abc import Iterator

import pytest

from tests.web.dom import elements, text
from web.markdown import Blocks, render
from web.markdown.safety import MATH_ATTRIBUTES, MATH_TAGS, TAGS

ALLOWED = {
    "a": {"href", "title", "target", "rel", "class"},
    "ol": {"start"},
    "span": {"class"},
    "code": {"class"},
    "figure": {"class"},
    "p": {"class"},
    "div": {"class", "tabindex"},
    "pre": {"tabindex"},
    "th": {"class"},
    "td": {"class"},
}
ADDRESS = re.compile(r"https?://|mailto:|#t-source-[123]\Z")

ATTACKS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<a href='javascript:alert(1)'>x</a>",
    "<div hx-get='/x' hx-trigger='load'>x</div>",
    "<div data-hx-get='/x' data-hx-trigger='load'>x</div>",
    "<hx-partial hx-target='body'>x</hx-partial>",
    "<form action=//evil><input name=a></form>",
    "<style>*{display:none}</style>",
    "<base href=//evil>",
    "<meta http-equiv=refresh content='0;url=//evil'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<p\nonclick=alert(1)>x",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/x)",
    "[x](/turns/1/stop)",
    "[x](#answer)",
    '[x](http://a.b "\\" onmouseover=alert(1) x=")',
    '[x](http://a.b "&quot; onmouseover=alert(1)")',
    '[x](http://a.b/"onmouseover=alert(1))',
    "[x](http://a.b/'><img src=x onerror=alert(1)>)",
    "![x](javascript:alert(1))",
    "![x](http://evil.example/pixel.png)",
    '![" onerror=alert(1) x="](http://a.b/c.png)',
    "[![x](http://a.b/i.png)](http://c.d)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "<http://a.b/\"onmouseover='alert(1)'>",
    "https://a.b/<img src=x onerror=alert(1)>",
    "https://a.b/\"onmouseover='alert(1)'",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x]: http://a.b '\"><img src=x onerror=alert(1)>'\n\n[x]",
    "[a [b](http://b.c) c](http://d.e)",
    "[a <http://b.c> d](http://e.f)",
    "[a https://b.c d](http://e.f)",
    "[1](http://a.b) [[1]](http://c.d) [[[1]]]",
    "`<img src=x onerror=alert(1)>`",
    "`` ` <b> ``",
    "```<img src=x onerror=alert(1)>\n<b>x\n```",
    '```" onclick=alert(1) x="\ncode\n```',
    "```html\n<img src=x onerror=alert(1)>\n<script>alert(1)</script>\n```",
    "    <img src=x onerror=alert(1)>",
    "| <img src=x onerror=alert(1)> |\n|:-:|\n| <script>alert(1)</script> |",
    "$<img src=x onerror=alert(1)>$",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\text{&lt;img src=x onerror=alert(1)&gt;}$",
    "$$\n\\href{javascript:alert(1)}{x}\n$$",
    "$$\n\\style{display:none}{x} \\class{y}{z} \\color{red}{x} \\cssId{a}{b}\n$$",
    "$$\n\\begin{array}{c}</math><img src=x onerror=alert(1)>\\end{array}\n$$",
    "\\(</math><script>alert(1)</script>\\)",
    "&lt;img src=x onerror=alert(1)&gt; &#60;script&#62;",
    "a\0b <im\0g src=x onerror=alert(1)>",
    "[x](java\0script:alert(1))",
    "\u202egnp.exe \u2066x\u2069 [\u202ex](http://a.b)",
    "\ud800 lone \udfff",
    "**<b onclick=alert(1)>**~~<i>~~",
    "> <img src=x onerror=alert(1)>\n> - <svg onload=alert(1)>",
    "- [ ] <input autofocus onfocus=alert(1)>",
    "# <h1 id=answer onclick=alert(1)>",
    "[1]<img src=x onerror=alert(1)>[2",
    "*<img src=x onerror=alert(1)>",
    "`<img src=x onerror=alert(1)>",
    "[<img src=x onerror=alert(1)>](http",
]


def frames(source: str, step: int) -> Iterator[str]:
    """All that a page ever gets of a text that arrives in pieces: finished, open, plain and closed."""
    blocks = Blocks({1, 2, 3}, "t")
    for start in range(0, len(source), step):
        blocks.feed(source[start : start + step])
        frame = blocks.take()
        yield from (frame.done, frame.open, blocks.take(plain=True).open)
    yield blocks.close().done


def assert_harmless(html: str) -> None:
    for element in elements(html):
        assert element.tag in TAGS, f"<{element.tag}> in {html!r}"
        allowed = MATH_ATTRIBUTES if element.tag in MATH_TAGS else ALLOWED.get(element.tag, set())
        assert set(element.attributes) <= allowed, f"{element.attributes} in {html!r}"
        if element.tag == "a":
            assert_harmless_link(dict(element.attributes))


def assert_harmless_link(attributes: dict[str, str | None]) -> None:
    href = attributes["href"] or ""
    assert ADDRESS.match(href), href
    if href.startswith("#"):
        assert attributes["class"] == "cite"
    else:
        assert attributes["rel"] == "noopener noreferrer nofollow"
        assert attributes["target"] == "_blank"


@pytest.mark.parametrize("attack", ATTACKS)
def test_only_what_is_allowed_stands(attack: str) -> None:
    for source in (attack, f"words {attack} words", f"- {attack}\n\n> {attack}\n"):
        assert_harmless(render(source, {1, 2, 3}, "t"))
        for step in (1, 7):
            for html in frames(source, step):
                assert_harmless(html)
                html.encode()


def test_an_image_becomes_its_description_and_a_link() -> None:
    html = render("![a *map*](https://a.b/map.png)")
    assert [node.tag for node in elements(html)] == ["p", "a"]
    assert text(html).strip() == "a *map*"


def test_a_dangerous_link_stays_what_was_typed() -> None:
    assert text(render("[x](javascript:alert(1))")).strip() == "[x](javascript:alert(1))"


def test_reordering_and_control_characters_are_dropped() -> None:
    assert text(render("a\u202eb\u2066c\x1bd\x85e\0")).strip() == "abcde\ufffd"


def test_the_prefix_cannot_break_out_of_its_attribute() -> None:
    assert [node.tag for node in elements(render("[1]", {1}, '"><img src=x>'))] == ["p", "a"]


HUGE = [
    *(
        "[" * 100_000,
        "*" * 100_000,
        "$" * 100_000,
        "`" * 100_000,
        "_a" * 50_000,
        "$a " * 33_000,
        "![" * 50_000,
    ),
    *("[a](" * 25_000, "[a](b" * 20_000, "<" * 100_000, "<a" * 50_000, "&" * 100_000, "\\" * 100_000),
    *("[1]" * 33_000, "[1," * 33_000, "\\(" * 50_000, "https://" * 12_500, "https://a" + ")" * 100_000),
    *("> " * 50_000, "- " * 50_000, "1. " * 33_000, "> - " * 25_000, "**a *b " * 14_000, "~~a" * 33_000),
    *("a\n" * 50_000, "- a\n" * 25_000, "> a\n" * 25_000, "| a " * 25_000, "|a|\n|-|\n" + "|b|\n" * 20_000),
    *("$$\n" * 33_000, "```\n" * 25_000, "#" * 100_000, "#\n" * 50_000, "`a``b" * 20_000, "|" * 100_000),
    "".join("  " * depth + "- a\n" for depth in range(300)),
    "".join(f"{'>' * depth} a\n\n" for depth in range(300)),
    "$" + "{" * 900 + "$",
    "$" + "\\frac{" * 150 + "x" + "}" * 150 + "$",
    "$" + "x^" * 400 + "$",
    "|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "|b\n" * 200,
]


def seconds(source: str) -> float:
    """CPU time to render a text at once and as forty frames."""
    start = time.process_time()
    whole = render(source, {1}, "t")
    for html in frames(source, len(source) // 40 + 1):
        assert len(html) <= 20 * len(whole) + 100 * len(source)
    return time.process_time() - start


@pytest.mark.parametrize("source", HUGE, ids=lambda source: repr(source[:12]))
def test_a_hostile_length_neither_overflows_nor_explodes(source: str) -> None:
    """Bounded far above what it takes (a quadratic rule takes minutes), so that a busy machine passes."""
    assert seconds(source) < 20


@pytest.mark.parametrize("source", HUGE, ids=lambda source: repr(source[:12]))
def test_a_hostile_length_is_harmless(source: str) -> None:
    assert_harmless(render(source, {1}, "t"))
