"""How well the router chooses, and how fast.

With data: rows of `prompt`, `topic`, `small_right`, `large_right`, cross-validated: each is judged by weights
that were learned without it (and with our own questions, as the shipped ones are). Without: our hand-made
questions, of which look-ups can be answered by either model and hard ones only by the large one. Both times
it says where the shipped weights send those questions.

`accuracy` is the share answered rightly by the model that was chosen, `relative` that over `always_large`;
`random` is the accuracy of tossing for as many calls of the large model. `p99_ms`: one decision, in process.
"""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn.model_selection import KFold

from app.routing import Router
from app.routing.features import features
from app.settings import Settings
from dev.routing.fitting import Asked, Outcome, fit
from dev.routing.rows import outcomes, questions
from e2e.bench.figures import percentile

SHIPPED = Path(__file__).parents[1] / "data" / "routing" / "questions.jsonl"
FOLDS = 10
BOTH = Settings(chat_model="large", chat_model_small="small")


def main(data: Path | None) -> None:
    ours, router = questions(SHIPPED), Router(BOTH)
    chat = sorted_out(router, ours)
    rows = outcomes(data) if data else [as_outcome(asked) for asked in ours]
    print(f"{len(rows)} rows from {data or SHIPPED}", flush=True)
    large = cross_validated(rows) if data else [is_large(router, row.text) for row in rows]
    print(json.dumps({**figures(rows, large), "p99_ms": p99(router, rows), "chat": chat}))


def cross_validated(rows: Sequence[Outcome]) -> list[bool]:
    """Whether each row goes to the large model, by weights that never saw it."""
    ours = questions()
    large = [False] * len(rows)
    for learned, left in KFold(FOLDS, shuffle=True, random_state=0).split(rows):
        weights = fit([rows[n] for n in learned], ours)
        for n in left:
            large[n] = weights.wins(features(rows[n].text)) > 0
    return large


def figures(rows: Sequence[Outcome], large: Sequence[bool]) -> dict[str, float]:
    right = statistics.fmean(row.large if big else row.small for row, big in zip(rows, large, strict=True))
    share = statistics.fmean(large)
    always = statistics.fmean(row.large for row in rows)
    small = statistics.fmean(row.small for row in rows)
    told = {
        "accuracy": right,
        "relative": right / always,
        "large_share": share,
        "always_large": always,
        "always_small": small,
        "random": share * always + (1 - share) * small,
    }
    return {name: round(figure, 4) for name, figure in told.items()}


def p99(router: Router, rows: Sequence[Outcome]) -> float:
    return round(percentile([_ms(router, row.text) for row in rows], 99), 3)


def _ms(router: Router, question: str) -> float:
    began = perf_counter()
    router.route(question)
    return (perf_counter() - began) * 1000


def sorted_out(router: Router, ours: Sequence[Asked]) -> dict[str, Any]:
    """The shares of look-ups that go small and that are answered briefly, and of hard ones that go large."""
    told: dict[str, Any] = {}
    for language in sorted({asked.language for asked in ours}):
        routes = [(asked.label, router.route(asked.text)) for asked in ours if asked.language == language]
        told[language] = {
            "lookups_small": statistics.fmean(route.small for label, route in routes if label == "lookup"),
            "lookups_brief": statistics.fmean(
                route.style == "brief" for label, route in routes if label == "lookup"
            ),
            "hard_large": statistics.fmean(not route.small for label, route in routes if label == "hard"),
        }
    return told


def is_large(router: Router, question: str) -> bool:
    return not router.route(question).small


def as_outcome(asked: Asked) -> Outcome:
    return Outcome(asked.text, asked.label, asked.label != "hard", True)
