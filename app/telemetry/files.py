"""The files in which a process keeps its figures for whichever process is asked: prometheus-client's, by
names of our own, for two containers that share a folder both have a process of number 1.

Who runs holds a lock, and the system lets go of it whatever way a process ends. Knows no metric.
"""

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO
from uuid import uuid4


def claim(folder: Path) -> tuple[str, TextIO]:
    """A new name for a process's files, and what holds it for as long as it is open."""
    while True:
        name = uuid4().hex[:16]
        path = folder / f"{name}.lock"
        lock = path.open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():  # somebody who tidied may have been between the two
            return name, lock
        lock.close()


def forget_dead(folder: Path, pattern: str = "*.db") -> None:
    """Deletes the files of processes that are gone. All of them at the start of the door, where they would
    pile up; those that tell of a moment ("gauge_*.db") whenever somebody asks."""
    for file in folder.glob(pattern):
        lock = folder / f"{file.stem.rpartition('_')[2]}.lock"
        if not _held(lock):
            file.unlink(missing_ok=True)
    _drop(lock for lock in folder.glob("*.lock") if not any(folder.glob(f"*_{lock.stem}.db")))


def _held(path: Path) -> bool:
    """Whether the process that claimed it still runs."""
    try:
        with path.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _drop(locks: Iterable[Path]) -> None:
    """Deletes locks while holding them, so that nobody claims one that is being deleted."""
    for path in locks:
        try:
            with path.open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink(missing_ok=True)
        except (FileNotFoundError, BlockingIOError):
            continue


def set_folder(folder: Path) -> None:
    """prometheus-client takes it from the environment alone."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder.absolute())
