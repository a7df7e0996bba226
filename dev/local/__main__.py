"""`python -m dev.local --host 127.0.0.1 --port 0`: prints its address on one line once it listens."""

import argparse
import threading
from collections.abc import Callable
from contextlib import suppress

from dev.local.serving import CONTEXT, KEPT_PROMPTS_MIB, Serving, Wanted
from dev.local.weights import weights


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m dev.local", description="A real small model, for measuring.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=_from(0), default=8003, help="0 takes a free one")
    parser.add_argument("--context", type=_from(1), default=CONTEXT, help="tokens of a prompt and its answer")
    parser.add_argument("--parallel", type=_from(1), default=2, help="prompts that are answered at once")
    parser.add_argument("--threads", type=_from(0), default=0, help="0 takes a core less than there are")
    parser.add_argument("--kept-mib", type=_from(0), default=KEPT_PROMPTS_MIB,
                        help="memory for prompts that have lost their slot")
    wanted = Wanted(**vars(parser.parse_args(arguments)))
    serving = Serving(weights(), wanted)
    print(serving.address, flush=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


def _from(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not below `least`."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"is {text!r}, but takes a whole number from {least} on")
        return int(text)

    return number


if __name__ == "__main__":
    main()
