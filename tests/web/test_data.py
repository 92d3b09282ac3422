"""My data: taken away, brought back, erased, on the pages themselves."""

from __future__ import annotations

import base64
import io
import json
import random
import re
import zlib
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from memory.portability import importing
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
    assert b"## Fact" in browser.get("/data/export.md").data
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
    done = confirmed(browser, looked)
    assert cards(wiring) == ["The gate code is 0042"]
    assert "0 of 1 can be found by their meaning" in done.text
    importing.embed_missing(wiring.engine, wiring.embedder, clara.id)
    assert "All of it can be found" in browser.get(done.request.path).text
    assert "Memories: 1" in done.text
    batch = re.search(r'name="batch" value="([^"]+)"', browser.get("/data/").text)
    assert batch is not None
    post(browser, "/data/import/undo", {"batch": batch.group(1)}, at="/data/")
    assert cards(wiring) == []
    assert 'name="batch"' not in browser.get("/data/").text


def test_a_file_of_megabytes_comes_back(wiring: Wiring, make_person: MakePerson, sign_in: SignIn) -> None:
    clara, bob = make_person("clara"), make_person("bob")
    text = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz ", k=190_000))
    for number in range(20):
        factories.card(wiring.engine, clara, text=f"{number} {text}")
    file = sign_in(clara).get("/data/export.json").data
    assert len(file) > 3_500_000
    browser = sign_in(bob)
    looked = upload(browser, io.BytesIO(file), "export.json")
    assert looked.status_code == 200
    assert "another name than yours" in looked.text
    assert confirmed(browser, looked).status_code == 200
    assert len(cards(wiring)) == 40


def test_what_claims_to_be_small_is_not_unpacked_without_end(
    make_person: MakePerson, sign_in: SignIn
) -> None:
    browser = sign_in(make_person("clara"))
    bomb = base64.b64encode(zlib.compress(b" " * 60_000_000)).decode()
    for packed in (bomb, "", "????", base64.b64encode(b"nothing").decode()):
        assert post(browser, "/data/import/confirm", {"packed": packed}, at="/data/").status_code == 422


def test_nothing_is_erased_without_the_typed_confirmation(
    wiring: Wiring, make_person: MakePerson, sign_in: SignIn
) -> None:
    clara = make_person("clara")
    factories.card(wiring.engine, clara, text="The gate code is 0042")
    browser = sign_in(clara)
    refused = post(browser, "/data/erase", {"confirm": "yes"}, at="/data/")
    assert refused.status_code == 422
    assert 'id="confirm"' in refused.text  # said where one stands, to be typed again
    assert "Nothing was erased." in refused.text
    assert cards(wiring) == ["The gate code is 0042"]


def test_a_file_of_something_else_is_refused_in_words(make_person: MakePerson, sign_in: SignIn) -> None:
    browser = sign_in(make_person("clara"))
    for content in (b"", b"\xff\xfe\x00", b"not json", b"[1, 2]"):
        refused = upload(browser, io.BytesIO(content), "x.json")
        assert refused.status_code == 422
        assert "Traceback" not in refused.text
        assert 'type="file"' in refused.text


def upload(browser: FlaskClient, content: io.BytesIO, name: str) -> TestResponse:
    file = FileStorage(content, name)
    return _sent(browser, "/data/import", {"file": file, "csrf_token": token_of(browser.get("/data/"))})


def _sent(browser: FlaskClient, path: str, data: dict[str, Any]) -> TestResponse:
    # By hand: the client of the tests would leave a large form's file open.
    boundary, body = encode_multipart(data)
    kind = f"multipart/form-data; boundary={boundary}"
    return browser.post(path, data=body, content_type=kind, follow_redirects=True)


def confirmed(browser: FlaskClient, looked: TestResponse) -> TestResponse:
    """Press the button on the page that an upload was answered with."""
    packed = re.search(r'name="packed" value="([^"]+)"', looked.text)
    assert packed is not None
    data = {"packed": packed.group(1), "csrf_token": token_of(browser.get("/data/"))}
    return _sent(browser, "/data/import/confirm", data)


def cards(wiring: Wiring) -> list[str]:
    with reading(wiring.engine) as session:
        return list(session.scalars(select(CardRow.text).where(CardRow.status == "active")))
