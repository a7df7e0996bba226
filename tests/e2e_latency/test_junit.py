"""JUnit: valid whatever the names are, and a failure says measure, figure, budget and stage."""

from xml.etree import ElementTree

from e2e.latency.junit import write
from e2e.latency.sample import Run
from tests.conftest import HOSTILE
from tests.e2e_latency.made import result, run


def test_a_budget_is_a_case_and_a_broken_one_says_why() -> None:
    root = ElementTree.fromstring(write(result(run(dense=180, ttft=450), ttft_p95=400, ttfp_p95=100)))
    suite = root[0]
    failures = {
        case.get("name"): case[0].get("message") for case in suite if case.find("failure") is not None
    }
    assert (root.tag, suite.get("name")) == ("testsuites", "made")
    assert set(failures) == {"ttft_p95", "dense_p50"}
    assert suite.get("failures") == "2"
    assert suite.get("tests") == str(len(suite))
    said = failures["ttft_p95"] or ""
    assert said.startswith("ttft_p95 is 450.4 [450.3, 450.4] (n=24), budget 400: dense: ")


def test_what_was_not_measured_was_not_kept_and_a_refused_run_fails() -> None:
    runs = Run("hidden", "", "browser", "", ()), run("late", refused="it lagged")
    suites = ElementTree.fromstring(write(result(*runs, ttft_p95=400)))
    cases = [[(case.get("name"), case[0].tag) for case in suite] for suite in suites]
    assert cases == [[("ttft_p95", "failure")], [("generator", "failure")]]
    counts = [(suite.get("tests"), suite.get("failures"), suite.get("skipped")) for suite in suites]
    assert counts == [("1", "1", "0"), ("1", "1", "0")]


def test_hostile_names_are_text() -> None:
    name = HOSTILE + "\x00\x1b\udcff\ufffe & ]]> 首词元"
    text = write(result(run(name, refused=name), ttft_p95=400))
    text.encode("utf-8")
    suite = ElementTree.fromstring(text)[0]
    assert "首词元" in (suite.get("name") or "")
    assert HOSTILE.split()[0] in (suite.get("name") or "")
