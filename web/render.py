"""The templates and the few filters that they use. Knows HTML, and no requests' data of its own."""

import hashlib
import re
from collections.abc import Callable
from functools import cache
from math import floor
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.environment import TemplateModule
from markupsafe import Markup

from app.events import name_of
from app.retrieval.protocol import BETWEEN
from app.store.conversations import TITLE_WIDTH
from app.text import shorten

HERE = Path(__file__).parent
STATIC = HERE / "static"
EXCERPT_WIDTH = 150


class Renderer:
    """Pages by name, and the macros of a turn's parts."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters.update(
            duration=duration, heading=heading, excerpt=excerpt, provisional=provisional_title, wire=name_of
        )
        self._environment.globals.update(asset=asset)
        self.turn = Macros(self._environment.get_template("turn.html").module)
        self.events = Macros(self._environment.get_template("events.html").module)

    def page(self, name: str, **values: object) -> str:
        return self._environment.get_template(name).render(**values)


class Macros:
    """A template's macros as methods."""

    def __init__(self, module: TemplateModule) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., str]:
        macro: Callable[..., str] = getattr(self._module, name)
        return macro


def duration(milliseconds: float) -> str:
    """34 ms, 1.2 s: what a reader can take in. Rounds as measure.js does, so that a line stays as it was."""
    if milliseconds < 1_000:
        return f"{floor(milliseconds + 0.5)} ms"
    return f"{floor(milliseconds / 100 + 0.5) / 10} s"


def excerpt(text: str) -> str:
    """A passage's beginning as a card shows it, without the marks of its markdown."""
    return shorten(re.sub(r"[`*#|>]+", " ", text), EXCERPT_WIDTH)


def heading(title: str) -> str:
    """The last part of a passage's title, which is what tells two passages of a document apart."""
    return title.rpartition(BETWEEN)[2]


def provisional_title(question: str) -> str:
    return shorten(question, TITLE_WIDTH)


@cache
def asset(path: str) -> Markup:
    """A static file's address with its content's hash, so that browsers may keep it for ever."""
    digest = hashlib.sha256((STATIC / path).read_bytes()).hexdigest()[:12]
    return Markup("/static/{}?v={}").format(path, digest)
