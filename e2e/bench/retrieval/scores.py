"""Figures of questions that were answered: recall of the product and of its legs, and how long it took."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from e2e.bench.figures import percentile
from e2e.bench.retrieval.asking import Answered

Hits = Callable[[Answered], Sequence[str]]
RANKS = (1, 5)


def recalls(answered: Sequence[Answered], hits: Hits = lambda each: each.hits) -> dict[str, dict[str, float]]:
    """By language: the share of questions whose passage is among the first so many hits."""
    languages = sorted({each.question.language for each in answered})
    return {
        f"recall@{k}": {
            name: _recall([each for each in answered if each.question.language == name], k, hits)
            for name in languages
        }
        for k in RANKS
    }


def legs(answered: Sequence[Answered]) -> dict[str, Any]:
    return {
        "dense": recalls(answered, lambda each: each.dense),
        "lexical": recalls(answered, lambda each: each.lexical),
    }


def times(answered: Sequence[Answered]) -> dict[str, float]:
    """Embedding of the question included."""
    ms = [each.ms for each in answered]
    return {"p50_ms": round(percentile(ms, 50), 2), "p95_ms": round(percentile(ms, 95), 2)}


def _recall(answered: Sequence[Answered], k: int, hits: Hits) -> float:
    return round(statistics.fmean(each.question.passage in hits(each)[:k] for each in answered), 4)
