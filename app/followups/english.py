"""English follow-ups: how one leans, what a question is about, and how the two are put together. Pure."""

import re
from itertools import groupby

from app.followups.kinds import Kind

_FRAGMENT = re.compile(
    r"(?:and|but|or|so|then|also|what about|how about|what if|same for|instead)\b(?! (?:how|what|where|who) (?:do|can) i\b)"
    r"|(?:for|in|at|on|with|without|before|after|since|until|during|under|over|to|from|by|as|per)\b(?!.*\b(?:is|are|do|does"
    r"|did|was|were|can|could|will|would|should|how|what|which|who|when|where|why)\b)"
    r"|(?:at|in|on|by|for|from|to|until|since|with) (?:what|which|how) \w+(?: \w+)?\W*$"
    r"|(?:why|how|when|where|who|whom|whose|how much|how many|how long|how often|how far|how old|since when|which|until when"
    r"|for how long|by whom|why not|how so|how come|what for|what else|anything else|really|are you sure|is that all)\W*$"
    r"|(?:which|who) (?:one|ones|of (?:them|these|those|the two))\b|which (?:is|are|was|were) (?:\w+er|more \w+)\b"
    r"|(?:please )?(?:tell me more|more|go on|continue|explain|elaborate|say more|more details?|in more detail|(?:give (?:me )?)?"
    r"(?:an |some |more )?(?:example|examples|details))(?: please)?\W*$"
    r"|(?:the )?(?:first|second|third|fourth|last|other|others|next|latter|former)(?: one| ones)?\W*$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:and|but|or|so|then|also|ok|okay|well)\b,?\s*)*(?:(?:what|how) about|what if|same for)?\s*", re.IGNORECASE
)
_PERSONAL = r"it|they|them|he|she|him"
_OWNING = r"its|their|his|hers|theirs|it['’]s(?= \w+ \w+)"
_PEOPLE = ("he", "she", "him", "her", "his", "hers")
_DEICTIC = (
    r"documents?|files?|projects?|apps?|applications?|pages?|sites?|websites?|tools?|handbooks?|manuals?|system|software"
    r"|chat|conversation|year|month|week|morning|evening|time|way|pdf|program|text|folder|repository|repo|product"
)
_PRONOUN = re.compile(
    rf"\b(?:(?P<personal>{_PERSONAL})|(?P<owning>{_OWNING}|her(?= \w)))\b"
    rf"|\b(?P<pointing>(?:this|these|those)\b(?! (?:{_DEICTIC})\b)|(?<=of |or |to |do |by |is |an |in |at |on )that\b(?= \W*$|\W*$)"
    rf"|^(?:is|was|does|did|can|will|would|could|should|has|isn['’]t|doesn['’]t) that\b(?! (?:{_DEICTIC})\b)|^that\b"
    r"|\b(?:does|did|is|was|can|will|would|do) that\b(?= \w+\W*$)|\b(?:get|go|live|stay|eat|do) (?:there|that|this)\b|\bthat one\b|\bthe same\b(?! (?:time|way|name|day|as)\b)|\bthe (?:other|second|third|last|previous|former|latter) ones?\b"
    r"|\bthe (?:others|latter|former|two|above)\b|\b(?:there|then)\W*$|\bones\b|\bwhich one\b|\b(?:an)?other one\b)",
    re.IGNORECASE,
)
_EMPTY_IT = re.compile(  # an `it` that stands for nothing
    r"\bit (?:safe|possible|okay|ok|allowed|legal|true|necessary|worth|better|best|bad|good|normal|hard|easy|important|take"
    r"|mean|rain\w*|make sense|cost)\b.{0,40}?\b(?:to|that|\w+ing)\b|\bwhat (?:time|day) is it\b|\bmake it\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r",|;|\b(?:if|when|because|after|before|and|while|that|which|once|since|unless|but)\b", re.IGNORECASE)
_BARE = re.compile(r"\bthe (?:first|oldest|youngest|largest|biggest|smallest|newest|latest|best|worst|cheapest|fastest|main|most \w+"
                   r"|\w{2,}est)(?: (?:female|male|one|ones))?(?:\W*$| (?:in|on|to|was|is|are|were|invented|and)\b)", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:else|other|another|similar|too|as well|instead|either|also|alternatives?)\b", re.IGNORECASE)
_RELATIONS = (
    r"authors?|symptoms?|causes?|effects?|side effects?|benefits?|advantages?|disadvantages?|drawbacks?|pros and cons|differences?"
    r"|similarities|types?|kinds?|prices?|costs?|fees?|requirements?|results?|findings?|implications?|members?|themes?|characters?"
    r"|history|origins?|meaning|significance|population|capital|layers?|risks?|exceptions?|limits?|limitations?|steps?|deadlines?"
    r"|conditions?|penalt(?:y|ies)|consequences?|treatments?|sources?|ingredients?|features?|examples?|parts?|reasons?|uses?"
    r"|dimensions?|warranty|size|weight|height|length|age|date|address|name|title|colou?rs?|alternatives?|competitors?|goals?"
    r"|main \w+|key \w+|important \w+"
)
_RELATION = re.compile(
    rf"(?:what|who|which|where|how (?:much|long|high|large|big))(?: (?:is|are|was|were|about)|['’]s) (?:the |some |any )?"
    rf"(?:(?:main|key|most|common|possible|typical|other|usual|short|long|long-term|important|good|best|total|exact|current|average)"
    rf"[ ,-](?:and )?)*(?:{_RELATIONS})(?: and (?:{_RELATIONS}|why|when|how))?\W*$"
    rf"|(?:are|is|were) there (?:any |an? |some )?(?:\w+ ){{0,2}}\w+\W*$|(?:does|do) (?:any|anyone) \w+\W*$"
    rf"|how many (?:types|kinds|parts|members|steps|layers|people) (?:are|were) there\W*$",
    re.IGNORECASE,
)
_KIND = re.compile(r"(?:what|which) (?:kind|type|sort)s?\b(?! of)", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"(?:(?:what|who|where)(?:['’]s| (?:is|are|was|were))|tell (?:me )?(?:more )?about|describe|explain)"
    r" (?:the )?[\w-]+\W*$",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"(?:how|when|where|why|what|which|who)?\b(?: (?:much|many|long|often))?\b.{0,24}?\b(?:do|does|did|can|could|will|would|should|has"
    r"|have|had|must|may)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r".*?\b(?:do|can|could|should|may|must|would|did|will|to) (?:i|we|you) \w+", re.IGNORECASE)
_SIDE_OF = re.compile(r"(?:what|who)(?:['’]s| (?:is|are|was|were)) (?:the )?\w+ of ", re.IGNORECASE)
_HOW_ADJECTIVE = re.compile(r"^how \w+(?= (?:is|are|was|were)\b)", re.IGNORECASE)

_WORD = re.compile(r"[\w'’.-]*\w")
_SMALL = frozenset(
    ["a", "an", "the", "of", "for", "in", "on", "at", "to", "from", "by", "with", "about", "into", "over", "under", "between", "and", "or", "but", "not", "no", "is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "have", "has", "had", "can", "could", "will", "would", "shall", "should", "may", "might", "must", "i", "you", "we", "he", "she", "it", "they", "me", "us", "him", "her", "them", "my", "your", "our", "his", "its", "their", "this", "that", "these", "those", "there", "here", "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "much", "many", "more", "most", "some", "any", "all", "each", "every", "other", "another", "such", "than", "then", "so", "too", "also", "very", "just", "only", "really", "please", "tell", "explain", "describe", "give", "list", "show", "find", "say", "said", "let", "make", "made", "get", "got", "go", "come", "need", "want", "know", "mean", "means", "called", "used", "use", "work", "works", "happen", "happens", "happened", "if", "as", "because", "while", "during", "after", "before", "since", "until", "up", "down", "out", "off", "again", "still", "one", "ones", "good", "bad", "best", "better", "main", "key", "important", "popular", "common", "interesting", "exist", "exists", "old", "long", "often", "far", "big", "relate", "related", "cost", "costs", "think", "like", "live", "lives", "start", "started", "found", "formed", "created", "treated", "compare", "differ", "does", "don't", "isn't", "what's", "who's", "how's", "where's", "it's", "i'm", "i've", "hi", "hello", "hey", "thanks", "thank", "ok", "okay", "first", "originally", "actually", "currently", "today", "now", "people", "someone", "things", "thing", "stuff", "way", "ways", "difference", "differences", "relationship", "history", "meaning", "definition", "purpose", "role", "significance", "tell", "number", "amount", "name", "effect", "effects", "impact", "impacts", "types", "kinds", "sort", "sorts", "help", "helps", "increase", "reduce", "cause", "causes", "caused", "affect", "affects", "affected", "improve", "improves", "argument", "general", "generally", "need", "share", "same", "summarise", "summarize", "summary", "overview", "briefly", "short", "main", "point", "points"]
)


def kind(question: str) -> Kind:
    """How the question leans on what came before."""
    asked = question.strip()
    words = asked.split()
    if _FRAGMENT.match(asked) and len(words) <= 9:
        return Kind.FRAGMENT
    if _points_back(asked):
        return Kind.PRONOUN
    if len(words) <= 10 and (_RELATION.match(asked) or _OTHER.search(asked) or _BARE.search(asked) or _KIND.match(asked)):
        return Kind.RELATION
    return Kind.NONE


def topic(question: str) -> str:
    """The noun phrase that the question is most likely about: a name if there is one, else the first phrase."""
    inverted = _INVERTED.match(question)
    asked = _SIDE_OF.sub("", _FIRST_PERSON.sub("", _HOW_ADJECTIVE.sub("", question)))
    behind = _phrases(asked[inverted.end() :]) if inverted and asked == question else []
    phrases = behind or _phrases(asked) or _phrases(question)
    if named := [phrase for phrase in phrases if any(map(_is_name, phrase))]:
        phrase = max(named, key=len)
        last = max(place for place, word in enumerate(phrase) if _is_name(word))
        return " ".join(phrase[: last + 1] if inverted else phrase[:5])
    nouns = [phrase for phrase in phrases if len(phrase) > 1 or not phrase[0].endswith(("ing", "ed"))] or phrases
    return " ".join(nouns[0][: 2 if inverted else 5]) if nouns else ""


def name(question: str) -> str:
    """The longest name in it: who "he" or "she" is."""
    runs = [[word for word in phrase if _is_name(word)] for phrase in _phrases(question)]
    return " ".join(max(runs, key=len, default=[]))


def introduces(question: str, topic: str) -> bool:
    """Whether the conversation is about this from now on: not when it is a mere "the city"."""
    if " " in topic or topic[:1].isupper() or " the " not in question.lower():
        return True
    return bool(_INTRODUCED.match(question) and question.rstrip("?.! ").endswith(topic))


def _is_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def join(question: str, kind: Kind, topic: str, name: str, before: str) -> str:
    """The question with its topic, or a fragment behind the question that it goes on from."""
    asked = question.strip().rstrip("?.! ")
    if kind is Kind.FRAGMENT:
        rest = asked[_LEAD.match(asked).end() :] if _LEAD.match(asked) else asked  # type: ignore[union-attr]
        return f"{before.rstrip('?.! ')}, {rest or asked}?"
    if kind is Kind.PRONOUN:
        pronoun = _replaceable(asked)
        if not pronoun:
            return f"{before.rstrip('?.! ')}: {asked}?"
        topic = name if name and pronoun[0].lower() in _PEOPLE else topic
        owned = topic + ("'" if topic.endswith("s") else "'s")
        return asked[: pronoun.start()] + (owned if pronoun["owning"] else topic) + asked[pronoun.end() :] + "?"
    return f"{asked} ({topic})?"


def _replaceable(asked: str) -> "re.Match[str] | None":
    return next((found for found in _PRONOUN.finditer(asked) if not found["pointing"]), None)


def _points_back(asked: str) -> bool:
    plain = _EMPTY_IT.sub(" ", asked)
    return any(not _has_antecedent(plain[: found.start()], found) for found in _PRONOUN.finditer(plain))


def _has_antecedent(before: str, found: "re.Match[str]") -> bool:
    """Whether the question itself names what the pronoun stands for."""
    if found["pointing"]:
        return False
    nouns = [word for word in _WORD.findall(before) if word.lower() not in _SMALL]
    return bool(nouns) and (bool(found["owning"]) or (bool(_CLAUSE.search(before)) and len(nouns) > 1))


def _phrases(question: str) -> list[list[str]]:
    """Runs of words that are neither small nor separated by marks."""
    words = [(word, word.lower().rstrip("'’s") not in _SMALL and word.lower() not in _SMALL)
             for word in re.findall(r"[\w'’.-]*\w|[,;:()?!]", question)]
    runs = [[word for word, _ in run] for big, run in groupby(words, key=lambda each: each[1] and each[0][0].isalnum()) if big]
    return [run for run in runs if run]
