"""A summary of a conversation without a language model: each question, and how its answer began."""

import re

ORDER = "summarise the conversation"  # how the system message of a summary job begins
WIDTH = 60

_EXCHANGE = re.compile(r"<question>\n(.*?)\n</question>\n<answer>\n(.*?)\n</answer>", re.DOTALL)


def summary(text: str) -> str:
    """A line an exchange; never empty."""
    lines = [f"{_short(asked)} → {_short(answered)}" for asked, answered in _EXCHANGE.findall(text)]
    return "\n".join(lines) or _short(text) or "…"


def _short(text: str) -> str:
    return " ".join(text.split())[:WIDTH]
