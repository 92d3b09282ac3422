"""My data: taken away, brought back, erased, on the pages themselves."""

from __future__ import annotations

import io
import json
import re

from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from memory.storage.engine import reading
from memory.storage.tables import CardRow
from memory.wiring import Wiring
from tests import factories
from tests.web.conftest import MakePerson, SignIn, post, token_of


def test_everything_can_be_taken_in_three_forms(
    wiring: Wiring, make_person: MakePerson, sign_in: SignIn
) -> None:
    clara, bob = make_person("clara"), make_person("bob")
    factories.card(wiring.engine, clara, text="The gate code is 0042")
    factories.card(wiring.engine, bob, text="Bob's own secret")
    browser = sign_in(clara)
    told = browser.get("/data/export.json")
    assert told.headers["Content-Disposition"].endswith('.json"')
    assert [card["text"] for card in json.loads(told.data)["cards"]] == ["The gate code is 0042"]
    assert b"The gate code is 0042" in browser.get("/data/export.md").data
    assert browser.get("/data/export.ics").data.startswith(b"BEGIN:VCALENDAR")
    assert browser.get("/data/export.exe").status_code == 422


def test_what_was_taken_is_looked_at_brought_back_and_taken_back(
    wiring: Wiring, make_person: MakePerson, sign_in: SignIn
) -> None:
    clara = make_person("clara")
    factories.card(wiring.engine, clara, text="The gate code is 0042")
    browser = sign_in(clara)
    file = browser.get("/data/export.json").data
    receipt = post(browser, "/data/erase", {"confirm": clara.email}, at="/data/")
    assert "Everything is erased" in receipt.text
    looked = upload(browser, io.BytesIO(file), "export.json")
    assert "New here" in looked.text
    assert cards(wiring) == []
    done = post(browser, "/data/import/confirm", {"text": file.decode()}, at="/data/")
    assert cards(wiring) == ["The gate code is 0042"]
    batch = re.search(r'name="batch" value="([^"]+)"', done.text)
    assert batch is not None
    post(browser, "/data/import/undo", {"batch": batch.group(1)}, at="/data/")
    assert cards(wiring) == []


def test_nothing_is_erased_without_the_typed_confirmation(
    wiring: Wiring, make_person: MakePerson, sign_in: SignIn
) -> None:
    clara = make_person("clara")
    factories.card(wiring.engine, clara, text="The gate code is 0042")
    browser = sign_in(clara)
    refused = post(browser, "/data/erase", {"confirm": "yes"}, at="/data/")
    assert refused.status_code == 422
    assert cards(wiring) == ["The gate code is 0042"]


def test_a_file_of_something_else_is_refused_in_words(make_person: MakePerson, sign_in: SignIn) -> None:
    browser = sign_in(make_person("clara"))
    for content in (b"", b"\xff\xfe\x00", b"not json", b"[1, 2]"):
        refused = upload(browser, io.BytesIO(content), "x.json")
        assert refused.status_code == 422
        assert "Traceback" not in refused.text


def upload(browser: FlaskClient, content: io.BytesIO, name: str) -> TestResponse:
    data = {"file": (content, name), "csrf_token": token_of(browser.get("/data/"))}
    return browser.post("/data/import", data=data, content_type="multipart/form-data")


def cards(wiring: Wiring) -> list[str]:
    with reading(wiring.engine) as session:
        return list(session.scalars(select(CardRow.text).where(CardRow.status == "active")))
