"""Searches that begin while a question is typed: for whole texts, never in the middle of a composition."""

from collections.abc import Callable
from urllib.parse import parse_qs

from playwright.sync_api import Request, expect

from e2e.pages import Chat
from e2e.upstream import Upstream

PAUSE = "() => new Promise(done => setTimeout(done, 800))"  # longer than any pause that tells


def heard(chat: Chat) -> list[str]:
    """The texts that the page tells of, as they come."""
    texts: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/typing"):
            texts.append(parse_qs(request.post_data or "")["question"][0])

    chat.page.on("request", note)
    return texts


def test_what_was_typed_has_been_searched_for_when_it_is_sent(chat: Chat, upstream: Upstream) -> None:
    question = f"How do I start it? {upstream.name('n5')}"
    told = heard(chat)
    with chat.page.expect_response("**/typing") as answer:
        chat.box.press_sequentially(question, delay=5)
        chat.poll(lambda: question in told, "the whole question to be told")
    assert answer.value.status == 204
    chat.box.press("Enter")
    turn = chat.turn().until("finished")
    expect(turn.root.locator(".steps")).to_contain_text("while you typed")
    stages = {stage["name"] for stage in chat.told(turn)["stages"]}
    assert "warm" in stages
    assert "embed" not in stages
    assert len(told) <= 3


def test_a_question_mark_tells_at_once_and_another_question_is_another(
    chat: Chat, upstream: Upstream
) -> None:
    told = heard(chat)
    chat.box.press_sequentially("Where is it?", delay=5)
    chat.poll(lambda: "Where is it?" in told, "the question mark to tell")
    other = f"How do I start it? {upstream.name('n5')}"
    chat.box.evaluate("(box, text) => { box.value = text; }", other)  # no input event: nobody tells of it
    chat.box.press("Enter")
    turn = chat.turn().until("finished")
    expect(turn.root.locator(".steps")).not_to_contain_text("while you typed")
    assert "warm" not in {stage["name"] for stage in chat.told(turn)["stages"]}


def test_nothing_is_told_while_an_input_method_composes(open_chat: Callable[..., Chat]) -> None:
    chat = open_chat(locale="zh-CN")
    told = heard(chat)
    keys = chat.page.context.new_cdp_session(chat.page)
    for text in ("zen'yang", "怎样tian'jia", "怎样添加wen'dang?"):
        length = len(text)
        keys.send("Input.imeSetComposition", {"text": text, "selectionStart": length, "selectionEnd": length})
        chat.page.evaluate(PAUSE)
    assert told == []
    keys.send("Input.insertText", {"text": "怎样添加文档？"})
    chat.poll(lambda: told == ["怎样添加文档？"], "the composed question to be told")


def test_three_times_a_question_at_most(chat: Chat, upstream: Upstream) -> None:
    told = heard(chat)
    for n in range(6):
        chat.box.press_sequentially(f" is it {n}?", delay=5)
        chat.page.evaluate("() => new Promise(done => setTimeout(done, 50))")
    assert len(told) == 3
    chat.box.fill(f"{upstream.name('n3')}")
    chat.box.press("Enter")
    chat.turn().until("finished")
    chat.box.press_sequentially("And the next one?", delay=5)
    chat.poll(lambda: len(told) > 3, "the next question to be told")
