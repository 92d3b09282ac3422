"""A question as the ranking sees it: words, names, dates, and the text whose meaning is sought."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.cards.ranking.cues import AskedDates, asked_dates, asking_words, asks_when
from memory.cards.ranking.kin import kin_terms
from memory.config import LANGUAGES
from memory.language import fold, stop_words, terms, words
from memory.llm.embedded.topics import topics


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is sought. Words are given in all forms under which the store may hold them."""

    text: str
    language: str
    words: tuple[str, ...]  # folded, all of them: names are looked up here
    sought: tuple[tuple[str, ...], ...]  # content words, each with its forms: surface and stems
    names: frozenset[str]  # content words that are the same in every language: names, figures
    topics: tuple[frozenset[str], ...]  # what each word speaks of, for each word that has a topic
    kin: tuple[str, ...]  # relations named, as `kin_terms` gives them
    dates: AskedDates
    wants_when: bool

    def without(self, names: Collection[str]) -> tuple[tuple[str, ...], ...]:
        """The content words that are not among these folded words of names."""
        return tuple(forms for forms in self.sought if forms[0] not in names)


def read(text: str, *, language: str, others: Sequence[str] = ()) -> Question:
    """Take a question apart.

    Args:
        language: of the question.
        others: further languages the store holds: their stems are sought too.
    """
    folded = fold(text)
    said = words(folded)
    dropped = stop_words(language) | asking_words(language)
    content = dict.fromkeys(word for word in said if word not in dropped)
    languages = (language, *(each for each in others if each != language))
    return Question(
        text=text,
        language=language,
        words=tuple(said),
        sought=tuple(_forms(word, languages) for word in content),
        names=_names(text),
        topics=_topics(said, language),
        kin=kin_terms(said, language),
        dates=asked_dates(folded, language),
        wants_when=asks_when(folded, language),
    )


def meaning(text: str, *, language: str, names: Collection[str] = ()) -> str:
    """The text whose vector stands for a question: without names and words that only ask.

    Its own wording when nothing else is left. Measured on dialogues: names pull every
    question about a person together, and question words pull towards questions.

    >>> meaning("What does Melanie do to relax at the lake?", language="en", names={"melanie"})
    'to relax at the lake'
    """
    dropped = asking_words(language) | set(names) | {"s"}
    kept = [word for word in text.replace("’", "'").split() if not _is_dropped(word, dropped)]
    return " ".join(kept).strip(" ?¿!¡.,") or text


def _names(text: str) -> frozenset[str]:
    """Folded words with a figure, or with a capital inside the sentence."""
    said = text.split()
    kept = [
        word for at, word in enumerate(said) if any(map(str.isdigit, word)) or (at and word[:1].isupper())
    ]
    return frozenset(words(fold(" ".join(kept))))


def _topics(said: Sequence[str], language: str) -> tuple[frozenset[str], ...]:
    if language not in LANGUAGES:
        return ()
    return tuple(found for word in dict.fromkeys(said) if (found := topics(word, language)))


def _is_dropped(word: str, dropped: Collection[str]) -> bool:
    parts = words(fold(word))
    return bool(parts) and all(part in dropped for part in parts)


def _forms(word: str, languages: Sequence[str]) -> tuple[str, ...]:
    forms = [word]
    for language in languages:
        forms += [stem for stem in terms(word, language) if stem not in forms]
    return tuple(forms)
