"""The words of /latency, English and Chinese; `web.words` merges them into its tables."""

from web.words_latency import en, zh

EN, ZH = en.WORDS, zh.WORDS
MEASURES = {"en": en.MEASURES, "zh": zh.MEASURES}


def name_of(measure: str, language: str) -> str:
    """What a measure or stage is called; one that this table does not know is called by its own name."""
    return MEASURES[language].get(measure, (measure, ""))[0]
