"""`python -m e2e.latency [NAME …] [--url URL] [--against RESULT] [--out FOLDER]`: the suite as a command.

Exit status: 0 when every budget held or could not be told from noise, 1 when one is broken or a scenario
could not be measured, 2 for a usage error.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from dev import browser as chromiums
from e2e.latency import browser, compare, junit, load, page, result
from e2e.latency.budgets import budgets
from e2e.latency.deployment import NotThere, origin_of
from e2e.latency.sample import Run
from e2e.latency.scenario import BadFile, Scenario
from e2e.latency.scenario import load as load_scenarios
from e2e.latency.verdict import Finding, judge
from e2e.stack import ROOT, Stack, running

OUT = Path(".cache/latency")
WORLD = "elsewhere"  # the scenario for a deployment whose model nobody here scripts
TRIES = 3
UNKNOWN = """\
Not known of a deployment elsewhere: what its model takes when it is asked directly (what the model takes of a
wait is what the server says), and whether another call went to it before the answer's own."""


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
        url = origin_of(asked.url) if asked.url else ""
        asked.out.mkdir(parents=True, exist_ok=True)
        chromiums.executable()
    except (BadFile, result.BadResult, NotThere, OSError, SystemExit) as error:
        print(error, file=sys.stderr)
        return 2
    whole = result.Result(made=datetime.now(UTC).isoformat(timespec="seconds"), machine=result.machine(),
                          url=url, parts=())  # fmt: skip
    if url:
        print(UNKNOWN)
    for name, scenario, run in _runs(chosen, url):
        limits = [] if url else stages
        found = judge(run, budgets(scenario.budgets), limits)
        whole = whole.plus(run, found)
        _print(name, run, found)
    changes = compare.changes(earlier, whole) if earlier else None
    not_compared = compare.not_compared(earlier, whole) if earlier else []
    if earlier and changes is not None:
        print(f"== since {earlier.made}: {len(changes)} changed beyond noise")
        print(*(change.sentence for change in changes), *not_compared, sep="\n")
    folder = result.keep(whole, asked.out, page.draw(whole, changes, not_compared), junit.write(whole))
    print(f"{folder / 'index.html'}  {folder / 'result.json'}  {folder / 'junit.xml'}")
    print(json.dumps(whole.summary()))
    return 1 if whole.broken else 0


def _chosen(scenarios: dict[str, Scenario], names: Sequence[str], url: str) -> dict[str, Scenario]:
    """BadFile for a name that there is not."""
    known = {name: one for name, one in scenarios.items() if not url or name == WORLD}
    if not known:
        raise BadFile(f"There is no scenario {WORLD!r}, which a URL takes, in scenarios.toml.")
    for name in names:
        if name not in known:
            where = " for a URL" if url else ""
            raise BadFile(f"There is no scenario {name!r}{where}; there is {', '.join(known)}.")
    wanted = names or [name for name in known if url or name != WORLD]
    return {name: known[name] for name in wanted}


def _runs(chosen: dict[str, Scenario], url: str) -> Iterator[tuple[str, Scenario, Run]]:
    """Each scenario on a stack that plays its model, or all of them on somebody's deployment."""
    for name, scenario in chosen.items():
        print(f"== {name}: {scenario.about}", flush=True)
        try:
            yield name, scenario, _seen(name, scenario, url) if url else _on_a_stack(name, scenario)
        except (Error, AssertionError, OSError, RuntimeError) as error:
            yield name, scenario, Run(name, scenario.about, scenario.door, "", (), _in_a_line(error))


def _in_a_line(error: Exception) -> str:
    """What failed, and the last that was said of it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[0] if len(lines) == 1 else f"{lines[0]} ({lines[-1]})"


def _on_a_stack(name: str, scenario: Scenario, tries: int = TRIES) -> Run:
    """A load that lagged says nothing, and may have had bad luck with the machine."""
    with _stack(scenario) as stack:
        measure = load.measure if scenario.door == "http" else _seen
        run = measure(name, scenario, stack.url, stack.upstream)
    if not run.refused or tries <= 1:
        return run
    print(f"{name}: refused, {run.refused}; once more", flush=True)
    return _on_a_stack(name, scenario, tries - 1)


def _seen(name: str, scenario: Scenario, url: str, upstream: str = "") -> Run:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromiums.executable()) as chromium,
    ):
        return browser.measure(chromium, name, scenario, url, upstream)


@contextmanager
def _stack(scenario: Scenario) -> Iterator[Stack]:
    corpus = ROOT / "dev" / "handbook" if scenario.corpus == "handbook" else Path(scenario.corpus).absolute()
    with (
        tempfile.TemporaryDirectory() as folder,
        _apart(scenario.door == "http") as cores,
        running(Path(folder), cores=cores, worker=False) as stack,
    ):
        stack.ingest(corpus)
        yield stack


@contextmanager
def _apart(wanted: bool) -> Iterator[dict[str, set[int]]]:
    """The server on one core, the load on the others, where the system lets one choose."""
    usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if not wanted or len(usable) < 2:
        yield {}
        return
    others = set(usable[1:])
    os.sched_setaffinity(0, others)
    try:
        yield {"web": {usable[0]}} | dict.fromkeys(("stand-in", "valkey", "chroma"), others)
    finally:
        os.sched_setaffinity(0, usable)


def _print(name: str, run: Run, found: Sequence[Finding]) -> None:
    if run.refused or run.lost:
        print(f"{name}: {f'refused, {run.refused}' if run.refused else run.lost}")
    reasons = Counter(sample.left_out for sample in run.samples if sample.left_out)
    left_out = "; ".join(f"{count} left out: {why}" for why, count in reasons.items())
    print(f"{name}: {len(run.counted)} turns" + (f" ({left_out})" if left_out else ""))
    for finding in found:
        print(f"  {finding.state:7} {finding.sentence}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
