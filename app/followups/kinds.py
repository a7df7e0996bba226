"""The ways in which a question can lean on the conversation."""

from enum import Enum


class Kind(Enum):
    NONE = "none"  # it stands alone
    FRAGMENT = "fragment"  # goes on with the question before: "and for students?"
    PRONOUN = "pronoun"  # "what does it cost?"
    RELATION = "relation"  # names a side of something that it does not name: "what are the side effects?"
