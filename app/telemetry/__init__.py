"""What an operator can read of a running process: log lines, metrics and traces.

They are read off the same events that people see, after the turn has ended, so that nothing of it is on
anybody's way to a first token. Nothing here holds a question's or an answer's text unless LOG_QUESTIONS asks
for it.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from app.events import Finished, TurnEvent, Usage
from app.measures import Paint, Record, record, values
from app.settings import Settings
from app.telemetry.context import turn_of_this_task
from app.telemetry.logs import set_up_logs
from app.telemetry.metrics import METRICS, Metrics
from app.turn import Turn

__all__ = ["Telemetry", "set_up_logs", "turn_of_this_task"]

SAID = ("ttft", "upstream_ttft", "decode", "stall_max", "total")

log = logging.getLogger(__name__)


class Telemetry:
    """One process's; `service` names it to others: "web" or "worker"."""

    def __init__(self, settings: Settings, service: str) -> None:
        self._texts = settings.log_questions
        self.metrics = Metrics(settings.data_dir / METRICS)
        self._traces = None
        if settings.otel_exporter_otlp_endpoint:
            # Start-up cost: its packages take a quarter of a second, which only those who export pay.
            from app.telemetry.export import Exported

            self._traces = Exported(service, self.metrics, with_texts=self._texts)

    def ended(self, turn: Turn, events: Sequence[TurnEvent]) -> None:
        """Tells of a turn that has ended and is kept. Never raises."""
        try:
            told = record(events)
            self.metrics.turn(told)
            self._log(turn, told)
            if self._traces is not None:
                end = events[-1]
                self._traces.turn(turn, told, end.reason if isinstance(end, Finished) else "")
        except Exception:
            log.exception("turn %s could not be reported", turn.id)

    def painted(self, told: Record, paint: Paint) -> None:
        """Tells what a browser saw of a turn."""
        self.metrics.paint(told, values(told, paint) if paint.counts else {})

    @contextmanager
    def job(self, name: str, payload: dict[str, Any]) -> Iterator[None]:
        """Around a job: one that fails says so by what it raises."""
        began, outcome = time.perf_counter(), "failed"
        span = self._traces.job(name, payload) if self._traces else nullcontext()
        try:
            with turn_of_this_task(payload.get("turn", "")), span:
                yield
            outcome = "done"
        finally:
            self.metrics.job(name, outcome, time.perf_counter() - began)

    @contextmanager
    def chat(self, model: str) -> Iterator[Callable[[Usage], None]]:
        """Around a call of a model within a job; gives what takes the tokens it used."""
        began, error = time.perf_counter(), "failed"
        try:
            with self._traces.chat(model) if self._traces else nullcontext(_nobody) as used:
                yield used
            error = ""
        finally:
            self.metrics.call(model, (time.perf_counter() - began) * 1_000, error)

    def close(self) -> None:
        """Sends what waits to be sent, for a second or so at the most."""
        if self._traces is not None:
            self._traces.close()

    def _log(self, turn: Turn, told: Record) -> None:
        facts: dict[str, Any] = {name: told.timings[name] for name in SAID if name in told.timings}
        if self._texts:
            facts["question"] = turn.question
        log.info(
            "turn ended",
            extra={
                "turn": turn.id,
                "outcome": told.outcome,
                "route": told.route,
                "model": told.model,
                "cached": told.cached,
                "prompt_tokens": told.usage.prompt_tokens,
                "completion_tokens": told.usage.completion_tokens,
                **facts,
            },
        )


def _nobody(usage: Usage) -> None:
    """Takes what nobody wants to know."""
