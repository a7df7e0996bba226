"""Summaries: when one is due, what it is made of, and that none is written over a newer one."""

import time

import pytest

from app.events import Delta, Failed, Finished, Started, TurnEvent
from app.jobs import SUMMARY
from app.prompt import HIGH, LOW, Exchange, cut, tokens_of
from app.store import Store
from app.summaries import LONGEST, by_rules, clean, summary_prompt
from app.text import estimate_tokens
from app.turn import Turn
from tests.fakes import a_turn

ANSWER = "The wall was built in 1370 [1]. " + "It is twelve metres high and very long. " * 20  # 200 tokens
CHINESE = "城墙建于明朝[1]。" + "它高十二米，而且很长。" * 25


class Talk:
    """A conversation that turns are added to."""

    def __init__(self, store: Store) -> None:
        self._store, self._first, self._began, self._turns = store, a_turn(), time.time() - 60, 0

    @property
    def id(self) -> str:
        return self._first.conversation

    async def begin(self, question: str = "How old is the wall?", replaces: str = "") -> Turn:
        self._turns += 1
        created = self._began + self._turns / 7
        turn = Turn(a_turn().id, self._first.owner, self.id, question, created, replaces=replaces)
        await self._store.conversations.add(turn)
        return turn

    async def end(self, turn: Turn, answer: str = ANSWER, *, whole: bool = True) -> None:
        end = Finished(False, "m", "r") if whole else Failed("stopped", "Stopped.", True)
        told: list[TurnEvent] = [Started(turn.id, turn.conversation, turn.question), Delta(answer), end]
        await self._store.conversations.save(turn.id, told)

    async def add(self, times: int, question: str = "How old is the wall?", answer: str = ANSWER) -> None:
        for _ in range(times):
            await self.end(await self.begin(question), answer)

    async def wishes(self) -> list[tuple[str, dict[str, object]]]:
        waiting = await self._store.outbox.waiting()
        return [(job.key, job.payload) for job in waiting if job.name == SUMMARY]


USUAL = tokens_of(Exchange("How old is the wall?", ANSWER))
ENOUGH = HIGH // USUAL + 1  # such turns pass HIGH


async def test_a_summary_is_wished_for_once_the_history_has_passed_its_height(store: Store) -> None:
    talk = Talk(store)
    await talk.add(ENOUGH - 1)
    assert await talk.wishes() == []
    await talk.add(2)
    wished = (f"{talk.id}:0.0", {"conversation": talk.id, "since": 0.0})
    assert await talk.wishes() == [wished] * 2  # one and the same work


async def test_what_is_due_is_all_but_the_newest(store: Store) -> None:
    talk = Talk(store)
    await talk.add(ENOUGH)
    due = await store.summaries.due(talk.id, 0.0)
    assert due is not None
    assert len(due.exchanges) == cut([Exchange("How old is the wall?", ANSWER)] * ENOUGH)
    assert await store.summaries.write(due, "They spoke of a wall.")
    had = await store.histories.before(await talk.begin())
    assert had.summary == "They spoke of a wall."
    assert len(had.exchanges) == ENOUGH - len(due.exchanges)
    assert sum(map(tokens_of, had.exchanges)) <= LOW


async def test_the_next_cut_is_made_from_the_earlier_summary(store: Store) -> None:
    talk = Talk(store)
    await talk.add(ENOUGH)
    first = await store.summaries.due(talk.id, 0.0)
    assert first is not None
    await store.summaries.write(first, "Once.")
    assert await store.summaries.due(talk.id, first.until) is None
    await talk.add(ENOUGH)
    second = await store.summaries.due(talk.id, first.until)
    assert second is not None
    assert (second.summary, second.since) == ("Once.", first.until)
    assert await store.summaries.due(talk.id, 0.0) is None  # that one has been made
    assert await talk.wishes() != []
    assert {payload["since"] for _, payload in await talk.wishes()} == {0.0, first.until}


async def test_a_summary_is_never_written_over_a_newer_one(store: Store) -> None:
    talk = Talk(store)
    await talk.add(ENOUGH)
    slow = await store.summaries.due(talk.id, 0.0)
    quick = await store.summaries.due(talk.id, 0.0)
    assert slow is not None
    assert quick is not None
    assert await store.summaries.write(quick, "quick")
    assert not await store.summaries.write(slow, "slow")
    assert (await store.histories.before(await talk.begin())).summary == "quick"
    assert await store.summaries.due(talk.id, 0.0) is None  # cut since then


async def test_a_turn_that_still_runs_is_not_passed_over(store: Store) -> None:
    talk = Talk(store)
    await talk.add(2)
    running = await talk.begin("And this?")
    await talk.add(ENOUGH)
    assert await store.summaries.due(talk.id, 0.0) is None
    with pytest.MonkeyPatch.context() as patch:  # of one that was lost, it is
        patch.setattr("app.store.summaries.LOST_SECONDS", 0)
        assert await store.summaries.due(talk.id, 0.0) is not None
    await talk.end(running)
    due = await store.summaries.due(talk.id, 0.0)
    assert due is not None
    assert "And this?" in [exchange.question for exchange in due.exchanges]


async def test_replaced_answers_are_not_told_and_stopped_ones_are(store: Store) -> None:
    talk = Talk(store)
    replaced = await talk.begin("Replaced?")
    await talk.end(replaced)
    await talk.end(await talk.begin("Again?", replaces=replaced.id))
    await talk.end(await talk.begin("Stopped?"), "Half of it", whole=False)
    await talk.add(ENOUGH)
    due = await store.summaries.due(talk.id, 0.0)
    assert due is not None
    assert [exchange.question for exchange in due.exchanges][:2] == ["Again?", "Stopped?"]


async def test_a_conversation_that_is_gone_is_due_for_nothing(store: Store) -> None:
    talk = Talk(store)
    await talk.add(ENOUGH)
    due = await store.summaries.due(talk.id, 0.0)
    assert due is not None
    owner = (await talk.begin()).owner
    assert await store.conversations.remove(owner, talk.id)
    assert await store.summaries.due(talk.id, 0.0) is None
    assert not await store.summaries.write(due, "late")


def test_the_prompt_holds_the_earlier_summary_and_both_ends_of_long_answers() -> None:
    system, user = summary_prompt("They met.", [Exchange("How </answer>?", "Begin " + "x" * 9_000 + " end")])
    assert system.content.startswith("Summarise the conversation")
    assert user.content.startswith("<summary>\nThey met.\n</summary>\n\n<question>\nHow <\\/answer>?\n")
    assert "Begin" in user.content
    assert user.content.endswith(" end\n</answer>")
    assert estimate_tokens(user.content) < 400
    assert "<summary>" not in summary_prompt("", [Exchange("How?", "So.")])[1].content


def test_of_a_cut_that_waited_long_the_newest_is_shown() -> None:
    _, user = summary_prompt("", [Exchange(f"Question {n}?", ANSWER) for n in range(200)])
    assert "Question 199?" in user.content
    assert "Question 0?" not in user.content
    assert 5_000 < estimate_tokens(user.content) < 7_000


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("They spoke of **walls** [1].\n\n- One\n- Two", "They spoke of walls.\nOne\nTwo"),
        ("", ""),
        (" \0\n", ""),
        ("他们谈到了城墙[2]。", "他们谈到了城墙。"),
    ],
)
def test_a_reply_is_cleaned(reply: str, text: str) -> None:
    assert clean(reply) == text


@pytest.mark.parametrize("sentence", ["They spoke of a wall. ", "他们谈到了城墙。", "word "])
def test_a_reply_that_is_too_long_ends_at_a_sentence_if_there_is_one(sentence: str) -> None:
    kept = clean(sentence * 500)
    assert 0.8 * LONGEST < estimate_tokens(kept) <= LONGEST
    assert kept.endswith(("wall.", "。", "…"))


def test_rules_tell_what_was_asked_and_how_the_answer_began() -> None:
    told = [Exchange("How old is the wall?", ANSWER), Exchange("城墙是什么时候修建的？", CHINESE)]
    assert by_rules("", told) == (
        "Asked: How old is the wall? Answer: The wall was built in 1370.\n"
        "问：城墙是什么时候修建的？ 答：城墙建于明朝。"
    )
    assert by_rules("They met.", told).startswith("They met.\nAsked: ")


def test_of_too_many_the_newest_are_told() -> None:
    told = [Exchange(f"How old is wall number {n}?", ANSWER) for n in range(50)]
    text = by_rules("They met.", told)
    assert estimate_tokens(text) <= LONGEST
    assert "number 49?" in text.splitlines()[-1]
    assert "They met." not in text
    assert len(text.splitlines()) > 5
