"""What the person says to a wrong answer and to "still right?"; of two alike ones the newest is served."""

from __future__ import annotations

import pytest

from tests.llm.embedded.memories import Talk, card

BUS = {
    "en": ("Bus 12 goes to the clinic.", "Which bus goes to the clinic?", "12"),
    "de": ("Der Bus 12 fährt zur Klinik.", "Welcher Bus fährt zur Klinik?", "12"),
    "pt": ("O autocarro 12 vai para a clínica.", "Que autocarro vai para a clínica?", "12"),
    "fr": ("Le bus 12 va à la clinique.", "Quel bus va à la clinique ?", "12"),
    "es": ("El autobús 12 va a la clínica.", "¿Qué autobús va a la clínica?", "12"),
}


def talk(language: str, *texts: str, **more: object) -> Talk:
    played = Talk(language=language)
    played.memory.add(card("fact", text, **more) for text in texts)
    return played


def active(played: Talk) -> list[str]:
    return [each["text"] for each in played.memory.active]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "No, that's wrong."),
        ("en", "That is not right any more."),
        ("en", "wrong"),
        ("de", "Das stimmt nicht mehr."),
        ("de", "Nein, das ist leider falsch."),
        ("pt", "Isso está errado."),
        ("pt", "Já não é assim."),
        ("fr", "C'est faux."),
        ("fr", "Non, ce n'est plus vrai."),
        ("es", "Eso no es correcto."),
        ("es", "Ya no es así."),
    ],
)
def test_a_wrong_answer_is_put_to_the_person_with_its_date(language: str, said: str) -> None:
    kept, ask, value = BUS[language]
    played = talk(language, kept)
    assert value in played.say(ask)
    answer = played.say(said)
    assert value in answer
    assert "1" in answer
    assert "?" in answer
    assert played.memory.pending == {"ask": "still_right", "card": "card-1", "about": ask}
    assert active(played) == [kept]  # asked, not rewritten


@pytest.mark.parametrize(
    ("language", "kept", "ask", "said", "now"),
    [
        ("en", *BUS["en"][:2], "No, it's bus 47 now.", "Bus 47 goes to the clinic."),
        ("en", *BUS["en"][:2], "That's not right any more, it is the 47.", "Bus 47 goes to the clinic."),
        (
            "en",
            "The swimming pool costs 5 euros.",
            "What does the swimming pool cost?",
            "No, it costs 9 euros.",
            "The swimming pool costs 9 euros.",
        ),
        (
            "en",
            "Our dentist is Dr Vogel.",
            "Who is our dentist?",
            "No, it's Dr Marsh now.",
            "Our dentist is Dr Marsh",
        ),
        (
            "en",
            "Yusuf's address is 8 Elm Road.",
            "What is Yusuf's address?",
            "No, it's 31 Quay Street.",
            "Yusuf's address is 31 Quay Street",
        ),
        ("de", *BUS["de"][:2], "Nein, es ist der Bus 47.", "Der Bus 47 fährt zur Klinik."),
        ("pt", *BUS["pt"][:2], "Não, é o 47.", "O autocarro 47 vai para a clínica."),
        ("fr", *BUS["fr"][:2], "Non, c'est le 47.", "Le bus 47 va à la clinique."),
        ("es", *BUS["es"][:2], "No, es el 47.", "El autobús 47 va a la clínica."),
    ],
)
def test_a_plain_new_value_takes_the_old_ones_place(
    language: str, kept: str, ask: str, said: str, now: str
) -> None:
    played = talk(language, kept)
    played.say(ask)
    played.say(said)
    assert active(played) == [now]
    assert [each["status"] for each in played.memory.cards] == ["superseded", "active"]


@pytest.mark.parametrize(
    "said",
    [
        "No, it's not the right bus.",
        "No, that's wrong, ask me later.",
        "No, that's 3 times wrong now and I have told you so often that I am tired of it, honestly.",
    ],
)
def test_what_is_no_plain_value_replaces_nothing(said: str) -> None:
    kept, ask, _ = BUS["en"]
    played = talk("en", kept)
    played.say(ask)
    played.say(said)
    assert kept in active(played)


def test_a_house_number_is_not_put_into_another_street() -> None:
    played = talk("en", "Yusuf's flat has 8 rooms in Elm Road.")
    played.say("How many rooms does Yusuf's flat have?")
    played.say("No, it's wrong: 31 Quay Street.")
    assert not any("31" in text and "Elm" in text for text in active(played))


def test_after_a_no_what_else_is_known_is_said_at_once() -> None:
    played = talk("en", BUS["en"][0], "The 47 stops in front of the clinic.")
    played.memory.cards[0]["suspect"] = True
    assert "still right?" in played.say(BUS["en"][1])
    assert "47" in played.say("No.")


def test_after_a_no_with_nothing_else_it_asks_what_is_right() -> None:
    played = talk("en", BUS["en"][0])
    played.memory.cards[0]["suspect"] = True
    played.say(BUS["en"][1])
    assert played.say("No.").endswith("?")


def test_a_no_with_the_new_value_is_put_right_at_once() -> None:
    played = talk("en", BUS["en"][0])
    played.memory.cards[0]["suspect"] = True
    played.say(BUS["en"][1])
    played.say("No, it's the 47 now.")
    assert active(played) == ["Bus 47 goes to the clinic."]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "No, that was wrong."),
        ("de", "Das war falsch."),
        ("pt", "Isso estava errado."),  # begins like a yes
        ("fr", "C'était faux."),
        ("es", "Eso era falso."),
    ],
)
def test_to_call_it_wrong_is_a_no_and_is_answered_once(language: str, said: str) -> None:
    kept, ask, _ = BUS[language]
    played = talk(language, kept)
    played.memory.cards[0]["suspect"] = True
    played.say(ask)
    answer = played.say(said)
    assert answer.count("?") == 1
    assert played.memory.pending.get("ask") == "what_is_right"  # not asked the same again


@pytest.mark.parametrize(
    ("language", "kept", "ask", "no", "said", "now"),
    [
        ("en", *BUS["en"][:2], "No.", "The 47.", "Bus 47 goes to the clinic."),
        ("en", *BUS["en"][:2], "No.", "Bus 47", "Bus 47 goes to the clinic."),
        (
            "en",
            "Our dentist is Dr Vogel.",
            "Who is our dentist?",
            "No.",
            "Dr Marsh.",
            "Our dentist is Dr Marsh",
        ),
        (
            "en",
            "Our dentist is Dr Vogel.",
            "Who is our dentist?",
            "No.",
            "It's Dr Marsh now.",
            "Our dentist is Dr Marsh",
        ),
        ("de", *BUS["de"][:2], "Nein.", "Der 47er nicht, der Bus 47.", None),
        ("de", *BUS["de"][:2], "Nein.", "Der Bus 47.", "Der Bus 47 fährt zur Klinik."),
        ("pt", *BUS["pt"][:2], "Não.", "O 47.", "O autocarro 47 vai para a clínica."),
        ("en", *BUS["en"][:2], "No.", "I don't know either.", None),
        ("en", *BUS["en"][:2], "No.", "What time is it?", None),
    ],
)
def test_asked_what_is_right_a_bare_value_is_enough(
    language: str, kept: str, ask: str, no: str, said: str, now: str | None
) -> None:
    played = talk(language, kept)
    played.memory.cards[0]["suspect"] = True
    played.say(ask)
    assert "?" in played.say(no)
    played.say(said)
    assert (active(played) == [now]) if now is not None else (kept in active(played))


def test_a_question_behind_the_no_is_answered_too() -> None:
    played = talk("en", BUS["en"][0], "The clinic opens at eight.")
    played.memory.cards[0]["suspect"] = True
    played.say(BUS["en"][1])
    assert "eight" in played.say("No. When does the clinic open?")


def test_no_card_is_blamed_for_small_talk_or_for_what_was_not_answered() -> None:
    played = talk("en", BUS["en"][0])
    played.say("Hello there!")
    played.say("That's wrong.")
    assert not played.memory.pending
    played.say("What is the capital of the moon?")
    played.say("That's wrong.")
    assert played.memory.pending.get("ask") != "still_right"


@pytest.mark.parametrize(
    ("old", "new", "ask", "value"),
    [
        ("Bus 12 goes to the clinic.", "Bus 47 goes to the clinic.", "Which bus goes to the clinic?", "47"),
        (
            "Yusuf's address is 8 Elm Road.",
            "Yusuf's address is 31 Quay Street.",
            "What is Yusuf's address?",
            "31 Quay",
        ),
        ("My shoe size is 42.", "My shoe size is 43.", "What is my shoe size?", "43"),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_of_two_that_say_the_same_of_one_thing_the_newest_is_served(
    old: str, new: str, ask: str, value: str, order: int
) -> None:
    played = Talk(language="en")
    told = [card("fact", old, learned="2026-01-02T10:00"), card("fact", new, learned="2026-05-02T10:00")]
    played.memory.add(told[::order])
    assert value in played.say(ask)


def test_the_newest_does_not_push_aside_what_only_meets_in_a_word() -> None:
    played = Talk(language="en")
    played.memory.add(
        [
            card("fact", "The spare key hangs in the garage.", learned="2026-01-02T10:00"),
            card("fact", "The key of the piano sticks.", learned="2026-05-02T10:00"),
        ]
    )
    assert "garage" in played.say("Where is the spare key?")


def test_a_doubted_one_gives_way_to_one_that_answers_as_well() -> None:
    played = Talk(language="en")
    played.memory.add(
        [
            card("fact", "Bus 47 goes to the clinic.", learned="2026-01-02T10:00"),
            card("fact", "Bus 12 goes to the clinic.", learned="2026-05-02T10:00", suspect=True),
        ]
    )
    answer = played.say("Which bus goes to the clinic?")
    assert "47" in answer
    assert "12" not in answer
