"""Small facts about natural text that several rooms need, for English and Chinese alike."""

import re

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+")


def count_cjk(text: str) -> int:
    return sum(map(len, _CJK.findall(text)))


def estimate_tokens(text: str) -> int:
    """About how many tokens a model's tokenizer makes of it: 0.7 a CJK character, 0.25 any other."""
    cjk = count_cjk(text)
    return int(cjk * 0.7 + (len(text) - cjk) * 0.25) + 1


def ends_of(text: str, tokens: int) -> str:
    """The beginning and the end of a text that has more tokens: what is asked stands in one of them."""
    estimate = estimate_tokens(text)
    if estimate <= tokens:
        return text
    half = len(text) * tokens // estimate // 2
    return f"{text[:half]} … {text[-half:]}"


def is_chinese(text: str) -> bool:
    """Whether a reader would call it Chinese: a CJK character weighs as much as a short word."""
    cjk = count_cjk(text)
    words = len(re.findall(r"[A-Za-z]+", text))
    return cjk > words


def shorten(text: str, width: int) -> str:
    """One line of at most `width` columns (a CJK character takes two), cut at a word where there is one."""
    line = " ".join(text.split())
    room = width
    for position, character in enumerate(line):
        room -= 2 if _CJK.match(character) else 1
        if room < 0:
            head = line[:position]
            cut = head.rfind(" ") if position < len(line) and line[position] != " " else len(head)
            return (head[:cut] if cut > len(head) // 2 else head).rstrip(" ,.;:，。；：") + "…"
    return line
