"""What the two legs found becomes what a model reads: ranked, merged, joined, within a budget, or nothing."""

import random
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval import Passage
from app.retrieval.fusion import DEPTH, fuse, rank
from app.retrieval.relevance import RELEVANT
from app.retrieval.selection import _TOKENS, joined, select
from app.retrieval.words import asked
from app.text import estimate_tokens

ENGLISH = "The night train to Lisbon leaves platform four at nine in the evening, on every day but Sunday."


def passage(name: str, score: float = 0.0, text: str = "", *, start: int = 0, uri: str = "") -> Passage:
    text = text or f"A passage of its own about {name}."
    return Passage(name, text, "Title", uri or f"file:///{name}.md", None, start, start + len(text), score)


def e5(best: float, *, behind: float = 0.78, text: str = "") -> list[Passage]:
    """As multilingual-e5 finds them: one in front of a crowd."""
    return [passage("best", best, text or ENGLISH), *(passage(f"p{n}", behind) for n in range(DEPTH - 1))]


def ids(passages: list[Passage] | tuple[Passage, ...]) -> list[str]:
    return [each.id for each in passages]


def test_an_identifier_outweighs_a_little_nearness() -> None:
    dense = [passage("E-4021", 0.861), passage("E-4012", 0.855)]
    lexical = [passage("E-4012", 0.6), passage("E-4021", 0.1)]
    assert ids(rank(dense, lexical)) == ["E-4012", "E-4021"]


def test_common_words_do_not_outweigh_much_nearness() -> None:
    dense = [passage("answer", 0.9), passage("other", 0.8)]
    lexical = [passage("other", 0.3), passage("answer", 0.2)]
    assert ids(rank(dense, lexical)) == ["answer", "other"]


def test_what_one_leg_did_not_find_counts_as_its_last() -> None:
    dense = [passage(f"d{n}", 0.9 - n / 100) for n in range(DEPTH)]
    words_only = passage("words", 0.8)
    ranked = rank(dense, [words_only, *(passage(f"w{n}", 0.1) for n in range(DEPTH - 1))])
    at = {each.id: each.score for each in ranked}
    assert at["words"] == pytest.approx(0.9 * dense[-1].score + 0.1 * 0.8)
    assert at["d0"] == pytest.approx(0.9 * 0.9 + 0.1 * 0.1)


@pytest.mark.parametrize("other", [None, []])
def test_one_leg_alone_still_finds(other: list[Passage] | None) -> None:
    found = [passage("a", 0.8), passage("b", 0.7)]
    assert ids(fuse("boats?", found, other, k=5, tokens=500).passages) == ["a", "b"]
    assert ids(fuse("boats?", other, found, k=5, tokens=500).passages) == ["a", "b"]


def test_nothing_found_is_nothing() -> None:
    for dense, lexical in (([], []), (None, []), ([], None)):
        assert fuse("anything?", dense, lexical, k=5, tokens=500) == fuse("", [], [], k=5, tokens=500)


@pytest.mark.parametrize(("question", "best", "text", "relevant"), [
    ("When does the night train leave?", 0.87, ENGLISH, True),
    ("What is the capital of Mongolia?", 0.80, ENGLISH, False),
    ("夜车几点开？", 0.91, "开往里斯本的夜车晚上九点从四号站台发车，周日停运。", True),
    ("蒙古的首都是哪里？", 0.83, "开往里斯本的夜车晚上九点从四号站台发车，周日停运。", False),
    ("夜车几点开？", 0.80, ENGLISH, True),  # another language: lower, and yet it stands out
    ("Wann fährt der Nachtzug?", 0.81, ENGLISH, True),
])  # fmt: skip
def test_foreign_subjects_are_told_apart(question: str, best: float, text: str, relevant: bool) -> None:
    found = fuse(question, e5(best, text=text), [], k=5, tokens=900)
    assert bool(found.passages) is relevant
    assert (found.confidence >= RELEVANT) is relevant


@pytest.mark.parametrize("text", [ENGLISH, "开往里斯本的夜车晚上九点从四号站台发车，周日停运。"])
def test_small_talk_finds_nothing(text: str) -> None:
    for dense, lexical in ((e5(0.95, text=text), []), (e5(0.95, text=text), None), (e5(0.95)[:3], [])):
        found = fuse("thanks 👋", dense, lexical, k=5, tokens=900)
        assert (found.passages, found.confidence, found.searched) == ((), 0.0, True)
        assert fuse("trains 👋", dense, lexical, k=5, tokens=900).passages


@pytest.mark.parametrize(("question", "outstanding", "relevant"), [
    ("夜车几点开？", 0.015, True),
    ("E-4012 是什么意思？", 0.015, False),  # what is written alike in both languages, and is not there
    ("E-4012 是什么意思？", 0.03, True),
])  # fmt: skip
def test_across_languages_a_missing_identifier_asks_for_more(
    question: str, outstanding: float, relevant: bool
) -> None:
    found = fuse(question, e5(0.78 + outstanding / 0.9), [], k=5, tokens=900)
    assert bool(found.passages) is relevant


def test_an_identifier_makes_a_far_passage_relevant() -> None:
    for extension, found in ((5610, True), (5613, False)):
        text = f"Extension {extension} is that of Ana Pereira."
        legs = e5(0.795, text=text), [passage("best", 0.2, text)]
        assert bool(fuse("Who has extension 5610?", *legs, k=5, tokens=900).passages) is found


def test_few_passages_are_never_called_irrelevant() -> None:
    for count in (1, 12):
        dense = [passage(f"p{n}", 0.75) for n in range(count)]
        assert fuse("What is the capital of Mongolia?", dense, [], k=5, tokens=500).passages


def test_another_embedders_cosines_are_not_judged() -> None:
    dense = [passage(f"p{n}", 0.4 - n / 100) for n in range(DEPTH)]
    assert fuse("When does the train leave?", dense, [], k=5, tokens=500).passages


LONG = (
    "Close the valve before you open the lid, wait until the pressure has gone, and wear gloves, for "
    "steam may be left between both plates. Then lift the inner basket by its handle, rinse it under "
    "running water, dry it with a soft cloth, put it back with the notch to the front, and turn "
    "everything on again."
)


@pytest.mark.parametrize(("other", "kept"), [
    (LONG, ["a"]),
    (LONG + " Then take a rest.", ["a"]),
    (LONG.replace("valve", "gate").replace("lid", "door").replace("basket", "drum"), ["a", "b"]),
    (LONG.replace("the valve", "valve E-4021"), ["a", "b"]),
    ("第一章 打开阀门之前请先关闭电源。" * 4, ["a", "b"]),
])  # fmt: skip
def test_what_says_the_same_is_said_once(other: str, kept: list[str]) -> None:
    assert ids(select([passage("a", 2, LONG), passage("b", 1, other)], k=5, tokens=900)) == kept


def test_manuals_that_differ_in_an_identifier_only_are_both_kept() -> None:
    rows = [passage(code, 1, LONG + f" Error {code}.") for code in ("E-4012", "E-4021")]
    assert len(select(rows, k=5, tokens=900)) == 2


def test_chinese_repetitions_are_said_once() -> None:
    text = (
        "打开阀门之前请先关闭电源，等待压力完全释放，并戴上手套，以免被蒸汽烫伤。"
        "随后取出内篮，用清水冲洗，擦干后放回。"
    )
    assert ids(select([passage("a", 2, text), passage("b", 1, text + "谢谢。")], k=5, tokens=900)) == ["a"]


@pytest.mark.parametrize(("one", "other", "kept"), [
    ("高12米的城墙", "高13米的城墙", 2),
    ("先打开API", "先打开SDK", 2),
    ("call open_it", "call shut_it", 2),
    ("see PDFs", "see XMLs", 2),
    ("a wall", "a gate", 1),
])  # fmt: skip
def test_names_and_numbers_keep_apart_what_is_otherwise_alike(one: str, other: str, kept: int) -> None:
    rows = [passage(name, 1, f"{LONG} {name}") for name in (one, other)]
    assert len(select(rows, k=5, tokens=900)) == kept


def novel(n: int, length: int = 545) -> str:
    chance = random.Random(n)
    return "".join(chr(chance.randrange(0x4E00, 0x5E00)) for _ in range(length))


def nearly(n: int, text: str) -> str:
    return text[: 7 * n] + "另外" + text[7 * n + 2 :]


@pytest.mark.parametrize(("texts", "most"), [
    ([novel(n) for n in range(60)], 5),  # what does not fit is compared with nothing
    ([nearly(n, novel(0)) for n in range(60)], 21),  # and what repeats is looked for so far down only
    ([novel(n, 80) for n in range(60)], 6),  # nor is anything when all places are taken
])  # fmt: skip
def test_few_texts_are_taken_apart(texts: list[str], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    class Counting:
        def findall(self, text: str) -> list[str]:
            read.append(text)
            return _TOKENS.findall(text)

    monkeypatch.setattr("app.retrieval.selection._TOKENS", Counting())
    assert select([passage(str(n), 1, text) for n, text in enumerate(texts)], k=5, tokens=1_500)
    assert 0 < len(read) <= most


@pytest.mark.parametrize("letter", ["x", "城", "X", " "])
def test_a_long_word_takes_time_by_its_length(letter: str) -> None:
    def seconds(length: int) -> float:
        rows = [passage("a", 1, letter * length + "a"), passage("b", 1, letter * length + "b")]
        return min(timeit.repeat(lambda: select(rows, k=5, tokens=length), number=1, repeat=5))

    assert seconds(20_000) < 60 * seconds(1_000)  # by its square it would be 400


def test_of_a_long_question_only_its_ends_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counting(question: str) -> dict[str, bool]:
        read.append(question)
        return asked(question)

    monkeypatch.setattr("app.retrieval.relevance.asked", counting)
    for question in ("城墙" * 4_000, "E-4021 " * 1_000):
        fuse(question, e5(0.9), [passage("best", 0.1, ENGLISH)], k=5, tokens=900)
    assert read
    assert max(map(len, read)) < 1_100


def test_neighbours_become_one_and_make_room() -> None:
    text = "One.\n\nTwo and two.\nThree."
    one, two, three = (
        passage(word, 1, part, start=text.index(part), uri="file:///d.md")
        for word, part in (("1", "One."), ("2", "Two and two."), ("3", "Three."))
    )
    whole, other = select([three, one, two, passage("other")], k=2, tokens=900)
    assert (whole.text, whole.start, whole.end, whole.id) == (text, 0, len(text), "3")
    assert other.id == "other"


def test_overlapping_spans_repeat_nothing() -> None:
    text = "0123456789" * 3
    first = passage("a", 1, text[:20], uri="file:///d")
    second = passage("b", 1, text[12:], start=12, uri="file:///d")
    inside = passage("c", 1, text[3:9], start=3, uri="file:///d")
    for one, two in ((first, second), (second, first)):
        whole = joined(one, two)
        assert whole is not None
        assert (whole.text, whole.start, whole.end, whole.id) == (text, 0, 30, one.id)
    within = joined(first, inside)
    assert within is not None
    assert (within.text, within.end) == (text[:20], 20)


def test_other_documents_sections_and_distances_are_not_joined() -> None:
    a = passage("a", 1, "Alpha.", uri="file:///d")
    assert joined(a, passage("b", 1, "Beta.", start=6, uri="file:///e")) is None
    assert joined(a, passage("b", 1, "Beta.", start=60, uri="file:///d")) is None
    other = Passage("b", "Beta.", "Title › Else", "file:///d", None, 6, 11)
    assert joined(a, other) is None


def test_the_budget_passes_over_what_does_not_fit() -> None:
    rows = [passage("a", 3), passage("long", 2, LONG * 5), passage("b", 1)]
    assert ids(select(rows, k=5, tokens=60)) == ["a", "b"]


@pytest.mark.parametrize("text", [LONG * 5, "打开阀门之前请先关闭电源。等待压力释放。" * 40, "x" * 5_000])
def test_the_best_one_stays_shortened_if_it_must(text: str) -> None:
    (only,) = select([passage("a", 1, text)], k=5, tokens=60)
    assert estimate_tokens(only.text) <= 61
    assert text[only.start : only.end] == only.text


@given(
    st.lists(st.tuples(st.text(max_size=60), st.integers(0, 80), st.sampled_from("ab")), max_size=12),
    st.integers(1, 6),
    st.integers(1, 80),
)
def test_never_more_than_asked_for(rows: list[tuple[str, int, str]], k: int, tokens: int) -> None:
    ranked = [passage(str(n), 1, text or "x", start=at, uri=uri) for n, (text, at, uri) in enumerate(rows)]
    chosen = select(ranked, k=k, tokens=tokens)
    assert len(chosen) <= k
    assert bool(chosen) is bool(rows)
    if len(chosen) > 1:
        assert sum(estimate_tokens(each.text) for each in chosen) <= tokens + len(chosen)
    assert all(each.end - each.start == len(each.text) or each.start < 0 for each in chosen)
