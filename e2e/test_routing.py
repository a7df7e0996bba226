"""Two models behind one chat: which answers, why, and what happens when the small one passes."""

from collections.abc import Callable, Generator

import pytest
from playwright.sync_api import expect

from e2e.pages import Chat
from e2e.stack import Stack, running
from e2e.upstream import Upstream

KNOWS, PASSES = "small:sim-n12", "small:sim-pass"
AUTHORS = "# Who wrote the handbook\n\nAda Lovelace wrote the handbook. 手册是谁写的？手册是艾达写的。\n"
WHO, WHO_ZH = "Who wrote the handbook?", "手册是谁写的？"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stack, None, None]:
    """`asked` is the large model, `asked-small` plays what a question names behind `small:`."""
    folder = tmp_path_factory.mktemp("routing")
    document = folder / "documents" / "authors.md"
    document.parent.mkdir()
    document.write_text(AUTHORS)
    data = folder / "data"
    with running(data, worker=False, CHAT_MODEL_SMALL="asked-small", ROUTING="thrifty") as routed:
        routed.ingest(document)
        yield routed


@pytest.fixture(scope="module")
def upstream(stack: Stack) -> Upstream:
    return Upstream(stack)


def test_a_look_up_goes_to_the_small_model_and_says_why(chat: Chat, upstream: Upstream) -> None:
    turn = chat.ask(f"{WHO} {KNOWS} sim-n30-taga").until("finished")
    chip = turn.root.locator(".route-chip")
    expect(chip).to_have_text("look-up · asks for one fact")
    expect(turn.root.locator(".facts .model")).to_have_text("asked-small")
    assert turn.text() == upstream.text("sim-n12")


def test_a_hard_question_goes_to_the_large_one(chat: Chat, upstream: Upstream) -> None:
    name = "sim-n30-tagb"
    hard = "Compare both ways to connect a model step by step, explain the trade-offs, and plan a migration."
    turn = chat.ask(f"{hard} {KNOWS} {name}").until("finished")
    expect(turn.root.locator(".facts .model")).to_have_text("asked")
    expect(turn.root.locator(".route-chip")).to_contain_text("hard question")
    expect(turn.root.locator(".actions")).not_to_contain_text("Ask asked")
    assert turn.text() == upstream.text(name)


def test_the_large_model_is_a_button_away(chat: Chat, upstream: Upstream) -> None:
    name = "sim-n30-tagc"
    turn = chat.ask(f"{WHO} {KNOWS} {name}").until("finished")
    turn.root.locator(".actions button", has_text="Ask asked").click()
    expect(chat.turns).to_have_count(2)
    large = chat.turn(1).until("finished")
    assert large.text() == upstream.text(name)
    expect(large.root.locator(".route-chip")).to_have_text("large model · you asked for it")
    assert upstream.requests(name)[-1]["fields"]["prompt_cache_key"]


def test_a_small_model_that_passes_is_followed_by_the_large_one(chat: Chat, upstream: Upstream) -> None:
    name = "sim-n30-gate1-tagd"
    turn = chat.ask(f"{WHO} {PASSES} {name}")
    note = turn.root.locator(".retracted")
    expect(note).to_contain_text("asked answers instead")
    expect(turn.answer).to_have_text("")
    upstream.release(name)
    turn.until("finished")
    before = turn.html()
    assert turn.text() == upstream.text(name)
    expect(turn.root.locator(".route-chip")).to_contain_text("the small model passed")
    chat.page.reload()
    assert chat.turn().text() == upstream.text(name)
    expect(chat.turn().root.locator(".retracted")).to_contain_text("asked answers instead")
    assert "I don't know" not in before


def test_a_reader_who_comes_back_sees_the_withdrawal_too(
    open_chat: Callable[..., Chat], upstream: Upstream
) -> None:
    """A reload in the middle: what was withdrawn does not come back."""
    chat = open_chat(locale="zh-CN")
    name = "sim-zh-n30-gate3-tage"
    turn = chat.ask(f"{WHO_ZH} small:sim-passzh {name}")
    expect(turn.root.locator(".retracted")).to_contain_text("改由 asked 回答")
    upstream.until(name, "held", at=3)
    chat.page.reload()
    upstream.release(name)
    turn = chat.turn().until("finished")
    assert turn.text() == upstream.text(name)
    expect(turn.root.locator(".route-chip")).to_contain_text("小模型没有回答")
