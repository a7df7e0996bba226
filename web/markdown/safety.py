"""The allowlist: what tags, attributes, classes and addresses may reach the page. Knows no markdown."""

import nh3


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MATH_TAGS = _names(
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover"
    " mmultiscripts mprescripts none mtable mtr mlabeledtr mtd mpadded mphantom mstyle menclose merror"
)
MATH_ATTRIBUTES = _names(
    "display displaystyle scriptlevel mathvariant stretchy fence separator lspace rspace accent accentunder"
    " columnalign rowalign columnlines rowlines columnspacing rowspacing linethickness width height depth"
    " voffset notation minsize maxsize form movablelimits largeop symmetric"
)
TAGS = MATH_TAGS | _names(
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br em strong s a code pre figure figcaption div span"
    " table thead tbody tr th td"
)
ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "title"},
    "ol": {"start"},
    **{tag: set(MATH_ATTRIBUTES) for tag in MATH_TAGS},
}
SCROLLS = {"tabindex": {"0"}}  # what scrolls sideways must be reachable by keyboard
VALUES: dict[str, dict[str, set[str]]] = {
    "a": {"target": {"_blank"}, "rel": {"noopener noreferrer nofollow"}, "class": {"cite"}},
    "code": {"class": {"math-source"}},
    "figure": {"class": {"code"}},
    "p": {"class": {"math-block", "plain"}},
    "div": {"class": {"table"}} | SCROLLS,
    "pre": SCROLLS,
    "th": {"class": {"align-left", "align-center", "align-right"}},
    "td": {"class": {"align-left", "align-center", "align-right"}},
}

_cleaner = nh3.Cleaner(
    tags=set(TAGS),
    attributes=ATTRIBUTES | {"span": {"class"}},  # Pygments' classes: short, many, and only ours
    tag_attribute_values=VALUES,
    generic_attribute_prefixes=set(),
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)


def clean(html: str) -> str:
    return _cleaner.clean(html)
