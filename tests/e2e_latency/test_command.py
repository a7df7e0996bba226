"""`python -m e2e.latency`: a user's mistake is one line and status 2, without a browser or a stack."""

import subprocess
import sys
from pathlib import Path

import pytest

from e2e.latency.result import keep
from tests.e2e_latency.made import result, run


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "e2e.latency", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pleasnt"], "There is no scenario 'pleasnt'; there is pleasant, "),
        (["many", "--url", "http://a"], "There is no scenario 'many' for a URL; there is elsewhere"),
        (["--url", "chat.example.org"], "but it takes an address such as https://chat.example.org"),
        (["--url", "http://127.0.0.1:9"], "http://127.0.0.1:9 cannot be asked: "),
        (["--against", "none.json"], "none.json cannot be read: No such file"),
        (["--out", "/dev/null/x"], "/dev/null"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(arguments: list[str], said: str) -> None:
    done = call(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_earlier_result_of_another_schema_is_one(tmp_path: Path) -> None:
    folder = keep(result(run()), tmp_path, "", "")
    old = folder / "result.json"
    old.write_text(old.read_text().replace('"schema":1', '"schema":7'))
    done = call("--against", str(old))
    assert done.returncode == 2
    assert "has schema 7, but this suite reads 1." in done.stderr
