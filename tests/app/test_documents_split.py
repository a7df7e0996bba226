"""Passages are exact spans, know their headings and pages, and end where sentences end."""

from hypothesis import given, settings
from hypothesis import strategies as st

from app.documents.extract import Extract
from app.documents.split import FULL, split, tokens

ENGLISH = "The night train leaves the old station at twenty to ten and arrives in the morning. "
CHINESE = "夜车晚上九点四十分从老车站出发，第二天早上到达，途中经过七座城市。"
PARTS = ["# 标题\n", "## H 😀\n", ENGLISH, CHINESE * 9, "\n\n", "- item\n", "```\n", "\t", "é"]
MARKDOWN = f"""Before any heading.

# Trains

{ENGLISH * 2}

## Prices

{CHINESE}

```
# not a heading
```

> # nor this

### Children

Half.

Night *trains*
--------------

They run.
"""


def test_sections_carry_the_headings_above_them() -> None:
    assert [piece.headings for piece in split(Extract(MARKDOWN, markdown=True))] == [
        (), ("Trains",), ("Trains", "Prices"), ("Trains", "Prices", "Children"), ("Trains", "Night trains"),
    ]


def test_plain_text_has_no_headings() -> None:
    text = "# a comment\n\ntext"
    assert [(piece.headings, piece.text) for piece in split(Extract(text))] == [((), text)]


def test_headings_alone_are_a_passage() -> None:
    assert [piece.text for piece in split(Extract("# One\n\n## Two", markdown=True))] == ["# One\n\n## Two"]


def test_a_paragraph_below_the_limit_stays_whole() -> None:
    for sentence in (ENGLISH, CHINESE):
        paragraph = (sentence * (400 // tokens(sentence))).strip()
        for markdown in (False, True):
            text = "\n\n".join([paragraph] * 3)
            assert [p.text for p in split(Extract(text, markdown=markdown))] == [paragraph] * 3


def test_a_long_paragraph_is_cut_at_sentence_ends_in_both_languages() -> None:
    for sentence, end in ((ENGLISH, "."), (CHINESE, "。")):
        pieces = split(Extract(sentence * 60))
        assert len(pieces) > 2
        assert all(piece.text.endswith(end) for piece in pieces)
        assert all(tokens(piece.text) <= FULL[1] for piece in pieces)


def test_short_paragraphs_share_a_passage() -> None:
    assert len(split(Extract("\n\n".join([CHINESE] * 4)))) == 1


def test_a_passage_has_the_page_it_starts_on() -> None:
    pages = [ENGLISH * 12, CHINESE * 15]
    text = "\n\n".join(pages)
    pieces = split(Extract(text, pages=(0, len(pages[0]) + 2)))
    assert {piece.page for piece in pieces} == {1, 2}
    assert all(piece.page == (2 if CHINESE[:5] in piece.text else 1) for piece in pieces)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=40), st.booleans())
def test_every_passage_is_a_span_of_the_text(parts: list[str], markdown: bool) -> None:
    text = "".join(parts)
    pieces = split(Extract(text, markdown=markdown))
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
    assert [piece.start for piece in pieces] == sorted({piece.start for piece in pieces})
    assert all(tokens(piece.text) <= FULL[1] for piece in pieces)
    assert bool(text.strip()) == bool(pieces)
