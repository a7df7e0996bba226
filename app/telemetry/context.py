"""Whose work a task does: the turn's id, for its log lines and for the model's server."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

TURN: ContextVar[str] = ContextVar("turn", default="")
CALL: ContextVar[str] = ContextVar("call", default="")  # the span that calls a model, when it has one already


@contextmanager
def turn_of_this_task(turn: str) -> Iterator[None]:
    """Tasks that are made inside belong to the turn too."""
    token = TURN.set(turn)
    try:
        yield
    finally:
        TURN.reset(token)


def trace_headers() -> dict[str, str]:
    """W3C trace context for a call of the model, so that its server's spans join the turn's trace.

    A turn's trace id is its own id, and its answer's call has the second half of that (see export.py).
    A server that knows nothing of traces ignores it.
    """
    turn = TURN.get()
    return {"traceparent": f"00-{turn}-{CALL.get() or turn[16:]}-01"} if turn else {}
