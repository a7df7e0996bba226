"""What an ingestion tells while it runs and when it ends. Knows no terminal and no job."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Progress:
    """`passages_total` is known once all files are read; `seconds_left` once a passage is embedded."""

    file: str
    files_done: int
    files_total: int
    passages_done: int
    passages_total: int
    seconds_left: float | None = None


Report = Callable[[Progress], None]


def quiet(_: Progress) -> None:
    """For whoever does not watch."""


@dataclass(frozen=True, slots=True)
class Refusal:
    path: Path
    reason: str  # completes the sentence that the path begins

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


@dataclass(slots=True)
class Summary:
    """Uris by what became of them. With `more`, time ran out: the same call again goes on from here."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    skipped: int = 0
    embedded: int = 0  # passages, this time
    more: bool = False
