"""What a text is about, as terms to compare: stems of content words, numbers, Chinese bigrams.

Knows English and Chinese; other languages in Latin letters are compared by English stems.
"""

import re
import unicodedata
from functools import lru_cache

from snowballstemmer import stemmer  # type: ignore[import-untyped]  # ships no types

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_PARTS = re.compile(rf"(?P<han>[{HAN}]+)|(?P<number>\d[\d,.]*\d|\d)|(?P<word>[^\W\d_{HAN}]+)")
_GRAMMAR = re.compile(
    "为什么|什么时候|什么样|怎么办|会发生|会不会|什么|多少|哪些|哪个|哪里|哪种|哪位|哪一|哪|谁|怎么样|怎么|怎样|如何|几个|是否|可以|能否|请问|以及"
    "|我们|你们|他们|它们|这个|那个|一个|一种|[的了是在和与被把吗呢吧啊及或而之其]"
)
_STOP = """
a an the this that these those it its he she they them his her their there here i me my we us our you
your is are was were be been being am do does did done doing have has had having can could will would
shall should may might must of in on at to from by with for about into over under between among through
during as than and or but nor not no if then so such what which who whom whose when where why how s t d
ll re ve m also any some each both all more most other only own same too very just out up off again
while because many much few please tell want get got
"""
# Words of every subject: sharing one of them says little about sharing a subject.
_GENERAL = """
year time day people person name call kind type form part number example use make take give come go say
know find first last one two three new old way thing place group state country world large small high
low good become begin start end work lead change show need help long great common main purpose reason
term word city area during after before early late since different certain following include happen
cause allow provide occur exist consider total result percent
application app program software system product
时间 时候 名字 名称 一些 这些 那些 没有 年份 哪年 使用 成为 开始 进行 主要 部分 第一
人们 因为 由于 叫做 发生 应用 程序 软件 系统 产品 支持 需要
"""

_english = stemmer("english")


_ACRONYMS = re.compile(r"(?<![A-Za-z])([A-Z]{2,})s(?![A-Za-z])")  # PDFs are PDF


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_english.stemWord(word))


_FUNCTION_WORDS = frozenset(_STOP.split())
_GENERAL_STEMS = frozenset(map(_stem, _GENERAL.split()))


def is_general(term: str) -> bool:
    return term in _GENERAL_STEMS


def terms(text: str) -> list[str]:
    """The terms of a text in order, without function words."""
    return [term for part in _PARTS.finditer(_plain(text)) for term in _of(part)]


def vocabulary(text: str) -> frozenset[str]:
    """Everything in a text that a term of another can match: its terms and each Chinese character."""
    return frozenset(terms(text)).union(re.findall(f"[{HAN}]", text))


def is_chinese(text: str) -> bool:
    """By majority script; two Chinese characters weigh as much as a word in Latin letters."""
    han, words = len(re.findall(f"[{HAN}]", text)), len(re.findall(rf"[^\W\d{HAN}]+", text))
    if han == 2 * words:
        return bool(re.match(rf"[^\w]*[{HAN}]", text))
    return han > 2 * words


def _plain(text: str) -> str:
    """Full-width forms and accents folded, so that spellings of one word are one term."""
    folded = unicodedata.normalize("NFKD", _ACRONYMS.sub(r"\1", text))
    return "".join(c for c in folded if not unicodedata.combining(c)).lower()


def _of(part: re.Match[str]) -> list[str]:
    if part["han"]:
        return [term for run in _GRAMMAR.split(part["han"]) for term in _bigrams(run)]
    if part["number"]:
        return [part["number"].replace(",", "")]
    word = part["word"]
    return [] if word in _FUNCTION_WORDS else [_stem(word)]


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
