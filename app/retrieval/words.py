"""A text's words as the lexical index compares them, in documents and in questions alike. Pure.

English words are stemmed, Chinese becomes bigrams and single characters, traditional becomes simplified. An
identifier such as `ERR_CONN-504`, `v2.3.1` or `fooBar()` counts whole and in parts: whole without its
hyphens and underscores, which people leave out. Knows nothing of what a text says.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from opencc import OpenCC
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

QUESTION_TOKENS = 256  # as much of a question as the embedder reads

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_RUNS = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<other>(?:[^\W{CJK}]|(?<=\w)[-.,:/'’](?=\w))+)")
_PARTS = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_JOINTS = re.compile(r"[-_/:]")
_QUOTED = re.compile(r"[\"“「『《]([^\"“”「」『』《》]{2,80})[\"”」』》]")
# What a question is made of and a document is not: rare there, so a weight by rarity alone overrates it.
_ASKING = re.compile(
    "你好|您好|谢谢|为什么|什么时候|什么样|什么|怎么办|怎么样|怎么|怎样|如何|多少|多久|多长|多大|哪些|哪个|哪里|哪种|哪位|哪一|哪|谁|几个|几"
    "|是否|能否|可以|可否|请问|请|告诉我|告诉|我想知道|意思|表示|吗|呢|吧|的|了|是|在|和|与|被|把|及|或|而|之|其|有|我们|你们|他们|我|你"
)
_SMALL = """
a an the this that these those it its he she they them his her their there i me my we us our you your is are
was were be been being am do does did done doing have has had having can could will would shall should may
might must of in on at to from by with for about into as than and or but nor not no if then so such what
which who whom whose when where why how s t d ll re ve m please tell mean means explain say says many much
"""
_ACRONYMS = re.compile(r"(?<![A-Za-z])([A-Z]{2,})s(?![A-Za-z])")
_english = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer("English")).build()


def words(text: str) -> list[str]:
    """All of a text's words, in order, with repetitions."""
    return [word for run in _RUNS.finditer(plain(text)) for word in _words(run)]


def asked(question: str) -> dict[str, bool]:
    """The words that a question looks for, without those that only ask; whether each is an identifier."""
    return dict(sought(plain(question)))


def sought(text: str) -> Iterator[tuple[str, bool]]:
    """The same of a plain text, one after the other.

    Characters stand for themselves only where they stand alone: a bigram says more than both of its own.
    """
    for run in _RUNS.finditer(text):
        if run["cjk"]:
            parts = (part for part in _ASKING.split(run["cjk"]) if part)
            yield from ((word, False) for part in parts for word in _bigrams(part))
        else:
            yield from ((word, whole) for word, whole in _named(run["other"]) if word not in _small_stems())


def phrases(question: str) -> list[list[str]]:
    """What stands in quotation marks, as consecutive words of a document."""
    quoted = (words(match[1]) for match in _QUOTED.finditer(question))
    return [each for each in quoted if len(each) > 1]


def plain(text: str) -> str:
    """Full-width forms folded, traditional characters simplified, PDFs as PDF."""
    return _ACRONYMS.sub(r"\1", unicodedata.normalize("NFKC", text).translate(_simplified()))


@cache
def _simplified() -> dict[int, str]:
    """Character by character, which suits bigrams: a segmentation would differ between two texts."""
    characters = [chr(code) for code in range(0x4E00, 0xA000)]
    simple = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {ord(a): b for a, b in zip(characters, simple, strict=True) if a != b}


def _words(run: re.Match[str]) -> Iterator[str]:
    if not run["cjk"]:
        yield from (word for word, _ in _named(run["other"]))
        return
    text = run["cjk"]
    for at, character in enumerate(text):
        yield character
        if at + 1 < len(text):
            yield text[at : at + 2]


def _named(run: str) -> Iterator[tuple[str, bool]]:
    """Its whole, if it has parts, and its parts; whole ones that hold a digit or an underscore are names."""
    run = _THOUSANDS.sub("", run)
    parts = [part for piece in _CAMEL.split(run) for part in _PARTS.findall(piece)]
    if len(parts) > 1:
        whole = _JOINTS.sub("", _fold(run))
        yield whole, any(c.isdigit() or c == "_" for c in run)
    for part in parts:
        number = part[0].isdigit()
        yield (part if number else _stem(_fold(part))), number and len(parts) == 1


def _fold(word: str) -> str:
    """Lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]


def _stem(word: str) -> str:
    return _english.analyze(word)[0] if word.isascii() else word


@cache
def _small_stems() -> frozenset[str]:
    return frozenset(map(_stem, _SMALL.split())) | frozenset(_SMALL.split())
