"""Who is asking: a random owner in a signed cookie. No accounts, no names; a browser is its own owner."""

import secrets
from http.cookies import SimpleCookie
from pathlib import Path
from uuid import uuid4

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import make_data_dir

COOKIE = "prelude"
YEAR = 31_536_000
OPEN_PATHS = ("/static/", "/healthz", "/metrics")  # nobody's: they neither need nor get a cookie


class Identity:
    """Pure ASGI middleware: puts `owner` into the request's state, and the cookie on the first response."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app = app
        self._signer = URLSafeSerializer(secret, salt="owner")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(OPEN_PATHS):
            await self._app(scope, receive, send)
            return
        owner = self._read(HTTPConnection(scope).cookies.get(COOKIE, ""))
        if owner:
            scope.setdefault("state", {})["owner"] = owner
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["owner"] = owner = uuid4().hex
        cookie = self._cookie(owner, secure=scope["scheme"] == "https")

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _read(self, value: str) -> str:
        try:
            return str(self._signer.loads(value))
        except BadSignature:
            return ""

    def _cookie(self, owner: str, *, secure: bool) -> str:
        cookie: SimpleCookie = SimpleCookie()
        cookie[COOKIE] = self._signer.dumps(owner)
        morsel = cookie[COOKIE]
        morsel["path"], morsel["httponly"], morsel["samesite"] = "/", True, "Lax"
        morsel["max-age"], morsel["secure"] = YEAR, secure
        return morsel.OutputString()


def secret_from(configured: str, data_dir: Path) -> str:
    """SECRET_KEY, or one made once and kept under DATA_DIR, the same for every process that shares it."""
    if configured:
        return configured
    path = make_data_dir(data_dir) / "secret"
    if path.exists():
        return path.read_text()
    made = data_dir / f"secret.{uuid4().hex}"
    made.touch(mode=0o600)
    made.write_text(secrets.token_hex(32))
    try:
        path.hardlink_to(made)  # whoever is first wins, and nobody reads half a secret
    except FileExistsError:
        pass
    finally:
        made.unlink()
    return path.read_text()
