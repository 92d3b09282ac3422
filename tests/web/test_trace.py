"""What an answer was given: for the person with the words, for the operator in numbers only."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from memory.overview.verdict import Verdict, verdict
from memory.records import Person, Role
from memory.storage.engine import transaction
from memory.storage.tables import CardRow
from memory.wiring import Wiring
from tests import factories
from tests.fakes import T0
from tests.web.conftest import MakePerson, SignIn, post

CANARY = "zinnober"


def say(client: FlaskClient, text: str) -> str:
    """Send by form; gives the turn's public id."""
    sent = post(client, "/say", at="/", text=text, client_id=f"c-{abs(hash(text))}")
    assert sent.status_code == 303, sent.text
    return sent.location.rpartition("turn-")[2]


@pytest.fixture
def operator(make_person: MakePerson, sign_in: SignIn) -> FlaskClient:
    return sign_in(make_person("olga", role=Role.OPERATOR))


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        ({}, Verdict.UNKNOWN),
        ({"failure": "Unavailable"}, Verdict.UNKNOWN),
        ({"sources": {"recent": 0, "warm": 0, "rules": 2, "people": 3}, "missing": {}}, Verdict.EMPTY),
        ({"sources": {"recent": 1, "warm": 0}, "missing": {}}, Verdict.FULL),
        ({"sources": {"recent": 0}, "missing": {}, "found": 2}, Verdict.FULL),
        ({"sources": {"recent": 3}, "missing": {"warm": "late"}}, Verdict.INCOMPLETE),
    ],
)
def test_two_failures_with_one_symptom_are_told_apart(trace: dict[str, object], expected: Verdict) -> None:
    assert verdict(trace) is expected


def test_the_person_sees_what_was_given_in_words(wiring: Wiring, client: FlaskClient, person: Person) -> None:
    factories.card(wiring.engine, person, text=f"The gate opens with {CANARY}", public_id="gatecard")
    turn = say(client, "which word opens the gate?")
    page = client.get(f"/turn/{turn}/trace").text
    assert "Memory was given" in page
    assert CANARY in page
    assert 'href="/memories/gatecard"' in page
    assert "scripted" in page
    assert f'href="/turn/{turn}/trace"' in client.get("/").text


def test_what_was_forgotten_since_is_counted_and_not_shown(
    wiring: Wiring, client: FlaskClient, person: Person
) -> None:
    factories.card(wiring.engine, person, text=f"The gate opens with {CANARY}", public_id="gatecard")
    turn = say(client, "which word opens the gate?")
    with transaction(wiring.engine) as session:
        session.query(CardRow).filter_by(public_id="gatecard").update(
            {"status": "forgotten", "forgotten_at": T0}
        )
    page = client.get(f"/turn/{turn}/trace").text
    assert CANARY not in page
    assert "Forgotten since" in page


def test_an_empty_memory_is_told(client: FlaskClient) -> None:
    assert "Memory was empty" in client.get(f"/turn/{say(client, 'hi')}/trace").text


def test_nobody_reads_the_trace_of_another(
    client: FlaskClient, sign_in: SignIn, make_person: MakePerson, operator: FlaskClient
) -> None:
    turn = say(client, "hi")
    assert sign_in(make_person("bob")).get(f"/turn/{turn}/trace").status_code == 404
    assert operator.get(f"/turn/{turn}/trace").status_code == 404  # not even the operator


def test_the_operator_sees_numbers_without_words_or_names(
    wiring: Wiring, client: FlaskClient, person: Person, operator: FlaskClient
) -> None:
    factories.card(wiring.engine, person, text=f"The gate opens with {CANARY}", people=["Zacharias"])
    thread = factories.conversation(wiring.engine, person, archived_at=T0, summary=f"About {CANARY}")
    factories.turn(wiring.engine, person, thread, said=f"{CANARY}?", answer=f"{CANARY}!")
    turn = say(client, f"is it {CANARY}?")
    page = operator.get("/operator/turns").text
    assert turn in page
    assert "Memory was given" in page
    for word in (CANARY, "Zacharias", "Clara", "clara@"):
        assert word not in page
    assert "Memory was not asked" in page  # the turn that was put there by hand
    only = operator.get(f"/operator/turns?turn={turn}").text
    assert len(re.findall(r"<tr class=", only)) == 1
    assert "No such turn" in operator.get("/operator/turns?turn=nothere").text


def test_only_the_operator_sees_everybodys_turns(client: FlaskClient) -> None:
    assert client.get("/operator/turns").status_code == 403
