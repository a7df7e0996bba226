"""What is told by its form, before anything is weighed: goings-on, courtesies, and a word or two. Pure.

Reads no more than `LONGEST` characters, so that nothing here can take long.
"""

import re

LONGEST = 80  # characters; what is longer is none of these

_CONTINUES = re.compile(
    r"(?:(?:and|but|so|then)\W+)?(?:why(?: not| so)?|how so|how come|go on|continue|(?:tell me )?more"
    r"|in more detail|elaborate|explain(?: that| this| it)?|what else|(?:for|give me an) example|are you sure"
    r"|really)\W*(?:please\W*)?"
    r"|(?:and|what about|how about) \S+(?: \S+){0,3}"
    r"|(?:那么?|可是|但是?)?(?:为什么|为啥|怎么会|继续|接着说|然后呢|还有呢|详细|展开"
    r"|再说|举个?例|具体|真的吗|你确定).{0,4}"
    r"|那.{1,8}呢\W*",
    re.IGNORECASE | re.DOTALL,
)
_COURTESY = re.compile(
    r"(?:(?:hello|hi|hey|thanks|thank you|thx|cheers|great|perfect|nice|cool|ok|okay|sure|got it|i see|bye"
    r"|goodbye|good (?:morning|afternoon|evening|night|day|bye)|see you|never ?mind|sorry|please|well done"
    r"|there|all|(?:very|so) much|a lot|again|for (?:that|this|your help|the help|the answer)"
    r"|你好|您好|大家好|嗨|哈喽|早上好|下午好|晚上好|早安|晚安|早|谢谢|多谢|感谢|非常|十分|好的?|明白|知道|懂|收到|了解"
    r"|再见|拜拜|没事|没关系|对不起|不好意思|不客气|辛苦|太棒|很好|行|可以|你|您|啊|了|啦|呀|哦|嗯)(?:[\W_]+|$|(?=[\u4e00-\u9fff])))+",
    re.IGNORECASE,
)
_WORD = r"[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
_WORDS = re.compile(rf"{_WORD}(?: {_WORD})?")
# What these ask for is more than a fact, however few words they take.
_ORDER = re.compile(
    r"\W*(?:analy[sz]e|argue|assess|calculate|code|compare|compute|convert|critique|debug|derive|describe|design"
    r"|discuss|draft|evaluate|explain|fix|how|implement|improve|optimi[sz]e|plan|prove|recommend|refactor|review"
    r"|rewrite|solve|suggest|summari[sz]e|translate|why|write)\b|.*[=^∑∫√]|.*\d ?[+*/×÷] ?\d",
    re.IGNORECASE,
)


def continues(question: str) -> bool:
    """Whether it goes on from the question before it."""
    return _is(_CONTINUES, question)


def is_courtesy(question: str) -> bool:
    """Whether it asks for nothing: a greeting, thanks, an "ok"."""
    return _is(_COURTESY, question)


def is_term(question: str) -> bool:
    """Whether it is a word or two, or an identifier, to be looked up. Chinese, where nothing parts words, is
    none."""
    return _is(_WORDS, question) and not _ORDER.match(question.strip())


def _is(pattern: re.Pattern[str], question: str) -> bool:
    if len(question) > 2 * LONGEST:
        return False
    plain = " ".join(question.split())
    return len(plain) <= LONGEST and pattern.fullmatch(plain) is not None
