"""Where an answer goes: a stream of server-sent lines, or one JSON object, as plain ASGI sends."""

import asyncio
import re
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import Send

from dev.standin import wire

_PAUSE = 0.001  # seconds between writes that are to be read apart
_HEADERS = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
_BYTES = re.compile(rb"[\x00-\x7f]*[\x80-\xff]|[\x00-\x7f]+")  # ends within or after a character

Usage = Callable[[int], dict[str, Any]]


class Body:
    """An open response body; `transport` is the connection's, where the server lets it be seen."""

    def __init__(self, send: Send, request: int, content_type: bytes, transport: Any) -> None:
        self._send, self._transport = send, transport
        self._headers = [(b"content-type", content_type), (b"x-request-id", b"%d" % request), *_HEADERS]

    async def start(self) -> None:
        await self._send({"type": "http.response.start", "status": 200, "headers": self._headers})

    async def write(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def end(self, body: bytes = b"") -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def cut(self, *, reset: bool) -> None:
        """Nothing more: a body left unfinished makes the server close the connection.

        A socket that closes without lingering resets it.
        """
        if reset and self._transport is not None:
            await asyncio.sleep(_PAUSE)  # what was written must be on its way: a reset drops the rest
            linger = struct.pack("ii", 1, 0)
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


class Streamed:
    """Server-sent lines; `split` ends a write inside every character of more than one byte."""

    def __init__(
        self, body: Body, lines: wire.Lines, *, split: bool, reason: str, usage: Usage | None
    ) -> None:
        self._body, self._lines, self._split = body, lines, split
        self._reason, self._usage, self._sent = reason, usage, 0

    async def begin(self, empty: int) -> None:
        await self._body.start()
        await self._write(self._lines.role() + self._lines.content("") * empty)

    async def content(self, chunks: Sequence[str]) -> None:
        self._sent += len(chunks)
        await self._write(b"".join(map(self._lines.content, chunks)))

    async def broken(self) -> None:
        await self._write(self._lines.broken())

    async def cut(self, *, reset: bool) -> None:
        await self._body.cut(reset=reset)

    async def finish(self) -> None:
        usage = self._lines.usage(self._usage(self._sent)) if self._usage else b""
        await self._body.end(self._lines.end(self._reason) + usage + wire.DONE)

    async def _write(self, lines: bytes) -> None:
        if not self._split:
            await self._body.write(lines)
            return
        for piece in _BYTES.findall(lines):
            await self._body.write(piece)
            await asyncio.sleep(_PAUSE)


class Whole:
    """One JSON object at the end; a cut leaves half of it, a broken one is cut short but ended."""

    def __init__(self, body: Body, request: int, model: str, *, reason: str, usage: Usage) -> None:
        self._body, self._request, self._model = body, request, model
        self._reason, self._usage = reason, usage
        self._chunks: list[str] = []
        self._broken = False

    async def begin(self, empty: int) -> None:
        """Nothing is sent before all is there."""

    async def content(self, chunks: Sequence[str]) -> None:
        self._chunks += chunks

    async def broken(self) -> None:
        self._broken = True

    async def cut(self, *, reset: bool) -> None:
        await self._body.start()
        whole = self._whole()
        await self._body.write(whole[: len(whole) // 2])
        await self._body.cut(reset=reset)

    async def finish(self) -> None:
        whole = self._whole()
        await self._body.start()
        await self._body.end(whole[: len(whole) // 2] if self._broken else whole)

    def _whole(self) -> bytes:
        text, usage = "".join(self._chunks), self._usage(len(self._chunks))
        return wire.whole(self._request, self._model, text, self._reason, usage)
