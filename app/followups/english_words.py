"""The English words by which a follow-up is told from a question that stands alone. Knows no rules."""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


PEOPLE = ("he", "she", "him", "her", "his", "hers")

# What "this" stands for when nothing was said before.
_DEICTIC = (
    r"(?:documents?|files?|projects?|apps?|applications?|pages?|sites?|websites?|tools?|handbooks?|manuals?"
    r"|system|software|chat|conversation|year|month|week|morning|evening|time|way|pdf|program|text|folder"
    r"|repository|repo|product)"
)
_VERB = r"(?:is|are|do|does|did|was|were|can|could|will|would|should|has)"
_WH = r"(?:how|what|which|who|when|where|why)"

FRAGMENT = _any(
    r"(?:and|but|or|so|then|also|what about|how about|what if|same for|instead)\b"
    r"(?! (?:how|what|where|who) (?:do|can) i\b)",
    r"(?:for|in|at|on|with|without|before|after|since|until|during|under|over|to|from|by|as|per)\b"
    rf"(?!.*\b(?:{_VERB}|{_WH})\b)",
    r"(?:at|in|on|by|for|from|to|until|since|with) (?:what|which|how) \w+(?: \w+)?\W*$",
    r"(?:why|how|when|where|who|whom|whose|how much|how many|how long|how often|how far|how old|since when"
    r"|which|until when|for how long|by whom|why not|how so|how come|what for|what else|anything else|really"
    r"|are you sure|is that all)\W*$",
    r"(?:which|who) (?:one|ones|of (?:them|these|those|the two))\b",
    r"which (?:is|are|was|were) (?:\w+er|more \w+)\b",
    r"(?:please )?(?:tell me more|more|go on|continue|explain|elaborate|say more|more details?|in more detail"
    r"|(?:give (?:me )?)?(?:an |some |more )?(?:examples?|details))(?: please)?\W*$",
    r"(?:the )?(?:first|second|third|fourth|last|other|others|next|latter|former)(?: one| ones)?\W*$",
)
LEAD = re.compile(
    r"^(?:(?:and|but|or|so|then|also|ok|okay|well)\b,?\s*)*(?:(?:what|how) about|what if|same for)?\s*",
    re.IGNORECASE,
)
WHOLE = re.compile(  # "and", before a question that has all its parts
    rf"(?:and|but|or|so|then|also)\b,? (?=(?:{_WH}|{_VERB})\b)(?!(?:how many|which) {_VERB}\b)", re.IGNORECASE
)
OURS = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
PRONOUN = _any(
    r"\b(?:(?P<personal>(?-i:[Ii]t)|they|them|he|she|him)"
    r"|(?P<owning>its|their|his|hers|theirs|it['’]s(?= \w+ \w+)|her(?= \w)))\b",
    rf"(?P<pointing>\b(?:this|these|those)\b(?! {_DEICTIC}\b)"
    r"|(?<=of |or |to |do |by |is |an |in |at |on )that\b(?=\W*$)"
    rf"|^(?:{_VERB}|isn['’]t|doesn['’]t) that\b(?! {_DEICTIC}\b)|^that\b"
    rf"|\b{_VERB} that\b(?= \w+\W*$)"
    r"|\b(?:get|go|live|stay|eat|do) (?:there|that|this)\b"
    r"|\bthat one\b|\bthe same\b(?! (?:time|way|name|day|as)\b)"
    r"|\bthe (?:other|second|third|last|previous|former|latter) ones?\b"
    r"|\bthe (?:others|latter|former|two|above)\b|\b(?<!is )(?<!are )(?<!was )(?<!were )(?:there|then)\W*$"
    r"|\bones\b|\bwhich one\b|\b(?:an)?other one\b)",
)
EMPTY_IT = _any(  # an `it` that stands for nothing
    r"\bit (?:safe|possible|okay|ok|allowed|legal|true|necessary|worth|better|best|bad|good|normal|hard|easy"
    r"|important|take|mean|rain\w*|make sense|cost)\b.{0,40}?\b(?:to|that|\w+ing)\b",
    r"\bwhat (?:time|day) is it\b",
    r"\bmake it\b",
)
CLAUSE = _any(
    ",", ";", r"\b(?:if|when|because|after|before|and|while|that|which|once|since|unless|but)\b"
)

_SIDES = (  # of something, which has to be named
    r"(?:authors?|symptoms?|causes?|effects?|side effects?|benefits?|advantages?|disadvantages?|drawbacks?"
    r"|pros and cons|differences?|similarities|types?|kinds?|prices?|costs?|fees?|requirements?|results?"
    r"|findings?|implications?|members?|themes?|characters?|history|origins?|meaning|significance|population"
    r"|capital|layers?|risks?|exceptions?|limits?|limitations?|steps?|deadlines?|conditions?|penalt(?:y|ies)"
    r"|consequences?|treatments?|sources?|ingredients?|features?|examples?|parts?|reasons?|uses?|dimensions?"
    r"|warranty|size|weight|height|length|age|date|address|name|title|colou?rs?|alternatives?|competitors?"
    r"|goals?|main \w+|key \w+|important \w+)"
)
_QUALITY = (
    r"(?:main|key|most|common|possible|typical|other|usual|short|long|long-term|important|good|best|total"
    r"|exact|current|average)"
)
RELATION = _any(
    r"(?:what|who|which|where|how (?:much|long|high|large|big))(?: (?:is|are|was|were|about)|['’]s) "
    rf"(?:the |some |any )?(?:{_QUALITY}[ ,-](?:and )?)*{_SIDES}(?: and (?:{_SIDES}|why|when|how))?\W*$",
    r"(?:are|is|were) there (?:any |an? |some )?(?:\w+ ){0,2}\w+\W*$",
    r"(?:does|do) (?:any|anyone) \w+\W*$",
    r"how many (?:types|kinds|parts|members|steps|layers|people) (?:are|were) there\W*$",
)
COMPOUND = re.compile(  # two nouns, which name a thing of its own: "are there keyboard shortcuts?"
    r"(?:are|is) there (?:any |an? )?"
    rf"(?!\w*(?:ous|al|ic|ful|ive|ent|ant|able|ible|ed|ing|er|est|less|ary|ish|y|en|ese|an) )(?!{_QUALITY} )"
    rf"(?P<noun>[a-z]{{4,}}) (?!{_SIDES}\b)\w{{4,}}\W*$",
    re.IGNORECASE,
)
WANTING = _any(  # a word that something must have come before
    r"\b(?:else|other|another|similar|too|as well|either|also|alternatives?)\b",
    r"\bthe (?:first|main|best|worst|most \w+|\w{2,}est)(?: (?:female|male|one|ones))?"
    r"(?:\W*$| (?:in|on|to|was|is|are|were|invented|and)\b)",
    r"^(?:what|which) (?:kind|type|sort)s?\b(?! of)",
)

INTRODUCED = _any(
    r"(?:(?:what|who|where)(?:['’]s| (?:is|are|was|were))|tell (?:me )?(?:more )?about|describe|explain)"
    r" (?:the )?[\w-]+\W*$"
)
INVERTED = _any(  # the subject stands behind it
    rf"{_WH}?\b(?: (?:much|many|long|often))?\b.{{0,24}}?"
    r"\b(?:do|does|did|can|could|will|would|should|has|have|had|must|may)\b"
)
FIRST_PERSON = _any(r".*?\b(?:do|can|could|should|may|must|would|did|will|to) (?:i|we|you) \w+")
SIDE_OF = _any(r"(?:what|who)(?:['’]s| (?:is|are|was|were)) (?:the )?\w+ of ")
HOW_ADJECTIVE = _any(r"^how \w+(?= (?:is|are|was|were)\b)")

_SMALL = """
    a an the of for in on at to from by with about into over under between and or but not no is are was
    were be been being am do does did done have has had can could will would shall should may might must
    i you we he she it they me us him her them my your our his its their this that these those there
    here what which who whom whose when where why how much many more most some any all each every other
    another such than then so too also very just only really please tell explain describe give list show
    find say said let make made get got go come need want know mean means called used use work works
    happen happens happened if as because while during after before since until up down out off again
    still one ones good bad best better main key important popular common interesting exist exists old
    long often far big relate related cost costs think like live lives start started found formed
    created treated compare differ don't isn't what's who's how's where's it's i'm i've hi hello hey
    thanks thank ok okay first originally actually currently today now people someone things thing stuff
    way ways difference differences relationship history meaning definition purpose role significance
    number amount name effect effects impact impacts types kinds sort sorts help helps increase reduce
    cause causes caused affect affects affected improve improves argument general generally share same
    summarise summarize summary overview briefly short point points
"""
SMALL = frozenset(_SMALL.split())
