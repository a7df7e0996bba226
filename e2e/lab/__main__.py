"""`python -m e2e.lab [NAME…] [--docs]` (`make lab`): the studies, or some of them, one after the other.

Prints tables, and one JSON object as the last line. Ends with status 1 when a claim does not hold here.
"""

import argparse
import json
import sys
from collections.abc import Sequence

import httpx

from dev.local.weights import weights
from e2e.lab.machine import is_busy, machine
from e2e.lab.results import keep, publish
from e2e.lab.studies import STUDIES
from e2e.lab.study import Claim, Pace, figures
from e2e.lab.tables import table
from e2e.lab.words import EN


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    weights()  # without them nothing need start
    here, found, broken = machine(), {}, []
    if is_busy(here):
        print(f"This machine is busy (load {here['load']}): trust the ratios, not the times.", flush=True)
    chosen = asked.names or [*STUDIES]
    share = asked.seconds / sum(STUDIES[name].share for name in chosen)
    for name in chosen:
        print(f"\n== {name}", flush=True)
        try:
            found[name] = STUDIES[name].measure(Pace(asked.rounds, share * STUDIES[name].share))
        except (RuntimeError, httpx.HTTPError) as error:
            raise SystemExit(f"The study {name!r} failed: {str(error) or type(error).__name__}") from None
        print(table(name, found[name], EN, here), flush=True)
        broken += _judged(STUDIES[name].claims(found[name]))
    result = {"machine": here, **{name: figures(rows) for name, rows in found.items()}, "broken": broken}
    keep(result, found)
    if asked.docs:
        publish(found, here)
    print(json.dumps(result))
    return 1 if broken else 0


def _judged(claims: Sequence[Claim]) -> list[str]:
    for claim in claims:
        print(f"{'holds' if claim.holds else 'BROKEN'}: {claim.words}", flush=True)
    return [claim.words for claim in claims if not claim.holds]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m e2e.lab", description="What a real model's waits depend on.")
    parser.add_argument("names", nargs="*", type=_known, metavar="NAME", help=f"of {', '.join(STUDIES)}")
    parser.add_argument("--rounds", type=int, default=5, help="at the most, of each study")
    parser.add_argument("--seconds", type=float, default=330, help="about, for all of them")
    parser.add_argument("--docs", action="store_true", help="write the tables and plots into docs/ as well")
    return parser


def _known(name: str) -> str:
    if name not in STUDIES:
        raise argparse.ArgumentTypeError(f"is {name!r}, but takes one of {', '.join(STUDIES)}")
    return name


if __name__ == "__main__":
    sys.exit(main())
