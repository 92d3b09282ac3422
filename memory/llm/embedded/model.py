"""The built-in model: a deterministic engine that needs no key and no network, and invents nothing.

One turn takes up to three calls: what the message alone asks for, what depends
on the results of that, and the words. Which of them is due is read from the
request, so the model keeps no state and may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.llm.embedded import (
    changing,
    chat,
    deciding,
    doubting,
    forgetting,
    knowing,
    recalling,
    requests,
    talks,
    telling,
    todo,
)
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Embeds, Scene, read
from memory.llm.interface import Finished, ModelEvent, ModelRequest, TextDelta, ToolCall

# In this order a message is looked at; parts that are wanted together answer together.
PARTS: tuple[Part, ...] = (
    chat.HUMAN,
    chat.SPEAKER,
    chat.RULE,
    *deciding.ALL,
    todo.PENDING,
    todo.WAITING,
    todo.PROPOSAL,
    doubting.DOUBT_ONLY,
    doubting.DOUBT,
    doubting.TOLD_RIGHT,
    doubting.WRONG,
    forgetting.FORGETTING,
    changing.CHANGE,
    telling.PERSON_UNCLEAR,
    telling.TELLING,
    talks.LAST_TALK,
    knowing.KNOWING,
    recalling.KEPT,
    requests.REQUEST,
    recalling.QUESTION,
    chat.SMALL_TALK,
)
FIRST, SECOND = "a", "b"  # beginnings of call ids: which stage a call belongs to


class EmbeddedModel:
    """The model that answers when none is configured."""

    def __init__(self, embedder: Embeds) -> None:
        self._embedder = embedder

    @property
    def label(self) -> str:
        """Short name for the trace and the page."""
        return "embedded"

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Tool calls while there are some to make, then the answer."""
        scene = read(request, self._embedder)
        parts = wanted(scene)
        calls = _due(scene, parts, {tool.name for tool in request.tools})
        if calls:
            yield from calls
        else:
            for piece in _pieces(answer(scene, parts)):
                yield TextDelta(text=piece)
        yield Finished()


def wanted(scene: Scene) -> tuple[Part, ...]:
    """The parts that this message asks for."""
    chosen: list[Part] = []
    for part in PARTS:
        if part is chat.SMALL_TALK and set(chosen) - {todo.WAITING}:
            continue  # small talk only where there is nothing else to say
        if part is telling.TELLING and deciding.RECORDING_BESIDE in chosen:
            continue  # what it tells is what it decides
        if part.wanted(scene):
            chosen.append(part)
            if part.takes_all:
                break
    return tuple(chosen)


def answer(scene: Scene, parts: Sequence[Part]) -> str:
    """What to say once all calls are back; never empty."""
    said = [text for part in parts if (text := part.text(scene).strip())]
    if scene.doubted:
        said.append(doubting.question(scene, scene.doubted[0]))
    text = " ".join(dict.fromkeys(said)) or scene.say("chat.any")
    # The short ids of what the answer rests on; a check of the gate takes them out of what is shown.
    return f"{text} [{', '.join(scene.cited)}]" if scene.cited else text


def _due(scene: Scene, parts: Sequence[Part], tools: set[str]) -> list[ToolCall]:
    if not scene.done:
        calls = _numbered(FIRST, [call for part in parts for call in part.first(scene)], tools)
        if calls:
            return calls
    if not scene.reached(SECOND):
        second = [call for part in parts for call in part.second(scene)]
        return _numbered(SECOND, [*second, *_asking_back(scene, parts)], tools)
    return []


def _asking_back(scene: Scene, parts: Sequence[Part]) -> Sequence[Wanted]:
    """The call by which a yes or no to "still right?" is understood later, when the answer will ask that."""
    if not any(card.get("suspect") for card in scene.found):
        return ()
    answer(scene, parts)  # what it rests on shows only when it is put into words
    return doubting.asking_back(scene, scene.doubted)


def _numbered(stage: str, calls: Sequence[Wanted], tools: set[str]) -> list[ToolCall]:
    """Calls with ids that are the same each time the same turn is looked at. Unoffered tools are left out."""
    return [
        ToolCall(call_id=f"{stage}{number}", name=call.name, arguments=call.arguments)
        for number, call in enumerate(calls, start=1)
        if not tools or call.name in tools
    ]


def _pieces(text: str) -> Iterator[str]:
    """Words with the blanks after them, as a model streams them."""
    start = 0
    for at in range(1, len(text)):
        if text[at - 1].isspace() and not text[at].isspace():
            yield text[start:at]
            start = at
    if text:
        yield text[start:]
