"""From a turn to the messages a model reads. Pure: what stays put stands first, so that prefix caches hit.

    system      instructions, and what each style means        the same for everybody
    user        <summary> of what was cut, the first question  change at a cut only
    assistant   its answer                                     from here on only appended to
    ...
    user        passages, the style's name, the question       new each time

The last message has the form below; whoever reads a prompt back (the stand-in model does) may rely on it:

    <sources>
    <source n="1" title="Handbook">
    text of the passage
    </source>
    </sources>

    Style: brief

    <question>
    How do I start it?
    </question>

Nothing that changes (a date, a name, an id) may come before the history.
"""

from app.prompt.building import Prompt, build
from app.prompt.history import CAP, HIGH, LOW, capped, cut, is_due, tokens_of
from app.prompt.instructions import INSTRUCTIONS, NOTHING, STYLES, UNSEARCHED
from app.prompt.parts import Exchange, History, Message, escape

__all__ = [
    "CAP",
    "HIGH",
    "INSTRUCTIONS",
    "LOW",
    "NOTHING",
    "STYLES",
    "UNSEARCHED",
    "Exchange",
    "History",
    "Message",
    "Prompt",
    "build",
    "capped",
    "cut",
    "escape",
    "is_due",
    "tokens_of",
]
