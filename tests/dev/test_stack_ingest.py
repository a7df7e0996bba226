"""Documents come in through the running stack, or through one that runs just for that."""

from pathlib import Path

import pytest

from tests.dev.stacks import checkout, running, until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return checkout(tmp_path / "checkout")


def ingested(data: Path) -> list[str]:
    file = data / "ingested.txt"
    return file.read_text().splitlines() if file.exists() else []


def test_the_handbook_is_read_once_the_stack_answers(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data") as stack:
        chroma = stack.until_ready().environment()["CHROMA_URL"]
        until(lambda: ingested(stack.data))
        assert ingested(stack.data) == [f"--later {root / 'dev' / 'handbook'} {chroma}"]


def test_an_unreadable_handbook_is_told_and_the_stack_goes_on(root: Path, tmp_path: Path) -> None:
    (root / "worker" / "ingest.py").write_text("raise SystemExit('no such parser')")
    with running(root, tmp_path / "data") as stack:
        stack.until_ready()
        until(lambda: "no such parser" in stack.output)
        assert "handbook ended with status 1" in stack.output
        assert stack.end() == 0


def test_through_the_running_stack(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data") as stack:
        chroma = stack.until_ready().environment()["CHROMA_URL"]
        with running(root, tmp_path / "data", "ingest", str(root / "app")) as ingest:
            assert ingest.process.wait(30) == 0
        assert f"{root / 'app'} {chroma}" in ingested(stack.data)
        assert stack.process.poll() is None


def test_with_nothing_running(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data", "ingest", str(root / "app"), str(root / "dev")) as ingest:
        assert ingest.process.wait(30) == 0
        assert ingested(ingest.data)[0].startswith(f"{root / 'app'} {root / 'dev'} http://127.0.0.1:")


def test_its_status_is_the_status(root: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with running(root, tmp_path / "data", "ingest", str(tmp_path / "broken")) as ingest:
        assert ingest.process.wait(30) == 3


@pytest.mark.parametrize("sources", [(), ("",)])
def test_nothing_to_read_is_one_line(root: Path, tmp_path: Path, sources: tuple[str, ...]) -> None:
    with running(root, tmp_path / "data", "ingest", *sources) as ingest:
        assert ingest.process.wait(30) == 1
        until(lambda: ingest.output.endswith("\n"))
        assert ingest.output.startswith("Nothing to ingest")
        assert len(ingest.output.splitlines()) == 1
