"""The OpenAI adapter: Chat Completions over aiohttp, decoded from raw bytes.

The SDK builds the request, authenticates, retries with backoff before the body (408, 409, 429, 5xx) and
closes the connection when the stream is left; its typed chunks are skipped, for they cost ten times the
CPU (docs/architecture.md has the figures).
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from time import perf_counter
from typing import Any, NoReturn

import httpx2
import msgspec
import openai
from openai import AsyncAPIResponse, AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk

from app.errors import TurnError
from app.models import NO_HINTS, Chunk, Hints
from app.models.connecting import CONNECTION, Connection, open_client
from app.models.lines import Lines, brief, read
from app.models.listing import owners
from app.models.providers import PROVIDERS, UNKNOWN, by_address, by_models
from app.models.refusals import Refusals
from app.models.request import body, optional_fields
from app.prompt import Message
from app.routing import Route
from app.settings import Settings
from app.telemetry.context import trace_headers

# Generous: a hosted model's latency varies, and a long prompt's prefill can take a minute.
TIMEOUT = openai.Timeout(connect=10, read=120, write=30, pool=10)
FRESH = 4.0  # seconds for which a connection that was used is surely there: vLLM closes one after five
LOADING = 60.0  # seconds that loading a model may take
LOADED = "30m"  # and how long it stays

Response = AsyncAPIResponse[AsyncStream[ChatCompletionChunk]]


class OpenAIModel:
    def __init__(self, settings: Settings, timeout: openai.Timeout = TIMEOUT) -> None:
        self._tracing = bool(settings.otel_exporter_otlp_endpoint)
        self._client = AsyncOpenAI(
            api_key=settings.openai_api_key or "none",
            base_url=settings.openai_base_url or None,
            timeout=timeout,
            max_retries=2,
            http_client=open_client(),
        )
        self._by_address = by_address(settings.openai_base_url)
        self._models = (settings.small_model, settings.chat_model)
        self.provider = PROVIDERS[self._by_address or UNKNOWN]
        self._refusals = Refusals()
        self._used = float("-inf")
        self._warming: asyncio.Task[None] | None = None
        self._loading: asyncio.Task[None] | None = None

    async def stream(
        self, messages: Sequence[Message], route: Route, hints: Hints = NO_HINTS
    ) -> AsyncGenerator[Chunk, None]:
        whole, connection = False, Connection()
        CONNECTION.set(connection)
        try:
            async with AsyncExitStack() as stack:
                response = await self._ask(stack, messages, route, hints)
                yield Chunk(connected=connection.at)
                lines = Lines()
                async for data in response.iter_bytes():
                    for chunk in read(lines.feed(data)):
                        whole = whole or bool(chunk.reason)
                        yield chunk
                    whole = whole or lines.done
                self._used = perf_counter()
        except (openai.OpenAIError, httpx2.HTTPError, OSError, msgspec.DecodeError) as error:
            _explain(error, route.model)
        if not whole:
            raise TurnError("upstream_cut", "The model's answer was cut off before its end.")

    async def _ask(
        self, stack: AsyncExitStack, messages: Sequence[Message], route: Route, hints: Hints
    ) -> Response:
        """The response, open until the stack closes; asked for again without the fields that were refused."""
        fields = optional_fields(self.provider, messages, route, hints)
        attempt = self._refusals.attempt((self.provider.name, route.model), fields)
        while True:
            try:
                asking = self._request(route.model, body(messages, attempt.fields))
                response = await stack.enter_async_context(asking)
            except openai.APIStatusError as error:
                if not attempt.refused(error.status_code, error.message, error.param or ""):
                    raise
            else:
                attempt.taken()
                return response

    def _request(self, model: str, told: dict[str, Any]) -> AbstractAsyncContextManager[Response]:
        return self._client.chat.completions.with_streaming_response.create(
            model=model,
            messages=told.pop("messages"),
            stream=True,
            stream_options=told.pop("stream_options"),
            extra_body=told,
            extra_headers=trace_headers() if self._tracing else None,
        )

    async def warm(self) -> None:
        """Opens the connection that the next question will use, unless there is one; many at once are one."""
        if perf_counter() - self._used < FRESH:
            return
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self._warm())
        await asyncio.shield(self._warming)

    async def _warm(self) -> None:
        """Whatever is wrong, the next question will say."""
        with suppress(openai.OpenAIError, httpx2.HTTPError, OSError, ValueError):
            client = self._client.with_options(max_retries=0, timeout=5)
            answer = await client.models.with_raw_response.list()
            self._used = perf_counter()
            known = self._by_address or by_models(owners(answer.content), answer.headers.get("server", ""))
            self.provider = PROVIDERS[known]
            if self.provider.loads and (self._loading is None or self._loading.done()):
                self._loading = asyncio.create_task(self._load(self.provider.loads))

    async def _load(self, path: str) -> None:
        """Has the models loaded by a server that forgets them. It may take a minute; nobody waits for it."""
        root = str(self._client.base_url).rstrip("/").removesuffix("/v1")
        client = self._client.with_options(base_url=root, max_retries=0, timeout=LOADING)
        with suppress(openai.OpenAIError, httpx2.HTTPError, OSError, ValueError):
            for model in dict.fromkeys(self._models):
                await client.post(path, body={"model": model, "keep_alive": LOADED}, cast_to=object)

    async def close(self) -> None:
        for task in (self._warming, self._loading):
            if task is not None:
                task.cancel()
        await self._client.close()


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
                "upstream_refused", f"The model's server refused: {brief(error.message)}"
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
