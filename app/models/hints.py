"""What may make an answer come sooner."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hints:
    """For providers that know it: `cache_key` names what shares a prefix, `prediction` is a text that the
    answer will mostly repeat."""

    cache_key: str = ""
    prediction: str = ""


NO_HINTS = Hints()
