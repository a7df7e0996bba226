"""Starts the parts under honcho, says once where the application answers, and stops them together.

Each part runs under dev/lifeline.py, which restarts it; a part whose lifeline gives up ends the stack with
a status that is not zero. Knows nothing of what the parts do.
"""

import errno
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from honcho.manager import SYSTEM_PRINTER_NAME, Manager
from honcho.printer import Message, Printer

from app.settings import MEASURING, Settings
from dev.lock import hold, write_stack
from dev.parts import Part, Plan, plan, reachable

ROOT = Path(__file__).resolve().parent.parent
LIFELINE = Path(__file__).with_name("lifeline.py")
HANDBOOK = Path(__file__).with_name("handbook")
ASKED_TO_STOP = (128 + signal.SIGINT, 128 + signal.SIGTERM)  # as honcho puts it


def run(settings: Settings, local: bool = False) -> int:
    """Runs the stack until it is told to stop (0) or a part cannot be kept alive (not 0)."""
    with hold(settings.data_dir) as lock:
        refuse_taken_port(settings.host, settings.port)
        stack = plan(settings, os.environ, local=local)
        is_first = not (settings.data_dir / "prelude.db").exists()
        write_stack(settings.data_dir, stack.environment)
        print(f"Starting {', '.join(part.name for part in stack.parts)} …", flush=True)
        return supervise(stack, lock, address(settings), is_first)


def supervise(stack: Plan, lock: Path, url: str, is_first: bool = False) -> int:
    environment = {**os.environ, **stack.environment}
    printer = PartsPrinter(lambda: announce(stack, lock, url, environment, printer, is_first))
    manager = Manager(printer)
    for part in stack.parts:
        command = shlex.join(lifeline(part, lock))
        manager.add_process(part.name, f"exec {command}", env=environment, cwd=str(ROOT))
    manager.loop()
    return 0 if manager.returncode in ASKED_TO_STOP else manager.returncode or 1


def lifeline(part: Part, lock: Path, restarts: int = 3) -> list[str]:
    """The command that runs a part for no longer than `lock` is held."""
    after = [word for place in part.after for word in ("--after", place)]
    quiet = ["--quiet"] if part.quiet else []
    order = ["--hold" if part.door else "--outlive", str(lock.with_name("doors"))]
    return [sys.executable, "-S", "-I", str(LIFELINE), "--name", part.name, "--lock", str(lock),
            "--restarts", str(restarts), *quiet, *order, *after, "--", *part.command]


class PartsPrinter(Printer):  # type: ignore[misc]  # honcho ships no types
    """Shows what the parts say and not what honcho says; calls `started` once all of them are started."""

    def __init__(self, started: Callable[[], None]) -> None:
        super().__init__(sys.stdout)
        self._started: Callable[[], None] | None = started

    def write(self, message: Any) -> None:
        if self._started is not None:  # the first message: nothing is forked from here on
            threading.Thread(target=self._started, daemon=True).start()
            self._started = None
        if message.name != SYSTEM_PRINTER_NAME:
            super().write(message)
        elif "received" in message.data:
            print("\nStopping …", flush=True)

    def say(self, name: str, text: str) -> None:
        super().write(Message("line", text, datetime.now(), name, None))


def announce(stack: Plan, lock: Path, url: str, environment: Mapping[str, str],
             printer: PartsPrinter, is_first: bool) -> None:
    wait_until_ready(f"{url}/healthz")
    lines = [f"Prelude answers at {url}", f"data in {stack.environment['DATA_DIR']} · Ctrl-C stops it"]
    if stack.environment.get("CHAT_MODEL") == MEASURING:
        lines.insert(1, f"{MEASURING} answers, a model for measuring waits: do not trust its answers")
    elif "OPENAI_BASE_URL" in stack.environment:
        lines.insert(1, "no language model is connected: OPENAI_BASE_URL and CHAT_MODEL do that")
    if is_first:
        lines.append("its handbook is being read: it can be asked about in half a minute")
    width = max(map(len, lines)) + 4
    print("\n".join(["", "─" * width, *(f"  {line}" for line in lines), "─" * width, ""]), flush=True)
    if HANDBOOK.is_dir():
        read_handbook(lock, environment, printer)


def read_handbook(lock: Path, environment: Mapping[str, str], printer: PartsPrinter) -> None:
    """Has the worker read this application's own handbook, which costs little once it is there."""
    part = Part("handbook", (sys.executable, "-m", "worker.ingest", "--later", str(HANDBOOK)), quiet=True)
    ended = subprocess.run(lifeline(part, lock, restarts=0), env=dict(environment), cwd=ROOT,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ended.stdout:  # a lifeline that is quiet speaks only of a failure
        printer.say("handbook", ended.stdout)


def wait_until_ready(url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy to our own machine
    ready = False
    pause = threading.Event()
    while not ready:
        try:
            with opener.open(url, timeout=2) as answer:
                ready = answer.status == 200
        except OSError:
            pause.wait(0.05)


def refuse_taken_port(host: str, port: int) -> None:
    """SystemExit with one line when the only public port cannot be had."""
    try:
        family, kind, proto, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except socket.gaierror:
        raise SystemExit(f"HOST is {host!r}, but no address of this machine has that name.") from None
    except OSError as error:
        raise SystemExit(_explain(error, host, port)) from None


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"PORT {port} on {host} is taken by another program: stop it, or set PORT to a free one."
    if error.errno == errno.EACCES:
        return f"PORT {port} is reserved for root: set PORT to one from 1024 on."
    return f"HOST is {host!r}, but this machine cannot listen there ({error.strerror})."


def address(settings: Settings) -> str:
    host, _, port = reachable(settings).rpartition(":")
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
