"""The plugin as a fork's author meets it: one line that means something, or an error that says what would."""

import re
from typing import Any

import pytest

from e2e.latency.plugin import meant

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from e2e.latency import plugin
from tests.e2e_latency.made import sample

pytest_plugins = ["e2e.latency.plugin"]

class Asker:
    '''Answers as quickly as the test says, instead of a browser.'''
    def __init__(self, ttft):
        self.asked, self.ttft = [], ttft
    def ask(self, question):
        self.asked.append(question)
        return sample(len(self.asked), question=question, ttft=self.ttft, dense=self.ttft - 265)

@pytest.fixture
def latency(request):
    _, turns, _ = plugin.read(request.node.get_closest_marker("latency"))
    return plugin.Latency(Asker(getattr(request, "param", 270)), "sim-n1", turns)
"""


@pytest.fixture
def marked(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """A project of its own that has this suite's plugin."""
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makeconftest(CONFTEST)
    return pytester


def run(marked: pytest.Pytester, mark: str, body: str, more: str = "") -> pytest.RunResult:
    test = f"import pytest\n{more}\n@pytest.mark.latency({mark})\ndef test_page(latency):\n    {body}\n"
    marked.makepyfile(test_page=test)
    return marked.runpytest_subprocess("-p", "no:playwright", "-p", "no:asyncio")


def test_a_budget_that_holds_passes_after_as_many_turns_as_asked_for(marked: pytest.Pytester) -> None:
    body = "latency.ask('a', 'b'); assert len(latency.samples) == 7; assert len(latency._asker.asked) == 8"
    run(marked, "ttft_p95=300, turns=7", body).assert_outcomes(passed=1)


SLOW = "@pytest.mark.parametrize('latency', [470], indirect=True)"


def test_a_broken_budget_fails_the_test_itself_and_names_the_stage(marked: pytest.Pytester) -> None:
    found = run(marked, "ttft_p95=300", "latency.ask('a')", SLOW)
    found.assert_outcomes(failed=1)  # and no error of a teardown
    found.stdout.fnmatch_lines(["*ttft_p95 is 470* (n=10), budget 300: dense: the search*"])
    found.stdout.no_fnmatch_line("*Traceback*")


def test_a_failing_test_keeps_its_own_reason(marked: pytest.Pytester) -> None:
    found = run(marked, "ttft_p95=300", "latency.ask('a'); assert 'mine' == 'other'", SLOW)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*'mine' == 'other'*"])


def test_a_test_that_asks_nothing_has_no_verdict(marked: pytest.Pytester) -> None:
    found = run(marked, "ttft_p95=300", "pass")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*has to ask: latency.ask(*"])


def test_a_measure_that_no_turn_has_is_no_success(marked: pytest.Pytester) -> None:
    found = run(marked, "stall_max_p95=300", "latency.ask('a')")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*stall_max_p95: nothing was measured*"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ttff_p95": 300}, "'ttff_p95' is no budget: it takes a measure and a percentile"),
        ({"ttft_p90": 300}, "'ttft_p90' is no budget"),
        ({"ttft_p95": "soon"}, "ttft_p95 is 'soon', but it takes milliseconds"),
        ({}, "latency takes budgets by name, such as latency(ttft_p95=800)"),
        ({"turns": 5}, "latency takes budgets by name"),
        ({"ttft_p95": 300, "turns": 1}, "turns is 1, but it takes a number from 3 on"),
        ({"ttft_p95": 300, "turns": True}, "turns is True, but"),
        ({"ttft_p95": 300, "upstream": "gpt-5"}, "upstream is 'gpt-5', but it takes sim"),
        ({"ttft_p95": 300, "upstream": "sim-ttfx1"}, "'ttfx1' in 'sim-ttfx1' is no part"),
    ],
)
def test_a_mark_that_cannot_be_meant_says_what_would_be_right(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        meant(**given)
    assert "\n" not in str(error.value)


def test_a_budget_has_a_name() -> None:
    with pytest.raises(ValueError, match="latency takes budgets by name"):
        meant(800)


def test_such_a_mark_is_an_error_before_anything_runs(marked: pytest.Pytester) -> None:
    found = run(marked, "ttff_p95=300", "raise SystemError('it ran')")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    said = [line for line in found.errlines if line]
    assert len(said) == 1
    assert "test_page.py::test_page: 'ttff_p95' is no budget: it takes a measure" in said[0]
    assert "it ran" not in "".join(found.outlines)


def test_a_mark_without_the_fixture_is_an_error_too(marked: pytest.Pytester) -> None:
    test = "import pytest\n@pytest.mark.latency(ttft_p95=1)\ndef test_page():\n    pass\n"
    marked.makepyfile(test_page=test)
    found = marked.runpytest_subprocess("-p", "no:playwright", "-p", "no:asyncio")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert any("a latency budget needs the fixture `latency`" in line for line in found.errlines)
