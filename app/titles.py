"""A conversation's title: what the small model is asked, and what of its reply is a title. Pure."""

from collections.abc import Sequence

from app.prompt import Exchange, Message
from app.text import shorten

# The stand-in model knows a title's prompt by these first three words.
INSTRUCTIONS = """\
Write a title for the conversation, in its language: at most six words, or twelve Chinese characters.
Reply with the title only, without quotation marks and without a full stop."""

ANSWER_WIDTH = 600
TITLE_WIDTH = 60


def title_prompt(exchange: Exchange) -> Sequence[Message]:
    return [
        Message("system", INSTRUCTIONS),
        Message("user", f"{exchange.question}\n\n{shorten(exchange.answer, ANSWER_WIDTH)}"),
    ]


def clean(reply: str) -> str:
    """The reply's first line without the marks that models put around titles; empty when nothing is left."""
    lines = [line for line in reply.replace("\0", "").strip().splitlines() if line.strip()]
    first = lines[0] if lines else ""
    return shorten(first.strip(" \t#*_\"'“”‘’「」《》.。"), TITLE_WIDTH)
