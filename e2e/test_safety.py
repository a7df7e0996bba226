"""What documents, answers and questions bring along never runs and never loads."""

from playwright.sync_api import expect

from e2e.pages import Chat, Turn
from e2e.upstream import Upstream


def test_hostile_document_and_answer_only_ever_show_as_text(chat: Chat, upstream: Upstream) -> None:
    turn = chat.ask(f"What is the zanzibar protocol? {upstream.name('md')}").until("finished")
    hostile = turn.cards.filter(has_text="onerror")
    expect(hostile.first).to_be_visible()
    hostile.first.locator(".card-face").click()
    expect(turn.root.locator(".card-full:popover-open")).to_contain_text("zanzibar")
    chat.page.keyboard.press("Escape")
    _expect_harmless(chat, turn)
    chat.page.reload()
    _expect_harmless(chat, chat.turn())


def test_hostile_question_is_text_in_thread_and_list(chat: Chat, upstream: Upstream) -> None:
    question = f'"><img src=x onerror="window.pwned=1"><script>window.pwned=2</script> {upstream.name("n3")}'
    turn = chat.ask(question).until("finished")
    expect(turn.root.locator(".question")).to_contain_text(question)
    _expect_harmless(chat, turn)
    expect(chat.page.locator("#conversations li")).to_have_count(1)
    chat.page.reload()
    _expect_harmless(chat, chat.turn())


def _expect_harmless(chat: Chat, turn: Turn) -> None:
    answer = turn.answer
    for tag in ("script", "img", "svg", "iframe", "[onerror]", "[onload]", "[style]"):
        expect(turn.root.locator(tag)).to_have_count(0)
    hrefs: list[str] = answer.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert all(href.startswith(("https://", "http://", "#t-")) for href in hrefs)
    for words in answer.get_by_text("press me").all():
        words.click()
    assert chat.page.evaluate("() => window.pwned ?? null") is None
    assert chat.faults() == []
