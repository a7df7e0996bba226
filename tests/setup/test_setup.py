"""Set-up in a folder of its own: with the real pip and uv, on an environment of one small package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout that asks for two packages only, so that it takes a moment and not a minute."""
    shutil.copytree(ROOT / "dev", tmp_path / "dev", ignore=shutil.ignore_patterns("__pycache__"))
    pins = tmp_path / "requirements"
    pins.mkdir()
    shutil.copy(ROOT / "requirements" / "setup.txt", pins)
    (pins / "dev.txt").write_text(pins_of("honcho"))
    (pins / "test.txt").write_text(pins_of("honcho") + pins_of("iniconfig"))
    (pins / "lab.txt").write_text(pins_of("jinja2"))  # asks for markupsafe, as the weights ask for an engine
    return tmp_path


def pins_of(name: str) -> str:
    text = (ROOT / "requirements" / "test.txt").read_text()
    start = text.index(f"\n{name}==") + 1
    lines = text[start:].splitlines(keepends=True)
    end = next(n for n, line in enumerate(lines) if not line.rstrip().endswith("\\"))
    return "".join(lines[:end + 1])


def set_up(root: Path, layer: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "dev/setup.py", layer], cwd=root, capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False, timeout=180)


def holds(root: Path, module: str) -> bool:
    command = [str(root / ".venv" / "bin" / "python"), "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def brings(root: Path, package: str) -> bool:
    return any((root / ".venv").glob(f"lib/python*/site-packages/{package}"))


def test_installs_once_and_keeps_the_larger_layer(root: Path, tmp_path: Path) -> None:
    misleading = {"PIP_USER": "1", "PIP_TARGET": str(tmp_path / "elsewhere"), "PIP_FIND_LINKS": "/nowhere",
                  "PIP_EXTRA_INDEX_URL": "http://127.0.0.1:1/simple", "UV_EXTRA_INDEX_URL": "http://127.0.0.1:1/simple"}
    first = set_up(root, "dev", **misleading)
    assert first.returncode == 0, first.stderr
    assert holds(root, "honcho")
    assert not holds(root, "iniconfig")
    assert set_up(root, "dev").stdout == ""
    assert set_up(root, "test").returncode == 0
    assert holds(root, "iniconfig")
    assert set_up(root, "dev").stdout == ""
    (root / "requirements" / "test.txt").write_text(pins_of("honcho"))
    assert set_up(root, "dev").returncode == 0
    assert not holds(root, "iniconfig")


def test_the_lab_comes_beside_a_layer_without_what_it_asks_for(root: Path) -> None:
    assert set_up(root, "lab").returncode == 0
    assert holds(root, "honcho")
    assert brings(root, "jinja2")
    assert not brings(root, "markupsafe")
    assert set_up(root, "lab").stdout == ""
    assert set_up(root, "test").returncode == 0
    assert holds(root, "iniconfig")
    assert brings(root, "jinja2"), "a larger layer lost the lab"
    (root / "requirements" / "lab.txt").write_text(pins_of("markupsafe"))
    assert set_up(root, "dev").returncode == 0
    assert brings(root, "markupsafe")


def test_a_file_with_another_hash_is_refused(root: Path) -> None:
    pins = root / "requirements" / "dev.txt"
    pins.write_text(pins.read_text().split(" \\")[0] + " \\\n    --hash=sha256:" + "0" * 64 + "\n")
    ended = set_up(root, "dev")
    assert ended.returncode == 1
    assert "Set-up failed" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert set_up(root, "dev").returncode == 1
