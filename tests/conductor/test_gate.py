"""The gate, its splitter and its checks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conductor.announcements import SilentKeeping, announces, asks_if_kept
from memory.conductor.citations import Citations
from memory.conductor.gate import Gate, GateView
from memory.conductor.sentences import split
from memory.records import Card, Category
from tests.fakes import T0

VIEW = GateView(language="en", said="")


def card(text: str, *, visible: bool) -> Card:
    return Card(
        id=1,
        public_id="x",
        person_id=1,
        category=Category.EVENT if visible else Category.FACT,
        text=text,
        visible=visible,
        learned_at=T0,
        mentioned_at=T0,
    )


@given(st.text(alphabet="ab .!?\n3Dr", max_size=60))
def test_splitting_loses_and_adds_nothing(text: str) -> None:
    sentences, rest = split(text)
    assert "".join(sentences) + rest == text


@given(
    st.lists(st.sampled_from(["Hello. ", "On 3. May ", "Dr. Held", "x!\n", " ", "…", "“So.” "]), max_size=8),
    st.integers(1, 7),
)
def test_released_text_does_not_depend_on_the_pieces(parts: list[str], size: int) -> None:
    text = "".join(parts)
    whole, pieces = Gate([], fallback="I see."), Gate([], fallback="I see.")
    one = whole.feed(text, VIEW) + whole.close(VIEW)
    many = "".join(
        pieces.feed(text[at : at + size], VIEW) for at in range(0, len(text), size)
    ) + pieces.close(VIEW)
    assert one == many == whole.released == pieces.released


@pytest.mark.parametrize(
    "sentence",
    [
        "Noted!", "I've noted that.", "Got it, saved.", "I'll remember that Claire is your wife.",
        "That's saved.",
        "I have made a note of it.", "Consider it noted.", "I'll keep that in mind.", "All noted, thanks!",
        "Notiert!", "Das habe ich mir gemerkt.", "Ich merke mir das.", "Ist gespeichert.",
        "Das notiere ich mir.",
        "Anotado!", "Fica anotado.", "Guardei essa informação.", "Vou lembrar-me disso.", "Tomei nota.",
        "C'est noté !", "Je m'en souviendrai.", "J'ai bien enregistré ça.", "Noté.", "Je retiens.",
        "¡Anotado!", "Lo he guardado.", "Queda apuntado.", "Lo tendré en cuenta.", "Tomo nota.",
    ],
)  # fmt: skip
def test_an_announcement_is_recognised(sentence: str) -> None:
    assert announces(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Claire is a lovely name!", "You saved 35 euros.", "Your passport is stored in the green folder.",
        "The note is on the fridge.", "Do you remember the beach?", "You asked me to remind you on Thursday.",
        "Die Notiz liegt im Ordner.", "Hast du dir die Hand verletzt?", "Ich merke, dass du müde bist.",
        "A Claire tem um nome bonito.", "O passaporte está na gaveta verde.", "Guardaste-o na gaveta.",
        "Elle t'a noté 15 sur 20.", "Ta note est de 15.", "Quel beau prénom !",
        "El pasaporte está en el cajón.", "¿Quieres que te lo recuerde a las cinco?",
        "Lo guardas en el cajón.",
    ],
)  # fmt: skip
def test_honest_sentences_pass(sentence: str) -> None:
    assert not announces(sentence)


def test_an_announcement_of_something_silent_is_dropped_and_the_rest_stays() -> None:
    gate = Gate([SilentKeeping()], fallback="I see.")
    view = replace(VIEW, silent=(card("My wife is Claire", visible=False),))
    out = gate.feed("Noted! Claire is a lovely name. How old is she?", view) + gate.close(view)
    assert out == "Claire is a lovely name. How old is she?"
    assert gate.interventions == {"announcement": 1}


def test_an_answer_never_becomes_empty() -> None:
    gate = Gate([SilentKeeping()], fallback="I see.")
    assert gate.feed("Noted.", VIEW) + gate.close(VIEW) == "I see."


def test_a_visible_creation_may_be_confirmed_and_a_silent_one_beside_it_not() -> None:
    view = replace(
        VIEW,
        visible=(card("Zoe's recital", visible=True),),
        silent=(card("Zoe loves chess", visible=False),),
    )
    gate = Gate([SilentKeeping()], fallback="I see.")
    out = gate.feed("I've saved the recital. I've noted that she loves chess. ", view) + gate.close(view)
    assert out.strip() == "I've saved the recital."


def test_asked_for_it_may_be_said() -> None:
    assert asks_if_kept("Did you save that?")
    assert asks_if_kept("Hast du dir das gemerkt?")
    assert asks_if_kept("Ficou guardado?")
    assert not asks_if_kept("My wife is called Claire")
    gate = Gate([SilentKeeping()], fallback="I see.")
    view = replace(VIEW, asked_if_kept=True)
    assert gate.feed("Yes, it is saved.", view) + gate.close(view) == "Yes, it is saved."


def test_citations_are_stripped_and_counted() -> None:
    citations = Citations()
    view = replace(VIEW, short_ids={"c1": 7, "c2": 8})
    gate = Gate([citations], fallback="I see.")
    out = gate.feed("Her name is Claire [c1]. She plays chess. [c2, c9] Yes. [c1]", view) + gate.close(view)
    assert out.strip() == "Her name is Claire. She plays chess. Yes."
    assert citations.used == {"c1", "c2"}
