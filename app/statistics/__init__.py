"""What many turns' measures say together: percentiles with their n, kept and broken budgets, a diagnosis.

Pure, and slow enough for thousands of turns to be called in a thread. Knows no database, no language and
no HTML. Prefill and decode are never added up, and there are no means: they hide the tail, where waits hurt.
"""

from app.statistics.budgets import Budget, Culprit, Goodput, budgets, goodput
from app.statistics.diagnosis import Diagnosis, Part, clock_of, diagnose
from app.statistics.percentiles import Percentiles, percentile, percentiles, summary
from app.statistics.samples import BY, Sample, first_token, grouped, sample, slowest

__all__ = [
    "BY",
    "Budget",
    "Culprit",
    "Diagnosis",
    "Goodput",
    "Part",
    "Percentiles",
    "Sample",
    "budgets",
    "clock_of",
    "diagnose",
    "first_token",
    "goodput",
    "grouped",
    "percentile",
    "percentiles",
    "sample",
    "slowest",
    "summary",
]
