"""The score's search: a question's passages by meaning and by words, at once, and by what it means.

Also played while a question is still being typed, when nobody listens.
"""

import asyncio
from collections.abc import Sequence
from time import perf_counter

from app.errors import TurnError
from app.followups import stand_alone
from app.prompt import History
from app.retrieval import Found, Passage
from app.retrieval.fusion import DEPTH, fuse
from app.routing import Route
from app.timings import Timings
from app.turn.legs import Legs
from app.turn.stages import Stages, Turn
from app.turn.warmth import Searched, normalised


async def search(
    turn: Turn, history: asyncio.Future[History], route: Route, stages: Stages, legs: Legs
) -> Found:
    """What bears on the question as it stands or, for a follow-up, as it is meant, whichever is surer. Raises
    TurnError('retrieval_failed') when no leg can be asked."""
    async with asyncio.TaskGroup() as group:
        plain = group.create_task(_searched(turn, turn.question, stages, legs))
        meant = group.create_task(_meant(turn, history, stages, legs))
        if (asked := await meant) and not plain.done():
            plain.cancel()  # nobody waits for what is probably not meant
    if not plain.cancelled():
        asked = {turn.question: plain.result()} | asked
    stages.warmth.end(turn.owner)
    with legs.timings.stage("fuse"):
        found = [
            fuse(text, dense, lexical, k=route.k, tokens=route.passage_tokens)
            for text, (dense, lexical) in asked.items()
            if dense is not None or lexical  # by words nothing may be found for want of an index
        ]
    if not found:
        raise TurnError("retrieval_failed", "The documents could not be searched.")
    return max(reversed(found), key=lambda each: each.confidence)  # of equals what is meant


async def foresee(turn: Turn, stages: Stages) -> None:
    """Searches for what is being typed, by rules alone: no model is asked before a question is."""

    async def quietly(text: str) -> Searched:
        return await _legs(text, stages, Legs(lambda event: None, Timings(perf_counter())))

    stages.warmth.begin(turn.owner, [turn.question], quietly)
    meant = stand_alone(turn.question, (await stages.history(turn)).exchanges)
    if meant and stages.warmth.holds(turn.owner, turn.question):  # it may have been sent meanwhile
        stages.warmth.begin(turn.owner, [turn.question, meant], quietly)


async def _meant(
    turn: Turn, history: asyncio.Future[History], stages: Stages, legs: Legs
) -> dict[str, Searched]:
    """What the question means, with what was found for that; empty when it stands alone."""
    had = await asyncio.shield(history)  # the wait for it may end here, and it goes on
    rules = stand_alone(turn.question, had.exchanges)
    if not rules:
        return {}
    work = stages.rewriter.rewrite(turn.question, had.exchanges, rules)
    rewritten = await legs.run("rewrite", work, rules, told=str)
    if normalised(rewritten) == normalised(turn.question):
        return {}
    within = Legs(legs.emit, Timings(perf_counter()))  # told as one: the names are the plain search's
    nothing: Searched = (None, None)
    return {
        rewritten: await legs.run("meant", _searched(turn, rewritten, stages, within), nothing)
    }


async def _searched(turn: Turn, text: str, stages: Stages, legs: Legs) -> Searched:
    """As it was found while it was being typed, or now."""
    begun = stages.warmth.take(turn.owner, text)
    if begun is not None:
        found = await legs.run("warm", begun, (None, None))
        if None not in found:
            return found
    return await _legs(text, stages, legs)


async def _legs(text: str, stages: Stages, legs: Legs) -> Searched:
    async with asyncio.TaskGroup() as group:
        dense = group.create_task(legs.run("dense", _dense(text, stages, legs), None, told=_count))
        lexical = group.create_task(
            legs.run("lexical", stages.lexical.search(text, DEPTH), None, told=_count)
        )
    return dense.result(), lexical.result()


async def _dense(text: str, stages: Stages, legs: Legs) -> Sequence[Passage]:
    with legs.timings.stage("embed"):
        vector = await stages.embedder.query(text)
    with legs.timings.stage("dense"):
        return await stages.index.search(vector, DEPTH)


def _count(passages: Sequence[Passage] | None) -> str:
    return str(len(passages or ()))
