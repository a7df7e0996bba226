"""Which model answers, from how many passages, at what length. No I/O."""

from dataclasses import dataclass, replace

from app.prompt import History
from app.retrieval.protocol import Found
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Route:
    """`k` passages of `passage_tokens` in all at the most, `max_tokens` of answer; `reason` says why in a few
    words. `style` is a key of `app.prompt.STYLES`; `effort` what the model is told of reasoning, "" for
    nothing; `tools`: whether it may call some. `small`: answered by the small model."""

    name: str
    model: str
    k: int
    max_tokens: int
    reason: str
    style: str = ""
    effort: str = ""
    tools: bool = False
    small: bool = False
    passage_tokens: int = 1_500


class Router:
    """One route so far: every question goes to CHAT_MODEL with five passages."""

    def __init__(self, settings: Settings) -> None:
        self._only = Route("standard", settings.chat_model, k=5, max_tokens=4_096, reason="only route")
        self.background = Route("background", settings.small_model, 0, 32, "background", small=True)

    def route(self, question: str, *, large: bool = False) -> Route:
        """The route by the question alone; `large`: its asker wants the large model."""
        return replace(self._only, reason="asked for") if large else self._only

    def settle(self, route: Route, history: History, found: Found) -> Route:
        """The same, or another, once the conversation and what was found are known."""
        return route

    def escalate(self, route: Route) -> Route | None:
        """The large model's, when a small one's answer will not do; None where there is no other model."""
        return None
