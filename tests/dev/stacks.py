"""A checkout whose doors are stubs, and the real `python -m dev` on it in a process of its own."""

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psutil

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
CONFIGURED = ("REDIS_URL", "CHROMA_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL",
              "HOST", "PORT", "DATA_DIR")

WEB = """
import http.server, json, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/die":
            print("the web's last words", flush=True)
            os._exit(7)
        body = json.dumps({"pid": os.getpid(), "environment": dict(os.environ)}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""
IDLE = "import signal\nprint('idle', flush=True)\nsignal.pause()\n"
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()\n"
LAST_WORDS = """
import os, pathlib, redis, signal, sys, threading
def leave(*_):
    threading.Event().wait(0.5)  # long enough for a server that does not wait to be gone
    redis.Redis.from_url(os.environ["REDIS_URL"]).ping()
    (pathlib.Path(os.environ["DATA_DIR"]) / "last-words").write_text("valkey still answers")
    sys.exit()
signal.signal(signal.SIGTERM, leave)
print("idle", flush=True)
while True: signal.pause()
"""
INGEST = """
import os, pathlib, sys
with (pathlib.Path(os.environ["DATA_DIR"]) / "ingested.txt").open("a") as file:
    print(*sys.argv[1:], os.environ["CHROMA_URL"], file=file)
sys.exit(3 if sys.argv[1].endswith("broken") else 0)
"""


def checkout(folder: Path, worker: str = IDLE) -> Path:
    """The real dev/ and app/ beside doors that do next to nothing."""
    for room in ("app", "dev"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__", "standin"))
    shutil.rmtree(folder / "dev" / "handbook", ignore_errors=True)
    for path, text in {"web/__main__.py": WEB, "worker/__main__.py": worker, "worker/ingest.py": INGEST,
                       "dev/standin/__main__.py": IDLE, "dev/handbook/a.md": "# A"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


class Stack:
    """A running `python -m dev`, what it printed so far, and what it started."""

    def __init__(self, root: Path, data: Path, *arguments: str, **environment: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if name not in CONFIGURED}
        self.port = environment.setdefault("PORT", str(free_port()))
        self.data = data
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dev", *arguments], cwd=root, text=True, start_new_session=True,
            env=inherited | {"DATA_DIR": str(data)} | environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._queue: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def output(self) -> str:
        while not self._queue.empty():
            self.lines.append(self._queue.get())
        return "".join(self.lines)

    def until_ready(self) -> "Stack":
        until(lambda: f"http://127.0.0.1:{self.port}" in self.output or self.process.poll() is not None)
        assert self.process.poll() is None, self.output
        return self

    def environment(self) -> dict[str, str]:
        told: dict[str, str] = json.loads((self.data / "run" / "stack.json").read_text())["environment"]
        return told

    def descendants(self) -> list[int]:
        return descendants(self.process.pid)

    def end(self, signum: int = signal.SIGINT) -> int:
        self.process.send_signal(signum)
        return self.process.wait(PATIENCE_S)

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._queue.put(line)


@contextmanager
def running(root: Path, data: Path, *arguments: str, **environment: str) -> Iterator[Stack]:
    stack = Stack(root, data, *arguments, **environment)
    try:
        yield stack
    finally:
        family = [stack.process.pid, *stack.descendants()]
        stack.process.kill()
        stack.process.wait()
        until(lambda: not any(alive(pid) for pid in family))


def until(condition: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    deadline = time.monotonic() + patience_s
    while not (met := condition()):
        assert time.monotonic() < deadline, "it did not come about"
        threading.Event().wait(0.02)
    return met


def descendants(pid: int) -> list[int]:
    try:
        return [process.pid for process in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
