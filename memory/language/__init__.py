"""Language: which one, folding, terms, numbers, names, dates and times. Pure, with a data file a language."""

from memory.language import numbers
from memory.language.detection import detect
from memory.language.folding import fold, fold_map
from memory.language.names import (
    NameSpan,
    find_names,
    not_names,
    particles,
    plural_relation_words,
    relation_word,
    relation_words,
    titles,
)
from memory.language.saying import ago, say_date, say_time, say_when
from memory.language.tables import tables
from memory.language.terms import question_words, stop_words, surface_terms, terms
from memory.language.times import (
    Granularity,
    Tense,
    TimeMention,
    find_span,
    find_times,
    from_month,
    locate_span,
    preload,
)
from memory.language.tokens import words
from memory.language.zones import next_occurrence, resolve

__all__ = [
    "Granularity",
    "NameSpan",
    "Tense",
    "TimeMention",
    "ago",
    "detect",
    "find_names",
    "find_span",
    "find_times",
    "fold",
    "fold_map",
    "from_month",
    "locate_span",
    "next_occurrence",
    "not_names",
    "numbers",
    "particles",
    "plural_relation_words",
    "preload",
    "question_words",
    "relation_word",
    "relation_words",
    "resolve",
    "say_date",
    "say_time",
    "say_when",
    "stop_words",
    "surface_terms",
    "tables",
    "terms",
    "titles",
    "words",
]
