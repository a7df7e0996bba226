"""However a text is cut, its finished blocks add up to the whole text, and no frame breaks the page."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.web.dom import canonical, text
from web.markdown import Blocks, render
from web.markdown.safety import clean

PIECES = [
    *("\n", "\n\n", "\n\n\n", "\r\n", "\r", " ", "  ", "    ", "\t"),
    *("- ", "* ", "1. ", "2) ", "- [ ] ", "- [x] ", "# ", "## ", "> ", ">", "---", "===", "***", "* * *"),
    *("```", "```python\n", "~~~", "````", "$$", "\\[", "\\]", "\\(", "\\)", "$", "$x$", "\\frac{a}{b}"),
    *("| a | b |", "|---|---|", "|:-:|--:|", "| 1 |", "|", "*", "**", "_", "~~", "`", "``", "\\"),
    *(
        "[",
        "]",
        "(",
        ")",
        "[1]",
        "[2, 9]",
        "[9]",
        "[x](http://a.b/c)",
        "![i](http://a/b.png)",
        "[a]: http://b\n",
    ),
    *("<b>", "<!--", "<http://a.b>", "https://a.b/c_d", "&amp;", "&", "\0", "\u202e", "\ud800"),
    *("word", "two words", "中文。", "“引用”", "所以", "x", "3", "=", "-"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
CARDS = frozenset({1, 2, 3})


@st.composite
def cut_texts(draw: st.DrawFn) -> list[str]:
    source = draw(MARKDOWN | st.text(max_size=60))
    cuts = sorted(draw(st.sets(st.integers(0, len(source)), max_size=12)))
    return [source[a:b] for a, b in zip([0, *cuts], [*cuts, len(source)], strict=True)]


def streamed(chunks: list[str]) -> tuple[str, list[str]]:
    blocks, done, frames = Blocks(CARDS, "t"), "", []
    for chunk in chunks:
        blocks.feed(chunk)
        frame = blocks.take()
        done += frame.done
        frames.append(frame.open)
    return done + blocks.close().done, frames


@settings(max_examples=300, deadline=None)
@given(cut_texts())
@example(["- a\n\n- b", "\n\npara\n\n", "$$\n# no\n", "$$\n"])
def test_any_cut_adds_up_to_the_whole(chunks: list[str]) -> None:
    assert canonical(streamed(chunks)[0]) == canonical(render("".join(chunks), CARDS, "t"))


@settings(max_examples=100, deadline=None)
@given(MARKDOWN)
def test_one_character_at_a_time_adds_up_to_the_whole(source: str) -> None:
    done, frames = streamed(list(source))
    assert canonical(done) == canonical(render(source, CARDS, "t"))
    for frame in frames:
        assert canonical(clean(frame)) == canonical(frame)
        assert "\0" not in frame


@settings(max_examples=200, deadline=None)
@given(cut_texts())
def test_the_allowlist_finds_nothing_to_remove(chunks: list[str]) -> None:
    """So the open block, which is drawn every 40 ms, need not pass through it."""
    done, frames = streamed(chunks)
    for html in [done, *frames]:
        assert canonical(clean(html)) == canonical(html)


@settings(max_examples=200, deadline=None)
@given(cut_texts())
def test_every_frame_is_balanced(chunks: list[str]) -> None:
    for frame in streamed(chunks)[1]:
        opened: list[str] = []
        for slash, name in re.findall(r"<(/?)([a-z][a-z0-9]*)", frame):
            if slash:
                assert opened.pop() == name
            elif name not in ("br", "hr"):
                opened.append(name)
        assert not opened


@settings(max_examples=200, deadline=None)
@given(MARKDOWN, st.data())
def test_resuming_anywhere_sends_the_rest_once(source: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(source)))
    first = Blocks(CARDS, "t")
    first.feed(source[:at])
    before = first.take().done
    resumed = Blocks.resume(source[:at], CARDS, "t")
    resumed.feed(source[at:])
    after = resumed.take().done + resumed.close().done
    assert canonical(before + after) == canonical(render(source, CARDS, "t"))


@settings(max_examples=100, deadline=None)
@given(cut_texts())
def test_plain_frames_finish_the_same_blocks(chunks: list[str]) -> None:
    blocks, done = Blocks(CARDS, "t"), ""
    for index, chunk in enumerate(chunks):
        blocks.feed(chunk)
        done += blocks.take(plain=index % 2 == 0).done
    assert canonical(done + blocks.close().done) == canonical(render("".join(chunks), CARDS, "t"))


def drawn(source: str, plain: bool = False) -> str:
    blocks = Blocks(CARDS, "t")
    blocks.feed(source)
    return canonical(blocks.take(plain=plain).open)


MENDED = [
    ("some **bold", "some **bold**"),
    ("some **bold ", "some **bold**"),
    ("some **bold*", "some **bold**"),
    ("some *em **both", "some *em **both***"),
    ("~~gone", "~~gone~~"),
    ("a `code *x", "a `code *x`"),
    ("a [link", "a link"),
    ("a [link](https://exa", "a link"),
    ("a [**link", "a **link**"),
    ("a ![pic](https://exa", "a pic"),
    ("seen in [1", "seen in"),
    ("seen in [1, ", "seen in"),
    ("seen in [1][", "seen in [1]"),
    ("seen in [1]", "seen in [1]"),
    ("2 * 3", "2 * 3"),
    ("2*3 and 2**3 and", "2\\*3 and 2\\*\\*3 and"),
    ("重点**注意", "重点**注意**"),
    ("text\n-", "text"),
    ("text\n==", "text"),
    ("- item\n- ", "- item"),
    ("- item\n\n2", "- item"),
    ("| a | b", "| a | b |\n|---|---|\n"),
    ("| a | b |\n|--", "| a | b |\n|---|---|\n"),
    ("- x\n\n| a | b", "- x\n\n| a | b |\n|---|---|\n"),
    ("# head *x", "# head *x*"),
    ("> quoted **x", "> quoted **x**"),
    ("重点：**注意。", "重点：**注意。**"),
    ("1. one\n2. two `x", "1. one\n2. two `x`"),
]


@pytest.mark.parametrize(("half", "whole"), MENDED)
def test_half_typed_markup_is_mended(half: str, whole: str) -> None:
    assert drawn(half) == canonical(render(whole, CARDS, "t"))


def test_half_typed_code_is_shown_plain_and_highlighted_when_closed() -> None:
    assert drawn("```py") == ""
    opened = drawn("```python\ndef f():\n")
    assert "def f():" in text(opened)
    assert "<span" not in opened
    assert "<span" in render("```python\ndef f():\n```\n")


def test_half_typed_math_shows_its_source() -> None:
    assert "math-source" in drawn("then $x^2 + ")
    assert "math-source" in drawn("$$\n\\frac{a}")
    assert "math-source" not in drawn("it costs $5 and more")


def test_plain_mode_escapes_the_open_block() -> None:
    assert drawn("a **b** <img src=x>", plain=True) == canonical(
        '<p class="plain">a **b** &lt;img src=x&gt;</p>'
    )


def test_plain_mode_still_shows_code_as_code() -> None:
    assert drawn("```python\nx = 1\n", plain=True) == drawn("```python\nx = 1\n")


def test_a_finished_block_is_given_out_once_and_at_once() -> None:
    blocks = Blocks()
    blocks.feed("# Title\nfirst\n\nsecond")
    frame = blocks.take()
    assert text(frame.done).split() == ["Title", "first"]
    assert text(frame.open) == "second"
    assert blocks.take() == ("", frame.open)


@settings(max_examples=200, deadline=None)
@given(cut_texts())
def test_appending_looks_like_drawing_anew(chunks: list[str]) -> None:
    """The cheap path for plain characters shows what a fresh reader of the same text would see."""
    blocks, fed, done = Blocks(CARDS, "t"), "", ""
    for chunk in chunks:
        fed += chunk
        blocks.feed(chunk)
        frame = blocks.take()
        done += frame.done
        fresh = Blocks(CARDS, "t")
        fresh.feed(fed)
        assert canonical(done + frame.open) == canonical("".join(fresh.take()))


def test_long_lists_tables_and_fences_keep_every_line() -> None:
    lists = "".join(f"- item {i}\n" for i in range(300))
    table = "| a | b |\n|---|:-:|\n" + "".join(f"| row | *{i}* |\n" for i in range(100))
    loose = "".join(f"{i}. item\n\n" for i in range(1, 40))
    for source in (lists, loose, table, "```\n" + "line\n" * 300):
        blocks = Blocks()
        for line in source.splitlines(keepends=True):
            blocks.feed(line)
            blocks.take()
        assert canonical(blocks.take().open) == canonical(render(source))
        assert blocks.close().done == render(source)
