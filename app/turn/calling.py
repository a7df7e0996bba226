"""One call of the model, told from its first text to its last. Knows no stage before it."""

from collections.abc import Sequence
from contextlib import aclosing
from time import perf_counter

from app.events import Delta, Finished, Step, Usage
from app.models import Hints, Model
from app.models.usage import left_early
from app.prompt import Message
from app.routing import Route
from app.routing.escalation import WATCHED, unanswered
from app.timings import Timings
from app.turn.stages import Emit


class Unanswered(Exception):
    """What the model said will not do; `usage` is what it cost all the same."""

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.reason, self.usage = reason, usage


async def call(
    messages: Sequence[Message],
    route: Route,
    hints: Hints,
    model: Model,
    emit: Emit,
    timings: Timings,
    *,
    judged: bool,
) -> Finished:
    """Prefill until the first text, decode from there to the end; told apart, for their cures differ.

    Raises TurnError and, when the answer is `judged` and is none, Unanswered: as soon as that can be heard.
    """
    usage, reason, asked, silent = Usage(), "stop", perf_counter(), True
    said: str | None = "" if judged else None  # the beginning, while it is being judged
    emit(Step("prefill", "running"))
    timings.begin("prefill", asked)
    async with aclosing(model.stream(messages, route, hints)) as chunks:
        async for chunk in chunks:
            usage, reason = chunk.usage or usage, chunk.reason or reason
            if chunk.connected is not None:
                timings.begin("connect", asked)
                timings.end("connect", chunk.connected)
                timings.begin("prefill", chunk.connected)
            if text := chunk.text.replace("\0", ""):  # no page shows it, and Postgres refuses it
                timings.text(asked)
                if silent:
                    silent = False
                    emit(Step("prefill", "done", ms=timings.end("prefill")))
                    emit(Step("decode", "running"))
                    timings.begin("decode")
                emit(Delta(text))
                if said is not None:
                    said = said + text
                    if why := unanswered(said, whole=False):
                        raise Unanswered(why, left_early(messages, said))
                    said = said if len(said) <= WATCHED else None
    if said is not None and (why := unanswered(said, whole=True)):
        raise Unanswered(why, usage)
    emit(Step("decode", "done", ms=timings.end("decode")))
    took, spans = timings.close()
    return Finished(False, route.model, route.name, usage, took, reason, spans)
