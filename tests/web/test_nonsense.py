"""Whatever an address or a form holds, a page answers it or refuses it in words; nothing breaks."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from flask.testing import FlaskClient

from memory.records import Category, Person, Role
from memory.storage import cards as rows
from memory.storage.engine import reading
from memory.wiring import Wiring
from tests import factories
from tests.web.conftest import MakePerson, SignIn, post

HUGE = "9" * 20
ADDRESSES = (
    *("/guests/?gone=x", "/guests/?gone=9999-12-31T00:00:00", "/guests/?gone=0001-01-01T00:00:00%2B14:00"),
    *("/guests/forget?name=%00", f"/guests/forget?name={'a' * 3000}", "/guests/forget"),
    *("/memories/?gone=0001-01-01T00:00:00%2B14:00", f"/memories/?page={HUGE}", "/memories/?q=%25_%5C"),
    *("/constellation/card/%00%00%00%00%00", "/constellation?card=%00", f"/constellation/data?uses={HUGE}"),
    *("/constellation/table?q=%00&since=0001-01-01&until=9999-12-31", f"/constellation/table?page={HUGE}"),
    *("/constellation/find?q=%F0%9F%98%80", f"/constellation/table?worth_from=-{HUGE}", "/worth/%00"),
    *(f"/data/import/x?cards={HUGE}", "/data/import/%00", "/search?q=abc&since=0001-01-01&until=9999-12-31"),
    *(f"/desk/audit?before={HUGE}", f"/operator/turns?before=-{HUGE}", "/operator/turns?turn=%00"),
)
FORMS: tuple[tuple[str, Mapping[str, str | list[str]]], ...] = (
    *(("/guests/forget", {"name": "\x00"}), ("/guests/forget", {}), ("/guests/undo", {"gone": "soon"})),
    *(("/guests/undo", {"gone": "9999-12-31T23:59:59-23:59"}), ("/tidy/theme/x/away", {})),
    *(("/memories/several/undo", {"gone": "0001-01-01T00:00:00+14:00"}), ("/rules/", {"text": "\x00"})),
    *(("/memories/several/forget", {"card": ["\x00", "x"]}), ("/tidy/apart", {"one": "a", "other": "b"})),
    *(("/data/erase", {"confirm": "\x00"}), ("/data/import/undo", {"batch": "\x00"})),
)
DAYS = ("0001-01-01", "9999-12-31", "2026-02-30", "12/03/2026", "\x00")


@pytest.fixture
def operator(make_person: MakePerson) -> Person:
    return make_person("olga", role=Role.OPERATOR)


@pytest.fixture
def client(sign_in: SignIn, operator: Person) -> FlaskClient:
    return sign_in(operator)


def test_no_address_breaks_a_page(client: FlaskClient) -> None:
    broken = {each: client.get(each).status_code for each in ADDRESSES}
    assert {each: status for each, status in broken.items() if status >= 500} == {}


def test_no_form_breaks_a_page(client: FlaskClient) -> None:
    broken = [(path, form, post(client, path, form, at="/rules/").status_code) for path, form in FORMS]
    assert [each for each in broken if each[2] >= 500] == []


def test_no_day_breaks_a_memory(client: FlaskClient, wiring: Wiring, operator: Person) -> None:
    card = factories.card(wiring.engine, operator, category=Category.EVENT, text="The fair")
    with reading(wiring.engine) as session:
        name = rows.by_ids(session, operator.id, [card])[card].public_id
    for kind in (Category.EVENT, Category.REMINDER, Category.FACT):
        for day in DAYS:
            form = {"text": "The fair", "category": kind.value, "date": day, "time": "00:30"}
            for path in (f"/memories/{name}", "/agenda/"):
                assert post(client, path, form, at="/rules/").status_code < 500, (path, kind, day)
    for path in ("/memories/", "/agenda/", "/constellation/data", "/data/export.ics", "/data/export.md"):
        assert client.get(path).status_code == 200, path
