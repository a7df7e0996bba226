"""The OpenAI adapter: Chat Completions over aiohttp, decoded from raw bytes.

The SDK builds the request, authenticates, retries with backoff before the body (408, 409, 429, 5xx) and
closes the connection when the stream is left; its typed chunks are skipped, for they cost ten times the
CPU (docs/architecture.md has the figures).
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import httpx2
import msgspec
import openai
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam

from app.errors import TurnError
from app.events import Usage
from app.models import NO_HINTS, Chunk, Hints
from app.models.connecting import CONNECTION, Connection, traced_client
from app.prompt import Message
from app.routing import Route
from app.settings import Settings
from app.telemetry.context import trace_headers

# Generous: a hosted model's latency varies, and a long prompt's prefill can take a minute.
TIMEOUT = openai.Timeout(connect=10, read=120, write=30, pool=10)
LONGEST_LINE = 1 << 20


class _Delta(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = 0


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _Line(msgspec.Struct):
    choices: list[_Choice] = msgspec.field(default_factory=list)
    usage: _Usage | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Line)


class OpenAIModel:
    def __init__(self, settings: Settings, timeout: openai.Timeout = TIMEOUT) -> None:
        # OpenAI's newer models refuse `max_tokens`, several compatible servers only know it.
        self._cap = "max_tokens" if settings.openai_base_url else "max_completion_tokens"
        self._tracing = bool(settings.otel_exporter_otlp_endpoint)
        self._client = AsyncOpenAI(
            api_key=settings.openai_api_key or "none",
            base_url=settings.openai_base_url or None,
            timeout=timeout,
            max_retries=2,
            http_client=traced_client(),
        )

    async def stream(
        self, messages: Sequence[Message], route: Route, hints: Hints = NO_HINTS
    ) -> AsyncGenerator[Chunk, None]:
        whole, connection = False, Connection()
        CONNECTION.set(connection)
        try:
            async with self._client.chat.completions.with_streaming_response.create(
                model=route.model,
                messages=_params(messages),
                stream=True,
                stream_options={"include_usage": True},
                extra_body={self._cap: route.max_tokens},
                extra_headers=trace_headers() if self._tracing else None,
            ) as response:
                yield Chunk(connected=connection.at)
                lines = Lines()
                async for data in response.iter_bytes():
                    for chunk in read(lines.feed(data)):
                        whole = whole or bool(chunk.reason)
                        yield chunk
                    whole = whole or lines.done
        except (openai.OpenAIError, httpx2.HTTPError, OSError, msgspec.DecodeError) as error:
            _explain(error, route.model)
        if not whole:
            raise TurnError("upstream_cut", "The model's answer was cut off before its end.")

    async def warm(self) -> None:
        """Opens the connection that the first question will use; whatever is wrong, that one will say."""
        with suppress(openai.OpenAIError, httpx2.HTTPError, OSError):
            await self._client.with_options(max_retries=0, timeout=5).models.list()

    async def close(self) -> None:
        await self._client.close()


class Lines:
    """The `data:` lines of an event stream, from bytes cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""
        self.done = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise TurnError("upstream_failed", "The model sent a line of over a megabyte.")
        for line in lines:
            if line.startswith(b"data:"):
                value = line[5:].strip()
                if value == b"[DONE]":
                    self.done = True
                elif value:
                    yield value


def read(lines: Iterator[bytes]) -> Iterator[Chunk]:
    """All that one read brought, as one chunk or none; what came before a fault comes before its error."""
    texts, reason, usage, fault = [], "", None, None
    try:
        for line in map(_decode, lines):
            usage = _usage(line.usage) if line.usage else usage
            for choice in line.choices[:1]:
                texts.append(choice.delta.content or "")
                reason = choice.finish_reason or reason
    except (TurnError, msgspec.DecodeError) as error:
        fault = error
    text = "".join(texts)
    if text or reason or usage:
        yield Chunk(text, reason, usage)
    if fault:
        raise fault


def _decode(data: bytes) -> _Line:
    line = _decoder.decode(data)
    if line.error:
        raise TurnError("upstream_failed", f"The model failed while answering: {_brief(line.error)}")
    return line


def _usage(usage: _Usage) -> Usage:
    details = usage.prompt_tokens_details
    return Usage(usage.prompt_tokens, usage.completion_tokens, (details and details.cached_tokens) or 0)


def _params(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    return [{"role": m.role, "content": m.content} for m in messages]  # type: ignore[misc]  # role is a str here


def _explain(error: Exception, model: str) -> NoReturn:
    """Every way an upstream can fail, as one sentence for the person who waits."""
    match error:
        # The SDK's aiohttp transport calls a refused connection a timeout of connecting.
        case openai.APITimeoutError(__cause__=httpx2.ConnectTimeout()):
            raise TurnError("upstream_unreachable", "The model's server cannot be reached.") from error
        case openai.APITimeoutError() | httpx2.TimeoutException():
            raise TurnError("upstream_timeout", "The model did not answer in time.") from error
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            raise TurnError(
                "upstream_refused", "The model's server refused the key in OPENAI_API_KEY."
            ) from error
        case openai.NotFoundError():
            raise TurnError("upstream_refused", f"The model's server knows no model {model!r}.") from error
        case openai.RateLimitError():
            raise TurnError("upstream_refused", "The model's server is over its rate limit.") from error
        case openai.APIStatusError() if error.status_code < 500:
            raise TurnError(
                "upstream_refused", f"The model's server refused: {_brief(error.message)}"
            ) from error
        case openai.APIStatusError():
            raise TurnError("upstream_failed", f"The model's server failed ({error.status_code}).") from error
        case msgspec.DecodeError():
            raise TurnError(
                "upstream_failed", "The model sent something that is not its protocol."
            ) from error
        case openai.APIConnectionError():
            raise TurnError("upstream_unreachable", "The model's server cannot be reached.") from error
        case _:
            raise TurnError("upstream_cut", "The connection to the model broke.") from error


def _brief(error: Any) -> str:
    text = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(text).split())[:200]
