"""A question asked once more, edited, or put to the large model: in place of the turn that it came from."""

import re

import pytest
from playwright.sync_api import expect

from e2e.pages import Chat, Turn
from e2e.upstream import Upstream

REPLACED = re.compile(r"\breplaced\b")


def press(turn: Turn, label: str) -> None:
    turn.root.locator(".actions button", has_text=label).click()


def test_asking_again_takes_the_place_of_the_turn(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n5")
    first = chat.ask(f"How do I start it? {name}").until("finished")
    press(first, "Ask again")
    expect(chat.turns).to_have_count(2)
    chat.turn(1).until("finished")
    for _ in ("live", "as history"):
        expect(chat.turn(0).root).to_have_class(REPLACED)
        expect(chat.turn(1).root).not_to_have_class(REPLACED)
        chat.page.reload()
    again = upstream.requests(name)[-1]
    assert "How do I start it?" not in str(again["messages"][:-1]), "what was replaced is no history"


def test_an_edited_question_takes_its_place_and_the_draft_comes_back(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n5")
    first = chat.ask(f"How do I start it? {name}").until("finished")
    chat.box.fill("a draft")
    press(first, "Edit")
    expect(chat.box).to_be_focused()
    expect(chat.box).to_have_value(f"How do I start it? {name}")
    expect(chat.page.locator("#editing")).to_be_visible()
    chat.box.fill(f"How do I stop it? {name}")
    chat.box.press("Enter")
    expect(chat.turns).to_have_count(2)
    chat.turn(1).until("finished")
    expect(chat.page.locator("#editing")).to_be_hidden()
    expect(chat.turn(0).root).to_have_class(REPLACED)
    expect(chat.box).to_have_value("a draft")
    third = chat.ask(f"And then? {name}").until("finished")
    expect(third.root.locator(".actions")).to_contain_text("Edit")
    asked = str(upstream.requests(name)[-1]["messages"])
    assert "How do I stop it?" in asked
    assert "How do I start it?" not in asked


@pytest.mark.parametrize("way", ["Escape", "Cancel"])
def test_an_edit_that_is_called_off_leaves_everything_as_it_was(
    chat: Chat, upstream: Upstream, way: str
) -> None:
    first = chat.ask(f"How do I start it? {upstream.name('n5')}").until("finished")
    chat.box.fill("a draft")
    press(first, "Edit")
    if way == "Escape":
        chat.box.press("Escape")
    else:
        chat.page.locator("#cancel").click()
    expect(chat.box).to_have_value("a draft")
    expect(chat.page.locator("#editing")).to_be_hidden()
    chat.box.fill(f"Another question {upstream.name('n5')}")
    chat.box.press("Enter")
    chat.turn(1).until("finished")
    expect(chat.turn(0).root).not_to_have_class(REPLACED)


def test_the_composer_names_another_turn_only_for_the_next_question(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n5")
    first = chat.ask(f"How do I start it? {name}").until("finished")
    press(first, "Ask again")
    chat.turn(1).until("finished")
    chat.ask(f"What is it? {name}").until("finished")
    expect(chat.turn(1).root).not_to_have_class(REPLACED)
