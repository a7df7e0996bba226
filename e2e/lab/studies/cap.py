"""A cap on output: it ends this answer's decode sooner, and with it the next question's wait for the slot."""

import asyncio
from collections.abc import Sequence

from e2e.lab.asking import Answer, Asker
from e2e.lab.material import filler
from e2e.lab.server import asker, serving
from e2e.lab.study import Claim, Pace, Rows, Study, shuffled, total, ttft

CAPS = (32, 128, 512)
PROMPT = 256
NEXT = "then"  # what the question that comes while the first is answered is called


def measure(pace: Pace) -> Rows:
    with serving() as url:
        return asyncio.run(_measure(url, pace))


async def _measure(url: str, pace: Pace) -> Rows:
    rows: dict[str, list[Answer]] = {name: [] for cap in CAPS for name in (str(cap), f"{cap} {NEXT}")}
    async with asker(url) as asked:
        for n, chance in enumerate(pace):
            for cap in shuffled(chance, [str(cap) for cap in CAPS]):
                first, then = await _two(asked, int(cap), n)
                rows[cap].append(first)
                rows[f"{cap} {NEXT}"].append(then)
    return rows


async def _two(asked: Asker, cap: int, n: int) -> tuple[Answer, Answer]:
    """The second is asked when the first one's first token is there, of a server with one slot."""
    begun = asyncio.Event()
    first = asyncio.create_task(asked.ask(filler(PROMPT, seed=f"cap {cap} {n}"), cap, begun))
    await begun.wait()
    then = await asked.ask(filler(PROMPT, seed=f"then {cap} {n}"), 16)
    return await first, then


def claims(rows: Rows) -> Sequence[Claim]:
    least, most = str(CAPS[0]), str(CAPS[-1])
    return [
        Claim("a cap is kept", all(answer.output_tokens == cap for cap in CAPS for answer in rows[str(cap)])),
        Claim("a cap shortens the answer's total", total(rows[least]).p50 < total(rows[most]).p50),
        Claim("a cap shortens the next question's wait",
              ttft(rows[f"{least} {NEXT}"]).p50 < ttft(rows[f"{most} {NEXT}"]).p50),
    ]


CAP = Study("cap", measure, claims)
