"""A person's own words, said back to them.

"my sister works in Leeds" becomes "Your sister works in Leeds." where the
language's tables can turn it safely; anything else is quoted, so that no
statement is ever bent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.language import fold, relation_words
from memory.listening.lexicon import lexicon
from memory.llm.embedded.phrases import Phrases, Voice

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*['’]?")
_QUOTE = re.compile(r"[«»“”„\"‹›]")
_END = re.compile(r"[\s.,;:!…]+$")


@dataclass
class _Word:
    """One word of a text, what stands before it, and what it becomes."""

    text: str
    folded: str
    before: str
    new: str = ""
    is_pronoun: bool = False


def clause(text: str) -> str:
    """A text without its closing punctuation, to stand inside a sentence."""
    return _END.sub("", text.strip())


def sentence(text: str) -> str:
    """A text with a capital first letter and a closing mark."""
    body = _END.sub("", text.strip()) if not text.strip().endswith(("!", "?", "…")) else text.strip()
    if not body:
        return ""
    start = body[0].upper() + body[1:]
    return start if start.endswith(("!", "?", "…", ".")) else start + "."


def turned(text: str, known: Phrases) -> str | None:
    """The text with "I" and "my" turned to "you" and "your"; None where that is not safe.

    >>> from memory.llm.embedded.phrases import phrases
    >>> turned("I keep my keys in the blue tin", phrases("en"))
    'You keep your keys in the blue tin'
    """
    voice = known.voice
    words, tail = _words(text)
    if _QUOTE.search(text):
        return None  # the "I" in a quotation is somebody else
    if not words or any(word.folded in voice.first for word in words):
        return None
    words = [part for word in words for part in _elided(word, voice)]
    _swap(words, voice)
    for at, word in enumerate(words):
        if word.is_pronoun and not _turn_verb(words, at, voice):
            return None
    result = "".join(word.before + word.new for word in words) + tail
    return result[:1].upper() + result[1:] if text[:1].isupper() else result


def own_subject(text: str, known: Phrases, *, names: tuple[str, ...] = ()) -> bool:
    """Whether a statement names what it is about, so that it can be said without a lead."""
    words, _ = _words(text)
    if len(words) < 2:
        return False
    first = words[0].folded
    tables = lexicon(known.language)
    if first in known.voice.subjects or any(first in fold(name).split() for name in names):
        return True
    if first.rstrip("'") != first or first in tables.verbs:
        return False
    return any(word.folded in tables.verbs for word in words[1:])


def said_back(text: str, known: Phrases, *, names: tuple[str, ...] = ()) -> str | None:
    """A stored statement as a sentence to the person, or None when it must be quoted."""
    if not own_subject(text, known, names=names):
        return None
    back = turned(text, known)
    return sentence(back) if back is not None else None


def subject_asked(question: str, known: Phrases) -> str:
    """The person asked about, as the answer's subject: "my wife" gives "Your wife"; "" when there is none."""
    voice = known.voice
    relations = relation_words(known.language)
    words, _ = _words(question)
    for at, word in enumerate(words):
        if word.folded not in voice.possessives or word.folded not in voice.swap:
            continue
        for length in (1, 2, 3):
            following = [_bare(each, voice) for each in words[at + 1 : at + 1 + length]]
            if len(following) < length or fold(" ".join(following)) not in relations:
                continue
            parts = [voice.swap[word.folded], *following]
            if at and words[at - 1].folded in voice.articles:
                parts.insert(0, words[at - 1].text)
            phrase = " ".join(parts)
            return phrase[0].upper() + phrase[1:]
    return ""


def _bare(word: _Word, voice: Voice) -> str:
    """A word without the ending that makes it an owner: "wife's" is "wife"."""
    has_ending = bool(voice.genitive) and word.folded.endswith(voice.genitive)
    return word.text[: -len(voice.genitive)] if has_ending else word.text


def _words(text: str) -> tuple[list[_Word], str]:
    words: list[_Word] = []
    end = 0
    for match in _WORD.finditer(text):
        words.append(_Word(match.group(), fold(match.group()), text[end : match.start()], match.group()))
        end = match.end()
    return words, text[end:]


def _swap(words: list[_Word], voice: Voice) -> None:
    at = 0
    while at < len(words):
        word = words[at]
        pair = f"{word.folded} {words[at + 1].folded}" if at + 1 < len(words) else ""
        if pair in voice.swap:
            word.new, words[at + 1].new, words[at + 1].before = voice.swap[pair], "", ""
            at += 2
            continue
        if word.folded in voice.swap:
            word.new = voice.swap[word.folded]
            word.is_pronoun = word.folded in voice.pronouns
        at += 1


def _elided(word: _Word, voice: Voice) -> list[_Word]:
    """A word and the short ones written together with it before it: French j'habite, n'ai, m'appelle."""
    start, mark, rest = word.folded.partition("'")
    start += mark
    if not (mark and rest and (start in voice.swap or start in voice.skipped)):
        return [word]
    cut = len(start)
    first = _Word(word.text[:cut], start, word.before, word.text[:cut])
    follower = _Word(word.text[cut:], rest, "", word.text[cut:])
    return [first, *_elided(follower, voice)]


def _turn_verb(words: list[_Word], at: int, voice: Voice) -> bool:
    """Turn the verb that belongs to the pronoun at `at`: the next word, else the one before."""
    after = at + 1
    while after < len(words) and words[after].folded in voice.skipped:
        after += 1
    places = [place for place in (after, at - 1) if 0 <= place < len(words)]
    for place in places:
        if words[place].folded in voice.verbs:
            words[place].new = voice.verbs[words[place].folded]
            return True
    for place in places:
        if new := _by_ending(words[place], voice, first=place == 0):
            words[place].new = new
            return True
    return False


def _by_ending(word: _Word, voice: Voice, *, first: bool) -> str:
    """The second person of a verb that no table has; no noun or name (a capital), no code."""
    if (word.text[:1].isupper() and not first) or any(letter.isdigit() for letter in word.text):
        return ""
    for old, new in voice.endings:
        if word.folded.endswith(old) and len(word.folded) > len(old) + 1:
            return word.text[: len(word.text) - len(old)] + new
    return ""
