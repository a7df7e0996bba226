"""POST /v1/chat/completions: a request recorded, its model found, its answer played to the client.

A client that leaves is noticed at any time, the wait for the first token included, and written down.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dev.standin import extract, reading, scenario, wire
from dev.standin.fields import breakpoints_of, check, fields_of
from dev.standin.ledger import Ledger, Record
from dev.standin.playing import Sink, play
from dev.standin.scenario import Scenario
from dev.standin.sinks import Body, Streamed, Whole
from dev.standin.tokens import PrefixCache, read
from dev.standin.wire import Ask, Fault

EXTRACT = "extract"
ASKED = "asked"  # and `asked-LABEL`
EXAMPLE = "sim-ttft200-itl20-n80"
_PLEASANT = Scenario(itl=8)
_SHOWN = ("user-agent", "content-type", "accept", "traceparent", "tracestate", "idempotency-key")
_SHOWN_PREFIXES = ("x-", "openai-")


@dataclass(frozen=True, slots=True)
class Answer:
    """What to play: the pace, the chunks, and why they end."""

    pace: Scenario
    chunks: Sequence[str]
    reason: str = "stop"


class Completions:
    """The endpoint, as a plain ASGI application."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._prefixes = PrefixCache()
        self._failures: Counter[tuple[str, str]] = Counter()

    def forget(self) -> None:
        """Back to a server that nobody has asked anything."""
        self._ledger.clear()
        self._prefixes.clear()
        self._failures.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        try:
            asked = wire.decode(body)
            ask = _as_asked(asked)
            answer = _answer(ask)
        except Fault as fault:
            await fault.response()(scope, receive, send)
            return
        whole = msgspec.json.decode(body)
        record = self._ledger.open(
            ask.model,
            bool(ask.stream),
            _messages(ask),
            body.decode(),
            _headers(scope),
            asked=asked.model,
            path=scope["path"],
            fields=fields_of(whole),
            breakpoints=breakpoints_of(whole),
        )
        if await _stays(receive, self._reply(ask, answer, record, scope, receive, send)):
            return
        self._ledger.closed(record)

    async def load(self, request: Request) -> Response:
        """Ollama's way to have a model loaded: a request without a prompt."""
        body = await request.body()
        whole = msgspec.json.decode(body)
        model, fields = str(whole.get("model")), fields_of(whole)
        record = self._ledger.open(model, False, [], body.decode(), {}, path=request.url.path, fields=fields)
        self._ledger.finish(record, "done")
        return Response(wire.encode({"model": model, "done": True}), media_type=wire.CONTENT_TYPE)

    async def _reply(
        self, ask: Ask, answer: Answer, record: Record, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            check(answer.pace, record.fields, record.breakpoints)
            wait = self._wait(ask, answer.pace, record)
            await self._refuse(answer.pace, record, wait)
        except Fault as fault:
            self._ledger.finish(record, "error", fault.status)
            await fault.response()(scope, receive, send)
            return
        sink = _sink(ask, answer, record, send, scope.get("standin.transport"))
        outcome = await play(answer.pace, answer.chunks, wait, sink, self._ledger, record)
        self._ledger.finish(record, outcome)

    def _wait(self, ask: Ask, pace: Scenario, record: Record) -> float:
        """Milliseconds to the first token: prefill pays only for what no earlier prompt shares."""
        prompt = read(ask)
        record.prompt_tokens = len(prompt.tokens)
        record.cached_tokens = self._prefixes.cached(ask.model, prompt, pace.cache)
        return pace.prefill(record.prompt_tokens, record.cached_tokens)

    async def _refuse(self, pace: Scenario, record: Record, wait: float) -> None:
        """Raises the error that a scenario asks for, as often as it asks for it."""
        if pace.status is None:
            return
        prompt = (record.model, str(record.messages))
        if pace.times is not None and self._failures[prompt] >= pace.times:
            return
        self._failures[prompt] += 1
        await asyncio.sleep(wait / 1000)
        raise Fault(
            pace.status, f"The scenario '{record.model}' answers {pace.status}.", "scenario", pace.retry_after
        )


def _as_asked(ask: Ask) -> Ask:
    """The model `asked` stands for the scenario that the question names: one stack plays them all.

    `asked-small` plays the one behind `small:`, so that a question can say what each of two models does:
    `small:sim-pass sim-n20`. A summary names nothing of its own.
    """
    name, _, label = ask.model.partition("-")
    if name != ASKED:
        return ask
    if _prompt(ask).wants_summary:
        return msgspec.structs.replace(ask, model=EXTRACT)
    named = scenario.first_named(ask.messages[-1].text if ask.messages else "", label)
    return msgspec.structs.replace(ask, model=named or EXAMPLE)


def _prompt(ask: Ask) -> reading.Prompt:
    return reading.read([(message.role, message.text) for message in ask.messages])


def _answer(ask: Ask) -> Answer:
    if ask.model == EXTRACT:
        said = extract.answer(_prompt(ask))
        return _limited(Answer(_PLEASANT, extract.pieces(said)), ask.limit)
    if not scenario.is_scenario(ask.model):
        raise Fault(
            404,
            f"There is no model '{ask.model}' here; there is '{EXTRACT}', and scenarios such as '{EXAMPLE}'.",
            "model_not_found",
        )
    try:
        pace = scenario.parse(ask.model)
    except scenario.UnknownPart as error:
        raise Fault(404, str(error), "model_not_found") from None
    return _limited(Answer(pace, scenario.chunks(pace)), ask.limit)


def _limited(answer: Answer, limit: int | None) -> Answer:
    if limit is None or limit >= len(answer.chunks):
        return answer
    return Answer(answer.pace, answer.chunks[:limit], "length")


def _sink(ask: Ask, answer: Answer, record: Record, send: Send, transport: object) -> Sink:
    def usage(completion: int) -> dict[str, object]:
        return wire.usage_of(record.prompt_tokens, completion, record.cached_tokens)

    if not ask.stream:
        body = Body(send, record.id, b"application/json", transport)
        return Whole(body, record.id, ask.model, reason=answer.reason, usage=usage)
    body = Body(send, record.id, b"text/event-stream; charset=utf-8", transport)
    lines = wire.Lines(record.id, ask.model)
    asked = usage if ask.wants_usage else None
    return Streamed(body, lines, split=answer.pace.split, reason=answer.reason, usage=asked)


async def _read(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


async def _stays(receive: Receive, reply: Awaitable[None]) -> bool:
    """Runs the reply while the client is there; False, with the reply cancelled, when it left first."""
    replying = asyncio.ensure_future(reply)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait((replying, leaving), return_when=asyncio.FIRST_COMPLETED)
        if replying.done():
            replying.result()
        return replying.done()
    finally:
        replying.cancel()
        leaving.cancel()


async def _left(receive: Receive) -> Message:
    while (message := await receive())["type"] != "http.disconnect":
        pass
    return message


def _messages(ask: Ask) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.text} for message in ask.messages]


def _headers(scope: Scope) -> dict[str, str]:
    """What a test may want to see; of a key only that there was one."""
    given = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    shown = {
        name: value for name, value in given.items() if name in _SHOWN or name.startswith(_SHOWN_PREFIXES)
    }
    return shown | ({"authorization": "(hidden)"} if "authorization" in given else {})
