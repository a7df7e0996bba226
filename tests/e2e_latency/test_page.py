"""The page: alone in its file, well-formed, and safe whatever the questions are."""

import re
from xml.etree import ElementTree

from selectolax.lexbor import LexborHTMLParser

from e2e.latency.compare import changes, not_compared
from e2e.latency.page import draw
from e2e.latency.result import Result
from e2e.latency.sample import Run
from tests.conftest import HOSTILE
from tests.e2e_latency.made import result, run


def drawn(one: Result, earlier: Result | None = None) -> LexborHTMLParser:
    if earlier is None:
        return LexborHTMLParser(draw(one))
    return LexborHTMLParser(draw(one, changes(earlier, one), not_compared(earlier, one)))


def text_of(page: LexborHTMLParser) -> str:
    return " ".join(page.body.text().split()) if page.body else ""


def test_it_fetches_nothing_and_runs_nothing() -> None:
    page = drawn(result(run(question=HOSTILE), ttft_p95=400))
    assert not page.css("script, link, iframe, img, object, embed, base")
    for node in page.css("*"):
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "action")
            assert name != "href" or (value or "").startswith("#")
    styles = " ".join(node.text() for node in page.css("style"))
    assert not re.search(r"@import|url\(", styles)
    assert "onerror" in text_of(page)  # the question is there, as text


def test_every_picture_is_well_formed() -> None:
    pictures = [node.html or "" for node in drawn(result(run(question=HOSTILE), ttft_p95=400)).css("svg")]
    assert len(pictures) >= 4
    for picture in pictures:
        ElementTree.fromstring(picture)


def test_it_says_what_is_broken_and_whose_fault_it_is() -> None:
    page = drawn(result(run(dense=180, ttft=450), ttft_p95=400, ttfp_p95=100))
    assert "A budget is broken." in text_of(page)
    broken = [node.text() for node in page.css("li.broken")]
    assert any(re.search(r"ttft_p95 is 450\.4 .* budget 400: dense: ", line) for line in broken)
    assert "A budget is broken." not in text_of(drawn(result(run(), ttft_p95=400)))


def test_it_says_what_changed_and_what_could_not_be_compared() -> None:
    page = drawn(result(run(dense=65)), result(run(), machine="8 cores"))
    assert "dense_p50 is 60 ms slower" in text_of(page)
    assert "another machine (8 cores)" in text_of(page)
    assert "Changed beyond noise" not in text_of(drawn(result(run())))
    assert "Nothing changed beyond noise" in text_of(drawn(result(run()), result(run())))


def test_a_deployment_elsewhere_says_what_is_not_known() -> None:
    page = drawn(result(run(direct=None), url="https://chat.example.org", ttft_p95=400))
    assert "not known" in text_of(page).lower()
    assert "https://chat.example.org" in text_of(page)


def test_a_run_that_measured_nothing_still_has_a_page() -> None:
    empty = Run("elsewhere", "Nobody answered", "browser", "", (), "its stack did not start")
    assert "Refused: its stack did not start" in text_of(drawn(result(empty, ttft_p95=400)))
    nothing = Run("hidden", "Nobody looked", "browser", "", ())
    assert "nothing was measured" in text_of(drawn(result(nothing, ttft_p95=400)))


def test_turns_that_were_left_out_are_counted_with_their_reason() -> None:
    hidden = run(left_out="its tab was hidden").samples[:3]
    both = Run("mixed", "", "browser", "sim", (*run().samples, *hidden))
    assert "3 left out: its tab was hidden" in text_of(drawn(result(both, ttft_p95=400)))
