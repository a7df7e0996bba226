"""Real files of every format: what text they give, and how one that gives none is refused."""

import pytest

from app.documents.extract import Refused
from app.documents.parse import parse
from app.documents.pdf import unwrap
from tests.app.made import docx, pdf

CHINESE = "西安的城墙建于明朝，全长十三点七公里，可以骑自行车绕行一圈。门票五十四元。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_text_is_read_in_the_encodings_that_chinese_files_have(encoding: str) -> None:
    assert parse("a.txt", CHINESE.encode(encoding)).text == CHINESE


def test_old_western_text_is_read() -> None:
    text = "Le café où l'on dîne après la fête est fermé à Noël, déjà depuis des années."
    assert parse("a.txt", text.encode("cp1252")).text == text


def test_line_ends_are_one_kind() -> None:
    assert parse("a.txt", b"one\r\ntwo\rthree").text == "one\ntwo\nthree"


def test_front_matter_is_no_text_but_names_the_document() -> None:
    extract = parse("a.md", b'---\ntitle: "Night trains"\ntags: [x]\n---\n# Heading\n\nBody.\n')
    assert (extract.title, extract.text) == ("Night trains", "# Heading\n\nBody.\n")


def test_html_keeps_what_people_read() -> None:
    page = """<html><head><title>Site</title><style>p{}</style></head><body><nav>Home</nav>
      <main><h1>Trains</h1><p>They run <b>at night</b>.<script>alert(1)</script></p>
      <h2>Prices</h2><ul><li><a href="javascript:x">320 yuan</a></li></ul>
      <img src="http://example.com/x.png" onerror="x"></main><footer>Imprint</footer></body></html>"""
    extract = parse("a.html", page.encode())
    assert extract.title == "Trains"
    assert extract.text == "# Trains\n\nThey run **at night**.\n\n## Prices\n\n* 320 yuan"


def test_html_in_a_declared_chinese_encoding() -> None:
    page = f'<html><head><meta charset="gb2312"></head><body><p>{CHINESE}镕</p></body></html>'
    assert CHINESE + "镕" in parse("a.html", page.encode("gb18030")).text


def test_html_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(Refused, match="nested too deeply"):
        parse("a.html", b"<div>" * 20_000 + b"x")


def test_docx_keeps_headings_and_tables() -> None:
    extract = parse("a.docx", docx())
    assert extract.title == "Trip report"
    assert "# 费用\n\n车票一共三百二十元。" in extract.text
    assert "| hotel | 180 yuan |" in extract.text


def test_pdf_knows_its_title_and_pages() -> None:
    extract = parse("a.pdf", pdf(["First page."], ["第二页说的是城墙。"], title="Walls"))
    assert extract.title == "Walls"
    assert extract.text == "First page.\n\n第二页说的是城墙。"
    assert [extract.page(extract.text.index(word)) for word in ("First", "第二页")] == [1, 2]


def test_pdf_lines_broken_by_the_margin_are_joined() -> None:
    assert unwrap("The wall was built under the Ming and is thir-\nteen kilometres long, which makes it\n"
                  "the longest.\nNext paragraph.") == (
        "The wall was built under the Ming and is thirteen kilometres long, which makes it the longest.\n"
        "Next paragraph.")
    assert unwrap("西安的城墙建于明朝，全长十三点七公\n里，可以骑自行车绕行一圈。") == (
        "西安的城墙建于明朝，全长十三点七公里，可以骑自行车绕行一圈。")


def test_a_list_in_a_pdf_stays_a_list() -> None:
    lines = "A long line of ordinary text that reaches the margin of the page.\napples\npears\nplums"
    assert unwrap(lines) == lines


@pytest.mark.parametrize(("name", "data", "reason"), [
    ("a.txt", b"", "is empty"),
    ("a.md", b" \n\n ", "is empty"),
    ("a.html", b"<html><body><script>x</script></body></html>", "is empty"),
    ("a.txt", b"\x89PNG\0\0\0", "is not text"),
    ("a.pdf", pdf([]), "is a scan"),
    ("a.pdf", pdf(["secret"], password="x"), "is encrypted"),
    ("a.pdf", b"%PDF-1.7 nothing", "is broken"),
    ("a.pdf", pdf(["x"])[:300], "is broken"),
    ("a.docx", docx()[:500], "is broken"),
    ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is encrypted, or"),
    ("a.xyz", b"x", r"is \.xyz, not one of \.md"),
])
def test_a_file_without_text_is_refused_with_its_reason(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        parse(name, data)


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.documents.docx.LARGEST", 10_000)
    with pytest.raises(Refused, match="unpacks to more than"):
        parse("a.docx", docx())
