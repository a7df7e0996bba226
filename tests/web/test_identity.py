"""Who is asking: a signed cookie that cannot be made up, and one secret for all processes of a folder."""

import multiprocessing
import stat
from pathlib import Path

import httpx
import pytest
from itsdangerous import URLSafeSerializer
from starlette.types import Message, Receive, Scope, Send

from tests.web.sse import ask
from web.identity import COOKIE, Identity, secret_from


async def test_a_first_visit_gets_a_cookie_and_keeps_it(client: httpx.AsyncClient) -> None:
    first = await client.get("/")
    (cookie,) = first.headers.get_list("set-cookie")
    assert cookie.startswith(f"{COOKIE}=")
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", "max-age=31536000"} <= parts
    assert "secure" not in parts  # over plain http a browser would throw it away
    assert "set-cookie" not in (await client.get("/")).headers


async def test_what_is_nobodys_sets_no_cookie(client: httpx.AsyncClient) -> None:
    for path in ("/healthz", "/static/app.js", "/static/none"):
        assert "set-cookie" not in (await client.get(path)).headers


def forged(value: str) -> list[str]:
    head, _, signature = value.rpartition(".")
    return [
        head,
        f"{head}.",
        f"{head}.{signature[:-1]}",
        f"{head}.{'A' * len(signature)}",
        f"{'A' + head[1:]}.{signature}",
        f"{head}A.{signature}",
        URLSafeSerializer("guess", salt="owner").dumps("a" * 32),
        "x" * 5_000,
        '"',
        "\u00e9",
        "",
    ]


async def test_an_altered_cookie_is_a_stranger(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    said = await ask(client, "sim-n1")
    turn, conversation = said[0].data["turn"], said[0].data["conversation"]
    value = client.cookies[COOKIE]
    assert (
        await stranger.get(f"/c/{conversation}", headers={"cookie": f"{COOKIE}={value}"})
    ).status_code == 200
    for altered in forged(value):
        stranger.cookies.clear()
        headers = [(b"cookie", f"{COOKIE}={altered}".encode("latin-1"))]
        for path in (f"/c/{conversation}", f"/api/turns/{turn}/events", f"/turns/{turn}/events"):
            answer = await stranger.get(path, headers=headers)
            assert answer.status_code == 404, (altered, path)
            assert "set-cookie" in answer.headers


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_over_https_the_cookie_is_secure(scheme: str) -> None:
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert len(scope["state"]["owner"]) == 32
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        raise NotImplementedError

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/", "scheme": scheme, "headers": [], "state": {}}
    await Identity(app, "secret")(scope, receive, send)
    (header,) = sent[0]["headers"]
    assert (b"secure" in header[1].lower()) is (scheme == "https")


def test_a_configured_secret_is_used_and_nothing_is_written(tmp_path: Path) -> None:
    assert secret_from("mine", tmp_path / "data") == "mine"
    assert list(tmp_path.iterdir()) == []


def test_a_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    secret = secret_from("", tmp_path / "data")
    assert len(secret) == 64
    assert secret_from("", tmp_path / "data") == secret
    (file,) = (tmp_path / "data").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret_from("", tmp_path / "other") != secret


def _race(
    start: "multiprocessing.synchronize.Barrier", folder: Path, found: "multiprocessing.Queue[str]"
) -> None:
    start.wait()
    found.put(secret_from("", folder))


def test_many_processes_at_once_share_one_secret(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")  # what the race needs is processes, not a fresh import
    count = 8
    for round_ in range(5):
        folder, found, start = tmp_path / str(round_), context.Queue(), context.Barrier(count)
        racing = [context.Process(target=_race, args=(start, folder, found)) for _ in range(count)]
        for process in racing:
            process.start()
        secrets = {found.get(timeout=20) for _ in racing}
        for process in racing:
            process.join()
        assert len(secrets) == 1
        assert len(secrets.pop()) == 64
        assert [file.name for file in folder.iterdir()] == ["secret"]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"^DATA_DIR is .*file/data.*\(Not a directory\)\.$"):
        secret_from("", tmp_path / "file" / "data")
