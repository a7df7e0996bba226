"""A whole stack for tests and benchmarks: the parts that `make run` starts, on free ports and a folder.

Unlike the supervisor it can pin parts to cores, start web several times over, and kill one part.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.settings import Settings
from dev.parts import Part, free_port, plan

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0  # seconds for anything to start
# An operator's variables stay outside.
OURS = ("OPENAI_", "CHAT_MODEL", "EMBEDDING_", "REDIS_URL", "CHROMA_URL", "DATABASE_URL", "DATA_DIR", "HOST",
        "PORT", "ROUTING", "SECRET_KEY", "WEB_CONCURRENCY", "OTEL_", "LOG_", "PROMETHEUS_")


@dataclass
class Stack:
    """Running parts by name; `url` is the application's address, `upstream` the stand-in model's."""

    url: str
    upstream: str
    folder: Path
    environment: dict[str, str]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, part: Part, cores: Iterable[int] = ()) -> None:
        log = (self.folder / f"{part.name}.log").open("ab")
        self.processes[part.name] = subprocess.Popen(
            part.command, env=self.environment, cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            preexec_fn=lambda: _prepare(set(cores)),
        )
        log.close()

    def kill(self, name: str, order: signal.Signals = signal.SIGKILL) -> None:
        process = self.processes.pop(name)
        process.send_signal(order)
        process.wait(20)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def get(self, url: str) -> Any:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)

    def wait_until_ready(self, url: str = "") -> None:
        wait_for(lambda: self._is_ready(url or self.url), f"{url or self.url} to answer", self._logs)

    def ingest(self, *sources: Path) -> None:
        command = [sys.executable, "-m", "worker.ingest", *map(str, sources)]
        done = subprocess.run(
            command, env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"ingestion ended with {done.returncode}: {done.stderr[-2000:]}")

    def stop(self) -> None:
        """The doors first, then what they stand on."""
        for name in sorted(self.processes, key=lambda name: name in ("valkey", "chroma", "stand-in")):
            self.processes[name].terminate()
        for process in self.processes.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()

    def _is_ready(self, url: str) -> bool:
        try:
            return bool(self.get(f"{url}/healthz")["status"] == "ok")
        except (OSError, ValueError):
            return False

    def _logs(self) -> str:
        return "\n".join(f"--- {name}\n{self.log(name)[-1500:]}" for name in self.processes)


def wait_for(condition: Any, what: str, explain: Any = lambda: "", seconds: float = PATIENCE) -> None:
    """Until the condition holds; RuntimeError with an explanation when it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {seconds:g} s in vain for {what}\n{explain()}")
        time.sleep(0.05)  # a poll of another process: the deadline decides, not the pause


@contextmanager
def running(folder: Path, *, model: str = "asked", cores: Mapping[str, Iterable[int]] | None = None,
            worker: bool = True, **environment: str) -> Generator[Stack, None, None]:
    """The stack with its data in `folder`. Extra settings are given by their variables' names."""
    folder.mkdir(parents=True, exist_ok=True)
    base = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    port = int(environment.get("PORT", free_port()))
    stack_plan = plan(Settings(data_dir=folder), environment)
    base |= stack_plan.environment | {
        "CHAT_MODEL": model, "CHAT_MODEL_SMALL": "extract", "PORT": str(port), "LOG_FORMAT": "json",
        "ROUTING": "off",  # the scenario that a test names answers it
    } | environment
    stack = Stack(f"http://127.0.0.1:{port}", base["OPENAI_BASE_URL"].removesuffix("/v1"), folder, base)
    try:
        for part in stack_plan.parts:
            if part.name != "worker" or worker:
                stack.start(part, (cores or {}).get(part.name, ()))
        stack.wait_until_ready()
        yield stack
    finally:
        stack.stop()


def _prepare(cores: set[int]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a killed test run leaves no orphan
        if cores:
            os.sched_setaffinity(0, cores)
