"""Facts about text, for English and Chinese alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text import count_cjk, ends_of, estimate_tokens, is_chinese, shorten


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("城墙建于明朝", True),
        ("How old is the wall?", False),
        ("怎样连接 Ollama？", True),
        ("What does 墙 mean?", False),
        ("", False),
        ("12345", False),
        ("ＡＢＣ", False),
    ],
)
def test_which_language_it_is(text: str, expected: bool) -> None:
    assert is_chinese(text) is expected


def test_tokens_are_estimated_by_script() -> None:
    assert estimate_tokens("") == 1
    assert estimate_tokens("word " * 100) == 126
    assert estimate_tokens("城" * 100) == 71
    assert count_cjk("a城b墙") == 2


@given(st.text(max_size=60), st.text(alphabet="城墙abc ", min_size=1), st.text(max_size=60))
def test_both_ends_of_a_long_text_stay(begin: str, middle: str, end: str) -> None:
    text = begin + middle * 2_000 + end
    kept = ends_of(text, 256)
    assert estimate_tokens(kept) <= 256 + 8
    assert text.startswith(kept.partition(" … ")[0][:40])
    assert text.endswith(kept[-40:])


def test_a_short_text_stays_whole() -> None:
    assert ends_of("怎样连接 Ollama？", 256) == "怎样连接 Ollama？"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 10, "short"),
        ("  two\n words ", 20, "two words"),
        ("one two three", 9, "one two…"),
        ("one two three", 7, "one two…"),
        ("unbreakableword", 6, "unbrea…"),
        ("城墙建于明朝，很久以前", 12, "城墙建于明朝…"),
        ("城墙建于明朝，很久以前", 14, "城墙建于明朝…"),
        ("", 5, ""),
    ],
)
def test_a_line_is_cut_at_a_word(text: str, width: int, expected: str) -> None:
    assert shorten(text, width) == expected


@given(st.text(st.sampled_from("ab 城墙，\n")), st.integers(1, 30))
def test_a_line_is_never_wider_than_asked(text: str, width: int) -> None:
    line = shorten(text, width)
    assert "\n" not in line
    columns = sum(2 if count_cjk(character) else 1 for character in line.removesuffix("…"))
    assert columns <= width
