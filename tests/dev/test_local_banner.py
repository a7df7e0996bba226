"""The page says of the model for measuring that its answers are not to be trusted, in both languages."""

from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from app.settings import MEASURING
from e2e.stack import running

SAID = {"en": "do not trust its answers", "zh": "它的回答不可信"}


@pytest.mark.parametrize(("model", "said"), [(MEASURING, True), ("asked", False)])
def test_who_reads_its_answers_is_warned(tmp_path: Path, model: str, said: bool) -> None:
    with running(tmp_path, model=model, worker=False) as stack:
        for language, warning in SAID.items():
            page = httpx.get(stack.url, headers={"accept-language": language}, trust_env=False).text
            banners = [node.text() for node in LexborHTMLParser(page).css(".banner")]
            assert [model in text and warning in text for text in banners] == ([True] if said else [])
