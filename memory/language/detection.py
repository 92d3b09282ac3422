"""Which language a text is in."""

from __future__ import annotations

import math
import threading
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from memory.config import LANGUAGES
from memory.language.folding import fold
from memory.language.tables import tables
from memory.language.tokens import words

# How much the hinted language is preferred, in nats, over a text of no length; fades as the text grows.
HINT_WEIGHT = 6.0
HINT_FADES_OVER_CHARS = 40.0
# One common word that only one of the languages has, in nats. The model's own score is damped
# by the length (its letter groups overlap, so it counts the same evidence several times).
WORD_WEIGHT = 1.5

_lock = threading.Lock()


@cache
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)
    identifier.set_languages(list(LANGUAGES))
    return identifier


@cache
def _owners_of_words() -> dict[str, frozenset[str]]:
    """Common word -> languages that have it."""
    owners: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for word in _common_words(language):
            owners.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in owners.items()}


def _common_words(language: str) -> set[str]:
    """Folded words of everyday talk: function words, numbers, times, and what people are to each other."""
    known = tables(language)
    found = words(fold(f"{known['words']['stop']} {known['words']['question']}"))
    for group in ("ones", "teens", "tens"):
        found += [part for word in known["numbers"][group] for part in words(fold(word))]
    for forms in known["relations"].values():
        found += [part for form in forms for part in words(fold(form))]
    for table in known["times"]["words"].values():
        groups = table if isinstance(table, list) else table.values()
        found += [part for forms in groups for form in forms for part in words(fold(form))]
    return {word for word in found if not word.isdigit()}


def detect(text: str, *, hint: str) -> str:
    """The language of `text`, one of config.LANGUAGES.

    Letter groups (py3langid, restricted to our languages) and common words are
    weighed together; `hint` (what the conversation has been in) decides short
    and unclear texts.
    """
    scores = dict.fromkeys(LANGUAGES, 0.0)
    letters = sum(char.isalpha() for char in text)
    if letters >= 3:
        with _lock:  # its walk is pure, but its first call builds it
            identifier = _identifier()
        ranked = identifier.rank(text)
        damping = 1.0 / math.sqrt(max(len(text.encode()), 1))
        for language, score in ranked:
            scores[language] += score * damping
    known = _owners_of_words()
    for word in words(fold(text)):
        languages = known.get(word, frozenset())
        for language in languages:
            scores[language] += WORD_WEIGHT / len(languages)
    if hint in scores:
        scores[hint] += HINT_WEIGHT * math.exp(-letters / HINT_FADES_OVER_CHARS)
    return max(LANGUAGES, key=lambda language: (scores[language], language == hint))
