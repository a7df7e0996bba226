"""`python -m e2e.latency [NAME …] [--url URL] [--against RESULT] [--out FOLDER]`: the suite as a command.

Exit status: 0 when every budget held or could not be told from noise, 1 when one is broken or a run was
refused, 2 for a usage error.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import sync_playwright

from dev import browser as chromiums
from e2e.latency import browser, compare, junit, load, page, result
from e2e.latency.budgets import budgets
from e2e.latency.sample import Run
from e2e.latency.scenario import BadFile, Scenario
from e2e.latency.scenario import load as load_scenarios
from e2e.latency.verdict import Finding, judge
from e2e.stack import ROOT, Stack, running

OUT = Path(".cache/latency")
WORLD = "elsewhere"  # the scenario for a deployment whose model nobody here scripts


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m e2e.latency", description="Measures what readers wait for.")
    parser.add_argument("name", nargs="*", help="scenarios of scenarios.toml; all of them if left out")
    parser.add_argument("--url", default="", help="a deployment instead of the embedded stack")
    parser.add_argument("--against", type=Path, metavar="RESULT", help="an earlier result.json")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER", help=f"where results go ({OUT})")
    asked = parser.parse_args(arguments)
    try:
        scenarios, stages = load_scenarios()
        earlier = result.read(asked.against) if asked.against else None
        chosen = _chosen(scenarios, asked.name, asked.url)
    except (BadFile, result.BadResult) as error:
        print(error, file=sys.stderr)
        return 2
    whole = result.Result(made=datetime.now(UTC).isoformat(timespec="seconds"), machine=result.machine(),
                          url=asked.url, parts=())  # fmt: skip
    for name, scenario, run in _runs(chosen, asked.url):
        limits = [] if asked.url else stages
        found = judge(run, budgets(scenario.budgets), limits)
        whole = whole.plus(run, found)
        _print(name, run, found)
    changes = compare.changes(earlier, whole) if earlier else []
    for change in changes:
        print(change.sentence)
    folder = result.keep(whole, asked.out, page.draw(whole, changes), junit.write(whole))
    print(f"{folder / 'index.html'}  {folder / 'result.json'}  {folder / 'junit.xml'}")
    print(json.dumps(whole.summary()))
    return 1 if whole.broken else 0


def _chosen(scenarios: dict[str, Scenario], names: Sequence[str], url: str) -> dict[str, Scenario]:
    """BadFile for a name that there is not."""
    known = scenarios if not url else {WORLD: scenarios[WORLD]}
    for name in names:
        if name not in known:
            raise BadFile(f"There is no scenario {name!r} for that; there is {', '.join(known)}.")
    wanted = names or [name for name in known if url or name != WORLD]
    return {name: known[name] for name in wanted}


def _runs(chosen: dict[str, Scenario], url: str) -> Iterator[tuple[str, Scenario, Run]]:
    """Each scenario on a stack that plays its model, or all of them on somebody's deployment."""
    for name, scenario in chosen.items():
        print(f"== {name}: {scenario.about}", flush=True)
        if url:
            yield name, scenario, _seen(name, scenario, url.rstrip("/"))
            continue
        with _stack(scenario) as stack:
            run = load.measure if scenario.door == "http" else _seen
            yield name, scenario, run(name, scenario, stack.url, stack.upstream)


def _seen(name: str, scenario: Scenario, url: str, upstream: str = "") -> Run:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromiums.executable()) as chromium,
    ):
        return browser.measure(chromium, name, scenario, url, upstream)


@contextmanager
def _stack(scenario: Scenario) -> Iterator[Stack]:
    corpus = ROOT / "dev" / "handbook" if scenario.corpus == "handbook" else Path(scenario.corpus).absolute()
    cores = _apart() if scenario.door == "http" else {}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), cores=cores, worker=False) as stack:
        stack.ingest(corpus)
        yield stack


def _apart() -> dict[str, set[int]]:
    """The server on one core, the load on the others, where the system lets one choose."""
    if not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) < 2:
        return {}
    others = set(range(1, os.cpu_count() or 1))
    os.sched_setaffinity(0, others)
    return {"web": {0}} | dict.fromkeys(("stand-in", "valkey", "chroma"), others)


def _print(name: str, run: Run, found: Sequence[Finding]) -> None:
    if run.refused:
        print(f"{name}: refused, {run.refused}")
    left_out = len(run.samples) - len(run.counted)
    print(f"{name}: {len(run.counted)} turns" + (f", {left_out} left out" if left_out else ""))
    for finding in found:
        print(f"  {finding.state:7} {finding.sentence}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
