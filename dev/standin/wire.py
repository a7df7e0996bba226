"""OpenAI's JSON on the wire: requests decoded, chunks and errors encoded.

Chunks are joined from bytes made once a stream, so that a token costs a concatenation. Knows nothing of
when anything is sent.
"""

import time
from functools import lru_cache
from typing import Any

import msgspec
from starlette.responses import Response

CONTENT_TYPE = "application/json"
DONE = b"data: [DONE]\n\n"


class Part(msgspec.Struct):
    type: str
    text: str = ""
    prompt_cache_breakpoint: dict[str, str] | None = None


class Message(msgspec.Struct):
    role: str
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class CacheOptions(msgspec.Struct):
    mode: str = "implicit"


class StreamOptions(msgspec.Struct):
    include_usage: bool = False


class Ask(msgspec.Struct):
    """The fields of a chat completion request that change what the stand-in does; others are ignored."""

    model: str
    messages: list[Message]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    n: int | None = None
    prompt_cache_options: CacheOptions | None = None
    tools: list[msgspec.Raw] | None = None

    @property
    def limit(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    @property
    def wants_usage(self) -> bool:
        return self.stream_options is not None and self.stream_options.include_usage


class Fault(Exception):
    """An answer in OpenAI's form of an error: `message` is one sentence for whoever asked."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str | None,
        retry_after: float | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.retry_after = status, message, code, retry_after
        self.param = param

    def response(self) -> Response:
        headers = {} if self.retry_after is None else {"retry-after": f"{self.retry_after:g}"}
        return Response(self.body(), self.status, headers, CONTENT_TYPE)

    def body(self) -> bytes:
        kind = _KINDS.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        told = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return encode({"error": told})


_KINDS = {429: "rate_limit_error", 401: "authentication_error"}


class Forbidden(Fault):
    """The same in the form of servers that validate with pydantic."""

    def __init__(self, fields: list[str]) -> None:
        super().__init__(422, "Extra inputs are not permitted.", None)
        self._fields = fields

    def body(self) -> bytes:
        faults = [
            {"type": "extra_forbidden", "loc": ["body", field], "msg": self.message} for field in self._fields
        ]
        return encode({"detail": faults})


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Ask)
encode = _encoder.encode


def decode(body: bytes) -> Ask:
    """The request in a body; a Fault says what does not fit."""
    try:
        ask = _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Fault(400, f"The body is not a chat completion request: {error}.", "invalid_body") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Fault(400, f"The body is not JSON: {error}.", "invalid_json") from None
    if not ask.messages:
        raise Fault(400, "messages is empty, but it takes at least one message.", "invalid_body")
    if ask.n not in (None, 1):
        raise Fault(400, f"n is {ask.n}, but the stand-in gives 1 choice.", "invalid_body")
    if ask.limit is not None and ask.limit < 1:
        raise Fault(400, f"max_tokens is {ask.limit}, but it takes 1 or more.", "invalid_body")
    return ask


class Lines:
    """The server-sent lines of one stream."""

    def __init__(self, request: int, model: str) -> None:
        head = {"id": f"chatcmpl-{request}", "object": "chat.completion.chunk", "created": int(time.time())}
        self._head = b"data: " + encode({**head, "model": model})[:-1] + b',"choices":['
        self._content = self._head + b'{"index":0,"delta":{"content":'

    def role(self) -> bytes:
        return self._choice(b'{"role":"assistant","content":""}', b"null")

    def content(self, text: str) -> bytes:
        return self._content + _quoted(text) + b'},"finish_reason":null}]}\n\n'

    def broken(self) -> bytes:
        """A line that ends in the middle of its JSON."""
        return self._content + b'"lost\n\n'

    def end(self, reason: str) -> bytes:
        return self._choice(b"{}", encode(reason))

    def usage(self, usage: dict[str, Any]) -> bytes:
        return self._head + b'],"usage":' + encode(usage) + b"}\n\n"

    def _choice(self, delta: bytes, reason: bytes) -> bytes:
        return self._head + b'{"index":0,"delta":' + delta + b',"finish_reason":' + reason + b"}]}\n\n"


@lru_cache(maxsize=20_000)
def _quoted(text: str) -> bytes:
    return encode(text)


def whole(request: int, model: str, text: str, reason: str, usage: dict[str, Any]) -> bytes:
    """A completion that is not streamed."""
    message = {"role": "assistant", "content": text, "refusal": None}
    return encode(
        {
            "id": f"chatcmpl-{request}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": model,
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
            "usage": usage,
        }
    )


def usage_of(prompt: int, completion: int, cached: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
