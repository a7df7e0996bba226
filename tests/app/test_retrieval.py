"""The index against a real Chroma server: what it keeps, and how it lives through the server's troubles."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import chromadb
import pytest

from app.embedding import Vector
from app.errors import TurnError
from app.retrieval import Passage
from app.retrieval.chroma import ChromaIndex, collection_name
from tests.chroma import Chroma, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chroma]:
    with running(tmp_path_factory.mktemp("chroma")) as chroma:
        yield chroma


@pytest.fixture
def index(server: Chroma, request: pytest.FixtureRequest) -> ChromaIndex:
    return ChromaIndex(server.url, owner=request.node.name, embedder="e5")


def passage(number: int, page: int | None = None) -> Passage:
    return Passage(f"p{number}", f"第 {number} passage", "Title › Heading", "file:///城.md", page,
                   number, number + 9)


def vector(angle: int) -> Vector:
    return [1.0, angle / 100, 0.0]


async def fill(index: ChromaIndex, document: str, numbers: range) -> None:
    await index.add(document, [passage(n) for n in numbers], [vector(n) for n in numbers])


async def test_the_nearest_come_first_with_everything_that_was_stored(index: ChromaIndex) -> None:
    await index.add("d", [passage(1), passage(50, page=3)], [vector(1), vector(50)])
    first, second = await index.search(vector(50), 5)
    assert (first.id, first.text, first.title, first.uri, first.page, first.start, first.end) == (
        "p50", "第 50 passage", "Title › Heading", "file:///城.md", 3, 50, 59)
    assert (second.id, second.page) == ("p1", None)
    assert first.score == pytest.approx(1, abs=1e-4)
    assert first.score > second.score


async def test_an_empty_index_finds_nothing(index: ChromaIndex) -> None:
    assert await index.search(vector(1), 5) == ()
    assert await index.count() == 0
    assert await index.missing([]) == set()


async def test_more_than_one_request_holds(index: ChromaIndex) -> None:
    await fill(index, "d", range(450))
    assert await index.count() == 450
    assert await index.missing([f"p{n}" for n in range(440, 460)]) == {f"p{n}" for n in range(450, 460)}
    await index.remove("d", keep=["p7"])
    assert [p.id for p in await index.search(vector(1), 5)] == ["p7"]


async def test_what_is_stored_can_be_listed_and_fetched(
    index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.retrieval.chroma.PAGE", 7)
    await fill(index, "d", range(17))
    await fill(index, "e", range(17, 25))
    assert await index.ids() == {f"p{n}" for n in range(25)}
    rows = await index.passages(["p3", "p20", "never"])
    assert sorted((document, stored.id, stored.text) for document, stored in rows) == [
        ("d", "p3", "第 3 passage"), ("e", "p20", "第 20 passage")]  # fmt: skip
    assert await index.passages([]) == []


async def test_adding_twice_is_adding_once(index: ChromaIndex) -> None:
    await fill(index, "d", range(5))
    await fill(index, "d", range(5))
    assert await index.count() == 5


async def test_removing_a_document_leaves_the_others(index: ChromaIndex) -> None:
    await fill(index, "d", range(5))
    await fill(index, "e", range(5, 8))
    await index.remove("d")
    assert await index.count() == 3
    await index.remove("never there")


async def test_a_removed_document_leaves_other_embedders_collections_as_well(server: Chroma) -> None:
    old = ChromaIndex(server.url, owner="switcher", embedder="old")
    new = ChromaIndex(server.url, owner="switcher", embedder="new")
    other = ChromaIndex(server.url, owner="switcher2", embedder="old")
    for each in (old, new, other):
        await fill(each, "d", range(3))
    await new.remove("d")
    assert [await each.count() for each in (old, new, other)] == [0, 0, 3]


async def test_owners_do_not_see_one_another(server: Chroma) -> None:
    mine, yours = (ChromaIndex(server.url, owner=owner, embedder="e") for owner in ("me", "you"))
    await fill(mine, "d", range(3))
    assert await yours.search(vector(1), 5) == ()


async def test_a_restart_of_chroma_is_survived(tmp_path: Path) -> None:
    with running(tmp_path / "chroma") as server:
        index = ChromaIndex(server.url, owner="shared", embedder="e5")
        await fill(index, "d", range(3))
        server.stop()
        with pytest.raises(TurnError, match="does not answer") as caught:
            await index.search(vector(1), 2)
        assert caught.value.kind == "retrieval_failed"
        server.start()
        assert len(await index.search(vector(1), 2)) == 2
        server.stop()
        server.start()  # without a call in between: a dead connection is in the pool
        assert len(await index.search(vector(1), 2)) == 2


async def test_a_recreated_collection_is_found_again(index: ChromaIndex, server: Chroma) -> None:
    await fill(index, "d", range(3))
    client = await chromadb.AsyncHttpClient(port=int(server.url.rpartition(":")[2]))
    await client.delete_collection(collection_name(index._owner, "e5"))
    assert await index.search(vector(1), 2) == ()
    await fill(index, "d", range(3))
    assert len(await index.search(vector(1), 2)) == 2


async def test_vectors_of_another_length_are_one_plain_sentence(index: ChromaIndex) -> None:
    await fill(index, "d", range(3))
    with pytest.raises(TurnError, match="refused: ") as caught:
        await index.search([1.0, 2.0], 2)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("owner", ["shared", "3f2b9c1e-8d1a-4c52-9d3e-aaaaaaaaaa", "中文", "a/b", "AB" * 50])
def test_names_are_what_chroma_takes_and_stay_apart(owner: str) -> None:
    name = collection_name(owner, "org/Model:v1")
    assert 3 <= len(name) <= 512
    assert name.replace("-", "").isalnum()
    assert name.isascii()
    others = {collection_name(owner + more, "org/Model:v1") for more in ("x", "X", "-")}
    assert len(others | {name}) == 4


async def test_a_chroma_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.retrieval.chroma.READ_TIMEOUT", 0.1)
    silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    index = ChromaIndex(f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}", owner="o", embedder="e")
    with pytest.raises(TurnError, match=r"did not answer within"):
        await index.count()
    silent.close()
