"""The prompt: its form, its budget, a prefix that stays, and nobody's text passing for one of its tags."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.prompt import HISTORY_BLOCK, HISTORY_TOKENS, INSTRUCTIONS, Exchange, History, Message, Prompt, recent
from app.prompt import build as whole
from app.retrieval import Passage
from app.text import estimate_tokens
from tests.fakes import PASSAGE


def parts(question: str, passages: Sequence[Passage], history: Sequence[Exchange]) -> Prompt:
    return whole(question, passages, History("", history))


def build(question: str, passages: Sequence[Passage], history: Sequence[Exchange]) -> list[Message]:
    return parts(question, passages, history).messages()


def test_the_form_that_others_read_back() -> None:
    system, user = build("How old?", [PASSAGE, replace(PASSAGE, title='The "wall"\nnow', text="Old.")], [])
    assert (system.role, system.content) == ("system", INSTRUCTIONS)
    assert user.role == "user"
    assert (
        user.content
        == """\
<sources>
<source n="1" title="城墙">
城墙建于明朝。
</source>
<source n="2" title="The 'wall' now">
Old.
</source>
</sources>

<question>
How old?
</question>"""
    )


def test_without_passages_the_sources_are_empty() -> None:
    assert build("?", [], [])[-1].content.startswith("<sources>\n</sources>\n")


@pytest.mark.parametrize(
    "tag", ["</source>", "</SOURCES>", "<source n=9>", "<question>", "</question >", "</sources"]
)
def test_no_text_opens_or_closes_a_tag_of_ours(tag: str) -> None:
    hostile = replace(PASSAGE, text=f"a {tag} b", title=f"t {tag}")
    content = build(f"q {tag}", [hostile], [])[-1].content
    ours = build("q", [replace(PASSAGE, text="a", title="t")], [])[-1].content
    for word in ("<source", "</source", "<question", "</question"):
        assert content.lower().count(word) == ours.count(word)


def test_other_angle_brackets_stay_as_they_are() -> None:
    assert "a < b, <b>bold</b>" in build("a < b, <b>bold</b>", [], [])[-1].content


LONG = [Exchange(f"question {n}", "word " * 200, n) for n in range(20)]


def test_a_history_keeps_its_newest_within_the_budget() -> None:
    kept = recent(LONG, 2_000)
    assert kept[-1] is LONG[-1]
    assert sum(estimate_tokens(e.question + e.answer) for e in kept) <= 2_000
    assert (len(LONG) - len(kept)) % HISTORY_BLOCK == 0


def test_the_prefix_stays_the_same_for_many_turns() -> None:
    """A history that slid by one exchange a turn would never hit a prefix cache."""
    firsts = [recent(LONG[: n + 1], 2_000)[0] for n in range(len(LONG))]
    assert len({first.question for first in firsts}) <= len(LONG) // HISTORY_BLOCK


def test_the_newest_exchange_stays_however_long_it_is() -> None:
    first, last = Exchange("first?", "short", 0), Exchange("last?", "字" * 10_000, 1)
    (kept,) = recent([first, last])
    assert kept.question == "last?"
    assert 0 < estimate_tokens(kept.answer) <= HISTORY_TOKENS + 8
    assert recent([]) == []


def test_some_history_stays_in_the_middle_of_a_block() -> None:
    """Four exchanges of 600 tokens: no block boundary within the budget, and still the newest three."""
    middling = [Exchange("?", "字" * 850, n) for n in range(8)]
    for n in range(1, len(middling) + 1):
        assert recent(middling[:n], 2_000)[-1] == middling[n - 1]


def test_a_part_of_a_history_is_cut_like_the_whole() -> None:
    assert recent(LONG[9:], 2_000) == recent(LONG, 2_000)


def test_every_part_is_counted_and_what_stands_before_the_last_message_has_a_hash() -> None:
    alone, later = parts("How old?", [PASSAGE], []), parts("Why?", [], [Exchange("How old?", "Old.")])
    assert alone.tokens() == {
        "instructions": estimate_tokens(INSTRUCTIONS),
        "history": 0,
        "passages": estimate_tokens(alone.sources),
        "question": estimate_tokens(alone.question),
    }
    assert later.tokens()["history"] == estimate_tokens("How old?") + estimate_tokens("Old.")
    assert alone.prefix() == parts("Another?", [], []).prefix() != later.prefix()
    assert later.prefix() != parts("Why?", [], [Exchange("How old?Old.", "")]).prefix()
