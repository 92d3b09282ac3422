"""One of several that the assistant had offered: by its words, its day, its number, or its place."""

from __future__ import annotations

import re

from memory.language import find_times, fold, numbers, surface_terms, terms, words
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.valuing import (
    FEW,
    MOMENTS,
    STREET,
    choice_of,
    content,
    cue,
    keys,
    named_keys,
)

_BACK = 7  # messages in which what is offered may have been named
_PARTS = re.compile(r",\s+|;\s+|\s(?:or|oder|ou|o|u)\s")


def picked(scene: Scene) -> tuple[Json, str] | None:
    """The key that a choice is about, with the chosen value; None when nothing was offered or chosen."""
    options = _offered(scene)
    if len(set(surface_terms(scene.said, scene.language))) > FEW:
        return None
    option = (
        _by_words(scene, options)
        or _by_value(scene, options, moments=True)
        or _by_place(scene, options)
        or _by_value(scene, options, moments=False)
    )
    if not option:
        return None
    return _with_key(scene, option)


def lists_options(sentence: str) -> bool:
    """Whether a sentence names several things to choose from."""
    return ": " in sentence or len(_PARTS.split(sentence)) > 1


def _offered(scene: Scene) -> list[str]:
    """What the last answer put up for choice; nothing when it put nothing up."""
    if not scene.answered_before or scene.pending[0]:
        return []
    last = scene.answered_before
    if "?" not in last or not cue(scene, "or", fold(last)):
        return []
    sentences = re.split(r"(?<=[.!?])\s+", last)
    asks = next((at for at, each in enumerate(sentences) if "?" in each or ":" in each), 0)
    # "Thursday or Friday. Which suits you?" offers before it asks.
    listing = [each for each in reversed(sentences[: asks + 1]) if lists_options(each)]
    listed = listing[0] if listing else sentences[asks]
    listed = listed.partition(": ")[2] or listed
    return [part.strip(" .?!¿¡") for part in _PARTS.split(listed) if part.strip(" .?!¿¡")]


def _by_words(scene: Scene, options: list[str]) -> str:
    wanted = set(surface_terms(scene.said, scene.language))
    fitting = [each for each in options if wanted & set(surface_terms(each, scene.language))]
    return fitting[0] if len(fitting) == 1 else ""


def _by_value(scene: Scene, options: list[str], *, moments: bool) -> str:
    """By its day or hour, or by its number."""
    values = _moments if moments else _counts
    said = values(scene, scene.said)
    fitting = [each for each in options if said and said <= values(scene, each)]
    return fitting[0] if len(fitting) == 1 else ""


def _moments(scene: Scene, text: str) -> set[str]:
    found = find_times(text, language=scene.language, now=scene.now)
    days = {each.date.isoformat() for each in found if each.has_date and each.date}
    return days or {f"{each.time:%H:%M}" for each in found if each.time is not None}


def _counts(scene: Scene, text: str) -> set[str]:
    return {str(each.value) for each in numbers.find(text, scene.language) if not each.ordinal}


def _by_place(scene: Scene, options: list[str]) -> str:
    """ "The second one, please." """
    told = set(words(scene.folded))
    voice = scene.phrases.voice
    if len(options) < 2 or scene.heard.question is not None:
        return ""
    found = [at for at, names in enumerate(voice.ordinals) if told & {each.split()[0] for each in names}]
    if not found:
        found = [
            each.value - 1
            for each in numbers.find(scene.said, scene.language)
            if each.ordinal and each.value > 0
        ]
    if not found and told & voice.last:
        found = [len(options) - 1]
    return options[found[0]] if len(found) == 1 and found[0] < len(options) else ""


def _with_key(scene: Scene, option: str) -> tuple[Json, str] | None:
    if STREET.search(option) and not find_times(option, language=scene.language, now=scene.now):
        return _first([key for key in keys(scene) if key["type"] == "address"], option)
    before = [each.text for each in scene.request.messages[-_BACK:-1] if each.text]
    spoken = [key for text in reversed(before) for key in named_keys(scene, text)]
    spoken += [key for text in reversed(before) for key in _akin(scene, text)]
    for key in keys(scene):
        if key["type"] in ("choice", "language") and (choice := choice_of(key, fold(option))):
            return key, choice
    if find_times(option, language=scene.language, now=scene.now):
        return _first([key for key in spoken if key["type"] in MOMENTS], option)
    if numbers.find(option, scene.language):
        return _first([key for key in spoken if key["type"] in ("integer", "money")], option)
    value = " ".join(word for word in content(scene) if fold(word) in fold(option))
    if not value:  # by its place: without the article
        wanted = surface_terms(option, scene.language)
        value = " ".join(word for word in re.findall(r"[\w'’-]+", option) if fold(word) in wanted)
    variant = [key for key in keys(scene) if key["name"] == "variant"]
    return _first([*(key for key in spoken if key["type"] == "text"), *variant], value)


def _akin(scene: Scene, text: str) -> list[Json]:
    """Keys of whose words a text holds another form: "entregam"."""
    stems = set(terms(text, scene.language))
    return [
        key
        for key in keys(scene)
        if stems & {stem for word in key["words"] for stem in terms(word, scene.language)}
    ]


def _first(found: list[Json], value: str) -> tuple[Json, str] | None:
    return (found[0], value) if found and value else None
