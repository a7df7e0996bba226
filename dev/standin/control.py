"""Reads back what was asked, waits for it, and opens gates: the tests' side of the stand-in.

A key is a request's id (the `x-request-id` of its response) or a model's whole name, which means that
model's newest request, an open one first, and waits for one to come.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar, get_args

from starlette.requests import Request
from starlette.responses import Response

from dev.standin import wire
from dev.standin.completions import Completions
from dev.standin.ledger import Ledger, Moment, Record
from dev.standin.wire import Fault

T = TypeVar("T", int, float)

PATIENCE = 10.0  # seconds that a wait lasts unless told otherwise


class Control:
    def __init__(self, ledger: Ledger, completions: Completions) -> None:
        self._ledger, self._completions = ledger, completions

    async def listed(self, request: Request) -> Response:
        """GET /requests?model=&after=: oldest first, those after an id."""
        asked = request.query_params
        records = self._ledger.listed(asked.get("model") or None, _number(request, "after", int, 0))
        return _json([record.shown() for record in records])

    async def clear(self, request: Request) -> Response:
        """DELETE /requests: forgets them, the prefix caches and the counts of failures."""
        self._completions.forget()
        return Response(status_code=204)

    async def one(self, request: Request) -> Response:
        """GET /requests/{key}?until=&at=&after=&timeout=: the request, once it has come so far."""
        return _json((await self._awaited(request, "received")).shown())

    async def release(self, request: Request) -> Response:
        """POST /gates/{key}?count=&at=&after=&timeout=: opens the next gate, or `count`, or `all`.

        `at` first waits until the stream is held before that chunk. A gate may be opened before it is
        reached. Answers with the request as it stood when its gate opened.
        """
        record = await self._awaited(request, "held" if "at" in request.query_params else "received")
        every = request.query_params.get("count") == "all"
        shown = record.shown()
        self._ledger.release(record, float("inf") if every else _number(request, "count", int, 1))
        return _json(shown)

    async def _awaited(self, request: Request, default: Moment) -> Record:
        key, moment = request.path_params["key"], _moment(request, default)
        after, at = _number(request, "after", int, 0), _number(request, "at", int, 0) or None
        if key.isdecimal() and self._ledger.find(key) is None:
            raise Fault(404, f"There is no request {key}.", "request_not_found")

        def found() -> Record | None:
            record = self._ledger.find(key, after)
            return record if record is not None and record.has(moment, at) else None

        return await self._patiently(found, _number(request, "timeout", float, PATIENCE), f"{key}: {moment}")

    async def _patiently(self, found: Callable[[], Record | None], seconds: float, what: str) -> Record:
        try:
            async with asyncio.timeout(seconds):
                await self._ledger.until(found)
        except TimeoutError:
            raise Fault(408, f"Waited {seconds:g} s for {what}.", "timeout") from None
        record = found()
        assert record is not None  # noqa: S101 - `until` has just seen it, and nothing ran in between
        return record


def _moment(request: Request, default: Moment) -> Moment:
    wanted = request.query_params.get("until", default)
    for moment in get_args(Moment):
        if moment == wanted:
            return moment  # type: ignore[no-any-return]  # get_args is untyped
    takes = ", ".join(get_args(Moment))
    raise Fault(400, f"until is '{wanted}', but it takes one of {takes}.", "invalid_query")


def _number(request: Request, name: str, kind: Callable[[str], T], default: T) -> T:
    given = request.query_params.get(name)
    try:
        return kind(given) if given else default
    except ValueError:
        raise Fault(400, f"{name} is '{given}', but it takes a number.", "invalid_query") from None


def _json(value: object) -> Response:
    return Response(wire.encode(value), media_type=wire.CONTENT_TYPE)
