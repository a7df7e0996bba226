"""Prompts as tokens, and a prefix cache over them as serving engines keep one.

A token here is a word, a punctuation mark or one Chinese character: close enough to count with, and the
same text always gives the same tokens.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence

from dev.standin.terms import HAN
from dev.standin.wire import Ask

STEP, LEAST = 128, 1024  # OpenAI's rule: from 1,024 tokens, in steps of 128

_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]+|[^\w\s]")


def prompt_tokens(ask: Ask) -> list[str]:
    """Tools come first, as they do in front of a real model: changing one changes every prefix."""
    tools = [token for tool in ask.tools or [] for token in _TOKEN.findall(bytes(tool).decode())]
    said = [(f"<{message.role}>", *_TOKEN.findall(message.text)) for message in ask.messages]
    return tools + [token for message in said for token in message]


class PrefixCache:
    """Remembers leading tokens, block by block, the longest unused forgotten first."""

    def __init__(self, blocks: int = 200_000) -> None:
        self._blocks = blocks
        self._seen: OrderedDict[tuple[str, int, int], None] = OrderedDict()

    def cached(self, model: str, tokens: Sequence[str], step: int, least: int) -> int:
        """How many leading tokens an earlier prompt to this model shared, in whole steps; remembers these."""
        found, chain = 0, 0
        for end in range(step, len(tokens) + 1, step):
            # each block's hash holds all before it
            chain = hash((chain, *tokens[end - step : end]))
            key = (model, step, chain)
            found = end if key in self._seen else found
            self._seen[key] = None
            self._seen.move_to_end(key)
        while len(self._seen) > self._blocks:
            self._seen.popitem(last=False)
        return found if found >= least else 0

    def clear(self) -> None:
        self._seen.clear()
