"""The stand-in's map: every route on one page. Knows no model and no scenario."""

from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from dev.standin import wire
from dev.standin.completions import EXAMPLE, EXTRACT, Completions
from dev.standin.control import Control
from dev.standin.ledger import Ledger
from dev.standin.wire import Fault

OWNERS = {"openai": "openai", "vllm": "vllm", "llamacpp": "llamacpp", "ollama": "library"}  # as they say it


def create_app() -> Starlette:
    """A stand-in of its own, with nothing recorded."""
    ledger = Ledger()
    completions = Completions(ledger)
    control = Control(ledger, completions)
    return StandIn(
        routes=[
            Route("/v1/models", _models),
            Route("/v1/chat/completions", completions, methods=["POST"]),
            # The same in somebody's clothes, for adapters that look whom they speak to.
            Route("/as/{provider}/v1/models", _models),
            Route("/as/{provider}/v1/chat/completions", completions, methods=["POST"]),
            Route("/as/ollama/api/generate", completions.load, methods=["POST"]),
            Route("/requests", control.listed),
            Route("/requests", control.clear, methods=["DELETE"]),
            Route("/requests/{key}", control.one),
            Route("/gates/{key}", control.release, methods=["POST"]),
            Route("/healthz", _health),
        ],
        exception_handlers={Fault: _fault, HTTPException: _refused},
    )


class StandIn(Starlette):
    """Notes the connection's transport, which only the server's own `send` knows, to reset it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["standin.transport"] = getattr(getattr(send, "__self__", None), "transport", None)
        await super().__call__(scope, receive, send)


async def _models(request: Request) -> Response:
    owner = OWNERS.get(request.path_params.get("provider", ""), "prelude")
    listed = [
        {"id": name, "object": "model", "created": 0, "owned_by": owner} for name in (EXTRACT, EXAMPLE)
    ]
    return Response(wire.encode({"object": "list", "data": listed}), media_type=wire.CONTENT_TYPE)


async def _health(request: Request) -> Response:
    return Response(wire.encode({"status": "ok"}), media_type=wire.CONTENT_TYPE)


async def _fault(request: Request, error: Any) -> Response:
    answer: Response = error.response()
    return answer


async def _refused(request: Request, error: Any) -> Response:
    message = f"{request.method} {request.url.path} is not served here: {error.detail}."
    return Fault(error.status_code, message, None).response()
