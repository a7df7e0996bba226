"""Running turns: started once, stopped at any time, kept whatever the store does, read by anyone entitled."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from sqlalchemy.exc import OperationalError

from app import runner as runner_module
from app.events import Delta, Failed, Finished, Started, TurnEvent
from app.jobs import TITLE
from app.mirror import Mirror
from app.runner import Runner
from app.store import Conversations, Store
from app.turn import Turn
from app.turnlog import TurnLog
from tests.fakes import FakeQueue, FakeStages, Point, a_turn, end_of

NO_REDIS = "unix:///nowhere/redis.sock"


@dataclass
class House:
    """A runner with everything it needs; nothing here has a Redis unless a test brings one."""

    store: Store
    conversations: Conversations
    fakes: FakeStages = field(default_factory=FakeStages)
    queue: FakeQueue = field(default_factory=FakeQueue)
    redis: Redis = field(default_factory=lambda: Redis.from_url(NO_REDIS))

    def __post_init__(self) -> None:
        self.mirror = Mirror(self.redis)
        self.runner = Runner(self.fakes.stages(), self.conversations, self.mirror, self.queue)

    async def started(self, turn: Turn) -> TurnLog:
        assert await self.store.conversations.add(turn)
        return self.runner.start(turn)

    async def kept(self, turn: Turn) -> list[TurnEvent]:
        """What the store has once the turn is kept."""
        await self.runner.drain(60)
        stored = await self.store.conversations.turn(turn.owner, turn.id)
        assert stored is not None
        return stored.events()


@pytest_asyncio.fixture
async def house(sqlite: Store) -> AsyncIterator[House]:
    opened = House(sqlite, sqlite.conversations)
    yield opened
    await opened.runner.drain(0)


async def everything(log: TurnLog) -> list[TurnEvent]:
    return [event async for _, batch in log.read(0) for event in batch]


async def test_a_turn_runs_is_kept_and_rings_the_bell(house: House) -> None:
    turn = a_turn()
    log = await house.started(turn)
    events = await everything(log)
    assert isinstance(end_of(events), Finished)
    assert await house.kept(turn) == events
    assert [job.name for job in await house.store.outbox.waiting()] == [TITLE]
    assert house.queue.rung == 1


async def test_a_turn_needs_nobody_to_listen_and_no_redis(house: House) -> None:
    turn = a_turn()
    await house.started(turn)
    assert isinstance(end_of(await house.kept(turn)), Finished)


@pytest.mark.parametrize("where", ["before the first token", "after the first token"])
async def test_stop_ends_a_turn_with_what_it_has(house: House, where: str) -> None:
    point = Point()
    house.fakes.model.before[0 if where.startswith("before") else 1] = point
    turn = a_turn()
    log = await house.started(turn)
    await point.reached.wait()
    await house.runner.stop(turn.id)
    events = await everything(log)
    end = end_of(events)
    assert isinstance(end, Failed)
    assert end.kind == "stopped"
    assert house.fakes.model.closed
    assert [event.text for event in events if isinstance(event, Delta)] == (
        [] if where.startswith("before") else ["Hello"]
    )
    assert await house.kept(turn) == events
    assert await house.store.outbox.waiting() == []


async def test_stop_before_the_first_step_is_an_end_too(house: House) -> None:
    turn = a_turn()
    log = await house.started(turn)
    assert house.runner.stop_here(turn.id)  # its task has not run yet
    end = end_of(await everything(log))
    assert isinstance(end, Failed)
    assert end.kind == "stopped"
    assert await house.kept(turn) == log.events
    assert house.fakes.model.asked == []


async def test_stopping_what_ended_here_is_no_mistake(house: House) -> None:
    """Not even while Redis is away: there is nobody to tell."""
    turn = a_turn()
    await house.started(turn)
    await house.kept(turn)
    assert not house.runner.stop_here(turn.id)
    await house.runner.stop(turn.id)


async def test_readers_leave_and_come_without_the_turn_noticing(house: House) -> None:
    point = Point()
    house.fakes.model.before[1] = point
    turn = a_turn()
    log = await house.started(turn)
    stored = await house.store.conversations.turn(turn.owner, turn.id)
    assert stored is not None
    early = house.runner.read(turn.owner, stored, 0)
    assert (await anext(early))[0] >= 1
    await early.aclose()
    await point.reached.wait()
    late = asyncio.create_task(_numbers(house, turn, after=3))
    await asyncio.sleep(0)
    point.open.set()
    assert await late == list(range(4, len(log.events) + 1))


async def _numbers(house: House, turn: Turn, after: int) -> list[int]:
    stored = await house.store.conversations.turn(turn.owner, turn.id)
    assert stored is not None
    numbers: list[int] = []
    async for last, batch in house.runner.read(turn.owner, stored, after):
        numbers += range(last - len(batch) + 1, last + 1)
    return numbers


@pytest.mark.parametrize("after", [0, 1, 7, 11, 12, 500])
async def test_a_stored_turn_is_read_from_any_number(house: House, after: int, sqlite: Store) -> None:
    turn = a_turn()
    await house.started(turn)
    count = len(await house.kept(turn))
    elsewhere = House(sqlite, sqlite.conversations)
    assert await _numbers(elsewhere, turn, after) == list(range(after + 1, count + 1))


async def test_a_log_is_its_owners(house: House) -> None:
    turn = a_turn()
    log = await house.started(turn)
    assert house.runner.find(turn.owner, turn.id) is log
    assert house.runner.find("somebody", turn.id) is None
    assert house.runner.find(turn.owner, "another") is None
    assert house.runner.find("", "another") is None


async def test_an_ended_log_is_forgotten_after_a_while(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "REMEMBERED_SECONDS", 0)
    turn = a_turn()
    await house.started(turn)
    await house.kept(turn)
    await asyncio.sleep(0.01)  # the timer is due: this only lets it run
    assert house.runner.find(turn.owner, turn.id) is None


async def test_a_drain_lets_turns_end(house: House) -> None:
    point = Point()
    house.fakes.model.before[1] = point
    turn = a_turn()
    log = await house.started(turn)
    await point.reached.wait()
    draining = asyncio.create_task(house.runner.drain(60))
    await asyncio.sleep(0)
    point.open.set()
    await draining
    assert isinstance(end_of(log.events), Finished)


async def test_a_drain_interrupts_what_takes_too_long_and_keeps_it(house: House) -> None:
    point = Point()
    house.fakes.model.before[1] = point
    turns = [a_turn() for _ in range(3)]
    logs = [await house.started(turn) for turn in turns]
    await point.reached.wait()
    await house.runner.drain(0)
    for turn, log in zip(turns, logs, strict=True):
        end = end_of(log.events)
        assert isinstance(end, Failed)
        assert end.kind == "interrupted"
        assert await house.kept(turn) == log.events


class Stubborn(Conversations):
    """A store that fails so many times before it keeps anything."""

    failures = 2

    async def save(self, turn: str, events: Sequence[TurnEvent]) -> None:
        if self.failures:
            self.failures -= 1
            raise OperationalError("UPDATE", {}, OSError("away"))
        await super().save(turn, events)


async def test_a_store_that_comes_back_gets_the_turn(sqlite: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "SAVE_DELAYS", (0, 0, 0))
    house = House(sqlite, Stubborn(sqlite.engine))
    turn = a_turn()
    log = await house.started(turn)
    assert await house.kept(turn) == log.events
    assert house.queue.rung == 1


async def test_a_store_that_stays_away_ends_no_reader(sqlite: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "SAVE_DELAYS", (0,))
    broken = Stubborn(sqlite.engine)
    broken.failures = 10
    house = House(sqlite, broken)
    log = await house.started(a_turn())
    assert isinstance(end_of(await everything(log)), Finished)
    await house.runner.drain(60)


async def test_a_question_of_many_languages_is_told_as_it_was(house: House) -> None:
    turn = a_turn("城墙 🀄 \u202e\"'<b>")
    await house.started(turn)
    assert Started(turn.id, turn.conversation, turn.question) in await house.kept(turn)


class Slow(Conversations):
    """Keeps a turn only once it is let go."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.engine)
        self.go = asyncio.Event()

    async def save(self, turn: str, events: Sequence[TurnEvent]) -> None:
        await self.go.wait()
        await super().save(turn, events)


async def test_the_next_question_waits_until_the_last_answer_is_kept(sqlite: Store) -> None:
    slow = Slow(sqlite)
    house = House(sqlite, slow)
    turn = a_turn()
    await everything(await house.started(turn))
    settling = asyncio.create_task(house.runner.settle(turn.conversation))
    await house.runner.settle("another conversation")
    await asyncio.sleep(0)
    assert not settling.done()
    slow.go.set()
    await settling
    stored = await sqlite.conversations.turn(turn.owner, turn.id)
    assert stored is not None
    assert stored.status == "finished"
    await house.runner.drain(0)


async def test_the_next_question_does_not_wait_for_one_that_still_runs(house: House) -> None:
    point = Point()
    house.fakes.on_search = point
    turn = a_turn()
    await house.started(turn)
    await house.runner.settle(turn.conversation)
    point.open.set()
    assert isinstance(end_of(await house.kept(turn)), Finished)
