"""`python -m dev ingest FROM…`: reads documents into the running stack, or into one that runs just for that.

Knows nothing of documents: worker.ingest does.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.settings import Settings
from dev.lifeline import wait_for
from dev.lock import Taken, hold, read_stack
from dev.parts import plan
from dev.stack import ROOT, lifeline


def run(settings: Settings, sources: Sequence[str]) -> int:
    """The status of worker.ingest, which also knows what to do about files that are gone."""
    paths = [str(Path(source).expanduser().absolute()) for source in sources if source]
    if not paths:
        raise SystemExit("Nothing to ingest: name a folder or a file, as in: make ingest FROM=~/notes")
    try:
        with hold(settings.data_dir, patience_s=0) as lock, storage(settings, lock) as environment:
            return ingest(paths, environment)
    except Taken:
        return ingest(paths, read_stack(settings.data_dir))


@contextmanager
def storage(settings: Settings, lock: Path) -> Iterator[dict[str, str]]:
    """Only the parts that keep data, for as long as the context lasts; yields how to reach them."""
    stack = plan(settings, os.environ, doors=False)
    environment = {**os.environ, **stack.environment}
    running = [subprocess.Popen(lifeline(part, lock), env=environment, cwd=ROOT, start_new_session=True)
               for part in stack.parts]
    try:
        if stack.chroma:
            wait_for(stack.chroma)
        yield stack.environment
    finally:
        for part in running:
            part.terminate()
        for part in running:
            part.wait()


def ingest(paths: Sequence[str], environment: dict[str, str]) -> int:
    command = [sys.executable, "-m", "worker.ingest", *paths]
    with subprocess.Popen(command, env={**os.environ, **environment}, cwd=ROOT) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:  # the child got it as well, and decides how to end
                continue
