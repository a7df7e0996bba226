"""HTML to Markdown: what people read on the page, without navigation, scripts, forms and pictures."""

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from markdownify import ATX, MarkdownConverter

from app.documents.extract import Extract, Refused, tidy
from app.documents.plain import decode

_NOT_TEXT = ["script", "style", "noscript", "template", "svg", "nav", "footer", "aside", "form", "button",
             "iframe", "head"]
_converter = MarkdownConverter(heading_style=ATX, strip=["a", "img"], escape_misc=False,
                               escape_asterisks=False, escape_underscores=False)


def html(data: bytes) -> Extract:
    return from_markup(_decode(data))


def from_markup(markup: str) -> Extract:
    """The one `<main>` or `<article>` if there is one, else the whole page."""
    try:
        soup = BeautifulSoup(markup, "html.parser")
        name = soup.h1 or soup.title
        title = name.get_text(" ", strip=True) if name else ""
        for tag in soup(_NOT_TEXT):
            tag.decompose()
        return Extract(tidy(_converter.convert_soup(_body(soup))).strip(), title=title, markdown=True)
    except RecursionError:
        raise Refused("is nested too deeply to be read") from None


def _body(soup: BeautifulSoup) -> Tag:
    for name in ("main", "article"):
        found = soup(name)
        if len(found) == 1:
            return found[0]
    return soup


def _decode(data: bytes) -> str:
    """The encoding that the page declares, if it fits; gb2312 and gbk mean gb18030, as in browsers."""
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    if declared and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("gb18030" if declared.lower().startswith("gb") else declared)
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(data)
