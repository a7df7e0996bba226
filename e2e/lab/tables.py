"""The studies' figures as Markdown tables, and their places in a document, which are marked by comments:

    <!-- lab: length -->
    what stands here is written by `make lab ARGS=--docs`
    <!-- end -->
"""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from e2e.lab.study import Rows, Spread, tokens, total, tpot, ttft
from e2e.lab.words import Words

PLACE = re.compile(r"(<!-- lab: (?P<study>[a-z-]+) -->\n)(?P<text>.*?)(<!-- end -->)", re.DOTALL)


def table(study: str, rows: Rows, words: Words, machine: Mapping[str, Any]) -> str:
    head = list(words.columns.values())
    body = [_row(words.variant(study, key), rows, key) for key in rows]
    return "\n".join([
        f"| {' | '.join(head)} |", "|---" * len(head) + "|", *body, "", words.measured.format(**machine), "",
    ])


def filled(document: str, tables: Mapping[str, str]) -> str:
    """The document with these tables in their places; a place whose study was not run stays as it is."""
    return PLACE.sub(lambda place: place[1] + tables.get(place["study"], place["text"]) + place[4], document)


def _row(name: str, rows: Rows, key: str) -> str:
    answers = rows[key]
    known = tokens(answers)
    cells = [name, f"{known['prompt_tokens']:,}", f"{known['cached_tokens']:,}", _said(ttft(answers)),
             _said(tpot(answers)), _said(total(answers)), str(len(answers))]
    return f"| {' | '.join(cells)} |"


def _said(found: Spread) -> str:
    if not isfinite(found.p50):
        return "–"
    return f"{_number(found.p50)} [{_number(found.least)}, {_number(found.most)}]"


def _number(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
