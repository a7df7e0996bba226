"""A real Chroma server for tests and benchmarks, on a free port and a folder of its own."""

import contextlib
import ctypes
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 60.0  # seconds
# Without its Python wrapper, which imports all of chromadb only to call this.
START = "import sys, chromadb_rust_bindings as chroma; chroma.cli(['chroma', *sys.argv[1:]])"


class Chroma:
    """`url` stays the same over `stop` and `start`, so that a client's reconnecting can be tested."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", START, "run", "--path", str(self._folder),
                   "--host", "127.0.0.1", "--port", str(self._port)]
        with (self._folder / "chroma.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                             preexec_fn=_die_with_parent)
        self._wait()

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self._process.kill()
            self._process.wait()

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self._process and self._process.poll() is not None:
                break
            heartbeat = f"{self.url}/api/v2/heartbeat"
            with contextlib.suppress(OSError), urllib.request.urlopen(heartbeat, timeout=5):
                return
            time.sleep(0.1)  # a poll of another process, not a synchronisation: the deadline decides
        raise RuntimeError(f"Chroma did not start: {(self._folder / 'chroma.log').read_text()[-2000:]}")


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Chroma]:
    chroma = Chroma(folder)
    try:
        chroma.start()
        yield chroma
    finally:
        chroma.stop()


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: a killed test run leaves no orphan


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
