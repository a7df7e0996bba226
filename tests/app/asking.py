"""What tests of the model's adapter share: an adapter on an address, a question, and what came of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx

from app.errors import TurnError
from app.models import NO_HINTS, Chunk, Hints, open_model
from app.prompt import Message
from app.routing import Route
from app.settings import Settings

if TYPE_CHECKING:
    from app.models.openai import OpenAIModel

QUESTION = [Message("system", "Be brief."), Message("user", "How old is the wall?")]


def route(model: str, most: int = 4_096, **more: Any) -> Route:
    return Route("test", model, k=0, max_tokens=most, reason="", **more)


@asynccontextmanager
async def opened(address: str, **settings: Any) -> AsyncIterator["OpenAIModel"]:
    model = open_model(Settings(openai_base_url=address + "/v1", **settings))
    try:
        yield model
    finally:
        await model.close()


async def heard(
    model: "OpenAIModel", name: str, most: int = 4_096, hints: Hints = NO_HINTS, **more: Any
) -> list[Chunk]:
    return [chunk async for chunk in model.stream(QUESTION, route(name, most, **more), hints)]


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks)


async def failure(model: "OpenAIModel", name: str) -> tuple[TurnError, str]:
    """How it failed, and what had come by then."""
    chunks = []
    try:
        async for chunk in model.stream(QUESTION, route(name)):
            chunks.append(chunk)
    except TurnError as error:
        return error, text(chunks)
    raise AssertionError(f"{name} did not fail")


async def requests(address: str, model: str) -> list[dict[str, Any]]:
    """What the stand-in was asked of a model, oldest first."""
    async with httpx.AsyncClient(base_url=address, verify=False, timeout=20) as client:
        shown: list[dict[str, Any]] = (await client.get("/requests", params={"model": model})).json()
    return shown
