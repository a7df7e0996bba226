"""A turn seen from another process, over a real Valkey that may die: nothing twice, nothing missing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from redis.exceptions import RedisError

from app import mirror as mirror_module
from app.events import Delta, Ended, Failed, Finished, Started, TurnEvent
from app.mirror import Lost, Mirror
from app.runner import Runner
from app.store import Store
from app.turnlog import TurnLog
from tests.fakes import FakeQueue, FakeStages, Point, a_turn, end_of
from tests.parts import Valkey

END = Finished(False, "m", "r")
EVENTS: list[TurnEvent] = [Started("t", "c", "?"), *(Delta(f"第{n} ") for n in range(40)), END]
NUMBERED = list(enumerate(EVENTS, 1))
Numbered = list[tuple[int, TurnEvent]]
Connect = Callable[[], Redis]


@pytest.fixture(autouse=True)
def _short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror_module, "FLUSH_SECONDS", 0.001)
    monkeypatch.setattr(mirror_module, "RETRY_SECONDS", 0.02)
    monkeypatch.setattr(mirror_module, "ABSENCES", 1)


@pytest_asyncio.fixture
async def connect(valkey: Valkey, redis: Redis) -> AsyncIterator[Connect]:
    """Connections as different processes have them."""
    opened: list[Redis] = []

    def one() -> Redis:
        opened.append(Redis.from_url(valkey.url))
        return opened[-1]

    yield one
    for client in opened:
        await client.aclose()


@asynccontextmanager
async def at_work(
    mirror: Mirror, on_stop: Callable[[str], object] = lambda turn: None
) -> AsyncIterator[Mirror]:
    task = asyncio.create_task(mirror.run(on_stop))
    try:
        yield mirror
    finally:
        task.cancel()
        await asyncio.wait([task])


async def collect(mirror: Mirror, turn: str, after: int = 0, got: Numbered | None = None) -> Numbered:
    """What a reader in another process sees until the turn's end, also when that never comes."""
    got = [] if got is None else got
    async for last, batch in mirror.read(turn, after):
        got.extend(enumerate(batch, last - len(batch) + 1))
    return got


async def test_another_process_reads_a_turn_live(connect: Connect) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    log = TurnLog("t", here.touch)
    async with at_work(here):
        reading = asyncio.create_task(collect(there, "t"))
        for event in EVENTS:
            log.append(event)
            await asyncio.sleep(0.001)  # spreads the events over several batches
        assert await reading == NUMBERED


async def test_text_arrives_while_the_turn_runs(connect: Connect) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    log = TurnLog("t", here.touch)
    async with at_work(here):
        batches = there.read("t", 0)
        for n, event in enumerate(EVENTS[:5], 1):
            log.append(event)
            assert await anext(batches) == (n, [event])  # each is there before the next exists
        await batches.aclose()


@pytest.mark.parametrize("after", [0, 1, 17, 41, 42])
async def test_it_is_read_from_any_number(connect: Connect, after: int) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    log = TurnLog("t", here.touch)
    for n, event in enumerate(EVENTS):
        log.append(event)
        if n % 10 == 0:
            await here.flush()
    await here.flush()
    assert await collect(there, "t", after) == NUMBERED[after:]
    assert await there.left_of("t") == EVENTS


async def test_a_batch_that_is_sent_twice_is_read_once(connect: Connect) -> None:
    """As after a failure whose command had arrived: the log stays dirty and goes out again, longer."""
    here, there = Mirror(connect()), Mirror(connect())
    log = TurnLog("t", here.touch)
    for n, event in enumerate(EVENTS):
        log.append(event)
        if n % 7 == 0:
            await here.flush()
            log.mirrored = max(0, log.mirrored - 5)
    await here.flush()
    assert await collect(there, "t", 0) == NUMBERED
    assert await collect(there, "t", 20) == NUMBERED[20:]
    assert await there.left_of("t") == EVENTS


@pytest.mark.parametrize("had", [0, 15])
async def test_a_redis_that_lost_everything_gets_the_whole_again(connect: Connect, had: int) -> None:
    """As one without persistence does when it restarts."""
    here, there, redis = Mirror(connect()), Mirror(connect()), connect()
    log = TurnLog("t", here.touch)
    async with at_work(here):
        for event in EVENTS[:15]:
            log.append(event)
        await until(lambda: _is_copied(log))
        await redis.flushall()
        for event in EVENTS[15:]:
            log.append(event)
        assert await collect(there, "t", had) == NUMBERED[had:]


async def _is_copied(log: TurnLog) -> bool:
    return log.mirrored == len(log.events)


async def test_many_turns_are_copied_by_one_trip(connect: Connect) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    logs = [TurnLog(f"t{n}", here.touch) for n in range(30)]
    for log in logs:
        for event in EVENTS:
            log.append(event)
    await here.flush()
    for log in logs:
        assert await there.left_of(log.turn) == EVENTS
        assert log.mirrored == len(EVENTS)


async def test_what_is_copied_does_not_stay_for_ever(connect: Connect) -> None:
    here, redis = Mirror(connect()), connect()
    log = TurnLog("t", here.touch)
    log.append(EVENTS[0])
    await here.flush()
    assert 600 < await redis.ttl("turn:t") <= 3_600
    log.append(END)
    await here.flush()
    assert 0 < await redis.ttl("turn:t") <= 600


async def test_a_producer_that_is_gone_is_lost(connect: Connect) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    log = TurnLog("t", here.touch)
    log.append(EVENTS[0])
    log.append(EVENTS[1])
    await here.flush()  # and never beats
    got: Numbered = []
    with pytest.raises(Lost):
        await collect(there, "t", 0, got)
    assert got == NUMBERED[:2]


async def test_a_producer_that_is_only_slow_is_waited_for(connect: Connect) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    log = TurnLog("t", here.touch)
    async with at_work(here):
        log.append(EVENTS[0])
        reading = asyncio.create_task(collect(there, "t"))
        done, _ = await asyncio.wait([reading], timeout=1.5)  # longer than one absence takes
        assert not done
        for event in EVENTS[1:]:
            log.append(event)
        assert await reading == NUMBERED


async def until(condition: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110 - a poll of another process, which sets no event of ours
            await asyncio.sleep(0.01)


async def test_an_order_to_stop_reaches_the_other_processes(connect: Connect) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    redis = connect()
    here, there = Mirror(connect()), Mirror(connect())
    await there.order_stop("before anybody listened")
    async with at_work(here, heard.put_nowait):
        await until(lambda: _somebody_listens(redis))
        await there.order_stop("t1")
        await there.order_stop("t2")
        async with asyncio.timeout(20):
            assert [await heard.get(), await heard.get()] == ["t1", "t2"]
    assert heard.empty()


async def _somebody_listens(redis: Redis) -> bool:
    clients = await redis.client_list()
    return any(client["cmd"].startswith("xread") for client in clients)


def a_runner(sqlite: Store, mirror: Mirror, fakes: FakeStages) -> Runner:
    return Runner(fakes.stages(), sqlite.conversations, mirror, FakeQueue())


async def test_a_turn_is_followed_and_stopped_through_another_process(
    connect: Connect, sqlite: Store
) -> None:
    point, fakes, redis = Point(), FakeStages(), connect()
    fakes.model.before[1] = point
    here, there = Mirror(connect()), Mirror(connect())
    producer, other = a_runner(sqlite, here, fakes), a_runner(sqlite, there, FakeStages())
    turn = a_turn()
    await sqlite.conversations.add(turn)
    async with at_work(here, producer.stop_here):
        await until(lambda: _somebody_listens(redis))
        log = producer.start(turn)
        await point.reached.wait()
        stored = await sqlite.conversations.turn(turn.owner, turn.id)
        assert stored is not None
        reading = asyncio.create_task(_read(other.read(turn.owner, stored, 2)))
        await other.stop(turn.id)
        events = await reading
        end = end_of(events)
        assert isinstance(end, Failed)
        assert end.kind == "stopped"
        assert events == log.events[2:]
        await producer.drain(60)


async def _read(batches: AsyncIterator[tuple[int, object]]) -> list[TurnEvent]:
    return [event async for _, batch in batches for event in batch]  # type: ignore[attr-defined]  # a sequence


@pytest.mark.parametrize("after", [0, 5])
async def test_what_a_dead_process_left_becomes_the_turns_end(
    connect: Connect, sqlite: Store, after: int
) -> None:
    here, there = Mirror(connect()), Mirror(connect())
    turn = a_turn()
    await sqlite.conversations.add(turn)
    log = TurnLog(turn.id, here.touch)
    for event in EVENTS[:12]:
        log.append(event)
    await here.flush()  # the last that it did
    other = a_runner(sqlite, there, FakeStages())
    stored = await sqlite.conversations.turn(turn.owner, turn.id)
    assert stored is not None
    events = await _read(other.read(turn.owner, stored, after))
    assert events[:-1] == EVENTS[after:12]
    end = end_of(events)
    assert isinstance(end, Failed)
    assert (end.kind, end.retryable) == ("interrupted", True)
    kept = await sqlite.conversations.turn(turn.owner, turn.id)
    assert kept is not None
    assert (kept.status, kept.events()) == ("failed", [*EVENTS[:12], end])


async def test_a_reader_in_the_same_process_needs_no_redis(sqlite: Store) -> None:
    async with Redis.from_url("unix:///nowhere/redis.sock") as nowhere:
        mirror = Mirror(nowhere)
        async with at_work(mirror):
            runner = a_runner(sqlite, mirror, FakeStages())
            turn = a_turn()
            await sqlite.conversations.add(turn)
            runner.start(turn)
            stored = await sqlite.conversations.turn(turn.owner, turn.id)
            assert stored is not None
            assert isinstance(end_of(await _read(runner.read(turn.owner, stored, 0))), Finished)
            await runner.drain(60)


async def test_valkey_dies_and_returns_while_a_turn_runs(own_valkey: Valkey) -> None:
    """The turn goes on; a reader elsewhere comes back with the last number it has and gets the rest."""
    async with Redis.from_url(own_valkey.url) as near, Redis.from_url(own_valkey.url) as far:
        here, there = Mirror(near), Mirror(far)
        log = TurnLog("t", here.touch)
        got: Numbered = []

        async def follow() -> None:
            while not (got and isinstance(got[-1][1], Ended)):
                try:
                    async for last, batch in there.read("t", got[-1][0] if got else 0):
                        got.extend(enumerate(batch, last - len(batch) + 1))
                except (RedisError, OSError):
                    await asyncio.sleep(0.02)  # as a browser waits before it connects again

        async with at_work(here):
            following = asyncio.create_task(follow())
            for event in EVENTS[:10]:
                log.append(event)
            await until(lambda: _has(got, 10))
            own_valkey.kill()
            for event in EVENTS[10:20]:
                log.append(event)
                await asyncio.sleep(0.01)  # the mirror fails meanwhile, more than once
            await asyncio.to_thread(own_valkey.start)
            for event in EVENTS[20:]:
                log.append(event)
            async with asyncio.timeout(30):
                await following
        assert got == NUMBERED


async def _has(got: Numbered, count: int) -> bool:
    return len(got) >= count


async def test_beats_and_orders_go_on_after_valkey_was_away(own_valkey: Valkey) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    async with (
        Redis.from_url(own_valkey.url) as near,
        Redis.from_url(own_valkey.url) as far,
        at_work(Mirror(near), heard.put_nowait),
    ):
        await until(lambda: _somebody_listens(far))
        own_valkey.kill()
        await asyncio.to_thread(own_valkey.start)
        await until(lambda: _somebody_listens(far))
        await Mirror(far).order_stop("t")
        async with asyncio.timeout(20):
            assert await heard.get() == "t"
        await until(lambda: far.keys("process:*"))
