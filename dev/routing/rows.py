"""Rows that the router learns from and is measured on, read from JSON lines.

Outcomes, as in RouteLLM's data: `prompt`, `topic`, `small_right`, `large_right`. Questions, ours: `question`,
`label` (lookup, ordinary or hard), `language`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dev.routing.fitting import Asked, Outcome

OURS = Path(__file__).with_name("questions.jsonl")


def outcomes(folder: Path) -> list[Outcome]:
    """Every outcome in the folder; SystemExit with one line if there is none."""
    found = [
        Outcome(row["prompt"], row.get("topic", ""), row["small_right"], row["large_right"])
        for path in sorted(folder.glob("*.jsonl"))
        for row in lines(path)
        if "small_right" in row
    ]
    if not found:
        raise SystemExit(f"{folder} holds no *.jsonl file with rows of prompt, small_right and large_right.")
    return found


def questions(path: Path = OURS) -> list[Asked]:
    return [Asked(row["question"], row["label"], row["language"]) for row in lines(path)]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The file's rows; SystemExit with one line if it is no JSON lines."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.strip())
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} cannot be read as JSON lines: {error}") from error
