from __future__ import annotations

import re

from flask.testing import FlaskClient

from memory.records import Person
from memory.storage import devices, people, rules
from memory.storage.engine import reading
from memory.wiring import Wiring
from tests.web.conftest import PASSWORD, MakePerson, SignIn, post


def test_name_language_and_zone_can_be_changed(client: FlaskClient, person: Person, wiring: Wiring) -> None:
    answer = post(client, "/settings/profile", name="Klara", language="de", zone="Europe/Berlin")
    assert answer.status_code == 303
    page = client.get("/settings/").text
    assert '<html lang="de"' in page
    assert "Gespeichert." in page
    with reading(wiring.engine) as session:
        changed = people.by_id(session, person.id)
    assert (changed.name, changed.language, changed.zone) == ("Klara", "de", "Europe/Berlin")


def test_a_zone_that_does_not_exist_is_refused_in_place(client: FlaskClient) -> None:
    answer = post(client, "/settings/profile", name="Klara", language="de", zone="Berlin")
    assert answer.status_code == 422
    assert "Choose a time zone such as Europe/Lisbon." in answer.text
    assert 'value="Klara"' in answer.text


def test_a_changed_password_signs_the_others_out(
    client: FlaskClient, sign_in: SignIn, person: Person
) -> None:
    other = sign_in(person)
    assert post(client, "/settings/password", current="guess", new="quite another").status_code == 422
    assert post(client, "/settings/password", current=PASSWORD, new="quite another").status_code == 303
    assert client.get("/settings/").status_code == 200
    assert other.get("/settings/").status_code == 303


def test_guessing_the_current_password_is_slowed_down(client: FlaskClient) -> None:
    codes = [
        post(client, "/settings/password", current="guess", new="quite another").status_code
        for _ in range(11)
    ]
    assert codes == [422] * 10 + [429]


def test_a_browser_is_a_device_with_a_name(client: FlaskClient, person: Person, wiring: Wiring) -> None:
    agent = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
    client.get("/settings/", headers={"User-Agent": agent})
    client.get("/settings/", headers={"User-Agent": agent})
    with reading(wiring.engine) as session:
        known = devices.of_person(session, person.id)
    assert [device.label for device in known] == ["Firefox · Android"]
    post(client, f"/settings/devices/{known[0].public_id}", label="  Phone in  the kitchen ")
    assert "Phone in the kitchen" in client.get("/settings/").text


def test_plain_http_says_what_it_lacks(sign_in: SignIn, person: Person) -> None:
    lacking = "browsers allow notifications, installing the page and copying with a button only over https"
    for base, expected in (
        ("http://127.0.0.1:8137", False),
        ("http://localhost", False),
        ("https://chat.example.org", False),
        ("http://192.168.1.7:8137", True),
    ):
        browser = sign_in(person)
        with browser.session_transaction(base_url=base) as session:
            session["_user_id"] = f"{person.public_id}:{person.session_epoch}"
        assert (lacking in browser.get("/settings/", base_url=base).text) is expected, base


def test_two_who_share_a_browser_each_keep_their_device(
    client: FlaskClient, person: Person, make_person: MakePerson, wiring: Wiring
) -> None:
    dora = make_person("dora")
    for who in (person, dora, person, dora):
        with client.session_transaction() as session:
            session["_user_id"] = f"{who.public_id}:{who.session_epoch}"
        client.get("/settings/")
    with reading(wiring.engine) as session:
        assert len(devices.of_person(session, person.id)) == len(devices.of_person(session, dora.id)) == 1


def test_a_device_of_someone_else_is_not_found(
    client: FlaskClient, sign_in: SignIn, make_person: MakePerson, wiring: Wiring
) -> None:
    dora = make_person("dora")
    sign_in(dora).get("/settings/")
    with reading(wiring.engine) as session:
        hers = devices.of_person(session, dora.id)[0]
    for path in (f"/settings/devices/{hers.public_id}", f"/settings/devices/{hers.public_id}/remove"):
        assert post(client, path, label="mine").status_code == 404
    with reading(wiring.engine) as session:
        assert devices.of_person(session, dora.id)[0].label == hers.label


def test_rules_are_added_changed_and_removed_in_place(
    client: FlaskClient, person: Person, wiring: Wiring
) -> None:
    row = post(client, "/rules/", htmx=True, text="Answer in <two> sentences.").text
    assert "Answer in &lt;two&gt; sentences." in row
    found = re.search(r'id="rule-([\w-]+)"', row)
    assert found
    rule = found.group(1)
    assert "<form" in client.get(f"/rules/{rule}", headers={"HX-Request": "true"}).text
    assert "one sentence" in post(client, f"/rules/{rule}", htmx=True, text="Answer in one sentence.").text
    assert post(client, "/rules/", text=" ").status_code == 422
    with reading(wiring.engine) as session:
        assert [each.text for each in rules.of_person(session, person.id)] == ["Answer in one sentence."]
    assert post(client, f"/rules/{rule}/remove", htmx=True).text == ""
    assert client.get(f"/rules/{rule}").status_code == 404


def test_rules_work_without_a_script(client: FlaskClient) -> None:
    assert post(client, "/rules/", text="No formulas.").status_code == 303
    page = client.get("/rules/").text
    found = re.search(r'href="(/rules/[\w-]+)"', page)
    assert found
    assert '<html lang="en"' in client.get(found.group(1)).text
    assert post(client, found.group(1), text="Few formulas.").status_code == 303
    assert "Few formulas." in client.get("/rules/").text
    assert post(client, found.group(1) + "/remove").status_code == 303
    assert "Few formulas." not in client.get("/rules/").text


def test_a_rule_of_someone_else_is_not_found(
    client: FlaskClient, sign_in: SignIn, make_person: MakePerson
) -> None:
    hers = sign_in(make_person("dora"))
    post(hers, "/rules/", text="Sing.")
    found = re.search(r'href="(/rules/[\w-]+)"', hers.get("/rules/").text)
    assert found
    path = found.group(1)
    assert client.get(path).status_code == client.get(path + "/row").status_code == 404
    assert post(client, path, text="Shout.").status_code == 404
    assert post(client, path + "/remove").status_code == 404
    assert "Sing." in hers.get("/rules/").text
