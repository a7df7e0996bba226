"""The store on SQLite and on Postgres alike: what is kept, whose it is, and what is to be done afterwards."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.documents.store import Document
from app.errors import TurnError
from app.events import Delta, Failed, Finished, Sources, Started, TurnEvent
from app.jobs import INGEST, TITLE
from app.prompt import Exchange, History
from app.store import Store
from app.turn import Turn
from tests.fakes import a_turn

ME, OTHER = uuid4().hex, uuid4().hex


def told(turn: Turn, *texts: str, whole: bool = True) -> list[TurnEvent]:
    """A short turn's events."""
    end = Finished(False, "m", "r") if whole else Failed("stopped", "Stopped.", True)
    return [Started(turn.id, turn.conversation, turn.question), Sources(()), *map(Delta, texts), end]


async def kept(store: Store, turn: Turn, *texts: str, whole: bool = True) -> Turn:
    assert await store.conversations.add(turn)
    await store.conversations.save(turn.id, told(turn, *texts, whole=whole))
    return turn


async def test_a_new_turn_brings_its_conversation(store: Store) -> None:
    turn = a_turn("How old\n is the wall?", owner=ME, created=5.0)
    assert await store.conversations.add(turn)
    (listed,) = await store.conversations.listed(ME)
    assert (listed.id, listed.title, listed.updated) == (turn.conversation, "How old is the wall?", 5.0)
    assert await store.conversations.find(ME, turn.conversation) == listed
    stored = await store.conversations.turn(ME, turn.id)
    assert stored is not None
    assert (stored.question, stored.status, stored.transcript, stored.events()) == (
        turn.question,
        "running",
        b"",
        [],
    )


async def test_the_same_turn_again_changes_nothing(store: Store) -> None:
    turn = a_turn(owner=ME)
    assert await store.conversations.add(turn)
    assert not await store.conversations.add(turn)
    assert len(await store.conversations.turns(ME, turn.conversation)) == 1


async def test_the_same_turn_many_times_at_once_is_new_once(store: Store) -> None:
    turn = a_turn(owner=ME)
    new = await asyncio.gather(*(store.conversations.add(turn) for _ in range(8)))
    assert sorted(new) == [False] * 7 + [True]


async def test_many_first_turns_of_one_conversation_at_once_are_all_kept(store: Store) -> None:
    conversation = uuid4().hex
    turns = [a_turn(owner=ME, conversation=conversation) for _ in range(6)]
    assert all(await asyncio.gather(*map(store.conversations.add, turns)))
    assert len(await store.conversations.turns(ME, conversation)) == 6


async def test_nobody_adds_to_anothers(store: Store) -> None:
    mine = a_turn(owner=ME)
    await store.conversations.add(mine)
    for theirs in (
        Turn(mine.id, OTHER, mine.conversation, "?", 1.0),
        Turn(mine.id, OTHER, uuid4().hex, "?", 1.0),
        Turn(uuid4().hex, OTHER, mine.conversation, "?", 1.0),
    ):
        with pytest.raises(LookupError):
            await store.conversations.add(theirs)
    assert await store.conversations.listed(OTHER) == []
    assert len(await store.conversations.turns(ME, mine.conversation)) == 1


async def test_nobody_reads_or_removes_anothers(store: Store) -> None:
    mine = await kept(store, a_turn(owner=ME), "Hi")
    conversations = store.conversations
    assert await conversations.turn(OTHER, mine.id) is None
    assert await conversations.turns(OTHER, mine.conversation) == []
    assert await conversations.find(OTHER, mine.conversation) is None
    assert await conversations.listed(OTHER) == []
    assert await store.histories.before(a_turn(owner=OTHER, conversation=mine.conversation)) == History(
        "", []
    )
    assert not await conversations.remove(OTHER, mine.conversation)
    assert await conversations.turn(ME, mine.id) is not None


async def test_a_history_that_cannot_be_read_is_a_turn_error(store: Store) -> None:
    async def rename(old: str, new: str) -> None:
        async with store.engine.begin() as connection:
            await connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))

    await rename("turns", "elsewhere")
    try:
        with pytest.raises(TurnError):
            await store.histories.before(a_turn(owner=ME))
    finally:
        await rename("elsewhere", "turns")


async def test_a_transcript_is_read_back_as_it_was(store: Store) -> None:
    turn = a_turn(owner=ME)
    await kept(store, turn, "城", "墙 🀄", "")
    stored = await store.conversations.turn(ME, turn.id)
    assert stored is not None
    assert stored.status == "finished"
    assert stored.events() == told(turn, "城", "墙 🀄", "")
    assert stored.events(merged=True) == told(turn, "城墙 🀄")
    assert await store.conversations.turns(ME, turn.conversation) == [stored]


async def test_the_history_is_what_came_before_and_was_answered(store: Store) -> None:
    conversation = uuid4().hex

    def asked(question: str, created: float) -> Turn:
        return a_turn(question, owner=ME, conversation=conversation, created=created)

    await kept(store, asked("second", 2.0), "2")
    await kept(store, asked("first", 1.0), "1")
    await kept(store, asked("cut", 3.0), "half", whole=False)
    await kept(store, asked("silent", 4.0), whole=False)
    now = asked("now", 5.0)
    await store.conversations.add(now)
    assert await store.histories.before(now) == History(
        "", [Exchange("first", "1"), Exchange("second", "2"), Exchange("cut", "half")]
    )
    assert await store.conversations.first_exchange(conversation) == Exchange("first", "1")


async def test_the_latest_conversation_comes_first(store: Store) -> None:
    old = await kept(store, a_turn("old", owner=ME, created=1.0))
    await kept(store, a_turn("new", owner=ME, created=2.0))
    assert [item.title for item in await store.conversations.listed(ME)] == ["new", "old"]
    await kept(store, a_turn("again", owner=ME, conversation=old.conversation, created=3.0))
    assert [item.title for item in await store.conversations.listed(ME)] == ["old", "new"]


async def test_a_removed_conversation_takes_its_turns_with_it(store: Store) -> None:
    turn = await kept(store, a_turn(owner=ME), "Hi")
    assert await store.conversations.remove(ME, turn.conversation)
    assert not await store.conversations.remove(ME, turn.conversation)
    assert await store.conversations.turn(ME, turn.id) is None
    assert await store.conversations.listed(ME) == []
    assert await store.conversations.first_exchange(turn.conversation) is None


async def test_a_turn_that_was_removed_meanwhile_is_saved_nowhere(store: Store) -> None:
    turn = a_turn(owner=ME)
    await store.conversations.add(turn)
    await store.conversations.remove(ME, turn.conversation)
    await store.conversations.save(turn.id, told(turn, "late"))
    assert await store.conversations.turn(ME, turn.id) is None
    assert await store.outbox.waiting() == []


async def test_only_a_turn_that_still_runs_is_buried(store: Store) -> None:
    alive, lost = await kept(store, a_turn(owner=ME), "whole"), a_turn(owner=ME)
    await store.conversations.add(lost)
    for turn in (alive, lost):
        await store.conversations.bury(turn.id, told(turn, "half", whole=False))
    first, second = [await store.conversations.turn(ME, turn.id) for turn in (alive, lost)]
    assert first is not None
    assert second is not None
    assert (first.status, second.status) == ("finished", "failed")
    assert first.events() == told(alive, "whole")


def names(jobs: Sequence[object]) -> list[object]:
    return [getattr(job, "name", None) for job in jobs]


async def test_a_whole_answer_wishes_for_a_title_in_its_own_transaction(store: Store) -> None:
    turn = a_turn(owner=ME)
    await store.conversations.add(turn)
    assert await store.outbox.waiting() == []
    await store.conversations.save(turn.id, told(turn, "Hi"))
    (job,) = await store.outbox.waiting()
    assert (job.name, job.key, job.payload) == (
        TITLE,
        turn.conversation,
        {"conversation": turn.conversation, "turn": turn.id},
    )


async def test_what_fails_leaves_no_half(store: Store) -> None:
    """A transcript that cannot be kept leaves no wish either."""
    turn = a_turn(owner=ME)
    await store.conversations.add(turn)
    unkeepable = [*told(turn)[:-1], Delta("\ud800"), Finished(False, "m", "r")]
    with pytest.raises(UnicodeEncodeError):
        await store.conversations.save(turn.id, unkeepable)
    stored = await store.conversations.turn(ME, turn.id)
    assert stored is not None
    assert stored.status == "running"
    assert await store.outbox.waiting() == []


async def test_a_failed_answer_and_a_settled_title_wish_for_nothing(store: Store) -> None:
    failed = await kept(store, a_turn(owner=ME), "half", whole=False)
    await store.conversations.entitle(failed.conversation, "The wall")
    await kept(store, a_turn(owner=ME, conversation=failed.conversation), "Hi")
    assert await store.outbox.waiting() == []


async def test_a_settled_title_stays(store: Store) -> None:
    turn = await kept(store, a_turn("provisional", owner=ME), "Hi")
    await store.conversations.entitle(turn.conversation, "城墙")
    await store.conversations.entitle(turn.conversation, "later")
    found = await store.conversations.find(ME, turn.conversation)
    assert found is not None
    assert found.title == "城墙"


async def test_the_outbox_gives_the_oldest_first_until_they_are_removed(store: Store) -> None:
    for n in range(3):
        await store.outbox.add(INGEST, f"key{n}", {"n": n, "城": ["墙", None]})
    first, second = await store.outbox.waiting(limit=2)
    assert (first.payload, second.key) == ({"n": 0, "城": ["墙", None]}, "key1")
    await store.outbox.remove(first)
    await store.outbox.remove(first)
    assert [job.key for job in await store.outbox.waiting()] == ["key1", "key2"]


def a_document(uri: str, owner: str = ME, **more: object) -> Document:
    values = {"id": uuid4().hex, "title": "城墙", "hash": "h", "passages": 3, "size": 9, "complete": True}
    return Document(owner=owner, uri=uri, **{**values, **more})  # type: ignore[arg-type]  # built from names


async def test_a_document_is_put_and_put_again(store: Store) -> None:
    first = a_document("file:///城 墙.md")
    await store.documents.put(first)
    assert await store.documents.get(ME, first.uri) == first
    second = a_document(first.uri, title="other", complete=False)
    await store.documents.put(second)
    assert await store.documents.get(ME, first.uri) == second
    assert await store.documents.under(ME, "") == [second]


async def test_documents_are_their_owners(store: Store) -> None:
    mine, theirs = a_document("file:///a"), a_document("file:///a", OTHER, title="theirs")
    await store.documents.put(mine)
    await store.documents.put(theirs)
    assert await store.documents.get(OTHER, mine.uri) == theirs
    assert await store.documents.under(ME, "file:") == [mine]
    await store.documents.remove(OTHER, mine.uri)
    assert await store.documents.get(ME, mine.uri) == mine
    assert await store.documents.get(OTHER, mine.uri) is None


@pytest.mark.parametrize(
    "prefix", ["file:///100%/", "file:///a_b/", "file:///Case/", "file:///城/", "file:///'\"\\/"]
)
async def test_a_prefix_is_compared_as_it_is(store: Store, prefix: str) -> None:
    inside = a_document(prefix + "x.md")
    lookalikes = (
        "file:///100x/y",
        "file:///100%",
        "file:///aXb/y",
        "file:///case/y",
        "file:///Cas/y",
        "file:///墙/y",
    )
    for document in (inside, *map(a_document, lookalikes)):
        await store.documents.put(document)
    assert await store.documents.under(ME, prefix) == [inside]


async def test_what_another_turn_replaces_is_no_history(store: Store) -> None:
    first = await kept(store, a_turn("first?", owner=ME, created=1.0), "one")
    conversation = first.conversation

    def asked(question: str, created: float, replaces: str = "") -> Turn:
        return replace(
            a_turn(question, owner=ME, conversation=conversation, created=created), replaces=replaces
        )

    async def history(turn: Turn) -> list[str]:
        return [exchange.question for exchange in (await store.histories.before(turn)).exchanges]

    second = await kept(store, asked("second?", 2.0), "two")
    edited = asked("edited?", 3.0, second.id)
    assert await store.conversations.add(edited)
    assert await history(edited) == ["first?"], "while it is being asked"
    assert await store.histories.earlier(edited) == "two"
    assert await store.histories.earlier(replace(edited, owner=OTHER)) == ""
    assert await history(asked("next?", 4.0)) == ["first?", "second?"], "it came to nothing so far"
    await store.conversations.save(edited.id, told(edited, "new"))
    assert await history(asked("next?", 4.0)) == ["first?", "edited?"]
    foreign = asked("mine?", 5.0, first.id)
    await kept(store, replace(foreign, owner=OTHER, conversation=uuid4().hex), "not yours")
    assert await history(asked("next?", 6.0)) == ["first?", "edited?"], "nobody else replaces it"


async def test_the_latest_of_several_replacements_counts(store: Store) -> None:
    """Asked again from two tabs: both name the first."""
    first = await kept(store, a_turn("first?", owner=ME, created=1.0), "one")
    for n in (2, 3):
        again = a_turn(f"again {n}?", owner=ME, conversation=first.conversation, created=float(n))
        await kept(store, replace(again, replaces=first.id), str(n))
    now = a_turn("now?", owner=ME, conversation=first.conversation, created=9.0)
    history = await store.histories.before(now)
    assert [exchange.question for exchange in history.exchanges] == ["again 3?"]
