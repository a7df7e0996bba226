"""Where the lab's results go: JSON and plots under .cache/lab, and on request into the documents."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from e2e.lab.plots import plots
from e2e.lab.study import Rows
from e2e.lab.tables import filled, table
from e2e.lab.words import LANGUAGES
from e2e.stack import ROOT
from web.charts import standalone

CACHE = Path(".cache/lab")
DOCUMENTS = {"en": "latency.md", "zh": "latency.zh.md"}


def keep(result: Mapping[str, Any], found: Mapping[str, Rows], folder: Path = CACHE) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lab.json").write_text(json.dumps(result, indent=1) + "\n")
    draw(found, folder)


def draw(found: Mapping[str, Rows], folder: Path) -> None:
    """`length.en.svg`, `length.zh.svg` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for language, words in LANGUAGES.items():
        for study, rows in found.items():
            for name, plot in plots(study, rows, words).items():
                (folder / f"{name}.{language}.svg").write_text(standalone(plot), encoding="utf-8")


def publish(found: Mapping[str, Rows], machine: Mapping[str, Any], docs: Path = ROOT / "docs") -> None:
    draw(found, docs / "latency")
    for language, words in LANGUAGES.items():
        document = docs / DOCUMENTS[language]
        tables = {study: table(study, rows, words, machine) for study, rows in found.items()}
        document.write_text(filled(document.read_text(encoding="utf-8"), tables), encoding="utf-8")
