"""How sure it is that anything found bears on the question. Pure."""

from collections.abc import Sequence

from app.retrieval.protocol import Passage

RELEVANT = 0.5


def confidence(question: str, dense: Sequence[Passage] | None, lexical: Sequence[Passage] | None) -> float:
    return 1.0 if dense or lexical else 0.0
