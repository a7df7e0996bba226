"""`@pytest.mark.latency(ttfp_p95=300, ttfs_p95=600)`: a test with a latency budget, in one line.

    @pytest.mark.latency(beyond_direct_p50=150, turns=10)
    def test_my_page(latency: Latency) -> None:
        latency.ask("How do I start it?", "怎样启动它？")

The marked test asks; the plugin repeats its questions until it has `turns` of them, asks each at the model
itself as well, and fails the test when a budget is broken beyond noise, naming the stage. `upstream` says
what the model plays. Names of budgets are those of e2e/latency/budgets.py.
"""

from collections.abc import Callable, Generator
from itertools import cycle, islice
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from dev.standin import scenario as upstreams
from e2e.latency import browser
from e2e.latency.budgets import Budget, budgets
from e2e.latency.ledger import Ledger
from e2e.latency.prober import probing
from e2e.latency.sample import Run, Sample
from e2e.latency.scenario import load
from e2e.latency.verdict import judge
from e2e.pages import Chat
from e2e.stack import Stack

TURNS, WARM_UP, FEWEST = 10, 1, 3
UPSTREAM = "sim-ttft150-itl20-n12"
MARK = "latency(upstream=…, turns=…, <measure>_p<percentile>=milliseconds, …): a budget for what readers wait"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARK)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A mark that cannot be meant is an error before anything runs."""
    for item in items:
        for mark in item.iter_markers("latency"):
            try:
                read(mark)
            except ValueError as error:
                raise pytest.UsageError(f"{item.nodeid}: {error}") from None
            if "latency" not in getattr(item, "fixturenames", ()):
                raise pytest.UsageError(f"{item.nodeid}: a latency budget needs the fixture `latency`")


class Latency:
    """What a marked test asks with; `samples` are the turns that count."""

    def __init__(self, asker: browser.Asker, upstream: str, turns: int) -> None:
        self._asker, self._upstream, self._turns = asker, upstream, turns
        self.samples: list[Sample] = []

    @property
    def chat(self) -> Chat:
        """The page, opened; go to another one of yours before you ask."""
        return self._asker.chat

    def ask(self, *questions: str) -> list[Sample]:
        """The questions in turn, until there are as many turns as the mark says."""
        texts = enumerate(islice(cycle(questions), WARM_UP + self._turns), len(self.samples))
        # Numbered: a question that was asked lately is not embedded again.
        asked = [self._asker.ask(f"{text} ({n}) {self._upstream}") for n, text in texts]
        self.samples += asked[WARM_UP:]
        return asked[WARM_UP:]

    def verdict(self, limits: list[Budget]) -> list[str]:
        """A sentence for each budget that is broken."""
        run = Run("marked", "", "browser", self._upstream, tuple(self.samples))
        asked = {limit.name for limit in limits}
        found = [one for one in judge(run, limits, load()[1]) if one.budget.name in asked]
        broken = [finding.sentence for finding in found if finding.state in ("broken", "unknown")]
        return [run.lost, *broken] if run.lost else broken


@pytest.fixture
def latency(
    request: pytest.FixtureRequest, chat: Chat, stack: Stack, make_context: Callable[..., BrowserContext]
) -> Generator[Latency, None, None]:
    mark = request.node.get_closest_marker("latency")
    if mark is None:
        raise pytest.UsageError("the fixture `latency` belongs to a test with @pytest.mark.latency(…)")
    upstream, turns, _ = read(mark)
    with probing(stack.url) as probes:
        bare = browser.bare_page(make_context(), stack.upstream, upstream)
        yield Latency(browser.Asker(chat, probes, bare, Ledger(stack.upstream)), upstream, turns)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """The verdict belongs to the test, not to what is torn down after it."""
    result = yield
    mark = pyfuncitem.get_closest_marker("latency")
    if mark is not None:
        found = pyfuncitem.funcargs["latency"]
        assert isinstance(found, Latency)
        if not found.samples:
            pytest.fail("a test with a latency budget has to ask: latency.ask(…)", pytrace=False)
        if broken := found.verdict(read(mark)[2]):
            pytest.fail("\n".join(broken), pytrace=False)
    return result


def read(mark: pytest.Mark) -> tuple[str, int, list[Budget]]:
    return meant(*mark.args, **mark.kwargs)


def meant(
    *unnamed: object, upstream: object = UPSTREAM, turns: object = TURNS, **limits: Any
) -> tuple[str, int, list[Budget]]:
    """The upstream, the number of turns, and the budgets; ValueError with what would be right."""
    if unnamed or not limits:
        raise ValueError("latency takes budgets by name, such as latency(ttft_p95=800)")
    if isinstance(turns, bool) or not isinstance(turns, int) or turns < FEWEST:
        raise ValueError(f"turns is {turns!r}, but it takes a number from {FEWEST} on")
    if not (isinstance(upstream, str) and upstreams.is_scenario(upstream)):
        raise ValueError(f"upstream is {upstream!r}, but it takes {upstreams.GRAMMAR}")
    upstreams.parse(upstream)
    return upstream, turns, budgets(limits)
