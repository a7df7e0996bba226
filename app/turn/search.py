"""The score's search: a question's passages by meaning and by words, at once, and by what it means.

Also played while a question is still being typed, when nobody listens.
"""

import asyncio
from collections.abc import Sequence

from app.errors import TurnError
from app.followups import stand_alone
from app.prompt import Exchange, History
from app.retrieval import Found, Passage
from app.retrieval.fusion import DEPTH, fuse
from app.routing import Route
from app.turn.legs import Legs
from app.turn.stages import Stages


async def search(
    question: str, history: asyncio.Future[History], route: Route, stages: Stages, legs: Legs
) -> Found:
    """What bears on the question. A follow-up is searched for as it stands, and for what it means as soon as
    that is known; the latter counts. Raises TurnError('retrieval_failed') when no leg finds anything."""
    async with asyncio.TaskGroup() as group:
        plain = group.create_task(_both(question, route, stages, legs))
        meant = group.create_task(_meant(question, history, route, stages, legs))
    found = meant.result() or plain.result()
    if found is None:
        raise TurnError("retrieval_failed", "The documents could not be searched.")
    return found


async def _meant(
    question: str, history: asyncio.Future[History], route: Route, stages: Stages, legs: Legs
) -> Found | None:
    """None for a question that stands alone."""
    had = await asyncio.shield(history)  # the wait for it may end here, and it goes on
    exchanges: Sequence[Exchange] = had.exchanges
    rules = stand_alone(question, exchanges) if exchanges else ""
    if not rules:
        return None
    work = stages.rewriter.rewrite(question, exchanges, rules)
    rewritten = await legs.run("rewrite", work, rules, told=str)
    return None if rewritten == question else await _both(rewritten, route, stages, legs)


async def _both(question: str, route: Route, stages: Stages, legs: Legs) -> Found | None:
    """None when neither leg could be asked."""
    async with asyncio.TaskGroup() as group:
        dense = group.create_task(legs.run("dense", _dense(question, stages, legs), None, told=_count))
        lexical = group.create_task(
            legs.run("lexical", stages.lexical.search(question, DEPTH), None, told=_count)
        )
    if dense.result() is None and lexical.result() is None:
        return None
    with legs.timings.stage("fuse"):
        return fuse(question, dense.result(), lexical.result(), k=route.k, tokens=route.passage_tokens)


async def _dense(question: str, stages: Stages, legs: Legs) -> Sequence[Passage]:
    with legs.timings.stage("embed"):
        vector = await stages.embedder.query(question)
    return await stages.index.search(vector, DEPTH)


def _count(passages: Sequence[Passage] | None) -> str:
    return str(len(passages or ()))
