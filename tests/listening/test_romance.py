"""Kinds of sentences that Portuguese, French and Spanish share: bare "que", since-clauses, tags, the like."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.listening import Act, Heard, listen
from memory.records import Category

ZONES = {"pt": "Europe/Lisbon", "fr": "Europe/Paris", "es": "Europe/Madrid"}


def hear(text: str, language: str, *, previous: str = "") -> Heard:
    zone = ZONES[language]
    now = datetime(2026, 8, 12, 10, 0, tzinfo=ZoneInfo(zone))  # a Wednesday
    return listen(text, language=language, now=now, zone=zone, previous=previous)


def texts(heard: Heard) -> list[str]:
    return [candidate.text for candidate in heard.candidates]


@pytest.mark.parametrize(
    ("language", "text", "whole"),
    [
        ("pt", "tenho um gato que só bebe da torneira", "Tenho um gato que só bebe da torneira"),
        ("pt", "trabalho numa quinta que produz mirtilos", "Trabalho numa quinta que produz mirtilos"),
        ("es", "tengo un loro que habla gallego", "Tengo un loro que habla gallego"),
    ],
)
def test_what_a_bare_que_says_of_a_thing_stays_with_it(language: str, text: str, whole: str) -> None:
    assert texts(hear(text, language)) == [whole]


@pytest.mark.parametrize(
    ("language", "text", "about"),
    [
        ("pt", "vivo com a minha tia que é cega de um olho", "A minha tia é cega de um olho"),
        ("es", "vivo con mi abuela que toma insulina", "Mi abuela toma insulina"),
    ],
)
def test_what_a_bare_que_says_of_ones_person_is_theirs(language: str, text: str, about: str) -> None:
    assert about in texts(hear(text, language))


def test_what_is_told_to_somebody_is_no_relative_clause() -> None:
    assert texts(hear("disse à minha madrinha que vou jantar fora", "pt")) == []


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("pt", "ando cheia de fome desde que deixei de fumar", "Deixei de fumar"),
        ("es", "duermo fatal desde que dejé de fumar", "Dejé de fumar"),
        ("fr", "je dors mal depuis que j'ai arrêté de fumer", "J'ai arrêté de fumer"),
    ],
)
def test_since_is_no_condition(language: str, text: str, kept: str) -> None:
    assert kept in texts(hear(text, language))


def test_since_a_time_is_no_event() -> None:
    heard = hear("faz dois meses que não toco em álcool", "pt")
    assert [c.category for c in heard.candidates] == [Category.FACT]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "O meu genro é celíaco, sabes?"),
        ("es", "Mi yerno es celíaco, ¿sabes?"),
        ("fr", "Mon gendre est cœliaque, tu sais ?"),
    ],
)
def test_a_tag_asks_nothing(language: str, text: str) -> None:
    heard = hear(text, language)
    assert heard.question is None
    assert len(heard.candidates) == 1


def test_what_somebody_does_is_a_statement_without_its_question_mark() -> None:
    heard = hear("Quem me arranja o carro é o Teodósio.", "pt")
    assert heard.question is None
    assert "Teodósio" in texts(heard)[0]
    assert hear("quem é que me arranja o carro", "pt").question is not None


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        (
            "pt",
            "Que caminhada aconselhas a alguém que, como eu, tem uma perna mais curta?",
            "perna mais curta",
        ),
        ("es", "¿Qué dieta le va bien a alguien que tiene gota, que es mi caso?", "gota"),
        ("fr", "Tu connais un vélo pour quelqu'un qui, comme moi, a mal aux hanches ?", "mal aux hanches"),
    ],
)
def test_what_a_question_tells_of_somebody_like_oneself(language: str, text: str, said: str) -> None:
    heard = hear(text, language)
    assert len(heard.candidates) == 1
    assert said in heard.candidates[0].text


def test_a_question_is_about_whom_the_sentence_before_spoke_of() -> None:
    heard = hear("Estou na sapataria a comprar umas botas para o meu enteado. Que número calça?", "pt")
    assert heard.candidates == ()
    assert heard.question is not None
    assert heard.question.relations


@pytest.mark.parametrize(
    "text", ["se eu soubesse pilotar comprava um hidroavião", "Si me tocara el cupón me compraba un velero"]
)
def test_an_imperfect_subjunctive_is_unreal(text: str) -> None:
    assert texts(hear(text, "pt" if text.startswith("se ") else "es")) == []


def test_an_event_that_only_says_when_takes_its_matter_from_before() -> None:
    heard = hear("Arranjei vaga no alergologista! Ficou para dia 20 de agosto às 9h10", "pt")
    (event,) = [c for c in heard.candidates if c.category is Category.EVENT]
    assert "alergologista" in event.text
    assert event.when is not None
    assert event.when.start.isoformat() == "2026-08-20T09:10:00"
    assert len(heard.candidates) == 1


def test_a_past_event_goes_on_and_a_day_of_its_own_is_another() -> None:
    one = hear("Ontem fui com a Rosalina apanhar amoras e voltei de mãos roxas", "pt")
    assert len(one.candidates) == 1
    two = hear("ontem o meu neto Duarte caiu do baloiço e na segunda fomos ao hospital", "pt")
    assert sum(c.category is Category.EVENT for c in two.candidates) == 2


def test_a_thing_is_as_old_as_it_is_and_not_the_speaker() -> None:
    heard = hear("a nossa cadela, a Fusca, só come arroz e tem doze anos", "pt")
    assert "A nossa cadela tem doze anos" in texts(heard)
    assert not any(c.attribute == "age" for c in heard.candidates)


@pytest.mark.parametrize("text", ["a minha cunhada canta ópera", "o meu avô escreve versos"])
def test_who_sings_or_writes_says_nothing(text: str) -> None:
    heard = hear(text, "pt")
    assert [c.category for c in heard.candidates] == [Category.FACT]


def test_what_others_think_of_the_speaker_is_not_kept() -> None:
    assert texts(hear("o meu cunhado diz que sou forreta", "pt")) == []
    assert texts(hear("a minha médica diz que tenho de evitar o sal", "pt")) == ["Tenho de evitar o sal"]


def test_laughter_behind_what_happened_makes_it_no_joke() -> None:
    heard = hear("no domingo eu e o Ademar fomos pescar na represa e voltamos de mãos vazias kkkk", "pt")
    assert [c.category for c in heard.candidates] == [Category.EVENT]
    assert "kkk" not in heard.candidates[0].text


def test_a_courtesy_before_forgetting_changes_nothing() -> None:
    heard = hear("Faz-me um favor, esquece o Hilário.", "pt")
    assert Act.FORGET in heard.acts
    assert heard.forgetting is not None
    assert heard.forgetting.topic == "Hilário"


def test_a_number_in_words_is_put_right() -> None:
    before = "a minha avó Guiomar faz setenta e nove este ano"
    heard = hear("minto, setenta e oito", "pt", previous=before)
    assert any("setenta e oito" in c.text for c in heard.candidates)
    assert heard.correction is not None
    assert heard.correction.wrong == "setenta e nove"


@pytest.mark.parametrize(
    ("text", "category", "said"),
    [
        ("amanhã às sete apita-me para eu pôr a loiça a lavar", Category.REMINDER, "loiça"),
        ("daqui a vinte minutos diz-me para tirar o pão", Category.REMINDER, "pão"),
        ("tenho de não me esquecer de devolver o berbequim", Category.TASK, "berbequim"),
        ("apontamento: a costureira leva doze euros pela bainha", Category.MEMO, "costureira"),
    ],
)
def test_asked_for_in_everyday_words(text: str, category: Category, said: str) -> None:
    heard = hear(text, "pt")
    assert [c.category for c in heard.candidates] == [category]
    assert said in heard.candidates[0].text


def test_what_the_right_half_shares_with_the_denied_one() -> None:
    heard = hear("afinal o Damião não é alérgico a nozes, é a pêssegos", "pt")
    assert [c.attribute for c in heard.candidates] == ["allergy:pessegos"]


def test_so_much_that_is_no_fact() -> None:
    assert texts(hear("sou tão distraído que até a minha cadela me leva a passear", "pt")) == []


def test_a_reason_behind_a_number_put_right_changes_nothing() -> None:
    before = "a minha avó Guiomar faz setenta e nove este ano"
    heard = hear("minto, setenta e oito, é que ela é de 48", "pt", previous=before)
    assert heard.correction is not None
    assert heard.correction.right == "setenta e oito"
