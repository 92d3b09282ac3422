"""What a name beside a card answers: with whom it was, and whose matter is to be forgotten."""

from __future__ import annotations

import pytest

from tests.llm.embedded.memories import Memory, Talk, card


@pytest.mark.parametrize(
    ("language", "event", "who", "said"),
    [
        (
            "de",
            "Auf der Rax, Gewitter am Törlweg",
            "Sigrun",
            "mit wem war ich eigentlich auf der rax und wann war das",
        ),
        ("pt", "Flamingos na lagoa", "Ermelindo", "com quem é que fui ver os flamingos e em que dia foi"),
        ("en", "Kayaking on the Wye", "Priya", "who did i go kayaking with and when was that"),
    ],
)
def test_with_whom_it_was_is_told_with_the_day(language: str, event: str, who: str, said: str) -> None:
    talk = Talk(memory=Memory(), language=language)
    talk.memory.add([card("event", event, people=[who], when={"start": "2026-05-09", "all_day": True})])
    answer = talk.say(said)
    assert who in answer
    assert "9" in answer


@pytest.mark.parametrize(
    ("language", "gone", "kept", "said"),
    [
        (
            "pt",
            "O Valdemar esteve preso em Alcoentre",
            "Valdemar, primo, calceteiro",
            "Apaga, se faz favor, aquilo da prisão do meu primo.",
        ),
        (
            "de",
            "Gottfried saß in der JVA Tegel",
            "Gottfried, Cousin, Maurer",
            "Lösch bitte, wenn's geht, das mit dem Gefängnis von meinem Cousin.",
        ),
        (
            "en",
            "Declan was arrested in 2019",
            "Declan, brother, plumber",
            "Please delete the thing about my brother's time in jail.",
        ),
        (
            "pt",
            "A Odete anda nos alcoólicos anónimos",
            "Odete, tia, mora em Faro",
            "esquece aquilo do vício da minha tia",
        ),
        ("pt", "Odete, tia, mora em Faro", "Tem um gato", "esquece a minha tia"),
    ],
)
def test_what_is_said_in_other_words_of_somebody_is_forgotten_and_not_the_person(
    language: str, gone: str, kept: str, said: str
) -> None:
    talk = Talk(memory=Memory(), language=language)
    kinds = [("person" if ", " in text else "fact", text) for text in (gone, kept)]
    talk.memory.add([card(kind, text) for kind, text in kinds])
    talk.say(said)
    assert [each["text"] for each in talk.memory.active] == [kept]
