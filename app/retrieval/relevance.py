"""How sure it is that anything found bears on the question: a logistic rule over the fused scores. Pure.

Three things speak for it: how high the best score is, how far it stands out from those behind it, and that
passage's share of the question's words, which tells more of relevance than of rank; and a fourth, an
identifier of the question that stands in it. Fitted on XQuAD, CLINC's small talk and the handbook, each as
the others' foreign subject; `make bench NAME=retrieval` prints both kinds of error. The height means
something within a language and for multilingual-e5, whose cosines lie between .7 and .95; elsewhere only
standing out counts, and little of it is enough: to call a good passage irrelevant costs an answer, to keep a
poor one costs a few tokens.
"""

import math
import re
from collections.abc import Sequence

from app.retrieval.protocol import Passage
from app.retrieval.words import asked, words
from app.text import is_chinese

RELEVANT = 0.5  # below it, nothing found bears on the question
HEIGHT, OUTSTANDING, SHARING, NAMED = 89.0, 22.0, 3.0, 2.0
ENGLISH, CHINESE = 67.3, 70.2  # what must be exceeded within a language
ACROSS = (90.0, 0.9)  # between languages: standing out, and what it must exceed
MISSING = 0.8  # how much more if the question names what is written alike in both, and is not there
BEHIND = slice(10, 30)  # the ranks that the best one is compared with
FEWEST = 15  # candidates, below which there is nothing to compare with
SQUASHED = 0.56  # fused scores behind the best are higher with multilingual-e5, whatever is asked

# Small words, and letters, of languages that are neither of the two that the rule was fitted on.
_FOREIGN = re.compile(
    r"\b(?:der|das|ist|und|wie|wo|wer|warum|welche\w*|kann|ich|le|les|est|quel\w*|comment|pourquoi|dans"
    r"|que|como|donde|una|il|gli|che|perch\w*|onde|het|een|wat|hoe|waar)\b|[^\W\d_a-z]",
    re.I,
)


def confidence(question: str, ranked: Sequence[Passage], sharing: float) -> float:
    """0 to 1, by candidates that both legs scored, best first; `sharing` is the best one's lexical score.

    Nothing found is 0; what cannot be judged counts as relevant.
    """
    if not ranked:
        return 0.0
    behind = [passage.score for passage in ranked[BEHIND]]
    level = math.fsum(behind) / max(1, len(behind))
    if len(ranked) < FEWEST or level < SQUASHED:
        return RELEVANT
    best = ranked[0]
    outstanding = best.score - level
    names = _names(question)
    evidence = SHARING * sharing + (NAMED if names and names & _words(best) else 0.0)
    match _language(question), "zh" if is_chinese(best.text) else "en":
        case ("en", "en"):
            evidence += HEIGHT * best.score + OUTSTANDING * outstanding - ENGLISH
        case ("zh", "zh"):
            evidence += HEIGHT * best.score + OUTSTANDING * outstanding - CHINESE
        case _:
            weight, least = ACROSS
            evidence += weight * outstanding - least - (MISSING if names and not sharing else 0.0)
    return _logistic(evidence)


def _language(text: str) -> str:
    if is_chinese(text):
        return "zh"
    return "other" if _FOREIGN.search(text) else "en"


def _names(question: str) -> set[str]:
    """The identifiers in it; short numbers match by chance."""
    return {word for word, is_name in asked(question).items() if is_name and len(word) > 2}


def _words(passage: Passage) -> set[str]:
    return set(words(f"{passage.title}\n{passage.text}"))


def _logistic(evidence: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, evidence))))
