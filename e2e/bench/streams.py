"""What a token costs: many streams at once through both doors, the server on one core, the load on another.

CPU is the web process's own, read from the kernel over the time in which every stream is running. What is
added to the first token is the client's time minus the upstream's scripted one and minus retrieval. The
load is open: arrivals are a seeded Poisson process, and a stream's clock starts at its scheduled send.
"""

import asyncio
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from e2e.bench.figures import percentile
from e2e.stack import Stack, running

TTFT, ITL = 200, 20  # milliseconds: 50 tokens a second
SECONDS = 12  # of steady streaming
RAMP = 5.0  # seconds in which the streams arrive
SEED = 20_261_201
LAG_LIMIT = 2.0  # milliseconds at p99: a generator that lags more measures itself
SERVER, LOAD = {0}, {1}


@dataclass(frozen=True, slots=True)
class Door:
    name: str
    streams: int
    cpu_limit: int  # microseconds a token


JSON, HTML = Door("json", 100, 150), Door("html", 60, 250)


@dataclass(slots=True)
class Sample:
    """One stream as its client saw it; times are perf_counter seconds, `search` milliseconds."""

    scheduled: float
    sent: float = 0.0
    first: float = 0.0
    last: float = 0.0
    tokens: int = 0
    search: float = 0.0
    failed: str = ""


@dataclass(slots=True)
class Window:
    """CPU seconds and tokens over the time in which all streams were running."""

    began: float = 0.0
    cpu: float = 0.0
    tokens: int = 0
    figures: dict[str, Any] = field(default_factory=dict)


def main(data: Path | None) -> None:
    os.sched_setaffinity(0, LOAD)
    tokens = int((SECONDS + RAMP) * 1000 / ITL) + 100
    model = f"sim-ttft{TTFT}-itl{ITL}-n{tokens}"
    pinned = {"web": SERVER, "stand-in": LOAD, "valkey": LOAD, "chroma": LOAD}
    result = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), model=model, cores=pinned, worker=False) as stack,
    ):
        stack.ingest(Path(__file__).parents[2] / "dev/handbook/en")
        for door in (JSON, HTML):
            result[door.name] = asyncio.run(_measure(stack, door))
            print(json.dumps({door.name: result[door.name]}), flush=True)
    print(json.dumps(result))


async def _measure(stack: Stack, door: Door) -> dict[str, Any]:
    """One door under load; a few streams go before, so that nothing is measured cold."""
    ask = _ask_json if door is JSON else _ask_html
    await asyncio.gather(*(_run(stack, ask, Sample(time.perf_counter()), lambda: True) for _ in range(3)))
    samples = _schedule(door.streams)
    over = asyncio.Event()
    tasks = [asyncio.create_task(_run(stack, ask, sample, over.is_set)) for sample in samples]
    await asyncio.sleep(samples[-1].scheduled - time.perf_counter() + TTFT / 1000 + 1)
    pid = stack.processes["web"].pid
    cpu, tokens, began = _cpu(pid), sum(s.tokens for s in samples), time.perf_counter()
    await asyncio.sleep(SECONDS - 2)
    spent, made = _cpu(pid) - cpu, sum(s.tokens for s in samples) - tokens
    seconds = time.perf_counter() - began
    over.set()
    await asyncio.gather(*tasks)
    return _figures(door, samples, spent / made * 1e6, made / seconds)


def _schedule(count: int) -> list[Sample]:
    chance = random.Random(SEED)
    start, gaps = time.perf_counter() + 0.2, [chance.expovariate(count / RAMP) for _ in range(count)]
    return [Sample(start + sum(gaps[:n])) for n in range(count)]


def _figures(door: Door, samples: list[Sample], cpu: float, rate: float) -> dict[str, Any]:
    failed = [s.failed for s in samples if s.failed]
    lag = percentile([(s.sent - s.scheduled) * 1000 for s in samples], 99)
    added = [(s.first - s.scheduled) * 1000 - TTFT - s.search for s in samples if s.first]
    return {
        "streams": door.streams,
        "tokens_per_second": round(rate),
        "cpu_us_per_token": round(cpu, 1),
        "cpu_limit_us": door.cpu_limit,
        "added_ttft_ms": {f"p{p}": round(percentile(added, p), 1) for p in (50, 95, 99)},
        "search_ms": {f"p{p}": round(percentile([s.search for s in samples], p), 1) for p in (50, 99)},
        "generator_lag_p99_ms": round(lag, 2),
        "refused": lag > LAG_LIMIT,
        "failed": failed[:3],
    }


_numbers = count()
Ask = Callable[[Stack, Sample, Callable[[], bool]], Any]


async def _run(stack: Stack, ask: Ask, sample: Sample, over: Callable[[], bool]) -> None:
    await asyncio.sleep(max(0.0, sample.scheduled - time.perf_counter()))
    sample.sent = time.perf_counter()
    try:
        await ask(stack, sample, over)
    except (OSError, EOFError, asyncio.IncompleteReadError) as error:
        sample.failed = f"{type(error).__name__}: {error}"


async def _ask_json(stack: Stack, sample: Sample, over: Callable[[], bool]) -> None:
    body = json.dumps({"question": _question()}).encode()
    await _follow(stack, _request("POST", "/api/turns", "application/json", body), sample, over, _read_json)


async def _ask_html(stack: Stack, sample: Sample, over: Callable[[], bool]) -> None:
    """The two legs of the page: the form, then the stream that the article names."""
    body = urlencode({"question": _question()}).encode()
    kind = "application/x-www-form-urlencoded"
    reader, writer = await _open(stack, _request("POST", "/turns", kind, body, "HX-Request: true\r\n"))
    answer = (await reader.read(-1)).decode()
    writer.close()
    cookie = answer.partition("set-cookie: ")[2].partition(";")[0]
    path = answer.partition('hx-sse:connect="')[2].partition('"')[0]
    await _follow(stack, _request("GET", path, "", b"", f"Cookie: {cookie}\r\n"), sample, over, _read_html)


async def _follow(stack: Stack, request: bytes, sample: Sample, over: Callable[[], bool],
                  count: Callable[[bytes, Sample], None]) -> None:
    """Reads a stream as it comes, and leaves it when the measurement is over."""
    reader, writer = await _open(stack, request)
    try:
        while not over():
            data = await reader.read(65_536)
            if not data:
                sample.failed = sample.failed or ("" if sample.first else "ended without a token")
                return
            count(data, sample)
    finally:
        writer.close()


def _read_json(data: bytes, sample: Sample) -> None:
    _note_tokens(data, sample, b"event: delta")
    _note_search(data, sample, b'{"name":"search","state":"done"', b'"ms":', b"}")


def _read_html(data: bytes, sample: Sample) -> None:
    _note_tokens(data, sample, b'-open" hx-swap')
    _note_search(data, sample, b"passages <span class=\"ms\">", b"\">", b" ms")


def _note_tokens(data: bytes, sample: Sample, mark: bytes) -> None:
    """Both doors number their messages by events, and an event is a token once the text has begun."""
    if not sample.first:
        if mark not in data:
            return
        sample.first = time.perf_counter()
    number = re.findall(rb"^id: (\d+)$", data, re.MULTILINE)
    if number:
        sample.tokens = int(number[-1])


def _note_search(data: bytes, sample: Sample, mark: bytes, before: bytes, after: bytes) -> None:
    at = data.find(mark)
    if at >= 0 and not sample.search:
        sample.search = float(data[at:].partition(before)[2].partition(after)[0])


async def _open(stack: Stack, request: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = stack.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    return reader, writer


def _request(method: str, path: str, kind: str, body: bytes, headers: str = "") -> bytes:
    close = "Connection: close\r\n" if method == "POST" and kind != "application/json" else ""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}{close}"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _question() -> str:
    """Never the same twice: a question that was embedded lately is not embedded again."""
    return f"How do I start part {next(_numbers)} of it?"


def _cpu(pid: int) -> float:
    """User and system seconds of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
