"""Scenarios as scenarios.toml has them: what the upstream does, who asks how often, and the budgets."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dev.standin import scenario as upstreams
from e2e.latency.budgets import Budget, budgets

FILE = Path(__file__).with_name("scenarios.toml")


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`upstream` names what the stand-in model plays (dev/standin/scenario.py); `corpus` is "handbook" or a
    folder; `rate` is questions a second (http); `chat` is how many questions a conversation has."""

    about: str
    door: Literal["browser", "http"] = "browser"
    upstream: str
    corpus: str = "handbook"
    turns: Annotated[int, Meta(ge=3, le=10_000)] = 20
    warm_up: Annotated[int, Meta(ge=0, le=100)] = 2
    rate: Annotated[float, Meta(gt=0, le=1_000)] = 5.0
    chat: Annotated[int, Meta(ge=1, le=100)] = 5
    budgets: dict[str, Any] = {}  # numbers, which `budgets` checks, for it knows what they are called


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`stages` are what a healthy stage takes at its median; `prefill` counts beyond the direct baseline."""

    stages: dict[str, Any]
    scenarios: dict[str, Any]


class BadFile(Exception):
    """One line: the file, what is wrong in it, and what would be right."""


def load(path: Path = FILE) -> tuple[dict[str, Scenario], list[Budget]]:
    """The scenarios by name, and the budgets of single stages, which hold for each of them."""
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=_File)
        stages = _stages(found.stages)
        scenarios = {name: _scenario(name, one) for name, one in found.scenarios.items()}
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadFile(f"{path}: {' '.join(str(error).split()).removesuffix('.')}.") from None
    return scenarios, stages


def _stages(given: dict[str, Any]) -> list[Budget]:
    try:
        return budgets({f"{name}_p50": limit for name, limit in given.items()})
    except ValueError as error:
        raise ValueError(f"stages: {error}") from None


def _scenario(name: str, given: Any) -> Scenario:
    try:
        one = msgspec.convert(given, Scenario)
        budgets(one.budgets)
        if not upstreams.is_scenario(one.upstream):
            raise ValueError(f"upstream is {one.upstream!r}, but it takes {upstreams.GRAMMAR}")
        upstreams.parse(one.upstream)
        if one.corpus != "handbook" and not Path(one.corpus).is_dir():
            raise ValueError(f"corpus is {one.corpus!r}, but it takes 'handbook' or a folder")
        return one
    except ValueError as error:
        raise ValueError(f"scenarios.{name}: {error}") from None
