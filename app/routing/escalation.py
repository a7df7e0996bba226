"""Whether a small model's answer will not do, so that the large one is asked. Pure."""

WATCHED = 240  # characters; a model that passes says so in its first sentences


def unanswered(text: str, *, whole: bool) -> str:
    """Why the text is no answer ("refused", "too short"), or an empty string; `whole`: no more will come."""
    return ""
