"""The local model's server as a process of its own, and an asker for it."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import httpx

from e2e.lab.asking import Asker
from e2e.lab.material import filler
from e2e.stack import ROOT

FRESH = httpx.Limits(max_keepalive_connections=0)  # the server closes idle ones without a word


@contextmanager
def serving(parallel: int = 1, context: int = 8_192) -> Generator[str, None, None]:
    """The address of a server that remembers a prompt only in the slot that read it last."""
    command = [sys.executable, "-m", "dev.local", "--port", "0", "--parallel", str(parallel),
               "--context", str(context), "--kept-mib", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None  # it is a pipe
            url = server.stdout.readline().strip()
            if not url:
                raise SystemExit("The local model's server did not start (see above).")
            yield url
        finally:
            server.kill()  # it keeps nothing, and an order to end would wait for a prefill


@asynccontextmanager
async def asker(url: str) -> AsyncGenerator[Asker, None]:
    """One that is warm: the first request is not like the others."""
    async with httpx.AsyncClient(trust_env=False, limits=FRESH) as client:
        warm = Asker(client, url)
        await warm.ask(filler(64, seed="warm-up"), 8)
        yield warm
