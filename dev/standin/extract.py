"""The model `extract`: an honest answer without a language model, by quoting the given passages.

It frames what `choosing` chose in the question's language, each quotation with its [n], and says so when
nothing was found or when question and passages share no script. It makes up nothing.
"""

import re

from dev.standin.choosing import Chosen, choose
from dev.standin.reading import Passage, Prompt
from dev.standin.sentences import Unit, units
from dev.standin.summaries import summary
from dev.standin.terms import HAN, is_chinese
from dev.standin.titles import title

_LISTED = 8  # units that may follow a quoted "…:"

_ENGLISH = {
    "found": "The documents say:",
    "nothing": "I found nothing in the documents that answers this.",
    "bare": "No passages came with this question, and without them I have nothing to quote: "
    "I am the stand-in, which quotes documents and is no language model.",
    "closest": "The passages are in another language than the question, so I cannot compare them "
    "word for word. The closest passage, which may not answer it, begins:",
}
_CHINESE = {
    "found": "文档中的相关内容：",
    "nothing": "在文档中没有找到与这个问题相关的内容。",
    "bare": "这个问题没有附带任何段落，我没有可以引用的内容：我是替身模型，只会引用文档，不是语言模型。",
    "closest": "段落与问题的语言不同，我无法逐词比对。检索到的最接近的段落（不一定能回答这个问题）开头是：",
}


def answer(prompt: Prompt) -> str:
    """The whole answer in markdown."""
    words = _CHINESE if is_chinese(prompt.question) else _ENGLISH
    if prompt.wants_title:
        return title(prompt.question)
    if prompt.wants_summary:
        return summary(prompt.whole)
    if prompt.passages is None:
        return words["bare"]
    chosen = choose(prompt.question, prompt.passages)
    if chosen:
        return "\n\n".join([words["found"], *map(_quote, _runs(_without_repeats(chosen)))])
    if prompt.passages and _scripts_differ(prompt):
        return "\n\n".join([words["closest"], _beginning(prompt.passages[0])])
    return words["nothing"]


def _scripts_differ(prompt: Prompt) -> bool:
    """Whether the first passage, and at least half of them, are written in the other script."""
    asked = is_chinese(prompt.question)
    differ = [is_chinese(passage.text) != asked for passage in prompt.passages or ()]
    return differ[0] and 2 * sum(differ) >= len(differ)


def _beginning(passage: Passage) -> str:
    opening = [Chosen(passage, unit, place, 0.0) for place, unit in enumerate(units(passage.text)[:2])]
    return "\n\n".join(map(_quote, _runs(_without_repeats(opening))))


def _without_repeats(chosen: list[Chosen]) -> list[Chosen]:
    """Without what an earlier quotation already shows: the list below its sentence, or the same words."""
    shown: set[str] = set()
    kept = []
    for one in chosen:
        if one.unit.text not in shown:
            kept.append(one)
            shown.update(unit.text for unit in _with_what_follows(one))
    return kept


def _runs(chosen: list[Chosen]) -> list[list[Chosen]]:
    """Sentences that stand next to each other stay together."""
    runs: list[list[Chosen]] = []
    for one in chosen:
        last = runs[-1][-1] if runs else None
        if (
            last
            and last.passage is one.passage
            and last.place + 1 == one.place
            and _is_prose(last)
            and _is_prose(one)
        ):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _is_prose(one: Chosen) -> bool:
    return one.unit.kind == "sentence" and len(_with_what_follows(one)) == 1


def _quote(run: list[Chosen]) -> str:
    if len(run) == 1:
        return _blockquote(_with_what_follows(run[0]), run[0].passage.n)
    joined = re.sub(r"(?<=[\u3000-\u303f\uff00-\uffef]) ", "", " ".join(one.unit.text for one in run))
    return _blockquote([Unit(joined)], run[0].passage.n)


def _with_what_follows(one: Chosen) -> list[Unit]:
    """The unit, and after a colon the list, table or code that it announces."""
    if not one.unit.text.rstrip("*_").endswith((":", "：")):
        return [one.unit]
    shown = [one.unit]
    for unit in units(one.passage.text)[one.place + 1 :][:_LISTED]:
        if unit.kind == "sentence" or (unit.kind != shown[-1].kind and len(shown) > 1):
            break
        shown.append(unit)
    return shown


def _blockquote(shown: list[Unit], n: int) -> str:
    """The first unit carries the citation; code cannot, so there it stands below."""
    first, *rest = shown
    lines = [f"{_neutral(first.text)} [{n}]"]
    if first.kind == "code":
        lines = [*first.text.splitlines(), "", f"[{n}]"]
    for unit in rest:
        lines += ["", *unit.text.splitlines()] if unit.kind == "code" else [f"- {_neutral(unit.text)}"]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _neutral(text: str) -> str:
    """A quotation that shows its words: no picture, no tag, no citation or formula that it never was."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[(\d+)\](?!\()", r"\\[\1\\]", text)
    text = re.sub(r"(?<!\\)\$(?=\d)", r"\\$", text)
    text = re.sub(r"<(?=[A-Za-z/!?])", r"\\<", text)
    text = re.sub(r"^(#{1,6}\s|[-+*>]\s|\d+(?=[.)]\s))", lambda mark: _escape(mark[0]), text)
    return text.replace("`", "\\`") if text.count("`") % 2 else text


def _escape(mark: str) -> str:
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def pieces(text: str) -> list[str]:
    """The text as a model would stream it: by words, and Chinese by pairs of characters."""
    return re.findall(rf"\s*(?:[{HAN}]{{1,2}}|[^\s{HAN}]+)|\s+$", text)
