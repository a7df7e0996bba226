"""Which files lie at a place, and their bytes: a folder's files of known formats, at any depth."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from app.documents.extract import Refused
from app.documents.parse import PARSERS, extension_of

LARGEST = 50_000_000  # bytes of a file


@dataclass(slots=True)
class Found:
    files: list[Path] = field(default_factory=list)
    skipped: int = 0  # hidden, or in a format that no parser knows
    closed: list[Path] = field(default_factory=list)  # folders that could not be listed


def find(source: Path) -> Found:
    """A file is found as it is, whatever its name; nothing is found where nothing lies.

    Links to folders are followed, each folder once, so that a loop ends.
    """
    if source.is_file():
        return Found([source])
    found, seen = Found(), set[tuple[int, int]]()
    for folder, names, files in os.walk(source, followlinks=True, onerror=lambda e: _close(found, e)):
        here = os.stat(folder)  # noqa: PTH116  # os.walk hands out strings
        if (here.st_dev, here.st_ino) in seen:
            names.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        names[:] = sorted(name for name in names if not name.startswith("."))
        wanted = sorted(name for name in files if _wanted(name))
        found.files += [Path(folder, name) for name in wanted]
        found.skipped += len(files) - len(wanted)
    return found


def located(source: Path) -> Path:
    """The absolute path as it is named: links stay links, so that a deleted one is still known."""
    return Path(os.path.abspath(source.expanduser()))  # noqa: PTH100  # resolve() would follow links


def read(path: Path) -> bytes:
    """The file's bytes; raises Refused when there are too many, OSError when they cannot be read."""
    if not path.is_file():
        raise Refused("is a link to nothing, or no ordinary file")
    size = path.stat().st_size
    if size > LARGEST:
        raise Refused(f"is too large: {size / 1e6:.0f} MB, where {LARGEST / 1e6:.0f} MB is the most")
    return path.read_bytes()


def _wanted(name: str) -> bool:
    return not name.startswith((".", "~$")) and extension_of(name) in PARSERS


def _close(found: Found, error: OSError) -> None:
    if error.filename and os.path.lexists(error.filename):
        found.closed.append(Path(error.filename))
