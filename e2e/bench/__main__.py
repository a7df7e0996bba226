"""`python -m e2e.bench [NAME] [--data FOLDER]`: one benchmark, or all of them on data that is shipped."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from e2e.bench import followups, measuring, prefix, retrieval, routing, streams, ttft, typing

BENCHES: dict[str, Callable[[Path | None], None]] = {
    "followups": followups.main,
    "measuring": measuring.main,
    "prefix": prefix.main,
    "retrieval": retrieval.main,
    "routing": routing.main,
    "streams": streams.main,
    "ttft": ttft.main,
    "typing": typing.main,
}


def main() -> int:
    parser = argparse.ArgumentParser("python -m e2e.bench", description="Measures Prelude.")
    parser.add_argument("name", nargs="?", choices=list(BENCHES), help="all of them if left out")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="other data, in the same format")
    arguments = parser.parse_args()
    if arguments.data and not arguments.name:
        parser.error("--data belongs to one benchmark: name it")
    for name in [arguments.name] if arguments.name else BENCHES:
        print(f"== {name}", flush=True)
        BENCHES[name](arguments.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
