"""One stream against four: with one slot they queue for a first token, with four they share the machine."""

import asyncio
from collections.abc import Sequence

from e2e.lab.asking import Answer
from e2e.lab.material import filler
from e2e.lab.server import asker, serving
from e2e.lab.study import Claim, Pace, Rows, Study, shuffled, total, tpot, ttft

STREAMS_AT_ONCE = 4
PROMPT = 256
OUTPUT = 96
CONTEXT = 2_048


def measure(pace: Pace) -> Rows:
    with serving(context=CONTEXT) as one, serving(STREAMS_AT_ONCE, CONTEXT) as four:
        return asyncio.run(_measure({"alone": (one, 1), "queued": (one, STREAMS_AT_ONCE),
                                     "shared": (four, STREAMS_AT_ONCE)}, pace))


async def _measure(variants: dict[str, tuple[str, int]], pace: Pace) -> Rows:
    rows: dict[str, list[Answer]] = {name: [] for name in variants}
    for n, chance in enumerate(pace):
        for name in shuffled(chance, list(variants)):
            url, count = variants[name]
            async with asker(url) as asked:
                prompts = [filler(PROMPT, seed=f"{name} {n} {each}") for each in range(count)]
                rows[name] += await asyncio.gather(*(asked.ask(prompt, OUTPUT) for prompt in prompts))
    return rows


def claims(rows: Rows) -> Sequence[Claim]:
    return [
        Claim("with one slot, the last of four waits for the answers before it",
              ttft(rows["queued"]).most > total(rows["alone"]).p50),
        Claim("with four slots, nobody waits as long as the last with one",
              ttft(rows["shared"]).most < ttft(rows["queued"]).most),
        Claim("with four slots, each decodes more slowly than one alone",
              tpot(rows["shared"]).p50 > tpot(rows["alone"]).p50),
    ]


STREAMS = Study("streams", measure, claims)
