"""Whether a follow-up finds what it means: raw, as the rules rewrite it, and as a person resolved it.

Reads conversations (`title`, `turns` of `raw` and `resolved`, as in TREC CAsT 2019). There are no passages to
find, so resolved questions stand for them, embedded as passages. `recall@k`: among the k nearest ones, its
own left out, is one of the same conversation; what a follow-up lacks is its subject, and only who knows that
finds its like. `own@k`: its own resolved form is among the k nearest; most raw ones reach that by their
wording alone. Both for questions that differ from their resolved form, by their raw, their rewritten and
their resolved text, which is the ceiling.

`precision` is the share of rewritten questions that did lean on something, `found` the share of leaning ones
that were rewritten, `left_alone` the share of questions that stand alone and were left so. `p99_ms`: one
rewriting.
"""

import asyncio
import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from app.embedding import Embedder, Vector, open_embedder
from app.followups import stand_alone
from app.prompt import Exchange
from app.settings import Settings
from app.text import is_chinese
from dev.routing.rows import lines
from e2e.bench.figures import percentile

SHIPPED = Path(__file__).parents[1] / "data" / "followups"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question behind another one; `rewritten` is empty where it was left alone."""

    conversation: int
    raw: str
    resolved: str
    rewritten: str
    ms: float

    @property
    def leans(self) -> bool:
        return self.raw != self.resolved


def main(data: Path | None) -> None:
    folder = data or SHIPPED
    rows = [row for path in sorted(folder.glob("*.jsonl")) for row in lines(path)]
    conversations = [row["turns"] for row in rows if "turns" in row]
    if not conversations:
        raise SystemExit(f"{folder} holds no *.jsonl file with conversations: rows of title and turns.")
    asked = [each for n, turns in enumerate(conversations) for each in rewritten(n, turns)]
    corpus = [(n, text) for n, turns in enumerate(conversations) for text in sorted(resolved(turns))]
    print(f"{len(conversations)} conversations from {folder}, {len(asked)} later questions", flush=True)
    print(json.dumps(asyncio.run(measured(asked, corpus)) | told(asked)))


def resolved(turns: Sequence[dict[str, str]]) -> set[str]:
    return {turn["resolved"].strip() for turn in turns}


def rewritten(conversation: int, turns: Sequence[dict[str, str]]) -> list[Asked]:
    """Every question of the conversation but the first, each with those before it as they were asked."""
    told, history = [], [Exchange(turns[0]["raw"], "")]
    for turn in turns[1:]:
        began = perf_counter()
        found = stand_alone(turn["raw"], history)
        ms = (perf_counter() - began) * 1000
        told.append(Asked(conversation, turn["raw"].strip(), turn["resolved"].strip(), found, ms))
        history.append(Exchange(turn["raw"], ""))
    return told


async def measured(asked: Sequence[Asked], corpus: Sequence[tuple[int, str]]) -> dict[str, Any]:
    embedder = open_embedder(Settings())
    try:
        await embedder.warm()
        vectors = await embedder.passages([text for _, text in corpus])
        leaning = [each for each in asked if each.leans]
        texts = {
            "raw": [each.raw for each in leaning],
            "rewritten": [each.rewritten or each.raw for each in leaning],
            "resolved": [each.resolved for each in leaning],
        }
        ranks = {
            name: [
                await _ranked(embedder, text, each, corpus, vectors)
                for text, each in zip(rows, leaning, strict=True)
            ]
            for name, rows in texts.items()
        }
    finally:
        await embedder.close()
    chinese = [is_chinese(each.raw) for each in leaning]
    groups = {"": [True] * len(leaning)}
    if any(chinese) and not all(chinese):
        groups |= {"_en": [not is_it for is_it in chinese], "_zh": chinese}
    return {
        f"{measure}@{k}_{name}{group}": _share(
            [getattr(ranked, measure) for ranked, wanted in zip(found, members, strict=True) if wanted], k
        )
        for group, members in groups.items()
        for measure, k in (("recall", 1), ("recall", 5), ("own", 1))
        for name, found in ranks.items()
    }


@dataclass(frozen=True, slots=True)
class Ranked:
    """How many others are nearer than the first of the same conversation, and than its own resolved form."""

    recall: int
    own: int


async def _ranked(
    embedder: Embedder, text: str, each: Asked, corpus: Sequence[tuple[int, str]], vectors: Sequence[Vector]
) -> Ranked:
    query = await embedder.query(text)
    near = [sum(a * b for a, b in zip(query, vector, strict=True)) for vector in vectors]
    order = sorted(range(len(corpus)), key=lambda n: -near[n])
    own = (each.conversation, each.resolved)
    others = [corpus[n] for n in order if corpus[n] != own]
    like = next((rank for rank, (which, _) in enumerate(others) if which == each.conversation), len(others))
    return Ranked(like, next(rank for rank, n in enumerate(order) if corpus[n] == own))


def _share(ranks: Sequence[int], k: int) -> float:
    return round(statistics.fmean(rank < k for rank in ranks), 4)


def told(asked: Sequence[Asked]) -> dict[str, Any]:
    changed = [each for each in asked if each.rewritten]
    return {
        "precision": round(statistics.fmean(each.leans for each in changed), 4) if changed else None,
        "found": round(statistics.fmean(bool(each.rewritten) for each in asked if each.leans), 4),
        "left_alone": round(statistics.fmean(not each.rewritten for each in asked if not each.leans), 4),
        "changed": round(len(changed) / len(asked), 4),
        "p99_ms": round(percentile([each.ms for each in asked], 99), 3),
        "n": len(asked),
    }
