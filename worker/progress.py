"""An ingestion's progress for people: a bar on a terminal, a plain line now and then in a log."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from app.documents.progress import Progress, Report

INTERVAL = 5.0  # seconds between two lines of a log


@contextmanager
def watched() -> Iterator[Report]:
    """A report to hand to `ingest`; the bar disappears at the end, the summary stays."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, state="")
        yield lambda progress: bar.update(
            task, description=shortened(progress.file), completed=progress.passages_done,
            total=progress.passages_total or None, state=state(progress),
        )


def lines(interval: float = INTERVAL) -> Report:
    last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= interval:
            last = time.monotonic()
            print(f"{progress.file}: {state(progress)}", file=sys.stderr, flush=True)

    return report


def state(progress: Progress) -> str:
    """E.g. `3/12 files, 40/96 passages, 14 s left`."""
    parts = [f"{progress.files_done}/{progress.files_total} files"]
    if progress.passages_total:
        parts.append(f"{progress.passages_done}/{progress.passages_total} passages")
    if progress.seconds_left is not None:
        parts.append(f"{progress.seconds_left:.0f} s left")
    return ", ".join(parts)


def shortened(name: str, longest: int = 32) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"
