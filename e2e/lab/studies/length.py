"""TTFT against prompt length: prefill reads every token of the prompt, and looks back on all before it."""

import asyncio
from collections.abc import Sequence

from e2e.lab.asking import Answer
from e2e.lab.material import filler
from e2e.lab.server import asker, serving
from e2e.lab.study import Claim, Pace, Rows, Study, shuffled, tpot, ttft

LENGTHS = (64, 256, 1_024, 4_096)
OUTPUT = 16  # enough to know decode's pace
COLD = 16  # tokens that two prompts may share by chance


def measure(pace: Pace) -> Rows:
    with serving() as url:
        return asyncio.run(_measure(url, pace))


async def _measure(url: str, pace: Pace) -> Rows:
    rows: dict[str, list[Answer]] = {str(length): [] for length in LENGTHS}
    async with asker(url) as asked:
        for n, chance in enumerate(pace):
            for length in shuffled(chance, list(rows)):
                prompt = filler(int(length), seed=f"length {length} {n}")
                rows[length].append(await asked.ask(prompt, OUTPUT))
    return rows


def claims(rows: Rows) -> Sequence[Claim]:
    waits = [ttft(answers).p50 for answers in rows.values()]
    short, long = (rows[str(length)] for length in (LENGTHS[0], LENGTHS[-1]))
    return [
        Claim("a longer prompt waits longer", waits == sorted(set(waits))),
        Claim("no prompt was remembered", all(a.cached_tokens <= COLD for row in rows.values() for a in row)),
        Claim("prefill grows more than decode from the shortest prompt to the longest",
              ttft(long).p50 / ttft(short).p50 > tpot(long).p50 / tpot(short).p50),
    ]


LENGTH = Study("length", measure, claims, share=2)
