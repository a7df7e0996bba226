"""What the page says, in its reader's language: turns to a sentence, tables, charts. Knows no request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.statistics import BY, Budget, Percentiles, Sample, budgets, goodput, grouped, summary
from web.latency import pictures
from web.latency.figures import milliseconds, percent
from web.latency.reading import Reading
from web.latency.slow import Slow, slow_turn
from web.latency.verdict import verdict
from web.words import Words
from web.words_latency import MEASURES, name_of

CULPRITS = 3  # named in a line; the others are counted


@dataclass(frozen=True, slots=True)
class Choice:
    days: int = 7
    whose: str = "all"
    by: str = "route"

    def link(self, **other: object) -> str:
        """The page's address with one choice made otherwise."""
        asked = {"days": self.days, "whose": self.whose, "by": self.by} | other
        return "/latency?" + "&".join(f"{key}={value}" for key, value in asked.items())


@dataclass(frozen=True, slots=True)
class Link:
    words: str
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class BudgetRow:
    name: str
    measure: str
    limit: str
    n: int
    met: str
    p95: str
    kept: bool
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeasureRows:
    """A measure's percentiles: (group, n, p50, p95, p99), the whole first."""

    name: str
    measure: str
    help: str
    rows: tuple[tuple[str, int, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Report:
    filters: Mapping[str, Sequence[Link]]
    n: int
    verdict: str
    facts: tuple[str, ...]
    goodput: str
    budgets: tuple[BudgetRow, ...]
    distributions: tuple[Markup, ...]
    phases: tuple[Markup, ...]
    drawn: int
    table: tuple[MeasureRows, ...]
    slow: tuple[Slow, ...]
    definitions: Mapping[str, tuple[str, str]]


def report(reading: Reading, choice: Choice, words: Words, *, capped: bool) -> Report:
    """Of turns that were read from the newest on; `capped` says that there were more."""
    samples = reading.samples
    groups = {_group(name, words): group for name, group in grouped(samples, choice.by).items()}
    return Report(
        filters=_filters(choice, words),
        n=len(samples),
        verdict=verdict(samples, words),
        facts=_facts(samples, choice, words, capped),
        goodput=_goodput(samples, words),
        budgets=tuple(_budget_row(budget, words) for budget in budgets(samples)),
        distributions=pictures.distributions(samples, {} if choice.by == "day" else groups, words),
        phases=pictures.phases(samples, words),
        drawn=min(len(samples), pictures.DRAWN),
        table=_table(samples, groups, words),
        slow=tuple(slow_turn(turn, one, words) for turn, one in reading.slow),
        definitions=MEASURES[words.language],
    )


def _group(name: str, words: Words) -> str:
    return (
        words(f"latency_group_{name}") if name in ("cached", "fresh") else name or words("latency_group_none")
    )


def _filters(choice: Choice, words: Words) -> dict[str, list[Link]]:
    offered = {"days": (1, 7, 30), "whose": ("all", "mine"), "by": tuple(BY)}
    return {
        words(f"latency_{key}"): [
            Link(words(f"latency_{key}_{value}"), choice.link(**{key: value}), getattr(choice, key) == value)
            for value in values
        ]
        for key, values in offered.items()
    }


def _facts(samples: Sequence[Sample], choice: Choice, words: Words, capped: bool) -> tuple[str, ...]:
    """How many turns were read, and what became of them; what there was none of is not said."""
    read = "latency_read_capped" if capped else "latency_read_1" if choice.days == 1 else "latency_read"
    counted = {
        "latency_painted": sum(one.painted for one in samples),
        "latency_left_out": sum(one.left_out for one in samples),
        "latency_cached": sum(one.cached for one in samples),
        "latency_failed": sum(one.failed for one in samples),
    }
    said = [words(key, n=f"{n:,}") for key, n in counted.items() if n]
    return (words(read, n=f"{len(samples):,}", days=choice.days), *said)


def _goodput(samples: Sequence[Sample], words: Words) -> str:
    found = goodput(samples)
    if found.share is None:
        return words("latency_goodput_none")
    return words("latency_goodput", share=percent(found.good, found.n), n=f"{found.n:,}")


def _budget_row(budget: Budget, words: Words) -> BudgetRow:
    who = [
        words(
            "latency_culprit",
            route=culprit.route or words("latency_group_none"),
            model=culprit.model,
            broken=f"{culprit.broken:,}",
            n=f"{culprit.n:,}",
        )
        for culprit in budget.culprits[:CULPRITS]
    ]
    if len(budget.culprits) > CULPRITS:
        who.append(words("latency_more", n=len(budget.culprits) - CULPRITS))
    return BudgetRow(
        name_of(budget.measure, words.language),
        budget.measure,
        milliseconds(budget.limit),
        budget.n,
        percent(budget.n - budget.broken, budget.n) if budget.n else "–",
        "–" if budget.p95 is None else milliseconds(budget.p95),
        budget.kept,
        tuple(who),
    )


def _table(
    samples: Sequence[Sample], groups: Mapping[str, Sequence[Sample]], words: Words
) -> tuple[MeasureRows, ...]:
    whole = summary(samples)
    parts = {name: summary(group) for name, group in groups.items()} if len(groups) > 1 else {}
    return tuple(
        MeasureRows(
            name_of(measure, words.language),
            measure,
            MEASURES[words.language].get(measure, ("", ""))[1],
            (
                _row(words("latency_all"), figures),
                *(_row(name, part[measure]) for name, part in parts.items() if measure in part),
            ),
        )
        for measure, figures in whole.items()
    )


def _row(group: str, figures: Percentiles) -> tuple[str, int, str, str, str]:
    p50, p95, p99 = (milliseconds(value) for value in (figures.p50, figures.p95, figures.p99))
    return group, figures.n, p50, p95, p99
