"""What measuring itself costs: CPU of the web process and of the page, as a share of a whole turn's.

The server's part is what beacons cost it, sent on one connection, what a record adds to the keeping of a
transcript, and what a log line and the metrics cost; the page's is the profiler's samples that lie in
`measure.js`. Both are set against whole turns asked in Chromium. It reads CPU, never the clock on the wall.
"""

import asyncio
import http.client
import json
import os
import re
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from playwright.sync_api import BrowserContext, CDPSession, sync_playwright

from app.events import Delta, Finished, Prompted, Routed, Span, Started, TurnEvent, Usage
from app.settings import Settings
from app.store import Store, conversations, open_store
from app.telemetry import Telemetry, set_up_logs
from app.turn import Turn
from dev import browser
from e2e.bench.figures import percentile
from e2e.pages import Chat
from e2e.questions import QUESTIONS
from e2e.stack import ROOT, Stack, running

SCENARIO = "sim-ttft200-itl20-n80"
TURNS, WARM_UP = 16, 3
BEACONS, RECORDS = 300, 300
SAMPLE_US = 200  # the profiler's interval
LIMIT = 1.0  # per cent of a turn's CPU
STAGES = ("queue", "route", "history", "embed", "dense", "search", "prompt", "connect", "prefill", "decode")


def main(data: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with (
            running(Path(folder) / "stack", worker=False) as stack,
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=browser.executable()) as chromium,
        ):
            stack.ingest(ROOT / "dev" / "handbook" / "en")
            turns = ask(chromium.new_context(), stack)
            beacon = beacon_cost(stack)
        record = asyncio.run(record_cost(Path(folder) / "store"))
        report = report_cost(Path(folder) / "report")
    print(json.dumps(figures(turns, beacon, record, report)))


def ask(context: BrowserContext, stack: Stack) -> list[dict[str, float]]:
    """CPU of whole turns in milliseconds: the web process's, the page's, and of that measure.js's."""
    chat = Chat(context, stack.url).open()
    devtools = context.new_cdp_session(chat.page)
    devtools.send("Profiler.enable")
    devtools.send("Profiler.setSamplingInterval", {"interval": SAMPLE_US})
    return [_ask(chat, devtools, stack, question) for question in QUESTIONS[: TURNS + WARM_UP]][WARM_UP:]


def _ask(chat: Chat, devtools: CDPSession, stack: Stack, question: str) -> dict[str, float]:
    pid = stack.processes["web"].pid
    devtools.send("Profiler.start")
    before = cpu(pid)
    with chat.page.expect_response(lambda answer: answer.url.endswith("/paint")):
        chat.ask(f"{question} {SCENARIO}")
    spent = cpu(pid) - before
    page, ours = profiled(devtools.send("Profiler.stop")["profile"])
    return {"web": spent, "page": page, "measure.js": ours}


def profiled(profile: dict[str, Any]) -> tuple[float, float]:
    """Milliseconds that the page's thread was busy, and those of them below a function of measure.js."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    ours: set[int] = set()
    for node in profile["nodes"]:  # parents come before their children
        if node["id"] in ours or "/measure.js" in node["callFrame"]["url"]:
            ours |= {node["id"], *node.get("children", ())}
    busy = mine = 0.0
    for sample, delta in zip(profile["samples"], profile["timeDeltas"], strict=True):
        if nodes[sample]["callFrame"]["functionName"] != "(idle)":
            busy += delta / 1_000
            mine += delta / 1_000 if sample in ours else 0.0
    return busy, mine


def beacon_cost(stack: Stack) -> float:
    """Milliseconds of the web process's CPU that one paint costs, HTTP included."""
    cookie = _cookie(stack)
    with ThreadPoolExecutor(8) as pool:
        turns = list(pool.map(lambda n: _short_turn(stack, cookie, n), range(BEACONS)))
    connection, pid = _connect(stack), stack.processes["web"].pid
    before = cpu(pid)
    for turn, asked in turns:
        status, _ = _send(connection, f"/turns/{turn}/paint", _paint(asked), cookie)
        if status != 204:
            raise SystemExit(f"A paint was answered with {status}.")
    return (cpu(pid) - before) / len(turns)


def _paint(asked: float) -> str:
    """Of a turn whose end has only just been seen."""
    end = round((time.perf_counter() - asked) * 1_000, 2)
    seen = {"sent": 1.1, "got": 2.2, "ttfp": 3.3, "ttfs": 4.4, "ttft": end, "last": end, "end": end}
    return json.dumps(seen | {"stall_max": 0.0, "hidden": False, "resumed": False})


def _short_turn(stack: Stack, cookie: str, n: int) -> tuple[str, float]:
    """Its id, and when it was asked."""
    connection, turn, asked = _connect(stack), uuid4().hex, time.perf_counter()
    question = json.dumps({"question": f"{n % 7} sim-n2", "turn": turn})
    status, _ = _send(connection, "/api/turns", question, cookie)
    if status != 200:
        raise SystemExit(f"A question was answered with {status}.")
    return turn, asked


def _cookie(stack: Stack) -> str:
    connection = _connect(stack)
    connection.request("GET", "/")
    return (connection.getresponse().getheader("set-cookie") or "").partition(";")[0]


def _connect(stack: Stack) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(stack.url).netloc, timeout=30)


def _send(connection: http.client.HTTPConnection, path: str, body: str, cookie: str) -> tuple[int, bytes]:
    connection.request("POST", path, body, {"content-type": "application/json", "cookie": cookie})
    answer = connection.getresponse()
    return answer.status, answer.read()


async def record_cost(folder: Path) -> float:
    """Milliseconds of CPU that a record adds to keeping a transcript: every other turn goes without."""
    with_it: list[float] = []
    without: list[float] = []
    kept = vars(conversations)["add_record"]

    async def nothing(*_: object) -> None:
        """Keeps no record."""

    async with open_store(Settings(data_dir=folder)) as store:
        for n in range(2 * RECORDS):
            vars(conversations)["add_record"] = nothing if n % 2 else kept
            (without if n % 2 else with_it).append(await _keep(store))
    vars(conversations)["add_record"] = kept
    return percentile(with_it, 50) - percentile(without, 50)


def report_cost(folder: Path) -> float:
    """Milliseconds of CPU that telling operators of a turn costs: its log line and its metrics."""
    folder.mkdir()
    settings = Settings(data_dir=folder)
    telemetry, turn = Telemetry(settings, "bench"), _a_turn()
    events = _told(turn)
    with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):
        set_up_logs(settings)
        before = time.process_time()
        for _ in range(RECORDS):
            telemetry.ended(turn, events)
        return (time.process_time() - before) * 1_000 / RECORDS


def _a_turn() -> Turn:
    return Turn(uuid4().hex, uuid4().hex, uuid4().hex, "How do I start it?", time.time())


async def _keep(store: Store) -> float:
    turn = _a_turn()
    await store.conversations.add(turn)
    events = _told(turn)
    before = time.process_time()
    await store.conversations.save(turn.id, events)
    return (time.process_time() - before) * 1_000


def _told(turn: Turn) -> list[TurnEvent]:
    spans = tuple(Span(name, 1.25, 12.5) for name in STAGES)
    timings = {span.name: span.ms for span in spans} | {"ttft": 250.0, "total": 1_900.0}
    prompt = Prompted({"instructions": 120, "history": 900, "passages": 800, "question": 20}, "0123456789ab")
    deltas = [Delta("word ") for _ in range(80)]
    end = Finished(False, "model", "standard", Usage(1_840, 80, 0), timings, "stop", spans)
    started = Started(turn.id, turn.conversation, turn.question)
    return [started, Routed("standard", "model", ""), *deltas, prompt, end]


def cpu(pid: int) -> float:
    """Milliseconds that all threads of a process have run, to the nanosecond."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(re.split(r"\s", task.read_text())[0]) for task in tasks) / 1e6


def figures(
    turns: Sequence[dict[str, float]], beacon: float, record: float, report: float
) -> dict[str, Any]:
    parts = ("web", "page", "measure.js")
    web, page, script = (percentile([turn[name] for turn in turns], 50) for name in parts)
    server = beacon + record + report
    share = 100 * (server + script) / (web + page)
    return {
        "n": len(turns),
        "turn_cpu_ms_p50": {"web": round(web, 2), "page": round(page, 2)},
        "measuring_cpu_ms": {
            "paint": round(beacon, 3),
            "record": round(record, 3),
            "report": round(report, 3),
            "measure.js": round(script, 3),
        },
        "share_percent": {
            "web": round(100 * server / web, 2),
            "page": round(100 * script / page, 2),
            "turn": round(share, 2),
        },
        "limit_percent": LIMIT,
        "met": share <= LIMIT,
    }
