"""Fields that a server refused: the request is sent again without them, and later ones never have them.

What a refusal names goes; where it names nothing, all that is optional goes at once. It is remembered when
the request is taken without it, by provider and model, for as long as the process lives.
"""

import logging
import re
from dataclasses import dataclass, field
from typing import Any

from app.models.providers import EFFORTS, nearest

log = logging.getLogger(__name__)

REFUSING = (400, 422)
TRIES = 4  # refusals one by one; then all that is optional goes
CAPS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
OTHER_NAMES = {"prompt_cache_options": "prompt_cache_breakpoint"}

# Said of a field that is not known. A cap is also named for being too high, which is another matter.
_UNKNOWN = re.compile(r"unsupported|not support|unrecognized|unknown|unexpected|not permitted", re.IGNORECASE)

Key = tuple[str, str]  # provider and model


@dataclass(frozen=True, slots=True)
class Known:
    """`refused` fields, and the `efforts` that are taken, if the server has said which."""

    refused: frozenset[str] = frozenset()
    efforts: tuple[str, ...] = EFFORTS


@dataclass(slots=True)
class Refusals:
    _known: dict[Key, Known] = field(default_factory=dict)

    def attempt(self, key: Key, fields: dict[str, Any]) -> "Attempt":
        return Attempt(self, key, fields, self._known.get(key, Known()))

    def remember(self, key: Key, before: Known, known: Known) -> None:
        """What a request found out that began with `before`, besides what others found out meanwhile."""
        others = self._known.get(key, Known())
        efforts = others.efforts if known.efforts == before.efforts else known.efforts
        self._known[key] = Known(others.refused | known.refused, efforts)


class Attempt:
    """One request, as often as it must be sent; `fields` are those to send now."""

    def __init__(self, refusals: Refusals, key: Key, fields: dict[str, Any], known: Known) -> None:
        self._refusals, self._key, self._wanted = refusals, key, fields
        self._known = self._before = known
        self._tries = 0
        self.fields = _without(fields, known)

    def refused(self, status: int, said: str, param: str = "") -> bool:
        """Whether it is worth sending again, by now with other `fields`."""
        if status not in REFUSING:
            return False
        self._tries += 1
        named = _named(said, self.fields)
        named = [param] if param in named else named
        if "reasoning_effort" in named and (efforts := _efforts(said, self.fields["reasoning_effort"])):
            self._known = Known(self._known.refused, efforts)
        else:
            if not named or self._tries >= TRIES:
                named = [one for one in self.fields if one not in CAPS]
            self._known = Known(self._known.refused.union(named), self._known.efforts)
        before, self.fields = self.fields, _without(self._wanted, self._known)
        return self.fields != before

    def taken(self) -> None:
        """It was, as it is now: what was refused on the way will not be sent again."""
        if self._known == self._before:
            return
        self._refusals.remember(self._key, self._before, self._known)
        gone = ", ".join(sorted(self._known.refused - self._before.refused)) or "such reasoning_effort"
        log.warning("%s takes no %s for %s: not sent from now on", self._key[0], gone, self._key[1])


def _without(fields: dict[str, Any], known: Known) -> dict[str, Any]:
    """Without the refused ones; a refused cap is sent by its other name, and none beside a prediction, which
    OpenAI refuses together."""
    left = {name: value for name, value in fields.items() if name not in known.refused}
    for cap, other in CAPS.items():
        if cap in fields and cap not in left and other not in known.refused:
            left[other] = fields[cap]
    if "prediction" in left:
        left = {name: value for name, value in left.items() if name not in CAPS}
    if "reasoning_effort" in left:
        left["reasoning_effort"] = nearest(left["reasoning_effort"], known.efforts)
    return left


def _named(said: str, fields: dict[str, Any]) -> list[str]:
    names = [name for name in fields if re.search(rf"\b({name}|{OTHER_NAMES.get(name, name)})\b", said)]
    return [name for name in names if name not in CAPS or _UNKNOWN.search(said)]


def _efforts(said: str, sent: str) -> tuple[str, ...]:
    """The efforts that a refusal lists instead."""
    return tuple(one for one in EFFORTS if one != sent and re.search(rf"['\"`]{one}['\"`]", said))
