"""Decisions by the built-in model, through the conductor: recorded, confirmed, read back, explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.decisions import log
from memory.llm.embedded import EmbeddedModel
from memory.llm.interface import Model
from memory.llm.scripted import Say, ScriptedModel
from memory.records import Decision, Turn
from memory.storage import conversations as conversation_rows
from memory.storage import decisions as rows
from memory.storage.engine import reading, transaction
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

BUILT_IN = EmbeddedModel(EMBEDDER)


class Turns:
    """The built-in model, except for the first answers, which are told."""

    def __init__(self, *told: str) -> None:
        self._told = list(told)

    def __call__(self) -> Model:
        return ScriptedModel([[Say(self._told.pop(0))]]) if self._told else BUILT_IN


def held(play: Stage) -> dict[str, str]:
    with reading(play.engine) as session:
        return {each.key: each.value for each in rows.current(session, play.person.id, now=play.clock())}


def entries(play: Stage, key: str) -> list[Decision]:
    with reading(play.engine) as session:
        return rows.history(session, play.person.id, key=key)


def decided_before(play: Stage, turn: Turn, key: str, value: str) -> None:
    """A decision that the conversation already holds."""
    name = play.parts.keys.get(key)
    assert name is not None
    with transaction(play.engine) as session:
        log.store(
            session,
            person_id=play.person.id,
            conversation=conversation_rows.by_id(session, turn.conversation_id),
            key=name,
            value=value,
            turn_id=turn.id,
            decided_by="person",
            now=play.clock(),
        )


@pytest.mark.parametrize(
    ("language", "ask", "offer", "choice", "taken"),
    [
        (
            "en",
            "Send it to my usual address.",
            "I have three: Mill Lane 4, Dock Road 9, Hill Street 1. Which one?",
            "Dock Road.",
            "Dock Road 9",
        ),
        (
            "de",
            "Schicken Sie es an meine Adresse.",
            "Ich habe zwei: Lindenweg 4 oder Hafenstraße 9. Welche?",
            "Die Hafenstraße bitte.",
            "Hafenstraße 9",
        ),
        (
            "pt",
            "Mande para a minha morada.",
            "Tenho duas: Rua Nova 4 ou Rua do Sol 9. Qual?",
            "A do Sol.",
            "Rua do Sol 9",
        ),
    ],
)
def test_candidates_are_observations_until_one_is_chosen(
    engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    ask: str,
    offer: str,
    choice: str,
    taken: str,
) -> None:
    with stage(engine, clock, model=Turns(offer), tmp=tmp_path) as play:
        play.say(ask, language=language)
        assert held(play) == {}
        turn = play.say(choice, language=language)
        assert held(play) == {"delivery_address": taken}
        assert taken in turn.answer
        assert entries(play, "delivery_address")[0].turn_id == turn.id
        assert play.cards() == []


@pytest.mark.parametrize(
    ("language", "question", "go_on", "choice", "taken"),
    [
        (
            "es",
            "¿Prefiere la mesa de roble o la de haya? Yo elegiría el roble.",
            "Sigamos.",
            "El haya, entonces.",
            "haya",
        ),
        ("de", "Lieber in Blau oder in Grün? Ich würde Blau nehmen.", "Weiter.", "Dann Grün.", "Grün"),
        ("pt", "Prefere a mesa de carvalho ou de faia?", "Continuemos.", "Faia, então.", "Faia"),
    ],
)
def test_to_go_on_chooses_nothing_and_the_question_is_put_again(
    engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    question: str,
    go_on: str,
    choice: str,
    taken: str,
) -> None:
    with stage(engine, clock, model=Turns(question), tmp=tmp_path) as play:
        play.say("…", language=language)
        again = play.say(go_on, language=language)
        assert held(play) == {}
        assert again.answer == question.split("?")[0] + "?"
        play.say(choice, language=language)
        assert held(play) == {"variant": taken}


BACK_AND_FORTH = [
    (
        "en",
        ["Make it ten.", "Hm, eleven.", "No, back to nine after all."],
        "Which time did we have, and did we change it in between?",
    ),
    (
        "de",
        ["Machen wir zehn.", "Hm, elf.", "Nein, doch wieder neun."],
        "Welche Uhrzeit hatten wir, und wurde sie zwischendurch geändert?",
    ),
    (
        "pt",
        ["Pode ser às dez.", "Hum, onze.", "Não, volta para as nove."],
        "Que horas tínhamos, e mudámos entretanto?",
    ),
    (
        "fr",
        ["Mettons dix heures.", "Hum, onze.", "Non, finalement neuf heures."],
        "Quelle heure avions-nous, et a-t-elle changé entre-temps ?",
    ),
    (
        "es",
        ["Pongamos las diez.", "Hm, las once.", "No, mejor a las nueve."],
        "¿Qué hora teníamos, y la cambiamos entretanto?",
    ),
]


@pytest.mark.parametrize(("language", "changes", "question"), BACK_AND_FORTH)
def test_back_to_an_earlier_value_is_a_decision_and_the_history_is_told(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, changes: list[str], question: str
) -> None:
    with stage(engine, clock, model=Turns("Hello."), tmp=tmp_path) as play:
        decided_before(play, play.say("Hello.", language=language), "pickup_time", "09:00")
        for text in changes:
            play.say(text, language=language)
            assert len(held(play)) == 1
        assert held(play) == {"pickup_time": "09:00"}
        assert [each.value for each in entries(play, "pickup_time")] == ["09:00", "10:00", "11:00", "09:00"]
        answer = play.say(question, language=language).answer
    nine, ten, eleven = (answer.find(each) for each in ("9", "10", "11"))
    assert 0 <= nine < ten < eleven, answer
    assert answer.rfind("9") > eleven, answer


@pytest.mark.parametrize(
    ("language", "change", "leave", "question"),
    [
        (
            "de",
            "Machen Sie doch 400 draus.",
            "Ach so, dann lassen wir es.",
            "Wie viele habe ich jetzt bestellt?",
        ),
        ("en", "Make it 400.", "Ah, then leave it.", "How many have I ordered now?"),
        ("pt", "Que sejam 400.", "Ah, então deixe estar.", "Quantos encomendei agora?"),
        ("fr", "Mettez 400.", "Ah, alors laissons.", "Combien en ai-je commandé maintenant ?"),
        ("es", "Que sean 400.", "Ah, entonces dejémoslo.", "¿Cuántos he pedido ahora?"),
    ],
)
def test_a_refusal_is_explained_and_what_held_stays(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, change: str, leave: str, question: str
) -> None:
    with stage(engine, clock, model=Turns("Hello."), tmp=tmp_path) as play:
        decided_before(play, play.say("Hello.", language=language), "quantity", "40")
        refused = play.say(change, language=language)
        assert "60" in refused.answer
        assert "400" not in refused.answer
        play.say(leave, language=language)
        answer = play.say(question, language=language).answer
        assert held(play) == {"quantity": "40"}
        assert len(entries(play, "quantity")) == 1
    assert "40" in answer
    assert not any(each in answer for each in ("400", "60", "storniert"))


def test_a_number_alone_is_how_many_where_an_order_is_open(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, model=Turns("Bueno."), tmp=tmp_path) as play:
        first = play.say("Hola.", language="es")
        decided_before(play, first, "variant", "haya")
        decided_before(play, first, "delivery_address", "Calle Sol 3")
        play.say("Y que sean dos.", language="es")
        assert held(play) == {"variant": "haya", "delivery_address": "Calle Sol 3", "quantity": "2"}


PLAIN = [
    ("en", "Please deliver on Thursday between 9 and 12.", {"delivery_window": "2026-03-05 09:00-12:00"}),
    ("en", "I'll take 12 pieces.", {"quantity": "12"}),
    ("en", "I'd like to pay by invoice.", {"payment_method": "invoice"}),
    ("en", "Please send it to Dock Road 9.", {"delivery_address": "Dock Road 9"}),
    ("en", "My budget is 500 euros.", {"budget": "500.00 EUR"}),
    ("en", "Please contact me by e-mail.", {"contact_channel": "email"}),
    ("en", "Let's say pickup at half past ten.", {"pickup_time": "10:30"}),
    (
        "de",
        "Bitte liefern Sie am Donnerstag zwischen 9 und 12 Uhr.",
        {"delivery_window": "2026-03-05 09:00-12:00"},
    ),
    ("de", "Ich nehme zwölf Stück.", {"quantity": "12"}),
    ("de", "Ich möchte mit Rechnung bezahlen.", {"payment_method": "invoice"}),
    ("de", "Bitte schicken Sie es an die Adresse Hafenstraße 9.", {"delivery_address": "Hafenstraße 9"}),
    ("de", "Mein Budget liegt bei 500 Euro.", {"budget": "500.00 EUR"}),
    ("de", "Sagen wir Abholung um halb elf.", {"pickup_time": "10:30"}),
    (
        "pt",
        "Quero a entrega na quinta-feira entre as 9h e as 12h.",
        {"delivery_window": "2026-03-05 09:00-12:00"},
    ),
    ("pt", "Quero doze peças.", {"quantity": "12"}),
    ("pt", "Prefiro pagar com cartão.", {"payment_method": "card"}),
    ("pt", "Por favor, mande para a Rua do Sol 9.", {"delivery_address": "Rua do Sol 9"}),
    ("pt", "O meu orçamento é de 500 euros.", {"budget": "500.00 EUR"}),
    (
        "fr",
        "Je voudrais la livraison jeudi entre 9 h et 12 h.",
        {"delivery_window": "2026-03-05 09:00-12:00"},
    ),
    ("fr", "Je prends douze pièces.", {"quantity": "12"}),
    ("fr", "Je veux payer par carte.", {"payment_method": "card"}),
    ("es", "Quiero la entrega el jueves de 9 a 12.", {"delivery_window": "2026-03-05 09:00-12:00"}),
    ("es", "Quiero doce piezas.", {"quantity": "12"}),
    ("es", "Prefiero pagar con tarjeta.", {"payment_method": "card"}),
]


@pytest.mark.parametrize(("language", "said", "decided"), PLAIN)
def test_a_plain_sentence_decides_and_makes_no_card(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str, decided: dict[str, str]
) -> None:
    with stage(engine, clock, model=Turns(), tmp=tmp_path) as play:
        turn = play.say(said, language=language)
        assert held(play) == decided
        assert play.cards() == []
        name = play.parts.keys.get(next(iter(decided)))
        assert name is not None
        assert name.label[language] in turn.answer


@pytest.mark.parametrize(
    ("language", "wish", "key", "answer", "taken"),
    [
        (
            "en",
            "I want to change the delivery window.",
            "delivery_window",
            "Friday 9 to 12.",
            "2026-03-06 09:00-12:00",
        ),
        (
            "de",
            "Ich möchte das Lieferfenster ändern.",
            "delivery_window",
            "Freitag von 9 bis 12 Uhr.",
            "2026-03-06 09:00-12:00",
        ),
        (
            "pt",
            "Quero mudar a janela de entrega.",
            "delivery_window",
            "Sexta-feira, das 9h às 12h.",
            "2026-03-06 09:00-12:00",
        ),
        (
            "fr",
            "Je veux changer l'adresse de livraison.",
            "delivery_address",
            "12 rue des Lilas",
            "12 rue des Lilas",
        ),
        ("es", "Quiero cambiar la dirección de entrega.", "delivery_address", "Calle Sol 3", "Calle Sol 3"),
    ],
)
def test_it_asks_for_the_value_and_takes_the_answer(
    engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    wish: str,
    key: str,
    answer: str,
    taken: str,
) -> None:
    with stage(engine, clock, model=Turns(), tmp=tmp_path) as play:
        asked = play.say(wish, language=language)
        name = play.parts.keys.get(key)
        assert name is not None
        assert asked.answer == name.question[language]
        play.say(answer, language=language)
        assert held(play) == {key: taken}


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "When do you deliver again?"),
        ("de", "Wann liefern Sie noch mal?"),
        ("pt", "Quando é mesmo a entrega?"),
        ("fr", "C'est quand déjà, la livraison ?"),
        ("es", "¿Cuándo es la entrega, otra vez?"),
    ],
)
def test_what_is_settled_is_read_back_unchanged(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, question: str
) -> None:
    with stage(engine, clock, model=Turns("Hello."), tmp=tmp_path) as play:
        decided_before(
            play, play.say("Hello.", language=language), "delivery_window", "2026-03-05 09:00-12:00"
        )
        answers = {play.say(question, language=language).answer for _ in range(2)}
    assert len(answers) == 1
    assert all(each in next(iter(answers)) for each in ("5", "9", "12"))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Remind me to pick up the parcel at nine."),
        ("en", "I have a dentist appointment on Friday at ten."),
        ("en", "I like the blue model train my father built."),
        ("en", "My sister works at the post office and has 12 hens."),
        ("de", "Ich habe am Freitag einen Termin beim Zahnarzt."),
        ("de", "Meine Adresse ist Hafenstraße 9."),
        ("de", "Erinnere mich um neun an die Abholung."),
        ("pt", "Tenho consulta no dentista na sexta-feira."),
        ("fr", "J'ai rendez-vous chez le dentiste vendredi."),
        ("es", "Tengo cita con el dentista el viernes."),
    ],
)
def test_what_is_only_told_is_no_decision(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str
) -> None:
    with stage(engine, clock, model=Turns(), tmp=tmp_path) as play:
        play.say(said, language=language)
        assert held(play) == {}


@pytest.mark.parametrize(
    ("language", "said", "question", "key", "value"),
    [
        ("de", ["Es darf höchstens 450 Euro kosten."], "Was war mein Budget?", "budget", "450.00 EUR"),
        (
            "de",
            ["Bitte kontaktieren Sie mich per E-Mail."],
            "Wie erreichen Sie mich?",
            "contact_channel",
            "email",
        ),
        ("pt", ["Quero pagar por transferência."], "Como é que pago?", "payment_method", "transfer"),
        (
            "en",
            ["Please send it to 9 Dock Road.", "Actually send it to Mill Lane 4."],
            "Where does it go now?",
            "delivery_address",
            "Mill Lane 4",
        ),
    ],
)
def test_what_was_decided_in_passing_is_kept_changed_and_read_back(
    engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    said: list[str],
    question: str,
    key: str,
    value: str,
) -> None:
    with stage(engine, clock, model=lambda: BUILT_IN, tmp=tmp_path) as play:
        for text in said:
            play.say(text, language=language)
        answer = play.say(question, language=language).answer
        assert held(play) == {key: value}
    told = {"email": "E-Mail", "transfer": "transferência", "450.00 EUR": "450 €"}.get(value, value)
    assert told in answer


def test_two_orders_named_by_bare_numbers_never_mix(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, model=lambda: BUILT_IN, tmp=tmp_path) as play:
        play.say("Auftrag 4711: bitte am Freitag zwischen 8 und 10 Uhr liefern.", language="de")
        play.say("Auftrag 4712: bitte am Montag zwischen 14 und 16 Uhr liefern.", language="de")
        first = play.say("Wann kommt Auftrag 4711?", language="de").answer
        second = play.say("Und wann Auftrag 4712?", language="de").answer
        with reading(play.engine) as session:
            matters = {each.matter for each in rows.current(session, play.person.id, now=play.clock())}
    assert "Freitag" in first
    assert "Montag" not in first
    assert "Montag" in second
    assert "Freitag" not in second
    assert matters == {"4711", "4712"}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Forget the version."),
        ("de", "Vergiss das mit der Variante."),
        ("pt", "Esqueça a variante."),
        ("fr", "Oubliez la variante."),
        ("es", "Olvídate de lo de la variante."),
    ],
)
def test_a_decision_is_taken_back_by_word_and_stays_in_the_history(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str
) -> None:
    with stage(engine, clock, model=Turns("Hello."), tmp=tmp_path) as play:
        first = play.say("Hello.", language=language)
        decided_before(play, first, "variant", "beech")
        decided_before(play, first, "quantity", "4")
        answer = play.say(said, language=language).answer
        assert held(play) == {"quantity": "4"}
        entry = entries(play, "variant")[0]
    assert entry.withdrawn_at is not None
    assert "beech" in answer
