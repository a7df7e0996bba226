"""What every response forbids, which requests are refused, and what an operator reads of the application."""

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.web.sse import ask
from web.pages import fault
from web.security import HEADERS, Security

PATHS = [
    "/",
    "/nothing",
    "/c/nothing",
    "/healthz",
    "/static/app.js",
    "/static/none",
    "/api/turns",
    "/turns/x/events",
]


@pytest.mark.parametrize("path", PATHS)
async def test_every_response_carries_the_policy(client: httpx.AsyncClient, path: str) -> None:
    for method in ("GET", "POST", "HEAD"):
        answer = await client.request(method, path)
        for name, value in HEADERS.items():
            assert answer.headers.get_list(name) == [value], (method, path, answer.status_code)


async def test_so_does_a_stream_and_a_refusal(client: httpx.AsyncClient) -> None:
    turn = (await ask(client, "sim-n1"))[0].data["turn"]
    for path in (f"/api/turns/{turn}/events", f"/turns/{turn}/events"):
        answer = await client.get(path)
        assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
    answer = await client.post("/turns", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_the_policy_allows_our_own_files_only() -> None:
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "*" not in policy


@pytest.mark.parametrize("path", ["/", "/api/x"])
async def test_even_what_nobody_foresaw_carries_it(path: str) -> None:
    async def broken(request: Request) -> Response:
        raise RuntimeError("secret detail")

    app = Starlette(
        routes=[Route(path, broken)], middleware=[Middleware(Security)], exception_handlers={Exception: fault}
    )
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", verify=False) as client:
        answer = await client.get(path)
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]
    assert "secret detail" not in answer.text
    assert "It has been logged." in answer.text


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "cross-site", "origin": "HOST"}, False),
        ({"origin": "HOST"}, True),
        ({"origin": "http://evil.test"}, False),
        ({"origin": "null"}, False),
    ],
)
@pytest.mark.parametrize("path", ["/turns", "/api/turns", "/language/en"])
async def test_only_our_own_pages_and_programs_may_post(
    client: httpx.AsyncClient, headers: dict[str, str], passes: bool, path: str
) -> None:
    host = str(client.base_url).rstrip("/")
    sent = {name: value.replace("HOST", host) for name, value in headers.items()}
    answer = await client.post(path, headers=sent)
    assert (answer.status_code != 403) is passes


async def test_reading_is_not_refused_by_where_it_comes_from(client: httpx.AsyncClient) -> None:
    assert (await client.get("/", headers={"sec-fetch-site": "cross-site"})).status_code == 200


async def test_static_files_are_kept_for_ever_by_their_content(client: httpx.AsyncClient) -> None:
    versioned = await client.get("/static/app.js?v=abc")
    assert "immutable" in versioned.headers["cache-control"]
    assert "immutable" not in (await client.get("/static/app.js")).headers.get("cache-control", "")
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fpyproject.toml"):
        assert (await client.get(path)).status_code == 404


async def test_an_operator_reads_each_parts_state(client: httpx.AsyncClient) -> None:
    answer = await client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "parts": {"database": "ok", "redis": "ok", "chroma": "ok", "embedder": "ok", "lexical": "ok"},
    }
