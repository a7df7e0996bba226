"""A question as what a linear model weighs: its words, pairs of them, and its shape, each as a CRC-32.

Knows no weights and no routes. Works on UTF-8 bytes, for which a hash costs less than a look-up, so that long
prompts too stay far below a millisecond. A Chinese character counts as a word.
"""

import re
from math import log2
from typing import NamedTuple
from zlib import crc32

HEAD, TAIL = 1_200, 400  # characters that are read of a longer text: what is asked stands at its ends
WORDS = 360  # at most, so that the time has a bound in every script
SHAPE = 0.1  # what a trait of the shape counts beside all words together
STEM = 5  # letters of a word's beginning that count by themselves: endings and most typos come later

_WORD = re.compile(rb"[a-z]+|\d|[\xc3-\xff][\x80-\xbf]+|[^\w\s\x80-\xff]")
_OPTION = re.compile(r"\n[A-H][.)] ")
_FIGURE = re.compile(r"(?=.*\d)[\s$€£¥\d.,/%−^()a-z-]+")
_MATHS = re.compile(r"[=^\\∑∫√π≤≥]|\d ?[-+*/×÷] ?\d")
_DIGIT, _CAPITAL = re.compile(r"\d"), re.compile("[A-Z]")
_TRAITS = ("___", "$", '"', "except", "following", "statement 1", " i ", " my ", " me ", "\n", "http")
_ENDS = (". ", ".\n", "! ", "; ", "。", "！", "；")
_CODE = ("```", "()", "{\n", "}\n", ";\n", "def ", "#include", "</")
_ROMAN = ("I only", "I and")


class Features(NamedTuple):
    """What occurs, each once; `choices`: there are answers to choose from."""

    words: frozenset[int]
    shape: frozenset[int]
    choices: bool


def features(text: str) -> Features:
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + text[-TAIL:]
    traits = (trait.encode(errors="replace") for trait in _shape(text))
    shape = frozenset(crc32(trait, 7) for trait in traits)
    return Features(frozenset(_words(text)), shape, len(_OPTION.findall(text)) > 1)


def _words(text: str) -> set[int]:
    words = _WORD.findall(text.lower().encode(errors="replace"))[:WORDS]
    hashes = [crc32(word) for word in words]
    pairs = [crc32(second, first) for first, second in zip(hashes, words[1:], strict=False)]
    stems = [crc32(word[:STEM], 1) for word in words if len(word) > STEM]
    return {*hashes, *pairs, *stems}


def _shape(text: str) -> list[str]:
    """Traits by name. Counts fall into bins that grow with them."""
    asked, *options = _OPTION.split(text.removesuffix("\nAnswer:"))
    low = asked.strip().lower()
    words = low.split()
    return [
        f"length {_bin(len(asked), 2)}",
        f"digits {_bin(len(_DIGIT.findall(asked)), 1.5)}",
        f"capitals {min(8, 40 * len(_CAPITAL.findall(asked)) // (len(asked) + 1))}",
        f"commas {_bin(sum(map(asked.count, ',，、')), 1)}",
        f"sentences {_bin(sum(map(asked.count, _ENDS)), 1.5)}",
        f"questions {min(3, asked.count('?') + asked.count('？'))}",
        f"word length {min(20, 2 * sum(map(len, words)) // (len(words) + 1))}",
        f"ends {low[-1:]}",
        f"starts {words[0][:8] if words else ''}",
        f"options {len(options)}",
        *[f"has {trait}" for trait in _TRAITS if trait in low],
        *(["maths"] if _MATHS.search(asked) else []),
        *(["code"] if any(mark in asked for mark in _CODE) else []),
        *(_choices(text, options) if options else []),
    ]


def _choices(text: str, options: list[str]) -> list[str]:
    lengths = [len(option) for option in options]
    short = [option for option in options if len(option) < 15]
    return [
        f"option length {_bin(sum(lengths) // len(lengths), 2)}",
        f"option spread {min(6, 2 * max(lengths) // (min(lengths) + 1))}",
        f"option figures {len([option for option in short if _FIGURE.fullmatch(option)])}",
        *(["of the above"] if "of the above" in text else []),
        *(["roman"] if any(mark in text for mark in _ROMAN) else []),
    ]


def _bin(count: int, fineness: float) -> int:
    return int(log2(count + 1) * fineness)
