"""A memory in doubt: said with its date and put to the person, and what the person says to it.

Two things raise the doubt: how a memory has served (its worth), and the person, who calls
the answer wrong that rested on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.language import fold, terms
from memory.listening import listen
from memory.llm.embedded import asking, matching, stating
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.voice import clause

ASK, RIGHT = "still_right", "what_is_right"  # what the assistant waits for
_ANSWERED = 0.7  # share of a card's words that stand in the answer which rested on it
_LONG = 14  # words: a longer message is about something else
_SHORT = 5  # words of a value
_PRONOUN = 12  # letters: "it's", "das ist", "agora é": what stands before a value that is told alone
_NOW = re.compile(r",?\s*\b(?:now|today|jetzt|nun|agora|maintenant|ahora)\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*(?!\w)")


def question(scene: Scene, card: Json) -> str:
    """The question that goes with a doubted card: from when it is, and whether it still holds."""
    return scene.say("ask.still_right", date=stating.learned(scene, card))


def asking_back(scene: Scene, cards: Sequence[Json]) -> Sequence[Wanted]:
    """The call by which the answer to the question about the first of these cards is understood later."""
    return [_ask(card, scene.said) for card in cards[:1]]


def _ask(card: Json, about: str) -> Wanted:
    return Wanted("ask_back", {"ask": ASK, "data": {"card": str(card.get("id")), "about": about}})


# The person answers "still right?". What follows the yes or no, a new fact for one, is for the parts
# after it.


def _says_yes(scene: Scene) -> bool | None:
    """What the person answers to the question; None when it is no answer. "That was wrong" is a no."""
    if scene.pending[0] != ASK:
        return None
    return False if _calls_wrong(scene) else scene.heard.yes_no


def _wanted(scene: Scene) -> bool:
    return _says_yes(scene) is not None


def _is_all(scene: Scene) -> bool:
    """Whether the message answers the question, and holds nothing else."""
    return _wanted(scene) and not scene.heard.candidates and scene.heard.question is None


def _is_denied(scene: Scene) -> bool:
    return _says_yes(scene) is False and not scene.heard.candidates


def _first(scene: Scene) -> Sequence[Wanted]:
    asked = _asked_then(scene, str(scene.pending[1].get("about") or "")) if _is_denied(scene) else None
    return [searching(asking.angles(asked))] if asked is not None else ()


def _second(scene: Scene) -> Sequence[Wanted]:
    denied = _waited_for(scene)
    if denied is None or not _is_denied(scene):
        return ()
    replaced = _replacing(denied, scene)
    if replaced or _other_answer(scene):
        return replaced
    waited = {key: str(scene.pending[1].get(key) or "") for key in ("card", "about")}
    return [Wanted("ask_back", {"ask": RIGHT, "data": waited})]


def _waited_for(scene: Scene) -> Json | None:
    """The card that the question was about, as the search found it again."""
    return next((card for card in scene.found if card.get("id") == scene.pending[1].get("card")), None)


def _text(scene: Scene) -> str:
    if scene.heard.candidates:
        return ""  # "no, it is line 14 now": what is told now is answered as such
    if any(made.ok for made in scene.results("create_card")):
        return scene.say("react.change")
    if _says_yes(scene):
        return scene.say("ask.right_yes")
    other = _other_answer(scene)
    return f"{scene.say('ask.right_no_but')} {other}" if other else scene.say("ask.right_no")


def _other_answer(scene: Scene) -> str:
    """What else memory has to the question that the denied card had answered, "" when nothing."""
    denied = str(scene.pending[1].get("card") or "")
    asked = _asked_then(scene, str(scene.pending[1].get("about") or ""))
    fits = _answers(asked, scene, without=denied) if asked is not None else ()
    if not fits or fits[0].card.get("suspect"):
        return ""
    return stating.statements(scene, [fits[0].card])


DOUBT = Part(name="doubt", wanted=_wanted, first=_first, second=_second, text=_text)
DOUBT_ONLY = replace(DOUBT, name="doubt only", wanted=_is_all, takes_all=True)


# The person says what is right instead ("the 47", "it's 12 Mill Lane now").


def _tells_what_is_right(scene: Scene) -> bool:
    if scene.pending[0] != RIGHT or scene.heard.question is not None or len(scene.said.split()) > _LONG:
        return False
    return all(_is_bare(candidate.text, scene) for candidate in scene.heard.candidates)


def _right_first(scene: Scene) -> Sequence[Wanted]:
    asked = _asked_then(scene, str(scene.pending[1].get("about") or ""))
    return [searching(asking.angles(asked))] if asked is not None else ()


def _right_second(scene: Scene) -> Sequence[Wanted]:
    denied = _waited_for(scene)
    return _replacing(denied, scene) if denied is not None else ()


TOLD_RIGHT = Part(
    name="told right",
    wanted=_tells_what_is_right,
    first=_right_first,
    second=_right_second,
    text=lambda scene: (
        scene.say("react.change") if any(made.ok for made in scene.results("create_card")) else ""
    ),
)


# The person says that the answer was wrong.


def _is_told_wrong(scene: Scene) -> bool:
    heard = scene.heard
    if _wanted(scene) or "?" in scene.said or not scene.said_before or not scene.answered_before:
        return False
    if any(not _is_bare(candidate.text, scene) for candidate in heard.candidates):
        return False  # what is told in full replaces by itself
    if heard.request is not None and heard.request.verb == "move":
        return False  # "não é no dia doze, é no dia treze": the item is moved
    return _calls_wrong(scene)


def _calls_wrong(scene: Scene) -> bool:
    return len(scene.said.split()) <= _LONG and scene.has("told_wrong")


def _wrong_first(scene: Scene) -> Sequence[Wanted]:
    asked = _asked_then(scene, scene.said_before)
    return [searching(asking.angles(asked))] if asked is not None else ()


def _wrong_second(scene: Scene) -> Sequence[Wanted]:
    blamed = _blamed(scene)
    if blamed is None:
        return ()
    return _replacing(blamed, scene) or [_ask(blamed, scene.said_before)]


def _replacing(old: Json, scene: Scene) -> Sequence[Wanted]:
    """The call that puts the old card right, if the message says plainly how."""
    right = put_right(str(old.get("text") or ""), scene)
    if not right:
        return ()
    kept: dict[str, Any] = {key: old[key] for key in ("subject", "relation", "people") if old.get(key)}
    new = {"category": old["category"], "text": right, "supersedes": old["id"], **kept}
    return [Wanted("create_card", new)]


def _is_bare(text: str, scene: Scene) -> bool:
    """Whether a text is a value without anything that it is the value of ("it's the 47")."""
    if len(scene.heard.candidates) == 1 and _value(scene):
        return True
    return not set(terms(scene.phrases.cues["copula"].sub(" ", fold(text)), scene.language)) - set(
        _NUMBER.findall(text)
    )


def _wrong_text(scene: Scene) -> str:
    if any(made.ok for made in scene.results("create_card")):
        return scene.say("react.change")
    blamed = _blamed(scene)
    if blamed is None or scene.results("create_card"):
        return scene.say("ask.what_is_right")
    what = scene.phrases.quoted(clause(str(blamed.get("text") or "")))
    return f"{scene.say('ask.had_it', what=what)} {question(scene, blamed)}"


WRONG = Part(
    name="told wrong",
    wanted=_is_told_wrong,
    first=_wrong_first,
    second=_wrong_second,
    text=_wrong_text,
    takes_all=True,
)


def _blamed(scene: Scene) -> Json | None:
    """The one card on which the answer before rested; None when that is not plain."""
    asked = _asked_then(scene, scene.said_before)
    answer = set(terms(scene.answered_before, scene.language))
    stated = []
    for fit in _answers(asked, scene) if asked is not None else ():
        own = set(terms(str(fit.card.get("text") or ""), scene.language))
        if own and len(own & answer) >= _ANSWERED * len(own):
            stated.append(fit.card)
    numbered = [card for card in stated if _numbers_of(card) <= set(_NUMBER.findall(scene.answered_before))]
    return numbered[0] if len(numbered) == 1 and numbered[0].get("category") in ("fact", "memo") else None


def _numbers_of(card: Json) -> set[str]:
    return set(_NUMBER.findall(str(card.get("text") or "")))


def put_right(old: str, scene: Scene) -> str:
    """The old words with the new value in place of theirs ("no, it's bus 47 now"); "" when it is not plain.

    A number for a number, where the message says nothing else that the card does not have: "it's 31 Quay
    Street" is no new house number in the old street. Else, where both say what something *is*, what stands
    after that, if it holds a name or a number.
    """
    return _with_number(old, scene) or _with_value(old, scene)


def _with_value(old: str, scene: Scene) -> str:
    there = scene.phrases.cue("copula", fold(old))
    if there is None or len(fold(old)) != len(old):
        return ""
    value = _value(scene)
    return f"{old[: there.end()]} {value}" if value else ""


def _value(scene: Scene) -> str:
    """What stands after "no, it is", if it is short and holds a name or a number; else ""."""
    folded = scene.folded
    start = scene.phrases.cues["told_wrong"].match(folded)
    here = scene.phrases.cue("copula", folded)
    if len(folded) != len(scene.said):
        return ""  # places in the folded text must be those in the text
    if scene.pending[0] == RIGHT and start is None:
        after = here.end() if here is not None and here.end() <= _PRONOUN else 0
    elif start is None or here is None or here.end() > start.end():
        return ""
    else:
        after = here.end()
    value = _NOW.sub("", scene.said[after:].strip(" .!,"))
    words = fold(value).split()
    if not 1 <= len(words) <= _SHORT or set(words) & scene.phrases.voice.negation:
        return ""
    return value if any(word[:1].isupper() or word[:1].isdigit() for word in value.split()) else ""


def _with_number(old: str, scene: Scene) -> str:
    here, there = _NUMBER.findall(scene.said), _NUMBER.findall(old)
    if len(here) != 1 or len(there) != 1 or here == there:
        return ""
    rest = scene.phrases.cues["told_wrong"].sub(" ", scene.folded)
    rest = scene.phrases.cues["no_longer"].sub(" ", rest)
    if set(terms(rest, scene.language)) - {here[0]} - set(terms(old, scene.language)):
        return ""
    return _NUMBER.sub(here[0], old)


def _asked_then(scene: Scene, about: str) -> Scene | None:
    """The scene as it was when `about` was asked; None when it was no question."""
    if not about:
        return None
    heard = listen(about, language=scene.language, now=scene.now, zone=scene.zone)
    then = replace(scene, said=about, said_before="", answered_before="", heard=heard)
    return then if heard.question is not None else None


def _answers(asked: Scene, scene: Scene, *, without: str = "") -> tuple[matching.Fit, ...]:
    cards = [card for card in scene.found if str(card.get("id")) != without]
    return matching.answering(
        asking.question(asked), cards, known=scene.phrases, embedder=scene.embedder, now=scene.now
    )
