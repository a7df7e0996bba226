"""A stable prefix against a changed one: what was read before is not read again, up to the first change."""

import asyncio
from collections.abc import Sequence

from e2e.lab.asking import Answer, Asker
from e2e.lab.material import chat, filler
from e2e.lab.server import asker, serving
from e2e.lab.study import Claim, Pace, Rows, Study, shuffled, ttft

PREFIX_TOKENS = 1_024
TAIL_TOKENS = 32
OUTPUT = 16


def measure(pace: Pace) -> Rows:
    with serving() as url:
        return asyncio.run(_measure(url, pace))


async def _measure(url: str, pace: Pace) -> Rows:
    rows: dict[str, list[Answer]] = {"end": [], "middle": [], "start": []}
    async with asker(url) as asked:
        for n, chance in enumerate(pace):
            for changed in shuffled(chance, list(rows)):
                rows[changed].append(await _after_the_same(asked, changed, n))
    return rows


async def _after_the_same(asked: Asker, changed: str, n: int) -> Answer:
    """Asks once, so that the server knows the prompt, and again with a change."""
    words = filler(PREFIX_TOKENS, seed=f"prefix {n}")[1]["content"].split()
    tails = [filler(TAIL_TOKENS + 22, seed=f"tail {n} {which}")[1]["content"] for which in "ab"]
    await asked.ask(chat(" ".join(words), tails[0]), 1)
    place = {"start": 0, "middle": len(words) // 2, "end": len(words)}[changed]
    again = [*words[:place], "changed", *words[place + 1:]] if changed != "end" else words
    return await asked.ask(chat(" ".join(again), tails[1]), OUTPUT)


def claims(rows: Rows) -> Sequence[Claim]:
    remembered = [answer.cached_tokens for answer in rows["end"]]
    return [
        Claim("a stable prefix is not read again", min(remembered) > 0.9 * PREFIX_TOKENS),
        Claim("a change of the first word loses all of it",
              max(answer.cached_tokens for answer in rows["start"]) < 0.1 * PREFIX_TOKENS),
        Claim("the later the change, the shorter the wait",
              ttft(rows["end"]).p50 < ttft(rows["middle"]).p50 < ttft(rows["start"]).p50),
    ]


PREFIX = Study("prefix", measure, claims)
