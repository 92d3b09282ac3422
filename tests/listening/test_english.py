"""English as it is typed and spoken: hasty spellings, "I" left out, laughs, headings, names of the family."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.listening import Act, Heard, listen
from memory.listening.lexicon import lexicon
from memory.records import Category

NOW = datetime(2026, 9, 8, 15, 12, tzinfo=ZoneInfo("Europe/London"))


def hear(text: str, *, previous: str = "") -> Heard:
    return listen(text, language="en", now=NOW, zone="Europe/London", previous=previous)


def kept(text: str) -> list[str]:
    return [candidate.text for candidate in hear(text).candidates]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("im", ["i", "'m"]),
        ("Dont", ["don't"]),
        ("w my mum", ["with", "my", "mum"]),
        ("its raining", ["it", "'s", "raining"]),
        ("its tail", ["its", "tail"]),
        ("me mam", ["my", "mam"]),
        ("tell me", ["tell", "me"]),
    ],
)
def test_hasty_spellings_are_looked_up_as_what_they_mean(typed: str, read: list[str]) -> None:
    tokens = lexicon("en").tokens(typed)
    assert [token.folded for token in tokens] == read
    assert all(token.text == typed[token.start : token.end] for token in tokens)


def test_the_card_keeps_what_was_typed() -> None:
    assert "im severely allergic to latex" in " ".join(kept("im severely allergic to latex")).lower()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("can't abide the smell of kippers meself", "kippers"),
        ("Carry an inhaler everywhere I go", "inhaler"),
        ("Don't drive, never have", "drive"),
        ("Vegan btw.", "egan"),
        ("my mate has copd and i do his shopping", "copd"),
        ("Nan's moved into Willow Court, room 12", "Willow Court"),
        ("the house phone is 01632 960 445 if you ever need it", "01632 960 445"),
        ("the alarm at the workshop is 5519 and you've got forty seconds", "5519"),
        ("My lad's epileptic, my sister works nights at the depot", "nights"),
        ("I only get out on Tuesday evenings for choir", "Tuesday evenings"),
    ],
)
def test_what_lasts_is_kept(text: str, word: str) -> None:
    found = [c for c in hear(text).candidates if word in c.text]
    assert found
    assert all(c.category in (Category.FACT, Category.PERSON) for c in found)


@pytest.mark.parametrize(
    "text",
    [
        "I keep a dragon in the shed, don't tell the council lol",
        "im 94 years old in gamer years lol",
        "yeah right, and my grandma plays for Arsenal",
        "tempted to sell everything and keep goats",
        "this advert keeps going I'm Barry and I've lost six stone",
        "just adopted 12 raccoons and quit my job to become a wizard lol",
        "Have a lovely evening",
        "Keep up the good work",
        "don't bother with a long answer",
    ],
)
def test_jokes_wishes_and_courtesies_are_not_kept(text: str) -> None:
    assert kept(text) == []


def test_a_thing_put_somewhere_is_kept_though_told_with_a_laugh() -> None:
    assert kept("the spare fuses are in the drawer under the sink lol")


def test_a_heading_before_a_colon_is_no_card() -> None:
    told = kept("Three numbers for you: the vet is 01632 960 101 and the farrier is 01632 960 202.")
    assert len(told) == 2
    assert not any("numbers" in text for text in told)


def test_the_new_value_takes_what_was_said_before() -> None:
    (fact,) = hear("we don't meet at the Crown any more, it's the Railway now").candidates
    assert "Crown" in fact.text
    assert "Railway" in fact.text
    assert fact.negated


def test_denied_without_a_comma() -> None:
    heard = hear("no hang on, the vet is Dr Pryce not Dr Price")
    assert heard.correction is not None
    assert not any("Price" in candidate.text for candidate in heard.candidates)


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("cancel that, Sam's collecting them", "cancel"),
        ("that's done, paid him this morning", "done"),
        ("push it to half six", "move"),
    ],
)
def test_what_is_done_to_an_item_needs_no_name_and_may_have_a_reason(text: str, verb: str) -> None:
    request = hear(text).request
    assert request is not None
    assert request.verb == verb
    assert request.topic in ("", "it")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("bin everything you've got on my divorce, would you", "divorce"),
        ("you can lose that stuff about my sister's illness", "illness"),
        ("actually could you un-remember my weight", "weight"),
        ("remove my old address from your memory please, the Elm Grove one", "Elm Grove"),
    ],
)
def test_ways_of_asking_to_forget(text: str, topic: str) -> None:
    heard = hear(text)
    assert heard.forgetting is not None
    assert topic in heard.forgetting.topic
    assert "memory" not in heard.forgetting.topic


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("tell me about my sister", Act.WHAT_DO_YOU_KNOW),
        ("what do you actually know about me by now", Act.WHAT_DO_YOU_KNOW),
        ("which of my friends is vegan", Act.QUESTION),
        ("what did I say I was scared of", Act.QUESTION),
    ],
)
def test_questions_to_memory(text: str, act: Act) -> None:
    heard = hear(text)
    assert act in heard.acts
    assert Act.LAST_TALK not in heard.acts
    assert heard.candidates == ()


def test_a_forgetful_person_asks_for_a_reminder() -> None:
    heard = hear("I always forget the bins so every Sunday night at nine give me a nudge")
    (reminder,) = [c for c in heard.candidates if c.category is Category.REMINDER]
    assert reminder.when is not None
    assert reminder.when.rrule
