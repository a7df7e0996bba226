"""What every response forbids the browser, and which requests are refused for coming from elsewhere."""

from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Security:
    """Pure ASGI middleware. Browsers say where a request comes from; programs say nothing and may pass."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["arrived"] = perf_counter()  # before anything else has had its time

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._app if _comes_from_here(scope) else _REFUSAL
        await app(scope, receive, send_with_headers)


_REFUSAL = PlainTextResponse("This request comes from another site.\n", status_code=403)


def _comes_from_here(scope: Scope) -> bool:
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return True
    headers = Headers(scope=scope)
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")  # older browsers, and pages on plain http beside localhost
    return origin is None or origin.split("://")[-1] == headers.get("host")
