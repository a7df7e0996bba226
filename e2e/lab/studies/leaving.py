"""A reader who leaves: whether the server notices decides how long the next one waits for the only slot."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from e2e.lab.asking import Answer, Asker
from e2e.lab.material import filler
from e2e.lab.server import asker, serving
from e2e.lab.study import Claim, Pace, Rows, Study, shuffled, ttft

PROMPTS = {"decode": 64, "prefill": 1_024}  # tokens that the one who leaves has asked with
OUTPUT = 1_500  # more than is written before they leave
READING_S = 0.3  # into a prefill
NEXT = 64


def measure(pace: Pace) -> Rows:
    with serving() as url:
        return asyncio.run(_measure(url, pace))


async def _measure(url: str, pace: Pace) -> Rows:
    rows: dict[str, list[Answer]] = {phase: [] for phase in ("nobody", *PROMPTS)}
    async with asker(url) as asked:
        for n, chance in enumerate(pace):
            for phase in shuffled(chance, list(rows)):
                await _leave(asked, phase, n)
                rows[phase].append(await asked.ask(filler(NEXT, seed=f"next {phase} {n}"), 16))
    return rows


async def _leave(asked: Asker, phase: str, n: int) -> None:
    """Asks, and closes the connection in that phase; RuntimeError when the machine was faster."""
    if phase not in PROMPTS:
        return
    begun = asyncio.Event()
    asking = asyncio.create_task(asked.ask(filler(PROMPTS[phase], f"left {phase} {n}"), OUTPUT, begun))
    with suppress(TimeoutError):
        await asyncio.wait_for(begun.wait(), None if phase == "decode" else READING_S)
    if asking.done() or begun.is_set() is (phase == "prefill"):
        raise RuntimeError(f"nobody can leave during {phase}: this machine is through it too soon")
    asking.cancel()
    await asyncio.wait([asking])


def claims(rows: Rows) -> Sequence[Claim]:
    return [Claim("leaving during decode frees the slot, leaving during prefill does not",
                  2 * ttft(rows["decode"]).p50 < ttft(rows["prefill"]).p50)]


LEAVING = Study("leaving", measure, claims)
