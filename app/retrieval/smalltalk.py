"""What is said without asking anything: greetings, thanks, a yes, a picture. Pure.

No passage bears on it, however near one lies: the vectors of short texts are all near one another.
"""

import re

from app.retrieval.words import CJK, plain, sought

_ENGLISH = r"""
good (?:morning|afternoon|evening|night|day)|see (?:you|ya)(?: (?:later|soon|tomorrow))?|sounds good
(?:have|has) a (?:good|nice|great) (?:day|evening|night|weekend|one)|(?:good)?bye(?:[- ]bye)?
(?:thank(?:s| you)|thx)(?: (?:so|very) much| a lot| a million| again)?|many thanks|cheers
(?:that'?s|that (?:is|was|will be)) (?:very |really |so )?(?:all|great|fine|good|perfect|helpful|useful)
hello|hi+|hey|hiya|greetings|there|everyone|you'?re welcome|welcome|sorry|no problem|well done
ok(?:ay)?|yes|yeah|yep|no|nope|sure|of course|all right|alright|got it|i see
great|cool|nice|perfect|awesome|wonderful|excellent|amazing|wow|lol|haha(?:ha)*|hmm+|oh|ah
bonjour|merci|hola|gracias|danke|ciao
"""
_CHINESE = """
[你您]好|大家好|[嗨嘿喂]|哈[喽啰罗]|早上好|上午好|中午好|下午好|晚上好|早安|午安|晚安|再见|拜拜|回头见|回见|明天见
(?:非常|十分|太|多|很|真是)?(?:感谢|谢谢|多谢|谢了|谢)|辛苦|麻烦你|打扰|不客气|别客气|不好意思|对不起|抱歉|没关系
没事|没问题|没错|很?有(?:帮助|用)|(?:太|很|真|挺)?(?:好|棒|厉害|不错)|可以|知道|明白|了解|懂|收到|不用|不是|不对
没|行|对|嗯|哦|噢|喔|啊|呀|啦|哈|呵
"""
_COURTESY = re.compile(
    rf"(?<![a-z])(?:{'|'.join(_ENGLISH.split(chr(10))[1:-1])})(?![a-z])|{'|'.join(_CHINESE.split())}", re.I
)
_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])")
_OTHERS = re.compile(rf"[a-z{CJK}]")


def is_small_talk(question: str) -> bool:
    """Whether nothing is left of it without such words and those that only ask.

    Of what stands in capitals among other letters `sought` may know a small word only: IT, US, WHO.
    """
    left = _COURTESY.sub(" ", plain(question))
    return not any(True for _ in sought(left)) and not (_CAPITALS.search(left) and _OTHERS.search(left))
