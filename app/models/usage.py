"""Tokens of a call that was left before its server counted them."""

from collections.abc import Sequence

from app.events import Usage
from app.prompt import Message
from app.text import estimate_tokens

AROUND = 4  # tokens by which a chat template marks a message


def left_early(messages: Sequence[Message], said: str) -> Usage:
    """An estimate: the prompt was read whole, and what was `said` is what had come by then."""
    prompt = sum(estimate_tokens(message.content) + AROUND for message in messages)
    return Usage(prompt, estimate_tokens(said) if said else 0)
