"""The linear model's features and its file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.routing.features import HEAD, TAIL, WORDS, Features, features
from app.routing.weights import COLUMNS, SHIPPED, Column, Weights, dump, load

TERMS = st.dictionaries(st.integers(0, 2**32 - 1), st.floats(-3, 3), max_size=30)
CHOICE = "Which gas?\nA. Oxygen\nB. Helium"


@given(TERMS, TERMS, TERMS, st.floats(-1, 1))
def test_a_file_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, large: dict[int, float], choice: dict[int, float],
    brief: dict[int, float], line: float,
) -> None:
    path = tmp_path_factory.mktemp("weights") / "weights.bin"
    written = Weights(Column(large, 0.25, line), Column(choice, 0.0, 0.1), Column(brief, -1.0, 0.5))
    path.write_bytes(dump(written))
    read = load(path)
    for name in COLUMNS:
        before, after = getattr(written, name), getattr(read, name)
        assert (after.bias, after.line) == (before.bias, before.line)
        for term in before.weights | after.weights:
            assert after.weights.get(term, 0.0) == pytest.approx(before.weights.get(term, 0.0), abs=1e-3)


def test_the_shipped_file_is_small_and_whole() -> None:
    data = SHIPPED.read_bytes()
    told = json.loads(data[: data.index(b"\n")])
    assert len(data) < 1_000_000
    assert len(data) == data.index(b"\n") + 1 + told["terms"] * (4 + 2 * len(COLUMNS))
    assert all(len(getattr(load(), name).weights) > 1_000 for name in COLUMNS)


def test_words_share_one_unit_of_length() -> None:
    column = Column({1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}, 0.5, 0.0)
    assert column.score(Features(frozenset({1}), frozenset(), False)) == 1.5
    assert column.score(Features(frozenset({1, 2, 3, 4}), frozenset(), False)) == 2.5
    assert column.score(Features(frozenset(), frozenset(), False)) == 0.5


def test_answers_to_choose_from_have_a_column_of_their_own() -> None:
    weights = Weights(Column({}, 1.0, 0.0), Column({}, -1.0, 0.0), Column({}, 0.0, 0.0))
    assert weights.wins(features("Which gas?")) == 1.0
    assert weights.wins(features(CHOICE)) == -1.0


def test_the_ends_of_a_long_text_are_read() -> None:
    middle = "x" * HEAD + " secret " + "y" * TAIL
    assert features(middle).words == features(middle.replace("secret", "hidden")).words
    assert features("secret " + middle).words != features("hidden " + middle).words
    assert features(middle + " secret").words != features(middle + " hidden").words


def test_every_script_has_a_bound() -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 1_000)))
    assert len(features(text).words) <= 2 * WORDS


@pytest.mark.parametrize(
    ("one", "other"),
    [("HOW MUCH is it", "how much is it"), ("年假有几天", "年假有几天"), ("a  b\n c", "a b c")],
)
def test_case_and_blanks_do_not_change_the_words(one: str, other: str) -> None:
    assert features(one).words == features(other).words


def test_the_order_of_words_counts() -> None:
    assert features("dog bites man").words != features("man bites dog").words
    assert features("人咬狗").words != features("狗咬人").words


@given(st.text())
def test_any_text_has_features(text: str) -> None:
    assert features(text).shape
