"""The question in a message, and the sides from which memory is searched for it."""

from __future__ import annotations

from typing import Any

from memory.language import fold, stop_words, surface_terms, terms
from memory.language import words as split_words
from memory.llm.embedded.evidence import Asked
from memory.llm.embedded.matching import asked
from memory.llm.embedded.scene import Scene, name_of

_FEW_WORDS = 4  # a question with fewer content words leans on what was said before


def question(scene: Scene) -> Asked:
    """The message's question, taken apart."""
    heard = scene.heard.question
    relations = heard.relations if heard else ()
    before = scene.said_before if is_elliptic(scene) else ""
    return asked(scene.said, names(scene), relations, before=before, known=scene.phrases)


def names(scene: Scene) -> tuple[str, ...]:
    """Whom the question names, in full where the message does.

    Known people, and those on the cards that were found, are recognised in any spelling.
    """
    heard = scene.heard.question
    if heard and heard.names:
        return tuple(dict.fromkeys(_in_full(scene, name) for name in heard.names))
    words = set(split_words(scene.folded)) - stop_words(scene.language)
    known = [name for name, _ in scene.request.known_people]
    known += [name_of(card) for card in scene.found if card.get("category") == "person"]
    return tuple(dict.fromkeys(name for name in known if set(fold(name).split()[:1]) & words))


def _in_full(scene: Scene, name: str) -> str:
    """A name as the known person who is named in full in the message: of two Annas, "Anna Voss" is one."""
    own = set(fold(name).split())
    known = [known for known, _ in scene.request.known_people if fold(known) in scene.folded]
    known += [name_of(card) for card in scene.found if fold(name_of(card)) in scene.folded]
    return next((each for each in known if own < set(fold(each).split())), name)


def is_elliptic(scene: Scene) -> bool:
    """Whether the question cannot be understood without the message before ("and the one for the safe?")."""
    return bool(scene.said_before) and len(set(terms(scene.said, scene.language))) < _FEW_WORDS


def angles(scene: Scene) -> list[dict[str, Any]]:
    """Two or three sides from which memory is searched."""
    heard = scene.heard.question
    topic = " ".join(surface_terms(scene.said, scene.language)) or scene.said
    sides: list[dict[str, Any]] = [{"kind": "meaning", "query": scene.said}]
    if heard and (heard.names or heard.relations):
        sides.insert(0, {"kind": "person", "query": topic, "names": [*heard.names, *heard.relations]})
    if is_elliptic(scene):
        sides.append({"kind": "meaning", "query": f"{scene.said_before} {scene.said}"})
    else:
        sides.append({"kind": "theme", "query": topic})
    return sides
