"""The reach of the prefix, and that its benchmark counts what it says."""

import asyncio
from dataclasses import replace

import pytest

from app.prompt import Exchange, History, build
from e2e.bench import prefix
from e2e.bench.prefix import Asked, count

CHATS = list(prefix._chats(prefix.SHIPPED))
LONG = Exchange("How old is the wall?", "word " * 1_100)


@pytest.fixture(scope="module")
def asked() -> list[list[Asked]]:
    return asyncio.run(prefix._played(CHATS))


@pytest.mark.parametrize("rule", prefix.RULES)
def test_nine_tenths_of_what_could_be_reused_are_in_chats_of_twenty_turns(
    asked: list[list[Asked]], rule: str
) -> None:
    assert all(len(chat) == 20 and any(one.cut for one in chat) for chat in asked)
    counted = count(asked, rule)
    assert counted.cacheable > 10_000
    assert counted.reused >= 0.9 * counted.cacheable


def test_a_style_before_the_history_would_cost_a_fifth(asked: list[list[Asked]]) -> None:
    """Why all styles are explained in the beginning, and the last message names one."""
    moved = count(prefix._moved(asked), "classic")
    assert moved.reused < 0.8 * moved.cacheable


def test_a_first_prompt_repeats_nothing_and_the_same_history_again_all_of_it() -> None:
    one = Asked(build("Why?", [], History("", [LONG])), "", False)
    assert count([[one]], "any").repeated == 0
    counted = count([[one, replace(one, prompt=build("How?", [], History("", [LONG])))]], "any")
    assert counted.repeated == counted.reused > 1_100


def test_what_a_cut_moves_is_repeated_and_lost() -> None:
    kept = Exchange("And the gate?", "gate " * 50)
    before = Asked(build("Why?", [], History("", [LONG, kept])), "", False)
    after = Asked(build("Why?", [], History("They spoke of a wall.", [kept])), "", True)
    counted = count([[before, after]], "any")
    ((reused, repeated),) = counted.at_cuts
    assert repeated - reused >= 50


def test_rules_count_as_they_are_written() -> None:
    assert [prefix._cacheable(tokens, "openai") for tokens in (1_023, 1_024, 1_200)] == [0, 1_024, 1_152]
    assert [prefix._cacheable(tokens, "explicit") for tokens in (1_023, 1_200)] == [0, 1_200]
    assert prefix._cacheable(7, "any") == 7
