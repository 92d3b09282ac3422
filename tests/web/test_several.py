"""Several memories forgotten at once: those that were ticked, or all that a search leaves."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from memory.records import CardStatus, Category, Person
from memory.storage.engine import reading
from memory.storage.tables import CardRow
from memory.wiring import Wiring
from tests import factories
from tests.web.conftest import MakePerson, SignIn, post


@pytest.fixture
def clara(make_person: MakePerson, wiring: Wiring) -> Person:
    who = make_person("clara")
    for number, text in enumerate(("old gate code", "old bike code", "new gate code")):
        factories.card(wiring.engine, who, text=text, surface_terms=text, statement_key=str(number))
    factories.card(
        wiring.engine,
        who,
        category=Category.TASK,
        text="old task",
        surface_terms="old task",
        status=CardStatus.DONE,
    )
    return who


@pytest.fixture
def client(clara: Person, sign_in: SignIn) -> FlaskClient:
    return sign_in(clara)


def left(wiring: Wiring) -> dict[str, str]:
    with reading(wiring.engine) as session:
        rows = session.execute(select(CardRow.text, CardRow.status).where(CardRow.status != "forgotten"))
        return {text: status for text, status in rows}


def public_ids(wiring: Wiring, *texts: str) -> list[str]:
    with reading(wiring.engine) as session:
        return list(session.scalars(select(CardRow.public_id).where(CardRow.text.in_(texts))))


def test_the_ticked_ones_go_and_come_back_as_they_were(client: FlaskClient, wiring: Wiring) -> None:
    before = left(wiring)
    chosen = public_ids(wiring, "old gate code", "old task")
    sent = post(client, "/memories/several/forget", {"card": chosen}, at="/memories/")
    page = client.get(sent.headers["Location"])
    assert set(left(wiring)) == {"old bike code", "new gate code"}
    assert "2 memories are forgotten." in page.text
    gone = re.search(r'name="gone" value="([^"]+)"', page.text)
    assert gone is not None
    post(client, "/memories/several/undo", {"gone": gone.group(1)}, at="/memories/")
    assert "2 memories are back." in client.get("/memories/").text
    assert left(wiring) == before  # the task that was done is done, and not to do again


def test_all_that_fit_a_search_go_after_a_question(client: FlaskClient, wiring: Wiring) -> None:
    asked = post(client, "/memories/several/ask", {"q": "old code"}, at="/memories/")
    assert "Forget 2 memories?" in asked.text
    assert len(left(wiring)) == 4
    post(client, "/memories/several/forget", {"all": "1", "q": "old code"}, at="/memories/")
    assert set(left(wiring)) == {"new gate code", "old task"}


@pytest.mark.parametrize("form", [{}, {"card": ["no-such-card"]}, {"all": "1"}, {"all": "1", "q": "  "}])
def test_nothing_chosen_is_nothing_forgotten(
    client: FlaskClient, wiring: Wiring, form: dict[str, str | list[str]]
) -> None:
    assert post(client, "/memories/several/forget", form, at="/memories/").status_code == 422
    assert len(left(wiring)) == 4


@pytest.mark.parametrize("gone", ["", "junk", "2026-06-08T10:00:00", "2020-01-01T00:00:00+00:00"])
def test_an_undo_of_nothing_is_said(client: FlaskClient, gone: str) -> None:
    assert post(client, "/memories/several/undo", {"gone": gone}, at="/memories/").status_code == 422
    assert client.get("/memories/", query_string={"gone": gone}).status_code == 200


def test_nobody_forgets_what_is_somebody_elses(
    wiring: Wiring, clara: Person, make_person: MakePerson, sign_in: SignIn
) -> None:
    browser = sign_in(make_person("bob"))
    chosen = public_ids(wiring, "old gate code")
    assert post(browser, "/memories/several/forget", {"card": chosen}, at="/memories/").status_code == 422
    assert (
        post(browser, "/memories/several/forget", {"all": "1", "q": "old"}, at="/memories/").status_code
        == 422
    )
    assert len(left(wiring)) == 4
