"""One stack at a time on a DATA_DIR: the lock that says so, and what the running stack tells about itself.

The lock is a POSIX record lock: it goes away with the process that holds it, however that ends. Knows
nothing of the parts.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.settings import make_data_dir

PATIENCE_S = 2.5  # the parts of a stack that was just killed take a moment to end


class Taken(Exception):
    """Another stack holds the lock; `pid` is its process, as far as known."""

    def __init__(self, pid: str) -> None:
        super().__init__(pid)
        self.pid = pid


def run_dir(data_dir: Path) -> Path:
    """The folder for what lives only as long as a stack: lock, socket, addresses."""
    path = data_dir / "run"
    make_data_dir(data_dir)
    path.mkdir(exist_ok=True)
    return path


@contextmanager
def hold(data_dir: Path, patience_s: float = PATIENCE_S) -> Iterator[Path]:
    """Holds the lock and yields its file; raises Taken if another process keeps it."""
    path = run_dir(data_dir) / "lock"
    with path.open("a+") as file:
        _acquire(file, patience_s)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield path
        finally:
            _stack_file(data_dir).unlink(missing_ok=True)


def write_stack(data_dir: Path, environment: dict[str, str]) -> None:
    """Tells other commands how to reach the running stack; readable by its owner only."""
    path = _stack_file(data_dir)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"pid": os.getpid(), "environment": environment}, file)


def read_stack(data_dir: Path) -> dict[str, str]:
    """The environment of the running stack; empty if it tells none."""
    try:
        told = json.loads(_stack_file(data_dir).read_text())
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in told["environment"].items()}


def _stack_file(data_dir: Path) -> Path:
    return run_dir(data_dir) / "stack.json"


def _acquire(file: IO[str], patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > deadline:
                file.seek(0)
                raise Taken(file.read().strip() or "unknown") from None
            time.sleep(0.05)
