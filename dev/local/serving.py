"""Serves the weights by llama.cpp's own HTTP server, which runs in threads of this process."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from app.settings import MEASURING
from dev.local.weights import MISSING

CONTEXT = 8_192  # tokens; the model was trained on no more
ERRORS_ONLY = 1  # llama.cpp's verbosity
ALIKE = 0.02  # of a prompt: who shares so much of its beginning with a slot gets that slot; instructions do
SAMPLING = 0.2, 0.9  # temperature and top_p, as its makers advise
REPETITION = 1.1, 256  # penalty, and for how many tokens; without it answers went in circles for minutes
KEPT_PROMPTS_MIB = 512  # of prompts that have lost their slot; its own default is 8 GiB


@dataclass(frozen=True, slots=True)
class Wanted:
    """`context` is the most tokens of one prompt and its answer; `parallel` how many are answered at once.

    `port` 0 takes a free one. `threads` 0 takes a core less than there are: llama.cpp's threads wait for one
    another by spinning, so one whose core somebody else needs holds up all (a token took 20 times as long).
    With `kept_mib` 0 a prompt is remembered only in the slot that read it last.
    """

    host: str = "127.0.0.1"
    port: int = 0
    context: int = CONTEXT
    parallel: int = 2
    threads: int = 0
    kept_mib: int = KEPT_PROMPTS_MIB


class Serving:
    """A server that runs until the process ends; `address` is where."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        """SystemExit with one line when it cannot start."""
        try:
            import xllamacpp  # 100 MB that only this program loads, and only `make lab` installs
        except ImportError:
            raise SystemExit(MISSING) from None
        given = xllamacpp.CommonParams()
        given.model.path, given.model_alias = str(path), {MEASURING}
        given.hostnames, given.port = [wanted.host], wanted.port
        given.n_parallel, given.n_ctx = wanted.parallel, wanted.context * wanted.parallel
        given.cache_ram_mib, given.verbosity = wanted.kept_mib, ERRORS_ONLY
        given.slot_prompt_similarity = ALIKE
        given.sampling.temp, given.sampling.top_p = SAMPLING
        given.sampling.penalty_repeat, given.sampling.penalty_last_n = REPETITION
        given.ui = given.endpoint_slots = False
        given.cors_origins = f"http://{wanted.host}"  # else any page in a browser here may ask it
        threads = wanted.threads or max(1, (os.cpu_count() or 2) - 1)
        given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
        refuse_taken(wanted.host, wanted.port)
        try:
            self._server = xllamacpp.Server(given)
        except RuntimeError:
            raise SystemExit("llama.cpp cannot serve the local model (see above).") from None
        self.address: str = self._server.listening_address


def refuse_taken(host: str, port: int) -> None:
    """llama.cpp says neither what is wrong with an address nor that a port is beyond the last one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        raise SystemExit(f"Cannot listen on {host}:{port}: {error}.") from None
