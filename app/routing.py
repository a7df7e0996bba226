"""Which model answers, from how many passages, at what length. No I/O."""

from dataclasses import dataclass

from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Route:
    """`k` passages at the most, `max_tokens` of answer; `reason` says why in a few words."""

    name: str
    model: str
    k: int
    max_tokens: int
    reason: str


class Router:
    """One route so far: every question goes to CHAT_MODEL with five passages."""

    def __init__(self, settings: Settings) -> None:
        self._only = Route("standard", settings.chat_model, k=5, max_tokens=4_096, reason="only route")
        self.small = Route("title", settings.small_model, k=0, max_tokens=32, reason="background")

    def route(self, question: str) -> Route:
        return self._only
