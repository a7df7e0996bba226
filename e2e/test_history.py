"""Conversations: drawn again as they were seen, found, named, left and deleted."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.pages import Chat
from e2e.upstream import Upstream


@pytest.mark.parametrize("parts", ["md-itl1", "zh-itl1-n50"])
def test_history_looks_like_the_live_turn(chat: Chat, upstream: Upstream, parts: str) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name(parts)}").until("finished")
    chat.told(turn)  # its line says what was seen
    live = turn.html()
    chat.page.reload()
    assert chat.turn().html() == live


def test_back_and_forward_and_a_new_chat(chat: Chat, upstream: Upstream) -> None:
    question = f"How do I start it? {upstream.name('n3')}"
    chat.ask(question).until("finished")
    conversation = chat.page.url
    assert "/c/" in conversation
    chat.page.go_back()
    expect(chat.turns).to_have_count(0)
    expect(chat.page.locator("#welcome")).to_be_visible()
    chat.page.go_forward()
    expect(chat.turns).to_have_count(1)
    chat.page.get_by_role("link", name="New chat").first.click()
    expect(chat.turns).to_have_count(0)
    chat.page.locator("#conversations a").click()
    expect(chat.page).to_have_url(conversation)
    expect(chat.turn().root.locator(".question")).to_contain_text(question)


def test_a_conversation_is_deleted_after_a_question_back(chat: Chat, upstream: Upstream) -> None:
    chat.ask(f"How do I start it? {upstream.name('n3')}").until("finished")
    path = chat.page.url
    chat.confirms = True
    chat.page.locator("#conversations li").hover()
    chat.page.locator("#conversations form button").click()
    expect(chat.page.locator("#conversations li")).to_have_count(0)
    expect(chat.turns).to_have_count(0)
    answer = chat.page.request.get(path)
    assert answer.status == 404


def test_the_language_is_switched_in_place(chat: Chat, upstream: Upstream) -> None:
    chat.ask(f"How do I start it? {upstream.name('n3')}").until("finished")
    chat.page.get_by_role("button", name="中文").click()
    expect(chat.page.locator("html")).to_have_attribute("lang", "zh")
    expect(chat.turns).to_have_count(1)
    expect(chat.page.locator("#send")).to_have_text("发送")
    chat.page.get_by_role("button", name="English").click()
    expect(chat.page.locator("html")).to_have_attribute("lang", "en")


def test_a_chinese_browser_gets_chinese(open_chat: Callable[..., Chat], upstream: Upstream) -> None:
    chat = open_chat(locale="zh-CN")
    turn = chat.ask(f"怎样启动它？ {upstream.name('zh-n9')}").until("finished")
    expect(turn.root.locator(".step:not(.route)").last).to_contain_text("已生成")
    expect(turn.retry).to_have_text("再问一次")


def test_the_provisional_title_gives_way_to_a_better_one(chat: Chat, upstream: Upstream) -> None:
    question = "Please could you tell me, in a few words, how exactly I would go about starting it at home?"
    chat.ask(f"{question} {upstream.name('n5')}").until("finished")
    title = chat.page.locator("#conversations a")
    provisional = title.inner_text()
    assert question.startswith(provisional.rstrip("…"))

    def replaced() -> bool:
        chat.page.reload()
        return title.inner_text() != provisional

    chat.poll(replaced, "the title from the background")
    assert title.inner_text()
