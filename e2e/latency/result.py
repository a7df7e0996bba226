"""A result as a file: what was measured, on what, and which budgets held. Versioned, for later runs to be
compared with it.
"""

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from e2e.latency.figures import Figure, figure
from e2e.latency.sample import Run
from e2e.latency.verdict import Finding

SCHEMA = 1
PERCENTILES = (50, 95, 99)


class BadResult(Exception):
    """One line: the file, and why it is no result of this suite."""


class Part(msgspec.Struct, frozen=True):
    """One scenario: its samples, and what was found."""

    run: Run
    findings: tuple[Finding, ...]

    def figures(self) -> dict[str, list[Figure]]:
        """Every measure that has values, at every percentile."""
        names = sorted({name for sample in self.run.counted for name in sample.values})
        return {name: [figure(self.run.of(name), p) for p in PERCENTILES] for name in names}

    @property
    def broken(self) -> bool:
        """A budget that nothing was measured for has not been kept."""
        failed = any(finding.state in ("broken", "unknown") for finding in self.findings)
        return bool(self.run.refused or self.run.lost) or failed

    @property
    def goodput(self) -> float:
        """The share of turns that met every budget of a reader's wait; a turn that failed met none."""
        limits = {f.budget.measure: f.budget.limit for f in self.findings if f.budget.p == 95}
        good = [
            all(sample.values.get(name, 0.0) <= limit for name, limit in limits.items())
            for sample in self.run.counted
        ]
        return round(sum(good) / len(self.run.samples), 3) if self.run.samples else 0.0


class Result(msgspec.Struct, frozen=True):
    """`made` is ISO 8601; `url` is empty for the embedded stack."""

    made: str
    machine: str
    url: str
    parts: tuple[Part, ...]
    schema: int = SCHEMA

    def plus(self, run: Run, findings: Sequence[Finding]) -> "Result":
        return msgspec.structs.replace(self, parts=(*self.parts, Part(run, tuple(findings))))

    @property
    def broken(self) -> bool:
        return any(part.broken for part in self.parts)

    def summary(self) -> dict[str, Any]:
        """The last line that is printed: one object for programs."""
        return {
            part.run.name: {
                "n": len(part.run.counted),
                "goodput": part.goodput,
                "broken": [one.sentence for one in part.findings if one.state in ("broken", "unknown")],
                "refused": part.run.refused or part.run.lost,
                **{
                    name: {f"p{one.p}": one.mid for one in found}
                    for name, found in part.figures().items()
                    if name in ("ttfp", "ttfs", "ttft", "beyond_direct", "own")
                },
            }
            for part in self.parts
        }


class _Versioned(msgspec.Struct):
    schema: int


def machine() -> str:
    """What was measured on, in a line."""
    python = platform.python_version()
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {python}"


def keep(result: Result, folder: Path, page: str, junit: str) -> Path:
    """Writes all three forms into a folder of their own, to which `latest` points."""
    name = result.made.replace(":", "").replace("+0000", "Z")
    here = folder / name
    here.mkdir(parents=True, exist_ok=True)
    (here / "result.json").write_bytes(msgspec.json.encode(result))
    (here / "index.html").write_text(page, encoding="utf-8")
    (here / "junit.xml").write_text(junit, encoding="utf-8")
    latest = folder / "latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(name)
    return here


def read(path: Path) -> Result:
    """BadResult for what is none, or is of another schema."""
    try:
        data = path.read_bytes()
        schema = msgspec.json.decode(data, type=_Versioned).schema  # first: another one has other fields
        if schema != SCHEMA:
            raise BadResult(f"{path} has schema {schema}, but this suite reads {SCHEMA}.")
        return msgspec.json.decode(data, type=Result)
    except OSError as error:
        raise BadResult(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadResult(f"{path} is no result of this suite: {error}.") from None
