"""Static files whose address holds their content's hash: a browser that has one never asks again."""

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope


class Immutable(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if b"v=" in scope["query_string"] and response.status_code == 200:
            response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response
