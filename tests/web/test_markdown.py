"""What a whole answer looks like as HTML."""

from pathlib import Path

import pytest

import web
from tests.web.dom import canonical, parse, text
from web.markdown import Blocks, render
from web.markdown.styles import style_sheet


def cite(number: int) -> str:
    return f'<a class="cite" href="#t-source-{number}">{number}</a>'


def link(href: str, label: str) -> str:
    return f'<a href="{href}" target="_blank" rel="noopener noreferrer nofollow">{label}</a>'


INLINE = [
    ("**bold** *em* ~~gone~~ `a<b`", "<strong>bold</strong> <em>em</em> <s>gone</s> <code>a&lt;b</code>"),
    ("R&D &amp; 1 < 2", "R&amp;D &amp; 1 &lt; 2"),
    ("one  \ntwo", "one<br>two"),
    ("[x](https://a.b/c 'd')", link("https://a.b/c", "x").replace(" target", ' title="d" target')),
    ("<https://a.b>", link("https://a.b", "https://a.b")),
    ("[a <http://b.c> d](http://e.f)", link("http://e.f", "a http://b.c d")),
    ("[![a](http://b.c)](http://e.f)", link("http://e.f", "a")),
    # citations
    ("so [1].", f"so {cite(1)}."),
    ("so [2][3]", f"so {cite(2)}{cite(3)}"),
    ("so [1, 2] and [1，3]", f"so {cite(1)}{cite(2)} and {cite(1)}{cite(3)}"),
    ("so [9] and [1, 9]", f"so [9] and {cite(1)}[9]"),
    ("**so [1]**", f"<strong>so {cite(1)}</strong>"),
    ("`[1]` \\[1]", "<code>[1]</code> [1]"),
    ("[see [1]](https://a.b)", link("https://a.b", "see [1]")),
    ("[1](https://a.b)", link("https://a.b", "1")),
    ("[1]: https://a.b", f"{cite(1)}: {link('https://a.b', 'https://a.b')}"),
    # emphasis beside wide punctuation
    ("**注意。**所有人", "<strong>注意。</strong>所有人"),
    ("这是**“引用”**的", "这是<strong>“引用”</strong>的"),
    ("他说**（重要）**然后*（次要）*吧", "他说<strong>（重要）</strong>然后<em>（次要）</em>吧"),
    ("请运行**`pip install`**命令", "请运行<strong><code>pip install</code></strong>命令"),
    ("~~旧的。~~新的", "<s>旧的。</s>新的"),
    ("snake_case_name and 2*3*4", "snake_case_name and 2<em>3</em>4"),
    # bare addresses
    ("see https://a.b/c_d_e.", f"see {link('https://a.b/c_d_e', 'https://a.b/c_d_e')}."),
    ("(https://a.b/c(d))", f"({link('https://a.b/c(d)', 'https://a.b/c(d)')})"),
    ("见https://a.b/c，然后", f"见{link('https://a.b/c', 'https://a.b/c')}，然后"),
    ("**https://a.b**", f"<strong>{link('https://a.b', 'https://a.b')}</strong>"),
    ("`https://a.b`", "<code>https://a.b</code>"),
    # what looks like math and is not
    ("it costs $5 and $6", "it costs $5 and $6"),
    ("from $5-$10", "from $5-$10"),
    ("\\$a\\$", "$a$"),
]


@pytest.mark.parametrize(("source", "html"), INLINE)
def test_inline(source: str, html: str) -> None:
    assert canonical(render(source, {1, 2, 3}, "t")) == canonical(f"<p>{html}</p>")


BLOCKS = [
    ("# a\n\nb\n===\n\n---", "<h1>a</h1><h1>b</h1><hr>"),
    ("- a\n  - b\n\n    c\n", "<ul><li>a<ul><li><p>b</p><p>c</p></li></ul></li></ul>"),
    ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
    ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    ("- [ ] a\n- [x] b", "<ul><li>☐ a</li><li>☑ b</li></ul>"),
    ("> a\nb", "<blockquote><p>a\nb</p></blockquote>"),
    ("```\na<b\n```", '<figure class="code"><pre tabindex="0"><code>a&lt;b\n</code></pre></figure>'),
    (
        "| a | b |\n|:-:|--:|\n| [1] | `x` |",
        '<div class="table" tabindex="0"><table><thead><tr><th class="align-center">a</th>'
        '<th class="align-right">b</th></tr></thead><tbody><tr>'
        f'<td class="align-center">{cite(1)}</td><td class="align-right"><code>x</code></td>'
        "</tr></tbody></table></div>",
    ),
]


@pytest.mark.parametrize(("source", "html"), BLOCKS)
def test_blocks(source: str, html: str) -> None:
    assert canonical(render(source, {1}, "t")) == canonical(html)


def test_known_code_is_highlighted_and_labelled() -> None:
    html = parse(render("```python\ndef f(): pass\n```"))
    assert html.css("figcaption")[0].text() == "python"
    assert html.css("code span.k")[0].text() == "def"
    assert "def f(): pass" in html.text()


@pytest.mark.parametrize("fence", ["```nosuchlanguage\nx = 1\n```", "```python\n" + "x = 1\n" * 500 + "```"])
def test_unknown_and_very_long_code_stays_plain(fence: str) -> None:
    html = parse(render(fence))
    assert not html.css("span")
    assert "x = 1" in html.text()


@pytest.mark.parametrize(
    "source", ["$x^2$", "\\(x^2\\)", "so $$x^2$$ is", "\\[x^2\\]", "$$\nx^2\n$$", "- $$x^2$$"]
)
def test_math_becomes_mathml(source: str) -> None:
    html = parse(render(source))
    assert html.css("math msup")
    assert (html.css("math")[0].attributes["display"] == "block") == (source[1] not in "x(")


@pytest.mark.parametrize("latex", ["\\begin{x}", "{" * 40 + "}" * 40, "x+" * 600 + "x", "\\left("])
def test_math_that_cannot_be_converted_stays_its_source(latex: str) -> None:
    html = parse(render(f"so ${latex}$ is"))
    assert html.css("code.math-source")[0].text() == latex


def test_math_keeps_its_comparison_signs() -> None:
    assert text(render("$a<b \\text{ & c}$")).replace(" ", "").replace("\xa0", "").strip() == "a<b&c"


def test_unclosed_math_shows_all_that_was_typed() -> None:
    assert text(render("$$\nx < 1\n\nthen")).split() == ["$$", "x", "<", "1", "then"]


def test_a_take_that_may_be_slow_says_so() -> None:
    blocks = Blocks()
    blocks.feed("```python\n" + "x = 1\n" * 300)
    blocks.take()
    assert not blocks.heavy
    blocks.feed("```\n")
    assert blocks.heavy
    blocks.take()
    assert not blocks.heavy


def test_the_style_sheet_is_the_one_that_the_module_writes() -> None:
    written = Path(web.__file__).parent / "static" / "code.css"
    assert written.read_text() == style_sheet()
