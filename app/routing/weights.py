"""The linear model's numbers, as they lie in `weights.bin`, which dev/routing/train.py writes.

The file, little-endian: one line of JSON (`terms`: how many; for each column of COLUMNS its `scale`, `bias`
and `line`); the terms' CRC-32 as uint32, ascending; then, column by column, one int16 a term. A term's
weight is its int16 times the scale. Knows nothing of what the terms are.
"""

import json
import sys
from array import array
from dataclasses import dataclass
from itertools import repeat
from math import sqrt
from pathlib import Path
from typing import Any

from app.routing.features import SHAPE, Features

SHIPPED = Path(__file__).with_name("weights.bin")
COLUMNS = ("large", "choice", "brief")
MOST = 32_767


@dataclass(frozen=True, slots=True)
class Column:
    """One question's answer: yes where the score is above the `line`."""

    weights: dict[int, float]
    bias: float
    line: float

    def score(self, question: Features) -> float:
        """Words share one unit of length, so that a long text is not a loud one."""
        weight, none = self.weights.get, repeat(0.0)
        words = sum(map(weight, question.words, none))
        shape = sum(map(weight, question.shape, none))
        return words / sqrt(len(question.words) or 1) + SHAPE * shape + self.bias

    def above(self, question: Features) -> bool:
        return self.score(question) > self.line


@dataclass(frozen=True, slots=True)
class Weights:
    """`large`: what the large model is expected to win by; `choice`: the same where there are answers to
    choose from; `brief`: whether it is a look-up."""

    large: Column
    choice: Column
    brief: Column

    def wins(self, question: Features) -> float:
        """By how much the large model's win lies above the line."""
        column = self.choice if question.choices else self.large
        return column.score(question) - column.line


def load(path: Path = SHIPPED) -> Weights:
    data = path.read_bytes()
    head = data[: data.index(b"\n") + 1]
    told, terms = json.loads(head), array("I")
    start = len(head)
    start = _take(terms, data, start, told["terms"])
    columns = []
    for name in COLUMNS:
        numbers = array("h")
        start = _take(numbers, data, start, told["terms"])
        scale = told[name]["scale"]
        weights = {term: number * scale for term, number in zip(terms, numbers, strict=True) if number}
        columns.append(Column(weights, told[name]["bias"], told[name]["line"]))
    return Weights(*columns)


def dump(weights: Weights) -> bytes:
    columns: dict[str, Column] = {name: getattr(weights, name) for name in COLUMNS}
    terms = sorted({term for column in columns.values() for term in column.weights})
    told: dict[str, Any] = {"terms": len(terms)}
    parts = [_little(array("I", terms))]
    for name, column in columns.items():
        scale = max(map(abs, column.weights.values()), default=1.0) / MOST or 1.0
        told[name] = {"scale": scale, "bias": column.bias, "line": column.line}
        parts.append(_little(array("h", [round(column.weights.get(term, 0.0) / scale) for term in terms])))
    return json.dumps(told).encode() + b"\n" + b"".join(parts)


def _take(into: "array[int]", data: bytes, start: int, count: int) -> int:
    """Reads so many numbers, and says where the next ones begin."""
    end = start + count * into.itemsize
    into.frombytes(data[start:end])
    if sys.byteorder == "big":
        into.byteswap()
    return end


def _little(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
