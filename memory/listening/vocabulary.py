"""Word lists: verb forms from their tables, words with a separable prefix, and patterns for many words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_LEAST = 4  # letters of a verb form that takes a prefix


class Prefixed(frozenset[str]):
    """Words, and those of `bases` with a prefix before them: "ruft" makes "anruft", "zurückruft".

    Only `in` knows the compounds; walking through the set gives the plain words.
    """

    prefixes: tuple[str, ...]
    bases: frozenset[str]

    def __new__(
        cls, words: Iterable[str], prefixes: tuple[str, ...] = (), bases: frozenset[str] | None = None
    ) -> Prefixed:
        """All words are bases when none are given."""
        made = super().__new__(cls, words)
        made.prefixes = prefixes
        made.bases = made if bases is None else bases
        return made

    def __contains__(self, word: object) -> bool:
        if super().__contains__(word):
            return True
        if not self.prefixes or not isinstance(word, str) or not word.startswith(self.prefixes):
            return False
        rests = (word.removeprefix(prefix) for prefix in self.prefixes if word.startswith(prefix))
        return any(len(rest) >= _LEAST and frozenset.__contains__(self.bases, rest) for rest in rests)


def any_of(words: Iterable[str]) -> str:
    """A pattern part that matches any of the words, longest first; nothing when there is none.

    Words that begin alike share their beginning, so that thousands of them cost no more than a few.
    """
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _branch(tree) if tree else "(?!)"


def _branch(node: Mapping[str, Any]) -> str:
    parts = []
    for char in sorted(node):
        if not char:
            continue
        text, below = re.escape(char), node[char]
        while len(below) == 1 and "" not in below:  # a run of letters without a fork
            (step,) = below
            text, below = text + re.escape(step), below[step]
        parts.append(text if set(below) == {""} else text + _branch(below))
    body = parts[0] if len(parts) == 1 else "|".join(parts)
    if "" in node:
        return f"(?:{body})?" if parts else ""
    return f"(?:{body})"


def verb_forms(data: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """All finite forms, those of the first person, and those of the past."""
    finite = set(data.get("finite", "").split())
    first = set(data.get("first", "").split())
    past = set(data.get("past", "").split())
    for group in data.get("classes", ()):
        cut = group.get("cut", "")
        for word in group["words"].split():
            stem = word.removesuffix(cut) if cut else word
            first.update(stem + ending for ending in group.get("first", "").split("|") if group.get("first"))
            finite.update(stem + ending for ending in group.get("other", "").split("|"))
            if group.get("short") and stem[-2:] in ("el", "er"):
                finite.add(f"{stem[:-2]}{stem[-1]}e")  # "ich sammle", "ich wandre"
            past.update(stem + ending for ending in group.get("past", "").split("|") if group.get("past"))
    for principal in data.get("strong", "").split():
        finite |= _strong(*principal.split(":"))
    return frozenset(finite | first | past), frozenset(first), frozenset(past)


def _strong(infinitive: str, third: str, past: str) -> set[str]:
    """Forms of a verb that changes its vowel: "fahren:fahrt:fuhr" (infinitive, he, he did)."""
    stem = infinitive.removesuffix("en")
    second = third.removesuffix("t")
    you = second + ("t" if second.endswith(("s", "z", "x")) else "st")
    weak = past.endswith("te")
    many = past + ("n" if weak else "en")
    return {infinitive, stem, stem + "e", stem + "t", third, you, past, many, past + "st"}
