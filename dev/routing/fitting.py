"""From rows to the router's weights: ridge regression over hashed words and the question's shape.

All columns are fitted over the same features. `large` and `choice` are what the large model is expected to
win by (1: only it is right, −1: only the small one is); an exam row's own outcome is mostly luck, so it is
pulled towards the mean of its topic. `brief` is 1 for a look-up and 0 for everything else. Knows no files.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from app.routing.features import SHAPE, Features, features
from app.routing.weights import Column, Weights

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]

FOLDS = 5
RARE = 3  # rows that a word must occur in
TOPIC = 0.75  # how far an outcome is pulled towards its topic's mean
PRIOR = 10  # rows of everything that a topic's mean starts with
RIDGE = 1.0
LARGE_SHARE = 0.491  # of exam rows that go to the large model: below the half that is aimed at
HARD, EASY = 0.5, -0.25  # what the large model wins by at a chat's questions
LINE = 0.07  # of left-out hand-written questions, 2% of look-ups lie above it and 9% of hard ones below
BRIEF = 0.42  # the line for look-ups


@dataclass(frozen=True, slots=True)
class Outcome:
    """An exam row: who was right."""

    text: str
    topic: str
    small: bool
    large: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A chat's question; `label` is lookup, ordinary or hard."""

    text: str
    label: str
    language: str


def fit(outcomes: Sequence[Outcome], asked: Sequence[Asked]) -> Weights:
    """Weights of every column. Outcomes with answers to choose from have a column of their own, for they are
    no questions that anybody asks a chat."""
    texts = [*(row.text for row in outcomes), *(row.text for row in asked)]
    known = [features(text) for text in texts]
    vocabulary = _vocabulary(known)
    matrix = _matrix(known, vocabulary)
    exam = np.arange(len(outcomes))
    choice = np.array([row.choices for row in known[: len(outcomes)]], bool)
    chat = np.concatenate([exam[~choice], np.arange(len(outcomes), len(known))])
    wins = np.concatenate([_wins(outcomes), [HARD if row.label == "hard" else EASY for row in asked]])
    brief = np.concatenate([np.zeros(len(outcomes)), [row.label == "lookup" for row in asked]])
    large = _ridge(matrix[chat], wins[chat])
    spent = int((large.predict(matrix[exam[~choice]]) > LINE).sum()) if (~choice).any() else 0
    columns = [
        _column(vocabulary, large, LINE),
        _column(vocabulary, *_choosing(matrix[: len(exam)], wins[: len(exam)], choice, spent)),
        _column(vocabulary, _ridge(matrix[chat], brief[chat]), BRIEF),
    ]
    return Weights(*columns)


def _choosing(matrix: csr_matrix, wins: Vector, choice: Flags, spent: int) -> tuple[Ridge, float]:
    """The model for answers to choose from, and its line: together with those `spent`, LARGE_SHARE of rows
    that were not learned from lie above it."""
    scores = np.zeros(len(wins))
    for learned, left in KFold(FOLDS, shuffle=True, random_state=0).split(scores):
        scores[left] = _ridge(matrix[learned], wins[learned]).predict(matrix[left])
    share = (LARGE_SHARE * len(wins) - spent) / choice.sum()
    return _ridge(matrix, wins), float(np.quantile(scores[choice], min(1.0, max(0.0, 1 - share))))


def _wins(outcomes: Sequence[Outcome]) -> Vector:
    gains = [row.large - row.small for row in outcomes]
    overall = sum(gains) / max(1, len(gains))
    rows = Counter(row.topic for row in outcomes)
    won: Counter[str] = Counter()
    for row, gain in zip(outcomes, gains, strict=True):
        won[row.topic] += gain
    mean = {topic: (won[topic] + PRIOR * overall) / (rows[topic] + PRIOR) for topic in rows}
    return np.array([TOPIC * mean[row.topic] + (1 - TOPIC) * gain
                     for row, gain in zip(outcomes, gains, strict=True)])


def _vocabulary(known: Iterable[Features]) -> dict[int, tuple[int, float]]:
    """Column and scale by hash: rare words weigh more, as in tf-idf."""
    known = list(known)
    words = Counter(word for row in known for word in row.words)
    shape = Counter(trait for row in known for trait in row.shape)
    scales = {word: (log(len(known) / n) + 1) / 5 for word, n in words.items() if n >= RARE}
    scales |= {trait: SHAPE for trait, n in shape.items() if n >= RARE}
    return {term: (column, scale) for column, (term, scale) in enumerate(sorted(scales.items()))}


def _matrix(known: Sequence[Features], vocabulary: dict[int, tuple[int, float]]) -> csr_matrix:
    values: list[float] = []
    columns: list[int] = []
    starts = [0]
    for row in known:
        share = (len(row.words) or 1) ** -0.5
        for terms, length in ((row.words, share), (row.shape, 1.0)):
            for column, scale in (vocabulary[term] for term in terms if term in vocabulary):
                columns.append(column)
                values.append(scale * length)
        starts.append(len(columns))
    return csr_matrix((values, columns, starts), shape=(len(known), len(vocabulary)))


def _ridge(matrix: csr_matrix, target: Vector) -> Ridge:
    return Ridge(alpha=RIDGE, solver="sparse_cg", tol=2e-3).fit(matrix, target)


def _column(vocabulary: dict[int, tuple[int, float]], model: Ridge, line: float) -> Column:
    """Weights that `Column.score` multiplies as `_matrix` did; the shape's scale is its own there."""
    weights = {
        term: float(model.coef_[column]) * (1.0 if scale == SHAPE else scale)
        for term, (column, scale) in vocabulary.items()
    }
    return Column(weights, float(model.intercept_), line)
