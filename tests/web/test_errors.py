from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from memory.errors import Conflict, InvalidInput
from memory.records import Person
from memory.storage.engine import make_engine
from memory.web import build_web
from memory.web.session import public
from memory.wiring import Wiring
from tests.web.conftest import SignIn


@pytest.fixture
def broken(app: Flask) -> Flask:
    """The app with pages that fail in each way."""

    @public
    def fault() -> str:
        raise RuntimeError("secret detail of /etc/asterism")

    @public
    def refused() -> str:
        raise InvalidInput("Write a name of at most %(most)s characters.", most=120)

    @public
    def late() -> str:
        raise Conflict("A <b>tag</b>")

    app.add_url_rule("/fault", view_func=fault)
    app.add_url_rule("/refused", view_func=refused)
    app.add_url_rule("/late", view_func=late)
    return app


def test_a_fault_shows_plain_words_and_no_trace(broken: Flask, caplog: pytest.LogCaptureFixture) -> None:
    answer = broken.test_client().get("/fault")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.text
    assert "secret detail" not in answer.text
    assert "RuntimeError" not in answer.text
    assert "RuntimeError" in caplog.text
    assert "in fault" in caplog.text  # where, but not with which words
    assert "secret detail" not in caplog.text.replace('raise RuntimeError("secret detail', "")


def test_an_error_speaks_the_readers_language(broken: Flask) -> None:
    answer = broken.test_client().get("/refused", headers={"Accept-Language": "de-AT,de;q=0.9"})
    assert answer.status_code == 422
    assert "Schreib einen Namen mit höchstens 120 Zeichen." in answer.text
    assert '<html lang="de" dir="ltr">' in answer.text


def test_htmx_gets_a_notice_and_a_script_gets_json(broken: Flask) -> None:
    fragment = broken.test_client().get("/late", headers={"HX-Request": "true"})
    assert (fragment.status_code, fragment.headers["HX-Retarget"]) == (409, "#notice")
    assert "<html" not in fragment.text
    assert "A &lt;b&gt;tag&lt;/b&gt;" in fragment.text
    told = broken.test_client().get("/late", headers={"Accept": "application/json"})
    assert told.json == {"error": {"status": 409, "message": "A <b>tag</b>"}}


def test_htmx_is_sent_to_sign_in_as_a_whole_page(stranger: FlaskClient) -> None:
    answer = stranger.get("/memories/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (200, "/sign-in")


def test_a_missing_database_is_said_in_words(wiring: Wiring, person: Person, tmp_path: Path) -> None:
    gone = make_engine(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder.db'}")
    app = build_web(replace(wiring, engine=gone))
    browser = app.test_client()
    with browser.session_transaction() as session:
        session["_user_id"] = f"{person.public_id}:0"
    answer = browser.get("/memories/")
    assert answer.status_code == 503
    assert "The memory store does not answer" in answer.text
    health = browser.get("/health")
    assert (health.status_code, (health.json or {})["status"]) == (503, "down")


def test_a_page_that_does_not_exist(client: FlaskClient) -> None:
    answer = client.get("/no-such-page")
    assert answer.status_code == 404
    assert "This page does not exist." in answer.text
    assert client.get("/rules/x/remove").status_code == 405


def test_health_is_open_and_says_what_works(stranger: FlaskClient) -> None:
    answer = stranger.get("/health")
    assert (answer.status_code, answer.json) == (200, {"status": "ok", "database": "ok", "queue": "ok"})


def test_signed_in_people_read_errors_in_their_own_language(
    app: Flask, sign_in: SignIn, make_person: object
) -> None:
    browser = sign_in(make_person(language="pt"))  # type: ignore[operator]
    assert "Esta página não existe." in browser.get("/x", headers={"Accept-Language": "de"}).text


@pytest.mark.parametrize(
    ("came_from", "link"),
    [
        ("http://localhost/memories/?q=bus&page=2", 'href="/memories/?q=bus&amp;page=2"'),
        ("http://localhost/constellation/table", 'href="/constellation/table"'),
        ("http://elsewhere.example/memories/", None),
        ("http://localhost/refused", None),  # this page itself
        ("http://localhost/data/erase", None),  # the answer to a form
        ("http://localhost//evil.example", None),
        ("", None),
    ],
)
def test_an_error_leads_back_to_the_page_one_was_on(broken: Flask, came_from: str, link: str | None) -> None:
    page = broken.test_client().get("/refused", headers={"Referer": came_from}).text
    assert page.count('class="button"') == (0 if link is None else 1)
    assert link is None or link in page
    assert "evil" not in page
    assert 'href="/"' in page
