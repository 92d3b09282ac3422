"""A memory in doubt: said with its date and put to the person, and what the person says to it."""

from __future__ import annotations

from collections.abc import Sequence

from memory.llm.embedded import stating
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Json, Scene

ASK = "still_right"


def question(scene: Scene, card: Json) -> str:
    """The question that goes with a doubted card: from when it is, and whether it still holds."""
    return scene.say("ask.still_right", date=stating.learned(scene, card))


def asking_back(cards: Sequence[Json]) -> Sequence[Wanted]:
    """The call by which the answer to the question about the first of these cards is understood later."""
    return [Wanted("ask_back", {"ask": ASK, "data": {"card": str(card.get("id"))}}) for card in cards[:1]]


def _wanted(scene: Scene) -> bool:
    return scene.pending[0] == ASK and scene.heard.yes_no is not None


def _text(scene: Scene) -> str:
    if scene.heard.candidates:
        return ""  # "no, it is line 14 now": what is told now is answered as such
    return scene.say("ask.right_yes" if scene.heard.yes_no else "ask.right_no")


# What follows the yes or no, a new fact for one, is for the parts after it.
DOUBT = Part(name="doubt", wanted=_wanted, text=_text)
