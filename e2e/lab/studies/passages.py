"""Five passages against twenty: they are most of a prompt. Prelude itself builds these prompts."""

import asyncio
from collections.abc import Sequence

from e2e.lab.asking import Answer
from e2e.lab.material import question
from e2e.lab.server import asker, serving
from e2e.lab.study import Claim, Pace, Rows, Study, shuffled, ttft

COUNTS = (5, 20)
OUTPUT = 32


def measure(pace: Pace) -> Rows:
    with serving() as url:
        return asyncio.run(_measure(url, pace))


async def _measure(url: str, pace: Pace) -> Rows:
    rows: dict[str, list[Answer]] = {str(count): [] for count in COUNTS}
    async with asker(url) as asked:
        for n, chance in enumerate(pace):
            for count in shuffled(chance, list(rows)):
                prompt = question(int(count), seed=f"passages {n}")
                rows[count].append(await asked.ask(prompt, OUTPUT))
    return rows


def claims(rows: Rows) -> Sequence[Claim]:
    few, many = (rows[str(count)] for count in COUNTS)
    return [Claim("twenty passages wait longer than five", ttft(many).p50 > ttft(few).p50)]


PASSAGES = Study("passages", measure, claims)
