"""What an operator is told of the index of words: how far it is, what is wrong, and never where it lies."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from e2e.stack import Stack


@pytest.fixture
def lexical(stack: Stack) -> Iterator[Path]:
    """Where a running application keeps it; put back afterwards."""
    (folder,) = (stack.folder / "lexical").glob("shared.*")
    kept = folder.rename(stack.folder / "kept")
    yield folder
    for path in [*folder.iterdir()] if folder.exists() else []:
        path.unlink()
    kept.rename(folder)


def damage(folder: Path) -> None:
    folder.mkdir()
    (folder / "meta.json").write_text("garbage")


async def healthz(client: httpx.AsyncClient) -> tuple[int, str, str]:
    answer = await client.get("/healthz")
    told = answer.json()
    return answer.status_code, told["status"], told["parts"]["lexical"]


async def test_words_that_are_away_make_nothing_unwell(client: httpx.AsyncClient, lexical: Path) -> None:
    assert await healthz(client) == (200, "ok", "behind: 0 of 3 passages")
    damage(lexical)
    assert await healthz(client) == (200, "ok", "The lexical index is damaged.")
