"""Prompts as tokens, and a prefix cache over them as serving engines keep one.

A token here is a word, a punctuation mark or one Chinese character: close enough to count with, and the
same text always gives the same tokens.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from dev.standin.scenario import Cache
from dev.standin.terms import HAN
from dev.standin.wire import Ask, Message

STEP, LEAST = 128, 1024  # OpenAI's rule before GPT-5.6: from 1,024 tokens, in steps of 128
WRITTEN = 4  # breakpoints that a request writes, the implicit one included: the rule from GPT-5.6 on

_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Read:
    """A prompt as the model gets it; `breakpoints` are the numbers of tokens before each marked place."""

    tokens: list[str]
    breakpoints: tuple[int, ...] = ()


def read(ask: Ask) -> Read:
    """Tools come first, as they do in front of a real model: changing one changes every prefix."""
    tokens = [token for tool in ask.tools or [] for token in _TOKEN.findall(bytes(tool).decode())]
    marked: list[int] = []
    for message in ask.messages:
        tokens.append(f"<{message.role}>")
        for text, ends in _texts(message):
            tokens += _TOKEN.findall(text)
            marked += [len(tokens)] if ends else []
    explicit = ask.prompt_cache_options is not None and ask.prompt_cache_options.mode == "explicit"
    return Read(tokens, tuple(marked if explicit else [*marked, len(tokens)]))


def _texts(message: Message) -> list[tuple[str, bool]]:
    if not isinstance(message.content, list):
        return [(message.text, False)]
    return [(part.text, part.prompt_cache_breakpoint is not None) for part in message.content]


class PrefixCache:
    """Remembers leading tokens, the longest unused forgotten first."""

    def __init__(self, blocks: int = 200_000) -> None:
        self._blocks = blocks
        self._seen: OrderedDict[tuple[str, object, int], None] = OrderedDict()

    def cached(self, model: str, prompt: Read, rule: Cache) -> int:
        """How many leading tokens an earlier prompt to this model shared, as far as the rule goes; remembers
        these."""
        if rule == "none":
            return 0
        if rule == "explicit":
            return self._to_a_breakpoint(model, prompt)
        return self._in_steps(model, prompt.tokens, *((1, 1) if rule == "any" else (STEP, LEAST)))

    def clear(self) -> None:
        self._seen.clear()

    def _in_steps(self, model: str, tokens: Sequence[str], step: int, least: int) -> int:
        found, chain = 0, 0
        for end in range(step, len(tokens) + 1, step):
            # each block's hash holds all before it
            chain = hash((chain, *tokens[end - step : end]))
            if self._is_known((model, step, chain)):
                found = end
        return found if found >= least else 0

    def _to_a_breakpoint(self, model: str, prompt: Read) -> int:
        """A prefix counts only where both prompts marked its end; the latest of a prompt are written."""
        keys = [(model, "explicit", hash(tuple(prompt.tokens[:end]))) for end in prompt.breakpoints]
        known = [end for end, key in zip(prompt.breakpoints, keys, strict=True) if key in self._seen]
        for key in keys[-WRITTEN:]:
            self._is_known(key)
        return max((end for end in known if end >= LEAST), default=0)

    def _is_known(self, key: tuple[str, object, int]) -> bool:
        """Whether it was; from now on it is."""
        known = key in self._seen
        self._seen[key] = None
        self._seen.move_to_end(key)
        while len(self._seen) > self._blocks:
            self._seen.popitem(last=False)
        return known
