"""What German does its own way: verbs at the end, nouns with capitals, polite address, dialect, compounds."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.listening import Act, Candidate, Heard, listen
from memory.listening.lexicon import lexicon
from memory.listening.vocabulary import Prefixed, any_of, verb_forms
from memory.records import Category

NOW = datetime(2026, 6, 8, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def hear(text: str, previous: str = "") -> Heard:
    return listen(text, language="de", now=NOW, zone="Europe/Berlin", previous=previous)


def texts(text: str, previous: str = "") -> list[str]:
    return [candidate.text for candidate in hear(text, previous).candidates]


def first(text: str, previous: str = "") -> Candidate:
    return hear(text, previous).candidates[0]


def test_a_noun_that_is_written_like_a_verb_is_none() -> None:
    folded = [token.folded for token in lexicon("de").tokens("Mein Essen mag der Koch, er kocht es.")]
    verbs = [word for word in folded if word in lexicon("de").verbs]
    assert verbs == ["mag", "kocht"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("TÜV am 03.07. um 9 bei der Werkstatt Pohl.", ["TÜV bei der Werkstatt Pohl"]),
        ("Am 3.7. Zahnarzt.", ["Zahnarzt"]),
        ("Elternabend ist am 12.", ["Elternabend"]),
        (
            "Ich wohne in der 3. Etage. Meine Nachbarin heißt Ute.",
            ["Ich wohne in der 3. Etage", "Ute, Nachbarin"],
        ),
        ("Claire ist mein 2. Kind. Sie mag Birnen.", ["Claire ist mein 2. Kind", "Claire mag Birnen"]),
    ],
)
def test_the_dot_of_a_day_or_an_ordinal_ends_no_sentence(said: str, kept: list[str]) -> None:
    assert texts(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Denk dran, dass am 24. September Elternabend in der Kita ist.", "Elternabend in der Kita"),
        ("Denk dran, dass am Freitag die Probe in der Schule ist.", "Die Probe in der Schule"),
    ],
)
def test_where_it_is_stays_with_what_it_is(said: str, kept: str) -> None:
    assert texts(said) == [kept]


def test_polite_address_is_not_she() -> None:
    assert [t.folded for t in lexicon("de").tokens("Kennen Sie sie?")] == ["kennen", "Sie", "sie", "?"]


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Wissen Sie noch, wie mein Masseur heißt?", Act.QUESTION),
        ("Löschen Sie bitte das mit den Schulden.", Act.FORGET),
        ("Können Sie mir ein Gedicht zum Richtfest schreiben?", Act.REQUEST),
        ("Was wissen Sie eigentlich über mich?", Act.WHAT_DO_YOU_KNOW),
    ],
)
def test_polite_wishes_are_understood(text: str, act: Act) -> None:
    assert act in hear(text).acts


@pytest.mark.parametrize(
    "text",
    [
        "Erinnern Sie mich bitte Mittwoch um acht an die Grünschnittabholung.",
        "Könnten Sie mich wohl am Mittwoch um acht daran erinnern, die Grünschnittabholung zu bezahlen?",
        "Mittwoch um acht ist Grünschnittabholung, pingst du mich an?",
        "Da musst mich am Mittwoch um acht erinnern, dass ich die Grünschnittabholung bestell.",
    ],
)
def test_reminders_in_every_tone(text: str) -> None:
    reminders = [c for c in hear(text).candidates if c.category is Category.REMINDER]
    assert len(reminders) == 1
    assert "Grünschnittabholung" in reminders[0].text
    assert reminders[0].when is not None
    assert reminders[0].when.start.isoformat() == "2026-06-10T08:00:00"


def test_remind_me_before_a_question_is_a_question() -> None:
    heard = hear("Erinner mich schnell: Wie heißt unsere Steuerberaterin?")
    assert Act.QUESTION in heard.acts
    assert not heard.candidates


def test_what_is_told_before_a_reminder_is_told_apart() -> None:
    said = "Mein Schwager Jörn zieht am Samstag um, erinner mich am Freitag um 18 Uhr, dass ich Kisten hole."
    found = hear(said).candidates
    reminder = next(c for c in found if c.category is Category.REMINDER)
    assert reminder.text == "Kisten hole"
    assert any("Jörn" in c.text and c.category is not Category.REMINDER for c in found)


def test_the_verb_comes_second_in_a_sentence_of_its_own() -> None:
    assert "Ich spiele seit meiner Pensionierung Orgel" in texts(
        "Du musst wissen, dass ich seit meiner Pensionierung Orgel spiele."
    )
    assert texts("Seit dem Umzug wohne ich in Halle, und meistens hocke ich im Keller.") == [
        "Seit dem Umzug wohne ich in Halle",
        "Meistens hocke ich im Keller",
    ]


def test_a_relative_clause_led_by_a_preposition() -> None:
    found = texts("Mein Bruder, mit dem ich zusammen wohne, arbeitet bei der Post.")
    assert found == ["Mein Bruder, mit dem ich zusammen wohne", "Mein Bruder arbeitet bei der Post"]


def test_the_one_is_the_person_spoken_of() -> None:
    assert "Meine Tante verträgt keinen Knoblauch" in texts(
        "Meine Tante kommt aus Bari, und die verträgt keinen Knoblauch."
    )


def test_an_if_reaches_only_what_hangs_on_it() -> None:
    found = texts("Das WLAN heißt Ringelnatz, und falls es spinnt, rufen wir den Nachbarn.")
    assert "Das WLAN heißt Ringelnatz" in found
    assert not any("spinnt" in text for text in found)


def test_whether_is_no_if() -> None:
    assert texts("Ich weiß nicht, ob ich es schon erzählt habe, aber ich trage ein Hörgerät.") == [
        "Ich trage ein Hörgerät"
    ]


def test_umlauts_in_two_letters() -> None:
    assert texts("ich wohne ueber der baeckerei und kann kein suesses ertragen")
    assert lexicon("de").tokens("fuer")[0].folded == "fur"
    assert lexicon("de").tokens("neue")[0].folded == "neue"  # no umlaut in it


def test_dialect_is_looked_up_as_what_it_means() -> None:
    assert texts("i wohn ned mehr in Tölz") == ["I wohn ned mehr in Tölz"]
    assert [t.folded for t in lexicon("de").tokens("i mog nix")] == ["ich", "mag", "nichts"]


@pytest.mark.parametrize(
    ("text", "name", "relation"),
    [
        ("Kollege Schmitz übernimmt meine Kunden.", "Schmitz", "Kollege"),
        ("Mein Skatbruder Alfons hört schlecht.", "Alfons", "Skatbruder"),
        ("Meine Reitlehrerin heißt Yvonne.", "Yvonne", "Reitlehrerin"),
        ("Gestern rief Herr Wiese von der Hausverwaltung an.", "Herr Wiese", "Hausverwaltung"),
        ("Mein Friseur, der Ali, schneidet nur nach Termin.", "Ali", "Friseur"),
    ],
)
def test_people_by_what_they_are(text: str, name: str, relation: str) -> None:
    people = [c for c in hear(text).candidates if c.category is Category.PERSON]
    assert [(c.subject, c.relation) for c in people] == [(name, relation)]


def test_a_thing_is_nobodys_name() -> None:
    assert not any(
        c.category is Category.PERSON
        for c in hear("Ich lerne im Fernstudium, mein Vater hilft mir.").candidates
    )
    assert not any(c.people for c in hear("Wir heizen mit Wärmepumpe.").candidates)
    assert not any(
        c.relation for c in hear("Der Hund von meiner Tochter heißt Bruno.").candidates
    )  # she is not called so


@pytest.mark.parametrize(
    ("before", "said", "kept", "wrong"),
    [
        ("Mein Urologe heißt Dr. Sattler.", "Pardon, Sattmann, ich hab mich vertan.", "Sattmann", "Sattler"),
        ("Die Nummer vom Hafenamt ist 0431 22071.", "ups, vertippt, 0431 22017", "0431 22017", "0431 22071"),
    ],
)
def test_a_bare_value_puts_the_message_before_right(before: str, said: str, kept: str, wrong: str) -> None:
    heard = hear(said, previous=before)
    assert any(kept in c.text for c in heard.candidates)
    assert not any(wrong in c.text for c in heard.candidates)
    assert heard.correction is not None
    assert heard.correction.wrong == wrong


def test_signs_behind_a_code_belong_to_it() -> None:
    assert "0815#" in first("Der Code für die Waschküche ist 0815#.").text
    assert "*77*" in first("Die Kurzwahl vom Pförtner ist *77*.").text


def test_done_is_no_fact() -> None:
    heard = hear("den antrag hab ich vorhin eingeworfen, das kannst du abhaken")
    assert heard.request is not None
    assert heard.request.verb == "done"
    assert not heard.candidates


def test_moving_a_reminder_makes_no_new_one() -> None:
    heard = hear("Schieb die Erinnerung mit dem Ölwechsel auf Donnerstag.")
    assert heard.request is not None
    assert heard.request.verb == "move"
    assert not heard.candidates


def test_put_that_on_my_list_means_what_was_said_before_it() -> None:
    task = first("ich muss echt mal die regentonne schrubben, schmeiß das auf meine to-dos ja?")
    assert task.category is Category.TASK
    assert "regentonne schrubben" in task.text
    assert "das" not in task.text.split()


def test_denn_only_stresses_a_question() -> None:
    assert not texts("wo ist denn bei uns der gashahn, es riecht komisch")
    assert texts("ich brauch was mildes, denn mein magen verträgt keinen essig")


def test_verb_tables() -> None:
    finite, _, _ = verb_forms(
        {
            "strong": "fahren:fahrt:fuhr",
            "classes": [{"cut": "n", "short": True, "other": "|n|t", "words": "sammeln"}],
        }
    )
    assert {"fahrt", "fahrst", "fuhren", "sammle", "sammelt"} <= finite
    words = Prefixed({"ruft"}, ("an", "zuruck"))
    assert "anruft" in words
    assert "zuruckruft" in words
    assert "ausruft" not in words
    assert set(words) == {"ruft"}


def test_a_pattern_of_many_words_takes_the_longest() -> None:
    import re

    pattern = re.compile(rf"(?:{any_of(['an', 'andere', 'ander'])})(?![a-z])")
    assert [m.group() for m in pattern.finditer("an andere ander anders")] == ["an", "andere", "ander"]
    assert any_of([]) == "(?!)"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Ohne Brille bin ich aufgeschmissen, minus neun Dioptrien, hast du einen Tipp fürs Schwimmbad?",
            "Ohne Brille bin ich aufgeschmissen, minus neun Dioptrien",
        ),
        (
            "Wie bring ich meinem Papagei Rocco, der nur Sächsisch spricht, Hochdeutsch bei?",
            "Mein Papagei Rocco, der nur Sächsisch spricht",
        ),
        ("Wo wir doch ohne Aufzug wohnen, wie kriegen wir das Klavier hoch?", "Wir wohnen doch ohne Aufzug"),
    ],
)
def test_what_a_question_tells_beside(text: str, kept: str) -> None:
    assert texts(text) == [kept]


def test_a_question_that_only_names_a_thing_again_tells_nothing() -> None:
    assert not texts("sag mal wo hab ich denn die brille hingelegt, also die für die nähe")


def test_a_relative_clause_dictated_without_a_comma() -> None:
    assert "Mein opa is 91" in texts("ich fahr morgen zu meinem opa der is 91 was bring ich dem mit")


def test_a_relation_in_lower_case_is_not_called_by_what_she_is() -> None:
    assert not any(c.relation for c in hear("ich bin linkshänder und meine frau rechtshänderin").candidates)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Meine Freundin heißt Zoë Müller-Lüdenscheidt und kommt aus Köln.", "Zoë Müller-Lüdenscheidt"),
        ("Mein Masseur Milan Hruschka wohnt in Plauen.", "Milan Hruschka"),
    ],
)
def test_a_family_name_belongs_to_the_name(text: str, name: str) -> None:
    assert first(text).subject == name


@pytest.mark.parametrize(
    ("text", "kept", "wrong"),
    [
        (
            "Der Marvin studiert nicht Medizin, sondern Pharmazie, da hab ich mich verredet.",
            "Der Marvin studiert Pharmazie",
            "Medizin",
        ),
        (
            "Korrektur, mein Onkel züchtet nicht Tauben, sondern Hühner, das hab ich verwechselt.",
            "Mein Onkel züchtet Hühner",
            "Tauben",
        ),
    ],
)
def test_the_right_half_keeps_the_verb_of_the_wrong_one(text: str, kept: str, wrong: str) -> None:
    heard = hear(text)
    assert heard.candidates[0].text == kept
    assert heard.correction is not None
    assert heard.correction.wrong == wrong
    assert "," not in heard.correction.right


def test_two_codes_joined_are_two_facts() -> None:
    said = "Die PIN vom Tresor lautet 4471 und die Vertragsnummer beim Stromanbieter lautet ST-90.12."
    assert texts(said) == [
        "Die PIN vom Tresor lautet 4471",
        "Die Vertragsnummer beim Stromanbieter lautet ST-90.12",
    ]


@pytest.mark.parametrize(
    "note",
    [
        "Wandfarbe Nr. 7, ca. 3 Liter, z. B. von Alpina, Rest Abt. Innen",
        "Handschuhe Gr. 8, mind. 4 Paar, d. h. zwei Packungen",
    ],
)
def test_an_abbreviation_ends_no_note(note: str) -> None:
    assert texts(f"Notiz: {note}.") == [note]


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        (
            "Die Winterreifen können Sie von der Liste nehmen, die hat meine Frau schon gewechselt.",
            "Winterreifen",
        ),
        ("Das Altglas darfst du abhaken, das hat Uwe weggebracht.", "Altglas"),
        ("Die Skischuhe kannst du von der Liste streichen, die hat Oma besorgt.", "Skischuhe"),
    ],
)
def test_what_may_come_off_the_list_is_done(text: str, topic: str) -> None:
    heard = hear(text)
    assert heard.request is not None
    assert (heard.request.verb, heard.request.topic) == ("done", topic)
    assert heard.forgetting is None
    assert not heard.candidates


def test_what_is_had_no_longer_with_its_reason() -> None:
    said = "die karte fürs hallenbad hab ich nimmer, im märz zurückgegeben, also musst mir keine zeiten sagen"
    assert texts(said) == ["Die karte fürs hallenbad hab ich nimmer, im märz zurückgegeben"]


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("um 15 uhr 20 fährt mein bus nach jena, sag mir ne viertelstunde vorher bescheid", (15, 5)),
        ("Heute um 18 Uhr legt unsere Fähre ab, gib mir zwei Stunden vorher Bescheid.", (16, 0)),
    ],
)
def test_what_was_told_is_the_matter_of_let_me_know(text: str, hour: tuple[int, int]) -> None:
    made = next(c for c in hear(text).candidates if c.category is Category.REMINDER)
    assert "escheid" not in made.text
    assert "bus" in made.text or "Fähre" in made.text
    assert made.when is not None
    assert (made.when.start.hour, made.when.start.minute) == hour


def test_weekdays_from_to_always_recur() -> None:
    made = first("Erinnern Sie mich von Dienstag bis Donnerstag immer um acht Uhr früh an die Augentropfen.")
    assert made.text == "Die Augentropfen"
    assert made.when is not None
    assert made.when.rrule == "FREQ=WEEKLY;BYDAY=TU,WE,TH"


def test_morgen_with_an_hour_is_a_day_and_no_greeting() -> None:
    made = first("Morgen um 9 Uhr fliegt meine Maschine nach Porto.")
    assert made.when is not None
    assert made.when.start.day == NOW.day + 1
