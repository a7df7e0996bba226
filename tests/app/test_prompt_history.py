"""A history's cuts: when, how much stays, and what happens when nobody cuts."""

import pytest

from app.prompt import CAP, HIGH, LOW, Exchange, History, build, capped, cut, is_due, tokens_of
from app.prompt.history import FEW, LONGEST_ANSWER, LONGEST_QUESTION, MANY, MOST, trimmed

USUAL = [Exchange(f"question {n}", "word " * 160) for n in range(60)]  # about 200 tokens each
CHINESE = [Exchange(f"第{n}个问题", "城墙建于明朝" * 48) for n in range(60)]


def total(exchanges: list[Exchange]) -> int:
    return sum(map(tokens_of, exchanges))


@pytest.mark.parametrize("conversation", [USUAL, CHINESE])
def test_a_history_is_due_when_it_has_passed_its_height_and_is_low_after_a_cut(
    conversation: list[Exchange],
) -> None:
    grown = next(conversation[:n] for n in range(60) if is_due(conversation[:n]))
    assert total(grown) > HIGH >= total(grown[:-1])
    left = grown[cut(grown) :]
    assert 0 < total(left) <= LOW
    assert total(grown[cut(grown) - 1 :]) > LOW  # no more went than had to


def test_many_short_exchanges_are_due_as_well() -> None:
    short = [Exchange("?", "Yes.")] * (MANY + 1)
    assert is_due(short)
    assert cut(short) == len(short) - FEW
    assert not is_due(short[1:])


def test_the_newest_stays_however_long_and_the_one_before_it_if_both_are_not() -> None:
    long, middling = Exchange("?", "字" * 10_000), Exchange("?", "字" * 650)
    assert cut([middling, long]) == 1
    assert cut([middling, middling, middling]) == 1
    assert cut([long]) == 0
    assert cut([]) == 0


def test_of_a_text_that_is_too_long_both_ends_are_told_the_same_in_every_prompt() -> None:
    told = trimmed(Exchange("a" + "字" * 5_000 + "b", "c" + "字" * 10_000 + "d"))
    assert told.question[0] + told.question[-1] + told.answer[0] + told.answer[-1] == "abcd"
    assert tokens_of(told) <= LONGEST_QUESTION + LONGEST_ANSWER + 20
    assert trimmed(USUAL[0]) == USUAL[0]


def test_without_a_worker_the_history_is_cut_all_the_same_and_rarely() -> None:
    starts = []
    for n in range(1, len(USUAL) + 1):
        left = list(capped(USUAL[:n]))
        assert total(left) <= CAP
        assert left[-1] is USUAL[n - 1]
        starts.append(n - len(left))
    assert starts == sorted(starts)
    assert len(set(starts)) <= 1 + len(USUAL) * total(USUAL[:1]) / (CAP - LOW)


def test_nor_do_very_many_short_ones_stay() -> None:
    short = [Exchange("?", "Yes.")] * 300
    assert all(len(capped(short[:n])) <= MOST for n in range(300))


def test_what_the_worker_has_not_cut_yet_is_still_in_the_prompt() -> None:
    grown = next(USUAL[:n] for n in range(60) if is_due(USUAL[:n]))
    assert len(build("?", [], History("", grown)).history) == 2 * len(grown)
