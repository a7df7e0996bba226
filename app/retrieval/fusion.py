"""Two legs' passages become the few that the model reads. Pure.

A passage's score is a convex combination of its cosine and its share of the question's words (Bruch et al.,
"An Analysis of Fusion Functions for Hybrid Retrieval", 2023). Ranks (RRF) lost recall: they forget how well
the best word match matched. What one leg did not find counts as its last, which is the most it can be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.retrieval.protocol import Found, Passage
from app.retrieval.relevance import RELEVANT, confidence
from app.retrieval.selection import select
from app.retrieval.smalltalk import is_small_talk
from app.retrieval.words import QUESTION_TOKENS
from app.text import ends_of

DEPTH = 30  # candidates that each leg is asked for
WORDS = 0.1  # the words' part of a score; .07 to .13 are as good on both halves of XQuAD


def fuse(
    question: str,
    dense: Sequence[Passage] | None,
    lexical: Sequence[Passage] | None,
    *,
    k: int,
    tokens: int,
) -> Found:
    """At most k passages of `tokens` in all, best first; a leg that failed is None. Small talk finds none."""
    question = ends_of(question, QUESTION_TOKENS)
    if is_small_talk(question):
        return Found()
    ranked = rank(dense, lexical)
    if not ranked or dense is None or lexical is None:
        sure = RELEVANT if ranked else 0.0
    else:
        sharing = next((each.score for each in lexical if each.id == ranked[0].id), 0.0)
        sure = confidence(question, ranked, sharing)
    return Found(select(ranked, k=k, tokens=tokens) if sure >= RELEVANT else (), sure)


def rank(dense: Sequence[Passage] | None, lexical: Sequence[Passage] | None) -> list[Passage]:
    """Every candidate once, best first, with its fused score; that of a single leg if the other failed."""
    if dense is None or lexical is None:
        return list(dense or lexical or ())
    meaning, sharing = _scores(dense), _scores(lexical)
    last_meaning = min(meaning.values(), default=0.0)
    last_sharing = min(sharing.values()) if len(sharing) >= DEPTH else 0.0
    found = {passage.id: passage for passage in (*lexical, *dense)}
    fused = [
        replace(
            passage,
            score=(1 - WORDS) * meaning.get(id, last_meaning) + WORDS * sharing.get(id, last_sharing),
        )
        for id, passage in found.items()
    ]
    return sorted(fused, key=lambda passage: passage.score, reverse=True)


def _scores(passages: Sequence[Passage]) -> Mapping[str, float]:
    return {passage.id: passage.score for passage in passages}
