"""What is to be done with a lexical index that cannot be opened, and with those of earlier versions.

Everything in such a folder can be made again from the vectors' index, so a damaged one is emptied. One that
merely may not be read, or whose disk is away, is left alone. Knows neither schema nor passages.
"""

import fcntl
import logging
import re
import shutil
from collections.abc import Callable
from pathlib import Path

LOCK = ".tantivy-writer.lock"  # tantivy's own, taken as it takes it
_DAMAGED = re.compile(r"^Data corrupted|File corrupted|FileDoesNotExist")
_REFUSED = re.compile(r"PermissionDenied|Permission denied")

log = logging.getLogger(__name__)


def is_damage(error: Exception) -> bool:
    """Whether what tantivy says is certainly of the files' contents, or of one that is missing."""
    return bool(_DAMAGED.search(str(error)))


def told(error: Exception) -> str:
    """The end of a sentence about the index, for people who need not know where it lies."""
    if isinstance(error, PermissionError) or _REFUSED.search(str(error)):
        return "may not be read or not be written by this user"
    return "is damaged" if is_damage(error) else "cannot be used"


def clear(folder: Path, probe: Callable[[], object]) -> None:
    """Empties the folder if the probe still finds damage once nobody else writes there.

    Raises BlockingIOError while somebody does. tantivy's locks stay, for others wait for these very files.
    """
    with (folder / LOCK).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            probe()
        except ValueError as error:
            if not is_damage(error):
                raise
            log.warning("%s is damaged and is made anew: %s", folder, error)
            for path in folder.iterdir():
                if path.suffix != ".lock":
                    path.unlink()


def drop_earlier(folder: Path) -> None:
    """Removes what `name.1` to `name.n` have left beside `name.n+1`."""
    name, _, version = folder.name.rpartition(".")
    for other in folder.parent.glob(f"{name}.*"):
        number = other.name.removeprefix(f"{name}.")
        if number.isdecimal() and int(number) < int(version):
            shutil.rmtree(other)
            log.info("removed %s, which %s replaces", other, folder.name)
