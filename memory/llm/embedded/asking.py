"""The question in a message, and the sides from which memory is searched for it."""

from __future__ import annotations

from typing import Any

from memory.language import surface_terms, terms
from memory.llm.embedded.matching import Asked, asked
from memory.llm.embedded.scene import Scene

_FEW_WORDS = 4  # a question with fewer content words leans on what was said before


def question(scene: Scene) -> Asked:
    """The message's question, taken apart."""
    heard = scene.heard.question
    names, relations = (heard.names, heard.relations) if heard else ((), ())
    before = scene.said_before if is_elliptic(scene) else ""
    return asked(scene.said, names, relations, before=before, known=scene.phrases)


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
