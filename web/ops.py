"""What an operator's tools ask: is it well, and which part is not."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.errors import TurnError
from app.services import Services
from web.state import Door, door_of

PATIENCE_SECONDS = 2.0


async def healthz(request: Request) -> Response:
    """200 once every part has answered, and from then on while the database does; 503 otherwise."""
    door = door_of(request)
    services = door.services
    names = ("database", "redis", "chroma")
    *states, words = await asyncio.gather(
        _state(_database(door)),
        _state(services.redis.ping()),
        _state(services.index.count()),
        _lexical(services),
    )
    # A probe embeds nothing: it would go before people's questions, or cost a call.
    parts = dict(zip(names, states, strict=True)) | {"embedder": services.embedder.state}
    well = all(state == "ok" for state in parts.values())
    parts["lexical"] = words  # without it answers are found by meaning alone: worse, and no reason to restart
    door.ready = door.ready or well
    status = "ok" if well else "degraded" if door.ready else "starting"
    healthy = door.ready and parts["database"] == "ok"
    return JSONResponse({"status": status, "parts": parts}, 200 if healthy else 503)


async def metrics(request: Request) -> Response:
    """Everything that is counted, in Prometheus' text format; no outbox when the database is away."""
    services = door_of(request).services
    gauges: dict[str, float] = {}
    with suppress(SQLAlchemyError, OSError, TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            gauges["prelude_outbox_waiting"] = await services.store.outbox.count()
    text = await asyncio.to_thread(services.telemetry.metrics.text, gauges)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


async def _database(door: Door) -> None:
    async with door.services.store.engine.connect() as connection:
        await connection.execute(text("SELECT 1"))


async def _lexical(services: Services) -> str:
    """How far the index of words is behind the vectors' one."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            here, there = await services.lexical.count(), await services.index.count()
    except TimeoutError:
        return f"no answer within {PATIENCE_SECONDS:g} s"
    except TurnError as error:
        return error.message
    return "ok" if here == there else f"behind: {here} of {there} passages"


async def _state(check: Awaitable[object]) -> str:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await check
    except TimeoutError:
        return f"no answer within {PATIENCE_SECONDS:g} s"
    except Exception as error:  # whatever a part throws, the report says it and goes on
        return f"{type(error).__name__}: {error}"
    return "ok"
