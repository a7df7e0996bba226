"""How a model says that it has no answer, in English and Chinese: patterns for a sentence's beginning.

Knows only words; `app.routing.escalation` knows when they count.
"""

import re

_SOURCES = (
    r"(?:any of |none of )?(?:the |these |those |your |my |this |that )?"
    r"(?:(?:provided|given|available|supplied|numbered|uploaded|retrieved|cited|current|above|listed) )*"
    r"(?:sources?|documents?|documentation|passages?|context|excerpts?|texts?|materials?|information"
    r"|knowledge base)"
    r"(?: (?:provided|given|available|above|here|i have|you provided|you gave me|at hand|that i have|cited))*"
)
_NOT = r"(?:do(?:es)?(?: not|n['’]t)|did(?: not|n['’]t)|never)"
_HARDLY = r"(?:explicitly |specifically |directly |actually |clearly |seem to |appear to )*"
_TELL = r"(?:say|mention|specify|state|tell|address|cover|discuss|answer|explain|indicate|describe)"
_SOMETHING = (
    r"(?:(?:any|enough|sufficient|specific|relevant|direct|explicit|clear|an?|the|further|more) )*"
    r"(?:information|details?|answers?|mention|anything|reference|evidence|indication|enough|specifics)"
)
_UNABLE = (
    r"(?:(?:i|we) (?:cannot|can['’]t|can not|could not|couldn['’]t|won['’]t be able to|will not be able to"
    r"|am unable to|am not able to|are unable to|was unable to|was not able to)"
    r"|i['’]m (?:unable|not able) to)"
)
_MODESTLY = (
    r"(?:(?:really|directly|find|provide|give|confidently|reliably|accurately|you|an?|any|the|that|specific"
    r"|exact|relevant|definitive|to) )*"
)
_ASKED = (  # what is answered: no calls and no door
    r"(?=\W*$|[,;:]| (?:this|that|it|your|you|any|these|such|to|about|based|from|with|without|because|as|for"
    r"|in|on|at|whether|if|what|how|who|when|where|why|questions?|the question|the query)\b)"
)
_BY_FORM = (
    r"(?! (?:with|by|in) (?:a |an |one |just |only |simply )*(?:simple |single |plain )?"
    r"(?:yes|no|word|number|sentence)\b)"
)

_THEIRS = (
    r"(?:(?:您|你|用户|所|现有|已有|给定|提供|给出|上述|以上|这些|当前|相关|参考"
    r"|检索到|引用|上传|目前|现|有|的|所有)*)"
)
_PAPERS = r"(?:资料|文档|来源|材料|上下文|文中|原文|文本|片段|文件|信息|内容|知识库|段落)"
_IN = r"(?:中|里|里面|内|当中|之中)"
_NONE = r"(?:并没有|没有|并未|未能|不曾|未曾|未|没|不)(?:明确|直接|具体|特别|详细)*地?"
_ABOUT = r"(?:任何|相关|有关|关于|这|该|此|足够|具体|确切|准确)"
_TEMPERED = r"(?:真的|也|目前|暂时|现在|确实|并|还)*"

BEFORE = re.compile(  # what may stand before a refusal
    r"[\s*_>]+"
    r"|(?:(?:i['’]m|i am|we['’]re|we are) (?:very |so |really )?(?:sorry|afraid)\b[,.!:]?(?: (?:but|that)\b)?"
    r"|(?:sorry|my apologies|apologies|i apologi[sz]e|unfortunately|regrettably|alas|hmm+|well|honestly)\b"
    r"[,.!:…]*(?: but\b)?"
    r"|as (?:an?|your) (?:ai|artificial|large|language|assistant|virtual|helpful)\b[^,.]{0,40},"
    rf"|(?:based|going|judging|relying) (?:only |solely )?(?:on|by) {_SOURCES},?"
    rf"|(?:from|in|with|given|according to) {_SOURCES},?"
    r"|(?:非常|很|实在|十分)?(?:抱歉|对不起|遗憾|不好意思|可惜)[，。！,.!：:]?(?:但是|但)?"
    r"|(?:作为|身为)(?:一个|一名|一款|一位)?(?:AI|人工智能|大?语言模型|大模型|智能助手|助手|助理)[^，,。]{0,12}[，,]?"
    rf"|(?:根据|依据|从|基于|按照|就)[^，,。]{{0,14}}{_PAPERS}[^，,。]{{0,6}}[，,]"
    r")\s*",
    re.IGNORECASE,
)

ENGLISH = (
    r"(?:i|we) (?:really |simply |just |honestly )?(?:do not|don['’]t|did not|didn['’]t) "
    r"(?:actually |currently )?know"
    r"(?:$|[,;:—-]| (?:the|that|this|how to answer|what (?:the|that|this|you)|if|whether"
    r"|for (?:sure|certain)|enough|about|based|from))",
    r"i have no (?:idea|information|knowledge|way of knowing|data|clue)\b",
    r"(?:i|we) (?:do not|don['’]t) (?:currently )?have "
    r"(?:(?:any|enough|sufficient|access|the|specific|relevant|real-time|further|more) )*"
    r"(?:to |about )?(?:information|details?|context|data|knowledge|answer|your|real|access)\b",
    rf"{_UNABLE} {_MODESTLY}(?:answers?{_ASKED}|help(?: you)?(?: with)?|assist|determine|tell|say|information"
    r"|details?|mention|reference|anything|comment|confirm|verify|respond|fulfil|provide|this|that|it|find)\b",
    r"i(?: am|['’]m) not (?:sure|certain)"
    r"(?:$|[,;:]| (?:about (?:that|this|the answer)|what you|how to answer|based|from))",
    r"(?:i (?:must|have to) )?(?:decline|refuse) to answer",
    rf"{_SOURCES} {_NOT} {_HARDLY}{_TELL}\b(?! that\b)",
    rf"{_SOURCES} {_NOT} {_HARDLY}(?:contain|include|provide|give|have|hold|offer|list) {_SOMETHING}\b",
    rf"none of {_SOURCES} (?:\w+ )?(?:say|mention|contain|address|answer|cover|tell|discuss|provide)s?\b",
    r"there(?: is|['’]s| are| was) (?:no|not enough|insufficient|not any) (?:\w+ )?"
    rf"(?:information|mention|details?|answer|reference|data|evidence)\b.{{0,60}}\bin {_SOURCES}",
    r"there(?: is|['’]s) (?:no|not enough|insufficient) (?:\w+ )?information "
    r"(?:to answer|available|about|on|given|provided)\b",
    r"no (?:relevant |specific |such )?(?:information|answer|details|mention) "
    r"(?:was|is|are|were|could be|can be) (?:found|given|provided|available|mentioned)\b(?! to (?!answer))",
    r"(?:this|that|it|the answer|the question|this information)(?: is|['’]s) not "
    rf"(?:mentioned|stated|specified|covered|addressed|answered|given|provided|found|available|in) "
    rf"(?:(?:in|by|from) )?{_SOURCES}",
    r"(?:this|that|the|your) question (?:cannot|can['’]t|can not|could not) be answered\b" + _BY_FORM,
    rf"not (?:mentioned|stated|specified|answered|given|found) (?:in|by) {_SOURCES}",
    r"(?:not enough|insufficient) (?:information|context|data)\b",
    r"(?:n/a|unknown|no answer|unanswerable|not specified|not mentioned|no information|no idea)$",
)

CHINESE = (
    rf"(?:我|我们|本人|助手){_TEMPERED}(?:不知道|不清楚|不了解|不太清楚|不太确定|不确定)"
    r"(?:$|[，,；;]|答案|这|该|此|您|你|具体|确切|相关|怎么回答|如何回答|是否(?![为是])|有关|关于)",
    r"(?:不知道|不清楚|不太清楚|不确定|无可奉告|答不上来|无从得知|不得而知)(?:$|[，,])",
    rf"(?:我|我们)?{_TEMPERED}(?:无法|不能|没办法|没法|难以|不便)"
    r"(?:直接|准确|确切|为您|为你|给您|给你|就此|对此|向您|向你|完整|具体)*"
    rf"(?:回答|答复|解答|作答|告诉|得知|获知|给出(?:答案|回答|{_ABOUT})|提供(?:答案|{_ABOUT}|[^，,。]{{0,4}}(?:建议|意见))"
    r"|(?:确定|判断)(?:答案|这|该|此|您|你|具体|是否(?![为是])|$|[，,])|回应|帮助(?:您|你)|协助(?:您|你)"
    r"|从|根据(?:提供|现有|已有|所给|这些|给定|上述|以上|目前|资料|文档))(?!的(?:问题|情况|时候|内容))",
    rf"(?:我|我们){_TEMPERED}(?:没有|没|未能|未|找不到|查不到)"
    rf"(?:找到|查到|检索到|获取|掌握|得到)?(?:{_ABOUT}|更多)",
    rf"{_THEIRS}{_PAPERS}{_IN}?(?:都|均|也|似乎|好像)*{_NONE}"
    rf"(?:提到|提及|说明|说|包含(?:{_ABOUT}|问题|答案|回答|所需)|涉及|给出|提供(?:{_ABOUT}|答案|明确|详细)"
    r"|找到|写明|写|记载|讲|谈到|介绍|回答|描述|指出|列出|足以|足够|关于|有关|相关|答案|可以回答|能回答|解释)",
    rf"并?(?:没有|未能|未|没能|没|找不到|查不到)(?:在[^，,。]{{0,14}}{_IN})?(?:找到|查到|检索到|发现)?(?:任何)?"
    r"(?:与[^，,。]{0,16})?(?:相关|有关|关于|对应|足够)的?[^，,。]{0,16}(?:信息|内容|资料|答案|说明|记录|描述)(?=$|[，,；;：:]|可|能|来|供|以)",
    rf"在?[^，,。]{{0,10}}{_PAPERS}{_IN}(?:找不到|查不到|看不到|得不到|无法找到|没找到)",
    r"(?:这|该|此|您的|你的)个?(?:问题|信息)(?:无法|不能|没法)被?(?:回答|解答|确定)",
    r"(?:信息|资料|依据)不足(?:$|[，,]|以)",
    r"(?:未知|未提及|未说明|没有答案|没有提到|无法回答|不知道)$",
)

REFUSALS = re.compile("|".join(f"(?:{pattern})" for pattern in (*ENGLISH, *CHINESE)), re.IGNORECASE)

SOFTENED = re.compile(  # within the sentence
    r"\b(?:but|however|although|though|except|other than|apart from|besides|beyond|only that|instead)\b|;"
    r"|但|不过|然而|除了|除此|可是|只是|只提|仅",
    re.IGNORECASE,
)
HELPLESS = re.compile(  # what a model says that has nothing to say: the next sentence gives no answer either
    r"\W*(?:please|you (?:can|could|may|might|should|will)|if you|i |i['’]|we |let me|could you|would you"
    r"|can you|feel free|try|contact|for (?:more|further)|请|您|你|如果|如需|如有|建议|我|欢迎|可以)",
    re.IGNORECASE,
)
SUBSTANCE = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half)\b"
    r"|[一二两三四五六七八九十百千半]+(?:[个天年月日号点分秒周次人种条页元块米级层]|小时|公里|百分)",
    re.IGNORECASE,
)
TURN = re.compile(  # at the beginning of the next one
    r"\W*(?:but|however|that said|still|nevertheless|nonetheless|yet|instead|though|they do|it does"
    r"|what (?:it|they)|the closest|但|不过|然而|可是|尽管|只是|其中|相反)",
    re.IGNORECASE,
)
NOTHING_SAID = re.compile(
    r"\W*(?:(?:(?:the |short |final )?answer(?: is)?|sources?|here(?: is|['’]s) (?:the|your|an) answer"
    r"|答案?是?|回答|来源)\W*)?",
    re.IGNORECASE,
)
AGREED = re.compile(  # says yes, if it has a source
    r"\W*(?:ok(?:ay)?|sure(?: thing)?|certainly|of course|hmm+|well|好的?|嗯+|当然|当然可以|可以为您解答)\W*",
    re.IGNORECASE,
)
