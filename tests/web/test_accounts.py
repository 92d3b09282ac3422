from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from memory import accounts
from memory.records import Person, Role
from memory.storage import people
from memory.storage.engine import reading
from memory.wiring import Wiring
from tests.fakes import FakeClock
from tests.web.conftest import PASSWORD, MakePerson, SignIn, post, token_of


def fill(client: FlaskClient, path: str, **changes: str) -> tuple[int, str, str]:
    page = client.get(path)
    form = {
        "csrf_token": token_of(page),
        "name": "Bento",
        "email": "bento@example.org",
        "password": PASSWORD,
        "language": "pt",
        "zone": "Europe/Lisbon",
        **changes,
    }
    answer = client.post(path, data=form)
    return answer.status_code, str(answer.location), answer.text


def test_the_first_account_is_made_by_the_printed_link(stranger: FlaskClient, wiring: Wiring) -> None:
    link = accounts.ensure_first_link(wiring.engine, wiring.settings, wiring.clock())
    assert link is not None
    path = "/join/" + link.rsplit("/", 1)[1]
    assert "This is the first account." in stranger.get(path).text

    assert fill(stranger, path)[:2] == (303, "/")

    page = stranger.get("/operator/")
    assert page.status_code == 200
    assert '<html lang="pt"' in page.text
    assert stranger.get(path).status_code == 404


def test_an_invitation_from_the_operators_page_makes_one_person(
    app: Flask, sign_in: SignIn, make_person: MakePerson, wiring: Wiring
) -> None:
    operator = sign_in(make_person("olga", role=Role.OPERATOR))
    page = post(operator, "/operator/invitations", at="/operator/", role="person")
    found = re.search(r'value="http://localhost(/join/[^"]+)"', page.text)
    assert found
    assert found.group(1) not in operator.get("/operator/").text  # shown once
    guest = app.test_client()
    assert fill(guest, found.group(1))[0] == 303
    with reading(wiring.engine) as session:
        made = people.by_email(session, "bento@example.org")
    assert made is not None
    assert (made[0].role, made[0].zone) == (Role.PERSON, "Europe/Lisbon")
    assert guest.get("/operator/").status_code == 403
    assert fill(app.test_client(), "/sign-in", email="bento@example.org")[0] == 303


def test_a_withdrawn_invitation_does_not_work(app: Flask, sign_in: SignIn, make_person: MakePerson) -> None:
    operator = sign_in(make_person("olga", role=Role.OPERATOR))
    page = post(operator, "/operator/invitations", at="/operator/", role="agent").text
    link = re.search(r'value="http://localhost(/join/[^"]+)"', page)
    withdraw = re.search(r'action="(/operator/invitations/\d+/withdraw)"', page)
    assert link
    assert withdraw
    assert post(operator, withdraw.group(1), at="/operator/").status_code == 303
    assert app.test_client().get(link.group(1)).status_code == 404


def test_an_expired_link_says_so(
    stranger: FlaskClient, wiring: Wiring, clock: FakeClock, make_person: MakePerson
) -> None:
    token = accounts.invite(wiring.engine, role=Role.PERSON, by=make_person("olga"), now=clock())
    clock.tick(days=8)
    answer = stranger.get(f"/join/{token}")
    assert answer.status_code == 404
    assert "This link does not work any more" in answer.text


def test_a_mistake_keeps_what_was_typed_but_not_the_password(
    stranger: FlaskClient, wiring: Wiring, make_person: MakePerson
) -> None:
    token = accounts.invite(wiring.engine, role=Role.PERSON, by=make_person("olga"), now=wiring.clock())
    status, _where, page = fill(stranger, f"/join/{token}", password="short", name='B"><i>')
    assert status == 422
    assert "Choose a password of at least 8 characters." in page
    assert 'value="bento@example.org"' in page
    assert "B&#34;&gt;&lt;i&gt;" in page
    assert "short" not in page
    assert '<option value="pt" lang="pt" selected>' in page


@pytest.mark.parametrize(
    ("asked", "given"),
    [("de-CH,de;q=0.9,en;q=0.8", "de"), ("pt-BR", "pt"), ("ja,fr;q=0.5", "fr"), ("ja", "en"), ("", "en")],
)
def test_the_language_follows_the_browser(stranger: FlaskClient, asked: str, given: str) -> None:
    assert f'<html lang="{given}"' in stranger.get("/sign-in", headers={"Accept-Language": asked}).text


def test_signing_out_ends_this_browser_only(client: FlaskClient, sign_in: SignIn, person: Person) -> None:
    other = sign_in(person)
    assert post(client, "/sign-out").location == "/sign-in"
    assert client.get("/settings/").status_code == 303
    assert other.get("/settings/").status_code == 200


def test_who_is_signed_in_needs_no_form(client: FlaskClient) -> None:
    assert client.get("/sign-in").location == "/"
    assert client.get("/sign-in?next=/settings/").location == "/settings/"
    assert client.get("/sign-in?next=//evil.example").location == "/"


def test_a_session_does_not_outlive_signing_in_anew(stranger: FlaskClient, person: Person) -> None:
    before = token_of(stranger.get("/sign-in"))
    form = {"email": person.email, "password": PASSWORD, "csrf_token": before}
    assert stranger.post("/sign-in", data=form).status_code == 303
    assert stranger.post("/sign-out", data={"csrf_token": before}).status_code == 400
