"""A follow-up rewritten by the small model, which has the rules' version to fall back on.

Knows no deadline: whoever waits for it has one.
"""

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

from app.models import Model
from app.prompt import Exchange, Message
from app.retrieval.words import asked
from app.routing import Router
from app.routing.escalation import unanswered
from app.settings import EXTRACT, MEASURING, Settings
from app.text import shorten

LONGEST = 300  # characters of a question; a reply that is longer is no question
SHOWN = 3  # exchanges
TOKENS = 64
INSTRUCTIONS = """\
Rewrite the last question so that it can be understood without the conversation: put in what it refers to.
Keep its language and its meaning. If it can be understood as it is, repeat it.
Reply with the question alone, on one line. Do not answer it."""

_LABEL = re.compile(
    r"(?:rewritten |stand-?alone |last )?(?:question|query)\s*[:：]\s*|(?:改写后的|最后的)?问题\s*[:：]\s*",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’「」`* "


class Rewriter(Protocol):
    async def rewrite(self, question: str, history: Sequence[Exchange], rules: str) -> str:
        """A question that stands alone, at best better than `rules`, which is what the rules made of it;
        raises TurnError."""
        ...


class RulesOnly:
    """Where no language model is."""

    async def rewrite(self, question: str, history: Sequence[Exchange], rules: str) -> str:
        return rules


class ModelRewriter:
    """Asks the small model, and takes the rules' version when its reply is not that question anew."""

    def __init__(self, model: Model, router: Router) -> None:
        self._model = model
        self._route = replace(router.background, name="rewrite", max_tokens=TOKENS, effort="none")

    async def rewrite(self, question: str, history: Sequence[Exchange], rules: str) -> str:
        said = ""
        async with aclosing(self._model.stream(prompt(question, history), self._route)) as chunks:
            async for chunk in chunks:
                said += chunk.text
                if len(said) > 2 * LONGEST:
                    return rules
        rewritten = clean(said)
        return rewritten if is_about(rewritten, question, rules) else rules


def open_rewriter(settings: Settings, model: Model, router: Router) -> Rewriter:
    """The small model's where it is a language model whose words can be trusted, else the rules'."""
    trusted = settings.small_model not in (EXTRACT, MEASURING)
    return ModelRewriter(model, router) if trusted else RulesOnly()


def prompt(question: str, history: Sequence[Exchange]) -> list[Message]:
    """A tiny one: the latest exchanges, each cut to a line."""
    told = [
        f"Q: {shorten(exchange.question, 200)}\nA: {shorten(exchange.answer, 160)}"
        for exchange in history[-SHOWN:]
    ]
    conversation = "\n".join([*told, f"Last question: {shorten(question, LONGEST)}"])
    return [Message("system", INSTRUCTIONS), Message("user", conversation)]


def clean(said: str) -> str:
    """The question in a model's reply; empty if there is not exactly one line that could be it, or the model
    only says that it has no answer."""
    lines = [line.strip() for line in said.replace("\0", "").splitlines() if line.strip()]
    if len(lines) != 1:
        return ""
    question = _LABEL.sub("", lines[0].strip(_QUOTES), count=1).strip(_QUOTES)
    return question if len(question) <= LONGEST and not unanswered(question, whole=True) else ""


def is_about(rewritten: str, question: str, rules: str) -> bool:
    """Whether it shares a word that says something, or a pair of Chinese characters, with the question or
    what the rules made of it."""
    return not asked(rewritten).keys().isdisjoint(asked(f"{question}\n{rules}"))
