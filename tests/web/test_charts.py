"""The charts: well-formed whatever comes in, readable by everybody, and true to their numbers."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from tests.conftest import HOSTILE
from web.charts import (
    Bar,
    Interval,
    Mark,
    curves,
    gantt,
    intervals,
    lines,
    scatter,
    standalone,
    style,
)
from web.charts.letters import fit, width_of, wrapped
from web.charts.scales import Scale, reach, reach_log, ticks, ticks_log, tidy
from web.render import STATIC

SVG = "{http://www.w3.org/2000/svg}"
ANY = st.floats(allow_nan=True, allow_infinity=True)
TEXT = st.text(max_size=60)
SERIES = st.dictionaries(TEXT, st.lists(ANY, max_size=30), max_size=9)
PAIRS = st.dictionaries(TEXT, st.lists(st.tuples(ANY, ANY), max_size=30), max_size=9)
BUDGET = st.none() | ANY


def parsed(svg: str) -> ElementTree.Element:
    """Also what every chart owes: it is one, has a name and a size, and nothing that the CSP would refuse."""
    root = ElementTree.fromstring(svg)  # our own markup
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    _, _, wide, tall = map(float, (root.get("viewBox") or "").split())
    assert (wide, 40 < tall < 5_000) == (360, True)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "title", "g", "text", "path", "line", "rect", "circle", "style",
        }  # fmt: skip
        for name, value in element.attrib.items():
            assert name != "style"
            assert not name.startswith("on")
            assert not re.search(r"\b(nan|inf)\b", value) or name in ("class",)
    return root


def texts(svg: str, class_: str = "") -> list[str]:
    return [
        node.text or ""
        for node in parsed(svg).iter(f"{SVG}text")
        if class_ in (node.get("class") or "").split() or not class_
    ]


def paths(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """The points of each path of a class: lines, or the places of dots."""
    root = parsed(svg)
    samples = set(root.findall(f"{SVG}g[@class='legend']//{SVG}path"))
    return [
        [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", node.get("d") or "")]
        for node in root.iter(f"{SVG}path")
        if (node.get("class") or "").startswith(kind) and node not in samples
    ]


@given(SERIES, TEXT, TEXT, BUDGET)
def test_any_curves_are_well_formed(
    series: Mapping[str, Sequence[float]], title: str, unit: str, budget: float | None
) -> None:
    parsed(standalone(curves(series, title=title, unit=unit, budget=budget, empty=title)))


@given(PAIRS, TEXT, TEXT, BUDGET, st.booleans())
def test_any_pairs_are_well_formed(
    series: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, budget: float | None, log: bool
) -> None:
    parsed(scatter(series, x=x, y=y, title=x + y, budget=budget))
    parsed(lines(series, x=x, y=y, title=x + y, log=log))


@given(st.lists(st.builds(Interval, TEXT, ANY, ANY, ANY, BUDGET), max_size=9), TEXT)
def test_any_intervals_are_well_formed(rows: list[Interval], title: str) -> None:
    parsed(intervals(rows, title=title))


@given(
    st.lists(st.builds(Bar, TEXT, ANY, ANY, TEXT), max_size=9),
    st.lists(st.builds(Mark, TEXT, ANY), max_size=9),
    st.dictionaries(TEXT, TEXT, max_size=4),
)
def test_any_waterfall_is_well_formed(bars: list[Bar], marks: list[Mark], kinds: dict[str, str]) -> None:
    parsed(gantt(bars, marks, title="t", legend=kinds))


@given(st.lists(st.floats(-1e15, 1e15), min_size=1), st.booleans())
def test_an_axis_holds_its_values_and_its_ticks(values: list[float], zero: bool) -> None:
    low, high = reach(values, zero=zero)
    slack = (high - low) * 1e-6
    assert low - slack <= min(values) <= max(values) <= high + slack
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 8
    assert all(low - slack <= mark <= high + slack for mark in marks)


@given(st.lists(st.floats(1e-9, 1e15), min_size=1))
def test_a_logarithmic_axis_does_too(values: list[float]) -> None:
    low, high = reach_log(values)
    assert low <= min(values) * 1.001
    assert max(values) <= high * 1.001
    assert 1 <= len(ticks_log(low, high)) <= 8


def test_ticks_are_at_ones_twos_and_fives() -> None:
    assert ticks(*reach([3, 94])) == [0, 20, 40, 60, 80, 100]
    assert ticks(*reach([0.04, 0.21])) == [0, 0.05, 0.1, 0.15, 0.2, 0.25]
    assert ticks(*reach([-12, 31])) == [-20, 0, 20, 40]
    assert ticks_log(*reach_log([60, 900])) == [50, 100, 200, 500, 1000]
    assert ticks_log(*reach_log([1, 9e5])) == [1, 10, 100, 1e3, 1e4, 1e5, 1e6]


def test_a_scale_leads_from_values_to_places() -> None:
    assert [Scale(0, 10, 100, 0).at(value) for value in (0, 5, 10)] == [100, 50, 0]
    assert [Scale(1, 100, 0, 10, log=True).at(value) for value in (1, 10, 100)] == [0, 5, 10]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (0.04, "0.04"),
        (2.5, "2.5"),
        (34.2, "34.2"),
        (340.4, "340"),
        (12_000, "12,000"),
        (3e6, "3M"),
        (-5, "−5"),
        (1e-9, "1e-09"),
        (99.96, "100"),
    ],
)
def test_a_number_is_said_as_short_as_it_is_read(value: float, said: str) -> None:
    assert tidy(value) == said


def test_a_curve_rises_with_the_percentile_and_reaches_its_largest() -> None:
    values = [float(value) for value in range(1, 1_001)]
    (line,) = paths(curves({"ttft": values[::-1]}, title="t"), "line")
    assert [x for x, _ in line] == sorted(x for x, _ in line)
    assert [y for _, y in line] == sorted((y for _, y in line), reverse=True)
    assert len(line) < 200
    assert texts(curves({"ttft": values}, title="t"), "soft")[-5:-1] == ["p90", "p95", "p99", "p99.9"]


def test_percentiles_go_as_far_as_the_samples_carry() -> None:
    def marks(n: int) -> list[str]:
        return [text for text in texts(curves({"a": [1.0] * n}, title="t")) if re.fullmatch(r"p[\d.]+", text)]

    assert marks(1) == ["p50"]
    assert marks(10) == ["p50", "p90", "p95"]
    assert marks(100) == ["p50", "p90", "p95", "p99"]
    assert marks(2_000)[-1] == "p99.9"


def test_a_value_stands_in_the_middle_of_its_share() -> None:
    """Hazen's position: of ten values the largest is at p95, of one it is at the median."""
    for n, mark in ((10, "p95"), (1, "p50")):
        svg = curves({"a": [float(value) for value in range(n)]}, title="t")
        (tick,) = [node for node in parsed(svg).iter(f"{SVG}text") if node.text == mark]
        (path,) = paths(svg, "line" if n > 1 else "dot")
        assert path[-1][0] == pytest.approx(float(tick.get("x") or 0), abs=0.2)


def test_the_percentile_axis_is_stretched_towards_the_tail() -> None:
    """p50, p90 and p99 of 1…1000: each tenth of what remains is as wide as the tenth before."""
    places = {
        node.text: float(node.get("x") or 0)
        for node in parsed(curves({"a": [1.0] * 1_000}, title="t")).iter(f"{SVG}text")
    }
    assert places["p99"] - places["p90"] == pytest.approx(places["p99.9"] - places["p99"], abs=0.3)


def test_a_scatter_puts_each_pair_where_it_belongs() -> None:
    (dots,) = paths(scatter({"a": [(0, 0), (100, 50), (100, 50)]}, x="x", y="y", title="t"), "dot")
    (left, bottom), (right, top) = dots  # the pair that is there twice is drawn once
    assert left < right
    assert top < bottom
    assert right == pytest.approx(346, abs=2)
    assert top == pytest.approx(bottom - 170, abs=1)


def test_lines_go_by_x_and_leave_out_what_no_logarithm_has() -> None:
    (line,) = paths(lines({"a": [(10, 2), (1, 1), (0, 5)]}, x="x", y="y", title="t", log=True), "line")
    assert len(line) == 2
    assert line[0][0] < line[1][0]


def test_a_waterfall_has_a_row_a_bar_and_shows_what_overlaps() -> None:
    svg = gantt(
        [Bar("a", 0, 100, "server"), Bar("b", 50, 100, "Model!"), Bar("c", math.nan, 1, "")],
        [Mark("first token", 60), Mark("first source", 61)],
        title="t",
    )
    first, second = parsed(svg).iter(f"{SVG}rect")
    assert (first.get("class"), second.get("class")) == ("stage kind-server", "stage kind-model")
    end = float(first.get("x") or 0) + float(first.get("width") or 0)
    assert float(second.get("x") or 0) < end
    assert float(first.get("y") or 0) < float(second.get("y") or 0)
    heights = {node.get("y") for node in parsed(svg).iter(f"{SVG}text") if node.get("class") == "mark-word"}
    assert len(heights) == 2  # words that would touch stand in two lines
    assert "–" in texts(svg)


def test_a_budget_is_a_line_or_a_word_where_it_is_far_away() -> None:
    near, far = (curves({"a": [100.0, 90.0]}, title="t", budget=budget) for budget in (120, 5_000))
    assert texts(near, "budget-word") == ["≤ 120 ms"]
    assert texts(far, "budget-word") == ["≤ 5,000 ms ↑"]
    assert [len(list(parsed(svg).iterfind(f"{SVG}line[@class='budget']"))) for svg in (near, far)] == [1, 0]
    broken = intervals([Interval("a", 1, 5, 6, 4), Interval("b", 1, 3, 6, 4)], title="t")
    assert texts(broken, "bad") == ["5 [1, 6] ms"]


EMPTY: dict[str, Callable[[str], Markup]] = {
    "curves": lambda word: curves({"a": [math.nan]}, title="t", empty=word),
    "scatter": lambda word: scatter({}, x="x", y="y", title="t", empty=word),
    "lines": lambda word: lines({"a": [(0, 0)]}, x="x", y="y", title="t", log=True, empty=word),
    "intervals": lambda word: intervals([Interval("a", 1, math.inf, 2)], title="t", empty=word),
    "gantt": lambda word: gantt([], [], title="t", empty=word),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_where_nothing_is_the_callers_word_says_so(kind: str) -> None:
    assert texts(EMPTY[kind]("还没有数据"))[-1] == "还没有数据"


def test_hostile_words_are_words() -> None:
    for svg in (
        curves({HOSTILE: [1.0]}, title=HOSTILE, unit=HOSTILE),
        scatter({HOSTILE: [(1, 1)]}, x=HOSTILE, y=HOSTILE, title=HOSTILE),
        intervals([Interval(HOSTILE, 1, 2, 3)], title=HOSTILE, unit=HOSTILE),
        gantt([Bar(HOSTILE, 1, 2, HOSTILE)], [Mark(HOSTILE, 1)], title=HOSTILE, legend={HOSTILE: HOSTILE}),
    ):
        parsed(svg)
        assert "<script" not in svg
        assert "<img" not in svg


@pytest.mark.parametrize(
    "name", ["首词元时间", "a name that is far too long for a telephone " * 3, "很长的名字" * 20]
)
def test_words_stay_within_the_picture(name: str) -> None:
    """By the same guess of their width that lays them out, for the server knows no fonts."""
    for svg in (
        curves({name: [1.0, 2.0], name + "2": [1.0]}, title=name, unit=name),
        scatter({name: [(1, 1)]}, x=name, y=name, title=name),
        intervals([Interval(name, 1, 2, 3, 4)], title=name),
        gantt([Bar(name, 0, 2, "server"), Bar(name, 1, 1, "gap")], [Mark(name, 2)], title=name),
    ):
        for node in parsed(svg).iter(f"{SVG}text"):
            wide = width_of(node.text or "")
            x = float(node.get("x") or 0)
            share = {"start": 0.0, "middle": 0.5, "end": 1.0}[node.get("text-anchor") or "start"]
            assert x - wide * share >= -1, node.text
            assert x + wide * (1 - share) <= 361, node.text


def test_text_is_cut_and_broken_where_it_may_be() -> None:
    assert fit("first token", 1_000) == "first token"
    assert fit("first token", 48) == "first…"
    assert wrapped("one two three", width_of("one two")) == ["one two", "three"]
    assert wrapped("首词元时间", width_of("首词元")) == ["首词元", "时间"]
    assert wrapped("", 100) == []
    assert len(wrapped("word " * 99, 100)) == 2


def test_series_differ_without_colour() -> None:
    series = {f"series {n}": [1.0, 2.0 + n] for n in range(6)}
    root = parsed(curves(series, title="t"))
    dashes = [node.get("stroke-dasharray") for node in root.iter(f"{SVG}path")]
    assert len(set(dashes)) == 6
    drawn = parsed(scatter({name: [(1, 2)] for name in series}, x="x", y="y", title="t"))
    shapes = {re.sub(r"^M\S+ [\d.]+", "", node.get("d") or "") for node in drawn.iter(f"{SVG}path")}
    assert len(shapes) == 6


def test_a_file_of_its_own_has_its_looks_inside() -> None:
    whole = standalone(curves({"a": [1.0]}, title="A < B"))
    root = parsed(whole)
    assert root.get("width") == "720"
    (css,) = root.iter(f"{SVG}style")
    assert css.text == style()
    with pytest.raises(ValueError, match="standalone takes"):
        standalone(Markup("<svg/>"))


def test_the_applications_looks_do_not_reach_into_a_chart() -> None:
    """A class that they style too would, as .bar {display: none} once did."""
    svg = "".join(
        [
            curves({"a": [1.0]}, title="t", budget=1),
            intervals([Interval("a", 1, 2, 3, 1)], title="t"),
            gantt([Bar("a", 0, 1, "gap")], [Mark("b", 1)], title="t"),
            scatter({"a": [(1, 1)], "b": [(1, 1)]}, x="x", y="y", title="t"),
        ]
    )
    used = {name for names in re.findall(r'class="([^"]*)"', svg) for name in names.split()}
    others = [file for file in STATIC.glob("*.css") if file.name != "charts.css"]
    assert len(others) >= 2
    for file in others:
        assert used & set(re.findall(r"\.([a-z][\w-]*)", file.read_text())) == set(), file.name


def _luminance(colour: str) -> float:
    """Relative luminance by WCAG 2.2."""
    digits = colour.lstrip("#")
    digits = "".join(c * 2 for c in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_stand_out_in_both_schemes(scheme: str) -> None:
    """WCAG: 4.5 for text, 3 for what carries meaning without being text."""
    light, dark = style().split("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([\w-]+): (?:var\(--\w+, )?(#\w+)", light if scheme == "light" else dark))
    paper = found["chart-paper"]
    for name in ("chart-ink", "chart-soft", "chart-bad"):
        assert contrast(found[name], paper) >= 4.5, name
    for name in ("c0", "c1", "c2", "c3", "c4", "c5", "gap"):
        assert contrast(found[name], paper) >= 3, name
