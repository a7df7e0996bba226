"""What a question means that leans on the conversation: rules, and what a small model is asked. Pure."""

from collections.abc import Sequence
from typing import Protocol

from app.prompt import Exchange


class Rewriter(Protocol):
    async def rewrite(self, question: str, history: Sequence[Exchange], rules: str) -> str:
        """A question that stands alone, at best better than `rules`, which is what the rules made of it;
        raises TurnError."""
        ...


class RulesOnly:
    """Where no language model is."""

    async def rewrite(self, question: str, history: Sequence[Exchange], rules: str) -> str:
        return rules


def stand_alone(question: str, history: Sequence[Exchange]) -> str:
    """The question as it would be put without a conversation; empty when it leans on nothing."""
    return ""
