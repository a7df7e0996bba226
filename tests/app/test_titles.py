"""What the small model is asked for a title, and what of its reply is one."""

import pytest

from app.prompt import Exchange
from app.titles import ANSWER_WIDTH, TITLE_WIDTH, clean, title_prompt


def test_the_prompt_holds_the_question_and_the_answers_beginning() -> None:
    system, user = title_prompt(Exchange("How old?", "Very. " * 1_000))
    assert system.content.startswith("Write a title")
    assert user.content.startswith("How old?\n\nVery.")
    assert len(user.content) < ANSWER_WIDTH + 20


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ('"The old wall."', "The old wall"),
        ("# The wall\nand more", "The wall"),
        ("\n\n**城墙的历史。**", "城墙的历史"),
        ("《城墙》", "城墙"),
        ("“The wall”", "The wall"),
        ("   \n", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_marks_around_a_title_are_taken_off(reply: str, title: str) -> None:
    assert clean(reply) == title


def test_a_model_that_rambles_is_cut() -> None:
    assert len(clean("word " * 100)) <= TITLE_WIDTH + 1
