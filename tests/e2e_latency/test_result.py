"""A result as a file: it comes back as it was, and what is none is named in one line."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from e2e.latency.result import SCHEMA, BadResult, keep, read
from e2e.latency.sample import Run
from tests.e2e_latency.made import part, result, run, sample


def test_a_result_comes_back_and_latest_points_to_the_last(tmp_path: Path) -> None:
    one = result(run(question="怎样启动它？"), ttft_p95=500)
    folder = keep(one, tmp_path, "<p>页", "<xml/>")
    assert read(folder / "result.json") == one
    later = keep(msgspec.structs.replace(one, made="2026-12-02T12:00:00+00:00"), tmp_path, "", "")
    assert folder != later
    assert (tmp_path / "latest").resolve() == later.resolve()
    assert (folder / "index.html").read_text(encoding="utf-8") == "<p>页"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no result"),
        ("[]", "is no result"),
        ("{}", "is no result"),
        ("\udcff", "is no result"),
        (f'{{"schema": {SCHEMA}}}', "is no result of this suite: .*made"),
        (f'{{"schema": {SCHEMA + 1}, "other": "fields"}}', f"has schema {SCHEMA + 1}, .* reads {SCHEMA}"),
    ],
)
def test_what_is_none_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadResult, match=said) as error:
        read(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadResult, match="cannot be read: No such file"):
        read(tmp_path / "none.json")


def test_goodput_is_the_share_of_turns_that_met_every_budget() -> None:
    samples = (sample(1), sample(2, ttft=600), sample(3, ttfs=300), sample(4, left_out="it ended as busy"))
    one = part(Run("mixed", "", "browser", "sim", samples), ttft_p95=500, ttfs_p95=250)
    assert one.goodput == 0.25
    assert part(Run("empty", "", "browser", "sim", ()), ttft_p95=500).goodput == 0.0


def test_the_summary_names_what_broke_and_what_was_refused() -> None:
    summary = result(run(ttft=900), run("late", refused="it lagged"), ttft_p95=500).summary()
    assert "ttft_p95 is 900" in summary["made"]["broken"][0]
    assert summary["made"]["ttft"]["p50"] == 900.2
    assert summary["late"]["refused"] == "it lagged"
    assert result(run("late", refused="it lagged")).broken
    assert not result(run(), ttft_p95=500).broken


def test_a_run_that_lost_its_turns_or_measured_nothing_is_broken() -> None:
    healthy = run()
    some = [replace(one, left_out="it ended as upstream_failed") for one in healthy.samples[:3]]
    lost = replace(healthy, samples=(*some, *healthy.samples[3:]))
    assert not result(healthy, ttft_p95=400).broken
    assert result(lost, ttft_p95=400).broken
    assert lost.lost == "3 of 24 turns do not count, for example: it ended as upstream_failed"
    assert not replace(healthy, samples=(*some[:1], *healthy.samples[1:])).lost
    nothing = result(run(), tpot_p95=20)  # of which no sample tells
    assert nothing.broken
    assert nothing.parts[0].findings[0].state == "unknown"
