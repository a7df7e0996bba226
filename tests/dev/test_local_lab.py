"""The lab's parts: its clock against the stand-in's, whose times are known, and what it claims and draws."""

import asyncio
import re
import shutil
import time
from collections.abc import Iterator
from math import isnan, nan
from pathlib import Path
from xml.etree import ElementTree

import httpx
import pytest

from dev.standin.serving import running
from e2e.lab.asking import Answer, Asker
from e2e.lab.material import filler, passages, question
from e2e.lab.results import draw, publish
from e2e.lab.studies import STUDIES
from e2e.lab.studies import cap as cap_study
from e2e.lab.studies import leaving as leaving_study
from e2e.lab.studies import prefix as prefix_study
from e2e.lab.study import LEAST_ROUNDS, Pace, Rows, figures, spread
from e2e.lab.tables import filled
from e2e.stack import ROOT

COLD = "no prompt was remembered"
MACHINE = {"cpu": "Some CPU", "cores": 2, "load": 0.1, "day": "2026-12-01"}


@pytest.fixture(scope="module")
def standin() -> Iterator[str]:
    with running() as address:
        yield address


def asker(client: httpx.AsyncClient, url: str, model: str) -> Asker:
    return Asker(client, url, model)


async def test_prefill_and_decode_are_told_apart(standin: str) -> None:
    async with httpx.AsyncClient(verify=False) as client:
        answer = await asker(client, standin, "sim-ttft200-itl20-n10-early-empty3").ask(filler(64, "a"), 10)
    assert answer.ttft >= 200, "an empty chunk was taken for a token"
    assert answer.total >= 200 + 9 * 20 - 20
    assert answer.tpot == pytest.approx((answer.total - answer.ttft) / 9)
    assert answer.output_tokens == 10


async def test_an_answer_without_text_or_that_is_refused_is_none(standin: str) -> None:
    async with httpx.AsyncClient(verify=False) as client:
        begun = asyncio.Event()
        with pytest.raises(RuntimeError, match=r"refused \(429\)"):
            await asker(client, standin, "sim-status429").ask(filler(64, "a"), 10, begun)
        assert begun.is_set(), "whoever waits for the first token would wait forever"
        with pytest.raises((RuntimeError, httpx.HTTPError)):
            await asker(client, standin, "sim-n5-cut0").ask(filler(64, "a"), 10)


async def test_the_prefix_study_changes_what_it_says(standin: str) -> None:
    """Against the stand-in with a prefix cache of its own."""
    async with httpx.AsyncClient(verify=False) as client:
        asked = asker(client, standin, "sim-pre0.01-cacheany-n2")
        rows: Rows = {place: [await prefix_study._after_the_same(asked, place, n)]
                      for n, place in enumerate(("end", "middle", "start"))}
    cached = {place: answers[0].cached_tokens / answers[0].prompt_tokens for place, answers in rows.items()}
    assert cached["end"] > 0.9 > 0.6 > cached["middle"] > 0.4 > 0.1 > cached["start"]
    assert len({answers[0].prompt_tokens for answers in rows.values()}) == 1


async def test_the_next_question_is_asked_while_the_first_is_answered(standin: str) -> None:
    async with httpx.AsyncClient(verify=False) as client:
        start = time.perf_counter()
        first, then = await cap_study._two(asker(client, standin, "sim-ttft200-itl20-n40"), 10, 0)
        took = (time.perf_counter() - start) * 1000
    assert first.output_tokens == 10
    assert took >= first.ttft + then.total, "it was asked before the first one's first token"
    assert took < first.total + then.total, "it was asked after the first one's end"


def test_fillers_share_no_beginning_and_keep_their_length() -> None:
    one, other = (filler(256, seed)[1]["content"] for seed in ("a", "b"))
    assert len(one.split()) == len(other.split())
    assert one.split()[:3] != other.split()[:3]
    assert filler(256, "a") == filler(256, "a")


def test_questions_are_preludes_own_with_as_many_real_passages() -> None:
    assert len(passages()) >= 20
    for count in (5, 20):
        system, user = question(count, "seed")
        assert user["content"].count("<source n=") == count
        assert system["role"] == "system"
    assert question(5, "seed")[1]["content"].split("<question>")[1] == (
        question(20, "seed")[1]["content"].split("<question>")[1])


def test_a_median_comes_with_its_spread_and_leaves_out_what_is_not_known() -> None:
    found = spread([3.0, 1.0, nan, 10.0])
    assert (found.p50, found.least, found.most, found.n) == (3.0, 1.0, 10.0, 3)
    assert isnan(spread([nan]).p50)


def test_rounds_end_with_the_time_but_not_before_there_are_some() -> None:
    assert len(list(Pace(rounds=5, seconds=1e9))) == 5
    assert len(list(Pace(rounds=5, seconds=0))) == LEAST_ROUNDS
    assert [chance.random() for chance in Pace(3, 1e9)] == [chance.random() for chance in Pace(3, 1e9)]


# Waits as they should be: longer prompts, later slots and earlier changes cost more.
EXPECTED: dict[str, dict[str, tuple[float, float, int, int]]] = {  # ttft, tpot, cached, output
    "length": {"64": (90, 7, 3, 16), "256": (400, 8, 3, 16), "1024": (2_000, 9, 3, 16),
               "4096": (20_000, 15, 3, 16)},
    "prefix": {"end": (90, 8, 1_010, 16), "middle": (1_200, 8, 505, 16), "start": (2_100, 8, 3, 16)},
    "passages": {"5": (900, 8, 120, 32), "20": (4_500, 9, 120, 32)},
    "streams": {"alone": (400, 8, 3, 96), "queued": (3_000, 8, 3, 96), "shared": (1_500, 20, 3, 96)},
    "cap": {"32": (400, 8, 3, 32), "32 then": (700, 8, 3, 16), "128": (400, 8, 3, 128),
            "128 then": (1_500, 8, 3, 16), "512": (400, 8, 3, 512), "512 then": (4_600, 8, 3, 16)},
    "leaving": {"nobody": (270, 8, 3, 16), "decode": (320, 8, 3, 16), "prefill": (4_000, 8, 3, 16)},
}


def rows(study: str) -> dict[str, list[Answer]]:
    return {variant: [answer(*numbers), answer(*numbers), answer(*numbers)]
            for variant, numbers in EXPECTED[study].items()}


def answer(ttft: float, tpot: float, cached: int, output: int) -> Answer:
    return Answer(ttft, tpot, ttft + tpot * (output - 1), 1_048, cached, output)


@pytest.mark.parametrize("study", STUDIES)
def test_what_should_be_so_is_claimed(study: str) -> None:
    claims = STUDIES[study].claims(rows(study))
    assert claims
    assert all(claim.holds for claim in claims), claims


@pytest.mark.parametrize("study", STUDIES)
def test_nothing_is_claimed_of_variants_that_do_not_differ(study: str) -> None:
    there = rows(study)
    same = dict.fromkeys(there, list(there.values())[len(there) // 2])
    claims = [claim for claim in STUDIES[study].claims(same) if claim.words != COLD]
    assert not any(claim.holds for claim in claims), claims


def test_a_prompt_that_was_remembered_is_no_cold_one() -> None:
    there = rows("length")
    there["256"][0] = answer(90, 7, 200, 16)
    assert [claim.words for claim in STUDIES["length"].claims(there) if not claim.holds] == [COLD]


def test_figures_say_how_many_and_how_far_apart() -> None:
    found = figures(rows("prefix"))
    assert found["end"]["n"] == 3
    assert found["end"]["ttft_ms"] == {"p50": 90, "least": 90, "most": 90}
    assert found["end"]["cached_tokens"] == 1_010


def test_every_study_is_drawn_in_both_languages(tmp_path: Path) -> None:
    draw({study: rows(study) for study in STUDIES}, tmp_path)
    names = {path.name.partition(".")[0] for path in tmp_path.iterdir()}
    assert names >= set(STUDIES)
    for name in names:
        english, chinese = (tmp_path / f"{name}.{language}.svg" for language in ("en", "zh"))
        for path in (english, chinese):
            ElementTree.parse(path)  # our own file
        assert not re.search("[\u4e00-\u9fff]", english.read_text().split("<style>")[0])
        assert re.search("[\u4e00-\u9fff]", chinese.read_text())


@pytest.mark.parametrize("name", ["latency.md", "latency.zh.md"])
def test_the_documents_have_a_place_for_every_table_and_show_every_plot(name: str, tmp_path: Path) -> None:
    for document in ("latency.md", "latency.zh.md"):
        shutil.copy(ROOT / "docs" / document, tmp_path)
    publish({study: rows(study) for study in STUDIES}, MACHINE, tmp_path)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.count("Some CPU") == len(STUDIES)
    shown = set(re.findall(r"\]\((latency/[^)]+\.svg)\)", text))
    language = "zh" if "zh" in name else "en"
    assert shown == {f"latency/{path.name}" for path in (tmp_path / "latency").glob(f"*.{language}.svg")}


def test_a_place_whose_study_was_not_run_stays_as_it_is() -> None:
    document = "a\n<!-- lab: length -->\nold\n<!-- end -->\nb\n<!-- lab: cap -->\nkept\n<!-- end -->\n"
    assert filled(document, {"length": "new\n"}) == document.replace("old", "new")


async def test_whoever_leaves_does_so_in_the_phase_that_is_named(standin: str) -> None:
    async with httpx.AsyncClient(verify=False) as client:
        await leaving_study._leave(asker(client, standin, "sim-ttft60000"), "prefill", 0)
        await leaving_study._leave(asker(client, standin, "sim-n1000-itl50"), "decode", 0)
        with pytest.raises(RuntimeError, match="nobody can leave during prefill"):
            await leaving_study._leave(asker(client, standin, "sim-n1000-itl50"), "prefill", 1)
