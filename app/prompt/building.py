"""The prompt and its parts, in the order in which a model reads them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.prompt.history import capped, trimmed
from app.prompt.instructions import INSTRUCTIONS, NOTHING, STYLES, UNSEARCHED, style_sheet
from app.prompt.parts import Exchange, History, Message, escape
from app.retrieval import Passage
from app.text import estimate_tokens


@dataclass(frozen=True, slots=True)
class Prompt:
    """`tools` will stand first: they come before all else in front of a model. `named` is the line that names
    the question's style, if it has one."""

    instructions: str
    style: str
    summary: str
    history: tuple[Message, ...]
    passages: str
    named: str
    question: str
    tools: str = ""

    def messages(self) -> list[Message]:
        """What the model reads; passages and question share the last message."""
        system = Message("system", f"{self.instructions}\n\n{self.style}", breakpoint=True)
        last = "\n\n".join(filter(None, (self.passages, self.named, self.question)))
        first, *rest = [*self.history, Message("user", last)]
        if self.summary:  # in nobody's system message: its words are people's
            first = replace(first, content=f"{self.summary}\n\n{first.content}")
        return [system, first, *rest]

    def tokens(self) -> dict[str, int]:
        """About how many tokens each part has, in the order of the prompt."""
        return {name: sum(map(_tokens, texts)) for name, texts in self._parts().items()}

    def prefix(self) -> str:
        """A hash of all before the last message: two prompts with the same one share at least that."""
        whole = hashlib.sha256()
        for message in self.messages()[:-1]:
            whole.update(f"\0{message.role}\0{message.content}".encode())
        return whole.hexdigest()[:12]

    def __str__(self) -> str:
        """The whole prompt, each part under its name and number of tokens."""
        counted = self.tokens()
        return "\n\n".join(
            "\n".join([f"── {name}: {counted[name]} tokens", *filter(None, texts)])
            for name, texts in self._parts().items()
        )

    def _parts(self) -> dict[str, list[str]]:
        told = {
            "tools": [self.tools],
            "instructions": [self.instructions],
            "style": [self.style],
            "summary": [self.summary],
            "history": [f"{message.role}: {message.content}" for message in self.history],
            "passages": [self.passages],
            "question": [self.named, self.question],
        }
        return told if self.tools else {name: texts for name, texts in told.items() if name != "tools"}


def build(
    question: str, passages: Sequence[Passage], history: History, style: str = "", *, searched: bool = True
) -> Prompt:
    """`style` is a key of STYLES; `searched`: whether no passages means that there are none."""
    return Prompt(
        instructions=INSTRUCTIONS,
        style=style_sheet(),
        summary=f"<summary>\n{escape(history.summary)}\n</summary>" if history.summary else "",
        history=tuple(_history(history.exchanges)),
        passages=_sources(passages) if passages else _none(NOTHING if searched else UNSEARCHED),
        named=f"Style: {style}" if STYLES[style] and style else "",
        question=f"<question>\n{escape(question)}\n</question>",
    )


def _tokens(text: str) -> int:
    return estimate_tokens(text) if text else 0


def _history(exchanges: Sequence[Exchange]) -> list[Message]:
    """Every end is marked: any may be that of an earlier prompt, the latest that this model read."""
    messages = []
    for exchange in map(trimmed, capped(exchanges)):
        messages.append(Message("user", escape(exchange.question)))
        messages.append(Message("assistant", exchange.answer, breakpoint=True))
    return messages


def _none(why: str) -> str:
    return f"<sources>\n{why}\n</sources>"


def _sources(passages: Sequence[Passage]) -> str:
    blocks = [
        f'<source n="{n}" title="{_attribute(passage.title)}">\n{escape(passage.text)}\n</source>'
        for n, passage in enumerate(passages, 1)
    ]
    return "\n".join(["<sources>", *blocks, "</sources>"])


def _attribute(text: str) -> str:
    return " ".join(escape(text).replace('"', "'").split())
