"""One streamed completion and when its tokens came. Knows the OpenAI protocol and no study."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from app.settings import MEASURING

Messages = list[dict[str, str]]
PATIENCE_S = 300.0  # a long prompt on a busy machine


@dataclass(frozen=True, slots=True)
class Answer:
    """Milliseconds from handing the request over: `ttft` to the first text (prefill, and any wait for a slot
    before it), `tpot` for each token after it (decode), `total` to the last text."""

    ttft: float
    tpot: float
    total: float
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the server at `url`, past the model's own end, so that answers are as long as asked."""

    client: httpx.AsyncClient
    url: str
    model: str = MEASURING

    async def ask(self, messages: Messages, most: int, begun: asyncio.Event | None = None) -> Answer:
        """`most` output tokens; sets `begun` at the first text, or when there will be none.

        RuntimeError when the answer has no text, no usage, or ends early.
        """
        try:
            return await self._ask(messages, most, begun or asyncio.Event())
        finally:
            if begun:
                begun.set()

    async def _ask(self, messages: Messages, most: int, begun: asyncio.Event) -> Answer:
        arrivals: list[float] = []
        usage: Mapping[str, Any] = {}
        start = time.perf_counter()
        async for chunk in self._chunks(_body(self.model, messages, most)):
            if any(choice.get("delta", {}).get("content") for choice in chunk.get("choices", ())):
                arrivals.append((time.perf_counter() - start) * 1000)
                begun.set()
            usage = chunk.get("usage") or usage
        if not arrivals or not usage:
            raise RuntimeError(f"{self.url} sent {len(arrivals)} chunks of text and usage {dict(usage)}")
        return _answer(arrivals, usage)

    async def _chunks(self, body: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        async with self.client.stream(
            "POST", f"{self.url}/v1/chat/completions", json=body, timeout=PATIENCE_S
        ) as response:
            if response.status_code != 200:
                said = (await response.aread())[:300]
                raise RuntimeError(f"{self.url} refused ({response.status_code}): {said!r}")
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    yield json.loads(line[6:])


def _body(model: str, messages: Messages, most: int) -> dict[str, Any]:
    return {
        "model": model, "messages": messages, "max_tokens": most, "stream": True,
        "stream_options": {"include_usage": True}, "temperature": 0, "ignore_eos": True,
    }


def _answer(arrivals: list[float], usage: Mapping[str, Any]) -> Answer:
    first, last, tokens = arrivals[0], arrivals[-1], int(usage["completion_tokens"])
    return Answer(
        ttft=first,
        tpot=(last - first) / (tokens - 1) if tokens > 1 else float("nan"),
        total=last,
        prompt_tokens=int(usage["prompt_tokens"]),
        cached_tokens=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0),
        output_tokens=tokens,
    )
