"""What real processes log: one JSON object a line, with the turn's id and without anybody's words."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.jobs import TITLE
from app.store import Store
from e2e.stack import ROOT, Stack, wait_for
from e2e.stack import running as running_stack
from tests.parts import parts_of
from tests.web.sse import ask, asking

SECRETS = ("geheim4711", "机密口令")
QUESTION = " ".join(["{}", *SECRETS, "?"])


@pytest.fixture(scope="module")
def logging_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("logging")) as running:
        yield running


def lines(stack: Stack, part: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in stack.log(part).splitlines()]
    assert all({"event", "level", "logger", "timestamp"} <= line.keys() for line in found)
    return found


def lines_of(stack: Stack, turn: str) -> list[dict[str, Any]]:
    return [line for line in lines(stack, "web") if line.get("turn") == turn]


def turn_line(stack: Stack, turn: str) -> dict[str, Any]:
    def ended() -> list[dict[str, Any]]:
        return [line for line in lines_of(stack, turn) if line["event"] == "turn ended"]

    wait_for(ended, f"the line of {turn}")
    (line,) = ended()
    return line


async def asked(stack: Stack, scenario: str) -> str:
    turn = uuid4().hex
    async with httpx.AsyncClient(base_url=stack.url, timeout=30) as client:
        await ask(client, QUESTION.format(scenario), turn=turn)
    return turn


def says_nothing(stack: Stack) -> None:
    for part in ("web", "worker"):
        if (stack.folder / f"{part}.log").exists():
            assert not [secret for secret in SECRETS if secret in stack.log(part)]


async def test_a_turn_is_one_line_of_figures(logging_stack: Stack) -> None:
    turn = await asked(logging_stack, "sim-n8-ttft20")
    line = await asyncio.to_thread(turn_line, logging_stack, turn)
    assert (line["outcome"], line["cached"], line["model"]) == ("finished", False, "asked")
    assert (line["level"], line["logger"], line["completion_tokens"]) == ("info", "app.telemetry", 8)
    assert 20 <= line["upstream_ttft"] <= line["ttft"] <= line["total"]
    assert line["route"]
    assert line["decode"] >= 0
    says_nothing(logging_stack)


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        ("sim-status400", "upstream_refused"),
        ("sim-n8-cut3", "upstream_cut"),
        ("sim-n8-malformed3", "upstream_failed"),
    ],
)
async def test_a_failure_names_its_kind_and_no_words(logging_stack: Stack, scenario: str, kind: str) -> None:
    line = await asyncio.to_thread(turn_line, logging_stack, await asked(logging_stack, scenario))
    assert line["outcome"] == kind
    says_nothing(logging_stack)


def test_what_a_broken_database_stumbled_over_stays_its_own(tmp_path: Path) -> None:
    """SQLAlchemy would print the parameters, the driver its row: of an error, kind and place are told."""
    with running_stack(tmp_path) as stack:
        turn_line(stack, asyncio.run(asked(stack, "sim-n2")))  # by then it is kept
        with closing(sqlite3.connect(tmp_path / "prelude.db")) as database:
            trap = f"RAISE(ABORT, 'cannot keep {SECRETS[0]}')"
            database.execute("UPDATE conversations SET titled = 0")  # the first title may be there already
            database.execute(f"CREATE TRIGGER t BEFORE UPDATE ON turns BEGIN SELECT {trap}; END")
            database.execute(f"CREATE TRIGGER c BEFORE UPDATE ON conversations BEGIN SELECT {trap}; END")
            database.execute("DELETE FROM outbox")
            row = database.execute("SELECT id FROM conversations").fetchone()
            payload = json.dumps({"conversation": row[0]})
            database.execute(
                "INSERT INTO outbox (job, key, payload, created) VALUES (?, ?, ?, 0)",
                (TITLE, "again", payload),
            )
            database.commit()
        with suppress(httpx.HTTPError):
            asyncio.run(asked(stack, "sim-n2"))
        wait_for(
            lambda: any("error" in line for line in lines(stack, "web")), "an error of the web", stack._logs
        )
        wait_for(lambda: "try 1" in stack.log("worker"), "an error of the worker", stack._logs)
        told = next(line for line in lines(stack, "web") if "error" in line)
        assert "sqlalchemy.exc.IntegrityError" in told["error"]
        assert any("engine" in frame or "store" in frame for frame in told["at"])
        says_nothing(stack)


async def test_an_error_of_the_database_does_not_quote_what_it_was_given(store: Store) -> None:
    """Whoever prints it."""
    with pytest.raises(SQLAlchemyError) as raised:
        async with store.engine.connect() as connection:
            await connection.execute(text("INSERT INTO nowhere VALUES (:question)"), {"question": SECRETS[1]})
    assert SECRETS[1] not in str(raised.value)


def test_a_turn_that_is_cut_off_by_the_end_of_the_process_says_so(
    logging_stack: Stack, tmp_path: Path
) -> None:
    turn = uuid4().hex

    async def begun(stack: Stack) -> None:
        async with (
            httpx.AsyncClient(base_url=stack.url, timeout=30) as client,
            asking(client, QUESTION.format("sim-n9-gate4"), turn=turn) as stream,
        ):
            async for message in stream:
                if message.event == "delta":
                    break
            stack.processes["web"].terminate()
            with suppress(httpx.HTTPError):
                async for _ in stream:
                    pass

    with running_stack(tmp_path, worker=False, **parts_of(logging_stack)) as stack:
        asyncio.run(begun(stack))
        stack.processes["web"].wait(20)
        assert turn_line(stack, turn)["outcome"] == "interrupted"
        says_nothing(stack)


PROGRAM = """
import asyncio, logging, threading, warnings
from app.settings import load_settings
from app.telemetry import set_up_logs
set_up_logs(load_settings())
def fail():
    raise ValueError("geheim4711 机密口令")
async def unheard():
    asyncio.create_task(failing())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
async def failing():
    fail()
asyncio.run(unheard())
warnings.warn("mind this")
try:
    fail()
except ValueError as error:
    logging.getLogger("library").exception("job %s failed: %s", 7, error)
    logging.getLogger("web").warning("two\\nlines", extra={"turn": "t1"})
    logging.getLogger("library").info("a request")
fail()
"""


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_whatever_is_logged_and_by_whom_is_a_json_line() -> None:
    ended = run()
    told = [json.loads(line) for line in ended.stderr.splitlines()]
    assert not [secret for secret in SECRETS if secret in ended.stderr]
    by_logger = {line["logger"]: line for line in told}
    assert by_logger["library"]["event"] == "job 7 failed: …"
    assert by_logger["library"]["error"] == ["ValueError"]
    assert by_logger["library"]["at"][-1].endswith(" fail")
    assert (by_logger["web"]["event"], by_logger["web"]["turn"]) == ("two\nlines", "t1")
    assert by_logger["asyncio"]["error"] == ["ValueError"]
    assert by_logger["py.warnings"]["level"] == "warning"
    assert told[-1]["event"] == "the process ends"
    assert (ended.returncode, ended.stdout) == (1, "")


def test_words_are_there_when_they_are_asked_for() -> None:
    assert all(secret in run(LOG_QUESTIONS="1").stderr for secret in SECRETS)


def test_a_terminal_gets_lines_for_people() -> None:
    said = run(LOG_FORMAT="console").stderr
    assert "WARNING web: two\nlines turn=t1" in said
    assert "ERROR library: job 7 failed: … error=ValueError\n    " in said


def test_a_bad_format_stops_the_start_with_one_line() -> None:
    ended = run(LOG_FORMAT="xml")
    assert ended.stderr == "LOG_FORMAT is 'xml', but it takes 'json' or 'console'.\n"
