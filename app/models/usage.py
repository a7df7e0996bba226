"""Tokens of several calls as one, and of a call that was left before its server counted them."""

from collections.abc import Sequence

from app.events import Usage
from app.prompt import Message
from app.text import estimate_tokens

AROUND = 4  # tokens by which a chat template marks a message


def left_early(messages: Sequence[Message], said: str) -> Usage:
    """An estimate: the prompt was read whole, and what was `said` is what had come by then."""
    prompt = sum(estimate_tokens(message.content) + AROUND for message in messages)
    return Usage(prompt, estimate_tokens(said) if said else 0)


def together(*usages: Usage) -> Usage:
    """What calls used one after the other, as a turn that went on to the large model did."""
    return Usage(
        sum(usage.prompt_tokens for usage in usages),
        sum(usage.completion_tokens for usage in usages),
        sum(usage.cached_tokens for usage in usages),
    )
