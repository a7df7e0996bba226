"""What a turn's stages took, on one clock that starts when the question arrived. Knows no stage by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from app.events import Span


class Timings:
    """Spans by name, and what follows from them. A name that comes again replaces the one before."""

    def __init__(self, arrived: float) -> None:
        """`arrived` is in `perf_counter` seconds, as is every moment that is handed in here."""
        self._arrived = arrived
        self._open: dict[str, float] = {}
        self._spans: dict[str, Span] = {}
        self._facts: dict[str, float] = {}
        self._last = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.begin(name)
        try:
            yield
        finally:
            self.end(name)

    def begin(self, name: str, at: float | None = None) -> None:
        self._open[name] = perf_counter() if at is None else at

    def end(self, name: str, at: float | None = None) -> float:
        """Milliseconds that it took; 0 for a stage that never began."""
        began = self._open.pop(name, None)
        if began is None:
            return self.read(name)
        until = max(began, perf_counter() if at is None else at)
        self._spans[name] = Span(name, _ms(began - self._arrived), _ms(until - began))
        return self._spans[name].ms

    def read(self, name: str) -> float:
        return self._spans[name].ms if name in self._spans else 0.0

    def text(self, asked: float) -> None:
        """Notes that text has come from a request that was handed over then."""
        now = perf_counter()
        if "ttft" not in self._facts:
            self._facts |= {
                "upstream_ttft": _ms(now - asked),
                "ttft": _ms(now - self._arrived),
                "stall_max": 0.0,
            }
        else:
            self._facts["stall_max"] = max(self._facts["stall_max"], _ms(now - self._last))
        self._last = now

    @property
    def spoke(self) -> bool:
        return "ttft" in self._facts

    def retract(self) -> None:
        """The text so far does not count: the first one is still to come."""
        self._facts.clear()

    def close(self) -> tuple[dict[str, float], tuple[Span, ...]]:
        """`timings` and `spans` of the end: a stage that is still open ends now."""
        for name in list(self._open):
            self.end(name)
        spans = tuple(self._spans.values())
        took = {span.name: span.ms for span in spans}
        return took | self._facts | {"total": _ms(perf_counter() - self._arrived)}, spans


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
