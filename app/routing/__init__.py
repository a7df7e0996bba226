"""Which model answers, from how many passages, at what length. No I/O.

A question's words and shape are weighed by a small linear model (`weights.bin`) in a fraction of a
millisecond: whether the large model would win by it, and whether it is a look-up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from app.prompt import Exchange, History
from app.retrieval.protocol import Found
from app.retrieval.relevance import RELEVANT
from app.routing.features import features
from app.routing.phrases import continues, is_courtesy, is_term
from app.routing.weights import Weights, load
from app.settings import Settings

# Why a question went where it did, as `Route.reason` says it; a reader's language has words for each.
REASONS = (
    "lookup",  # asks for one fact
    "ordinary",
    "hard",  # compares, reasons, plans, calculates, or has several parts
    "asked",  # its reader wants the large model
    "continues",  # goes on from a hard question
    "unsure",  # a look-up whose passages may not hold the fact
    "nothing found",
    "refused",  # the small model passed (app.routing.escalation)
    "too short",  # and here it said next to nothing
    "failed",  # the small model's server did
    "off",  # ROUTING=off
)
FAILED = "failed"
TILTS = {"thrifty": 0.08, "balanced": 0.0, "generous": -0.08}  # ROUTING: what the line is moved by
# One effort a model: it is told ahead of all messages, so each has a prefix of its own in a provider's cache.
QUICK, THINKING = "minimal", "medium"
UNSURE = 0.6  # confidence up to which a look-up gets an ordinary question's room


@dataclass(frozen=True, slots=True)
class Route:
    """`k` passages of `passage_tokens` in all at the most, `max_tokens` of answer; `reason`: one of REASONS.
    `style` is a key of `app.prompt.STYLES`; `effort` what the model is told of reasoning, "" for nothing;
    `tools`: whether it may call some. `small`: answered by the small model."""

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
    """Four routes: look-up, standard, hard, and large, which is asked for."""

    def __init__(self, settings: Settings) -> None:
        large, little = settings.chat_model, settings.small_model
        both = little != large
        self.background = Route("background", little, 0, 32, "background", effort=QUICK, small=True)
        self._tilt = TILTS.get(settings.routing)
        self._off = Route("standard", large, 5, 4_096, "off")
        self._lookup = Route("look-up", little, 5, 256, "lookup", "brief", QUICK, small=both)
        self._standard = Route("standard", little, 5, 4_096, "ordinary", "", QUICK, small=both)
        self._hard = Route("hard", large, 5, 4_096, "hard", "thorough", THINKING, passage_tokens=2_000)
        self._large = replace(self._hard, name="large", reason="asked")
        self._weights = _weights()

    def route(self, question: str, *, large: bool = False) -> Route:
        """The route by the question alone; `large`: its asker wants the large model."""
        if large:
            return self._large
        if self._tilt is None:
            return self._off
        if continues(question):
            return replace(self._standard, reason="continues")
        if is_courtesy(question):
            return self._standard
        if is_term(question):
            return self._lookup
        asked = features(question)
        if self._weights.wins(asked) > self._tilt:
            return self._hard
        return self._lookup if self._weights.brief.above(asked) else self._standard

    def settle(self, route: Route, history: History, found: Found) -> Route:
        """The same, or another, once the conversation and what was found are known."""
        if route.reason == "continues":
            return self._continued(history.exchanges)
        if found.searched and not found.passages and route.reason in ("lookup", "ordinary", "hard"):
            return replace(route, reason="nothing found")
        if route.reason == "lookup" and RELEVANT < found.confidence < UNSURE:
            return replace(self._standard, reason="unsure")
        return route

    def escalate(self, route: Route) -> Route | None:
        """The large model's, when a small one's answer will not do; None where there is no other model."""
        return replace(self._large, style=route.style) if route.small else None

    def _continued(self, exchanges: Sequence[Exchange]) -> Route:
        """As hard as the last question that says what it is about."""
        for exchange in reversed(exchanges):
            earlier = self.route(exchange.question)
            if earlier.reason == "hard":
                return replace(earlier, reason="continues")
            if earlier.reason != "continues":
                break
        return self._standard


@cache
def _weights() -> Weights:
    return load()
