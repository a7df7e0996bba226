"""The HTTP half: many questions at once through the JSON door, every other one straight at the model.

The load is open: arrivals are a seeded Poisson process, and a question's clock starts at its scheduled send,
so that waiting for a free slot counts. What arrives is only kept while the clock runs, and read afterwards. A
run whose own sending lagged is refused: it would have measured itself.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from app.events import Ended, TurnEvent, decode
from app.measures import record, stages, values
from e2e.bench.figures import percentile
from e2e.latency.sample import Run, Sample, whole
from e2e.latency.scenario import Scenario
from e2e.questions import QUESTIONS

SEED = 20_261_201
LAG_LIMIT = 2.0  # milliseconds at p99
PATIENCE = 60.0  # seconds for one answer
DOOR, DIRECT = b"event: delta", re.compile(rb'"content": ?"[^"]')  # an empty chunk is no token


@dataclass(slots=True)
class Call:
    """One request; times are perf_counter seconds."""

    url: str
    path: str
    body: bytes
    question: str
    scheduled: float = 0.0
    sent: float = 0.0
    first: float = 0.0
    data: bytearray = field(default_factory=bytearray)
    failed: str = ""

    @property
    def lag(self) -> float:
        return (self.sent - self.scheduled) * 1_000

    @property
    def ttft(self) -> float:
        return round((self.first - self.scheduled) * 1_000, 2)


def measure(name: str, scenario: Scenario, url: str, upstream: str) -> Run:
    """A scenario's turns, and as many requests at the model itself, in one arrival process."""
    sent = calls(scenario, url, upstream)
    asyncio.run(_send_all(sent, scenario.rate * 2))
    kept = sent[2 * scenario.warm_up :]
    refused = refusal([call.lag for call in kept])
    samples = tuple(_sample(ours, direct) for ours, direct in zip(kept[::2], kept[1::2], strict=True))
    return Run(name, scenario.about, "http", scenario.upstream, samples, refused)


def refusal(lags: Sequence[float]) -> str:
    """Why a run that sent so much later than it should says nothing; empty when it was in time."""
    lag = percentile(lags, 99)
    late = f"its own sending lagged by {lag:.1f} ms at p99, {LAG_LIMIT:g} is the most"
    return late if lag > LAG_LIMIT else ""


def calls(scenario: Scenario, url: str, upstream: str) -> list[Call]:
    """Prelude and model by turns, with the same question, which is never the same twice."""
    made = []
    for n in range(scenario.warm_up + scenario.turns):
        question = f"{QUESTIONS[n % len(QUESTIONS)]} ({n}) {scenario.upstream}"
        made.append(Call(url, "/api/turns", json.dumps({"question": question}).encode(), question))
        messages = [{"role": "user", "content": question}]
        body = {"model": scenario.upstream, "stream": True, "messages": messages}
        made.append(Call(upstream, "/v1/chat/completions", json.dumps(body).encode(), question))
    return made


async def _send_all(waiting: Sequence[Call], rate: float) -> None:
    chance = random.Random(SEED)
    at = time.perf_counter() + 0.2
    for call in waiting:
        call.scheduled = at = at + chance.expovariate(rate)
    await asyncio.gather(*map(send, waiting))


async def send(call: Call) -> None:
    """At its time, or at once when that is over."""
    await asyncio.sleep(max(0.0, call.scheduled - time.perf_counter()))
    call.sent = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE):
            await _exchange(call)
    except TimeoutError:
        call.failed = f"it had not ended after {PATIENCE:g} s"
    except OSError as error:
        call.failed = f"{type(error).__name__}: {error}"


async def _exchange(call: Call) -> None:
    where = urlsplit(call.url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    head = (f"POST {call.path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(call.body)}\r\nConnection: close\r\n\r\n")  # fmt: skip
    writer.write(head.encode() + call.body)
    while data := await reader.read(65_536):
        call.data += data
        if not call.first and (DOOR in call.data if call.path == "/api/turns" else DIRECT.search(call.data)):
            call.first = time.perf_counter()
    writer.close()


def _sample(ours: Call, direct: Call) -> Sample:
    """Read off the door's own events."""
    events = read_events(bytes(ours.data))
    at_model = direct.ttft if direct.first else None
    if ours.failed or not events or not isinstance(events[-1], Ended):
        return Sample("", ours.question, {}, left_out=ours.failed or _status(ours))
    known = record(events)
    found = tuple(stages(known))
    more = {"ttft": ours.ttft, "beyond_direct": None if at_model is None else round(ours.ttft - at_model, 2)}
    left_out = "" if known.outcome == "finished" and ours.first else f"it ended as {known.outcome}"
    return Sample("", ours.question, whole(values(known, None), found, more), found, {}, at_model, left_out)


def _status(call: Call) -> str:
    """What there was instead of an answer's end."""
    line = bytes(call.data).partition(b"\r\n")[0].decode("latin-1")
    return f"it ended without an answer ({line[:60] or 'nothing came'})"


def read_events(data: bytes) -> list[TurnEvent]:
    """The events in a response, as far as it is an event stream."""
    found = re.findall(rb"event: (\w+)\r?\ndata: ([^\r\n]*)\r?\n\r?\n", unchunked(data))
    with suppress(ValueError, KeyError):  # no Prelude, and no answer of it
        return [decode(name.decode(), body) for name, body in found]
    return []


def unchunked(data: bytes) -> bytes:
    """The body of a chunked HTTP/1.1 response, up to where it is one."""
    rest, body = data.partition(b"\r\n\r\n")[2], b""
    while found := re.match(rb"([0-9a-fA-F]{1,8})[^\r\n]*\r\n", rest):
        length, start = int(found[1], 16), found.end()
        if not length:
            break
        body, rest = body + rest[start : start + length], rest[start + length + 2 :]
    return body
