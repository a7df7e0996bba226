"""The stand-in as a program of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(
        [sys.executable, "-m", "dev.standin", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


@pytest.mark.parametrize("order", [signal.SIGINT, signal.SIGTERM])
def test_prints_its_address_once_it_listens_and_ends_quietly(order: signal.Signals) -> None:
    with program("--port", "0") as started:
        assert started.stdout is not None
        address = started.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert httpx.get(f"{address}/healthz").status_code == 200
        cut = {"model": "sim-n3-cut1", "stream": True, "messages": [{"role": "user", "content": "a"}]}
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.post(f"{address}/v1/chat/completions", json=cut)
        started.send_signal(order)
        out, errors = started.communicate(timeout=20)
        assert (out, errors) == ("", "")


def test_a_taken_port_is_one_line(standin: str) -> None:
    port = standin.rsplit(":", 1)[1]
    with program("--port", port) as started:
        _, errors = started.communicate(timeout=20)
        assert started.returncode != 0
        assert errors.count("\n") == 1
        assert f"127.0.0.1:{port}" in errors


def test_starts_without_the_heavy_libraries() -> None:
    heavy = "import sys, dev.standin.__main__; print({'chromadb', 'openai', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
