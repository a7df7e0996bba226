"""How sure it is that anything found bears on the question: a logistic rule over what the two legs said. Pure.

Three things speak for it: how near the best passage is, how far it stands out from those behind it, and how
much of the question's words it shares; a fourth, an identifier of the question that stands in it. Fitted on XQuAD,
CLINC's small talk and the handbook, each as the other's foreign subject; `make bench NAME=retrieval` prints
both kinds of error. Nearness means something within a language and for multilingual-e5, whose cosines lie
between .7 and .95; elsewhere only standing out counts, and little of it is enough: to call a good
passage irrelevant costs an answer, to keep a poor one costs a few tokens.
"""

import math
import re
from collections.abc import Sequence

from app.retrieval.protocol import Passage
from app.retrieval.words import asked, words
from app.text import is_chinese

RELEVANT = 0.5  # below it, nothing found bears on the question
NEAR, OUTSTANDING, SHARING, NAMED = 80.0, 90.0, 7.5, 2.0
ENGLISH, CHINESE, FOREIGN = 70.0, 71.8, 1.2  # what must be exceeded; FOREIGN without nearness
BEHIND = slice(10, 30)  # the ranks that the best one is compared with
FEWEST = 15  # candidates, below which there is nothing to compare with
SQUASHED = 0.62  # cosines behind the best are higher in multilingual-e5, whatever is asked
UNKNOWN_SHARING = 0.2  # what is assumed when the lexical leg failed

# Small words, and letters, of languages that are neither of the two that the rule was fitted on.
_FOREIGN = re.compile(
    r"\b(?:der|das|ist|und|wie|wo|wer|warum|welche\w*|kann|ich|le|les|est|quel\w*|comment|pourquoi|dans"
    r"|que|como|donde|una|il|gli|che|perch\w*|onde|het|een|wat|hoe|waar)\b|[^\W\d_a-z]",
    re.I,
)


def confidence(question: str, dense: Sequence[Passage] | None, lexical: Sequence[Passage] | None) -> float:
    """0 to 1; a leg that failed is None. Nothing found is 0; what cannot be judged counts as relevant."""
    if not dense and not lexical:
        return 0.0
    sharing = UNKNOWN_SHARING if lexical is None else max((p.score for p in lexical), default=0.0)
    evidence = SHARING * sharing + (NAMED if _names(question, lexical or ()) else 0.0)
    if not dense:
        return max(RELEVANT, _logistic(evidence - SHARING * UNKNOWN_SHARING))
    cosines = sorted((passage.score for passage in dense), reverse=True)
    behind = cosines[BEHIND]
    if len(cosines) < FEWEST or (level := math.fsum(behind) / len(behind)) < SQUASHED:
        return max(RELEVANT, _logistic(evidence))
    evidence += OUTSTANDING * (cosines[0] - level)
    best = max(dense, key=lambda passage: passage.score)
    match _language(question), "zh" if is_chinese(best.text) else "en":
        case ("zh", "zh"):
            return _logistic(evidence + NEAR * cosines[0] - CHINESE)
        case ("en", "en"):
            return _logistic(evidence + NEAR * cosines[0] - ENGLISH)
    return _logistic(evidence - FOREIGN)


def _language(text: str) -> str:
    if is_chinese(text):
        return "zh"
    return "other" if _FOREIGN.search(text) else "en"


def _names(question: str, lexical: Sequence[Passage]) -> bool:
    """Whether the best match holds an identifier that the question names; short numbers match by chance."""
    names = {word for word, is_name in asked(question).items() if is_name and len(word) > 2}
    return bool(names and lexical and names & set(words(f"{lexical[0].title}\n{lexical[0].text}")))


def _logistic(evidence: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, evidence))))
