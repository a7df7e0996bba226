"""Deliberate faults: the suite finds each, and names the stage; without one it finds nothing."""

import sys
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser

from dev.parts import Part
from e2e.latency import verdict
from e2e.latency.browser import measure
from e2e.latency.budgets import budgets
from e2e.latency.sample import Run
from e2e.latency.scenario import Scenario, load
from e2e.stack import ROOT, Stack, running

SCENARIO = Scenario(
    about="Tokens far apart, so that a frame that is held back shows",
    upstream="sim-ttft150-itl180-n3",
    turns=4,
    warm_up=1,
    budgets={"ttfs_p50": 400, "beyond_direct_p50": 130},
)
BEYOND = {  # per fault: the budget that breaks, and the stage that is named for it
    "late-sources": ("beyond_direct_p50", "gap"),
    "slow-index": ("beyond_direct_p50", "dense"),
    "blocking": ("beyond_direct_p50", "loop"),
    "title-first": ("beyond_direct_p50", "calls"),
    "unflushed": ("beyond_direct_p50", "deliver"),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stack, None, None]:
    """A stack of its own, whose web process is started anew for each fault; no worker, so no titles."""
    with running(tmp_path_factory.mktemp("faults"), worker=False) as stack:
        stack.ingest(ROOT / "dev" / "handbook" / "en")
        yield stack


def run(stack: Stack, chromium: Browser, fault: str) -> Run:
    stack.kill("web")
    stack.start(Part("web", (sys.executable, "-m", "e2e.latency.faults", fault)))
    stack.wait_until_ready()
    return measure(chromium, fault, SCENARIO, stack.url, stack.upstream)


def findings(run: Run) -> dict[str, verdict.Finding]:
    _, stages = load()
    found = verdict.judge(run, budgets(SCENARIO.budgets), stages)
    return {finding.budget.name: finding for finding in found}


def test_without_a_fault_nothing_is_found(faulty: Stack, browser: Browser) -> None:
    found = findings(run(faulty, browser, "none"))
    assert [finding.sentence for finding in found.values() if finding.state == "broken"] == []


@pytest.mark.parametrize("fault", BEYOND)
def test_a_fault_is_found_and_its_stage_is_named(faulty: Stack, browser: Browser, fault: str) -> None:
    broken, guilty = BEYOND[fault]
    found = findings(run(faulty, browser, fault))
    assert found[broken].state == "broken", found[broken].sentence
    assert found[broken].blamed[0].startswith(f"{guilty}: "), found[broken].sentence
