"""What the next words say about the answer before them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from memory.config import LANGUAGES
from memory.judge import Verdict, read
from memory.listening import listen
from tests.fakes import T0


def verdict(asked: str, said: str, language: str = "en") -> Verdict:
    now = T0.astimezone(ZoneInfo("Europe/Berlin"))
    return read(asked, listen(said, language=language, now=now, zone="Europe/Berlin", previous=asked))


@pytest.mark.parametrize(
    ("language", "said", "expected"),
    [
        ("en", "No, that's wrong.", Verdict.WRONG),
        ("en", "That is no longer true", Verdict.WRONG),
        ("en", "Thank you!", Verdict.THANKED),
        ("en", "thanks for nothing", Verdict.UNKNOWN),
        ("en", "And what about Friday?", Verdict.UNKNOWN),
        ("en", "My brother moved to Leeds last week.", Verdict.UNKNOWN),
        ("de", "Das stimmt nicht mehr.", Verdict.WRONG),
        ("de", "Danke dir!", Verdict.THANKED),
        ("de", "Nein danke", Verdict.UNKNOWN),
        ("es", "Eso no es correcto", Verdict.WRONG),
        ("es", "¡Gracias!", Verdict.THANKED),
        ("fr", "Ce n'est plus vrai", Verdict.WRONG),
        ("fr", "Merci !", Verdict.THANKED),
        ("pt", "Isso está errado", Verdict.WRONG),
        ("pt", "Isso estava errado.", Verdict.WRONG),
        ("pt", "Não era isso que perguntei", Verdict.WRONG),
        ("es", "Eso era falso.", Verdict.WRONG),
        ("fr", "C'était faux.", Verdict.WRONG),
        ("fr", "Ce n'était pas vrai.", Verdict.WRONG),
        ("en", "That was not right.", Verdict.WRONG),
        ("de", "Das war falsch.", Verdict.WRONG),
        ("pt", "Obrigada!", Verdict.THANKED),
    ],
)
def test_plain_signs_count_and_the_rest_stays_unknown(language: str, said: str, expected: Verdict) -> None:
    asked = "Which bus goes to the clinic?"
    assert verdict(asked, said, language) is expected


def test_the_same_question_again_is_a_failure_but_a_similar_one_is_not() -> None:
    asked = "Which bus goes to the clinic?"
    assert verdict(asked, "I asked: which bus goes to the clinic?") in (Verdict.AGAIN, Verdict.UNKNOWN)
    assert verdict(asked, "Which bus goes to the clinic?") is Verdict.AGAIN
    assert verdict(asked, "Which bus goes to the station?") is Verdict.UNKNOWN


def test_a_memory_that_is_put_right_says_so_whatever_the_words() -> None:
    now = T0.astimezone(ZoneInfo("Europe/Berlin"))
    heard = listen("She lives in Porto now.", language="en", now=now, zone="Europe/Berlin")
    assert read("Where does Ana live?", heard, put_right=True) is Verdict.WRONG


YES = ("Yes.", "Ja.", "Sim.", "Oui.", "Sí.", "yeah", "genau", "exato", "c'est ça", "Stimmt noch.")
NO = ("No.", "Nein.", "Não.", "Non.", "nope", "já não", "ya no", "plus maintenant", "Stimmt nicht mehr.")


@pytest.mark.parametrize(
    ("said", "value"), [*((each, True) for each in YES), *((each, False) for each in NO)]
)
def test_a_bare_answer_is_understood_in_whatever_language_it_was_taken_for(said: str, value: bool) -> None:
    now = T0.astimezone(ZoneInfo("Europe/Berlin"))
    for language in LANGUAGES:
        asked = listen(said, language=language, now=now, zone="UTC", pending={"ask": "still_right"})
        assert asked.yes_no is value, language


@pytest.mark.parametrize(
    "said", ["Ja, ich war in Rom", "No me gusta el café", "Non-smoking room", "Sim card"]
)
def test_what_only_begins_like_an_answer_of_another_language_is_none(said: str) -> None:
    now = T0.astimezone(ZoneInfo("Europe/Berlin"))
    assert listen(said, language="en", now=now, zone="UTC", pending={"ask": "still_right"}).yes_no is not True
    assert listen("Nein.", language="en", now=now, zone="UTC").yes_no is None  # nothing was asked
