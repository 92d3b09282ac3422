"""The chat page without a script: reading, sending, and what can be done with a turn."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from memory.config import Settings
from memory.llm.scripted import Call, Say, ScriptedModel
from memory.records import Category, Person, TurnState
from memory.storage import outcomes, turns
from memory.storage.engine import reading
from memory.storage.tables import TurnRow
from memory.wiring import Wiring, build
from tests import factories
from tests.conftest import ROOT
from tests.fakes import T0, FakeClock
from tests.web.conftest import MakePerson, SignIn, post

_REMINDER = {"category": "reminder", "text": "Pay the rent", "when": {"start": "2026-03-05T17:00"}}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(then=[Say("Graz is **lovely**.")])


@pytest.fixture
def wiring(
    sqlite_url: str, valkey: object, valkey_url: str, clock: FakeClock, tmp_path: Path, model: ScriptedModel
) -> Wiring:
    """The real parts with a model that plays a script."""
    env = {"ASTERISM_VAR": str(tmp_path / "var"), "DATABASE_URL": sqlite_url, "REDIS_URL": valkey_url}
    return build(Settings.from_env(env, root=ROOT), clock=clock, model=lambda: model)


def say(client: FlaskClient, text: str, client_id: str = "one") -> str:
    """Send by form and give the page that comes back."""
    sent = post(client, "/say", at="/", text=text, client_id=client_id)
    assert sent.status_code == 303, sent.text
    return client.get(sent.location).text


def ids(page: str) -> list[str]:
    """The turns of a page, in its order."""
    return re.findall(r'id="turn-([\w-]+)"', page)


def test_a_newcomer_is_invited_to_tell_something(client: FlaskClient) -> None:
    page = client.get("/").text
    assert "Hello, Clara." in page
    assert 'href="/memories/"' in page
    assert "Built-in model" in page


def test_what_is_said_comes_back_with_its_answer(client: FlaskClient) -> None:
    page = say(client, "I live in <b>Graz</b>")
    assert "I live in &lt;b&gt;Graz&lt;/b&gt;" in page
    assert "<strong>lovely</strong>" in page
    assert 'id="welcome"' not in page


def test_the_same_form_sent_twice_is_one_turn(client: FlaskClient) -> None:
    say(client, "once")
    assert len(ids(say(client, "once"))) == 1


def test_too_long_words_come_back_into_the_field(wiring: Wiring, client: FlaskClient) -> None:
    text = "x" * (wiring.settings.max_message_chars + 1)
    refused = post(client, "/say", at="/", text=text, client_id="one")
    assert refused.status_code == 422
    assert text in refused.text
    assert "at most 100000 characters" in refused.text


def test_a_form_without_its_token_is_refused(client: FlaskClient) -> None:
    assert client.post("/say", data={"text": "hi", "client_id": "one"}).status_code == 400


def test_one_visible_card_is_one_chip_that_opens(
    wiring: Wiring, client: FlaskClient, model: ScriptedModel
) -> None:
    model._steps[:] = [[Call("create_card", _REMINDER)]]
    page = say(client, "remind me on Thursday at five pm to pay the rent")
    (card_id,) = re.findall(r'hx-get="/card/([\w-]+)"', page.split("<template")[0])
    opened = client.get(f"/card/{card_id}", headers={"HX-Request": "true"}).text
    assert "Pay the rent" in opened
    assert "Thursday, 5 March 2026, 17:00" in opened
    assert f'hx-get="/memories/{card_id}/edit"' in opened
    assert "<html" not in opened
    chip = client.get(f"/card/{card_id}?chip=1", headers={"HX-Request": "true"}).text
    assert 'class="chip"' in chip
    assert "<html" in client.get(f"/card/{card_id}").text  # a plain link gives a page


def test_a_card_has_no_chip_on_another_device(
    client: FlaskClient, sign_in: SignIn, person: Person, model: ScriptedModel
) -> None:
    model._steps[:] = [[Call("create_card", _REMINDER)]]
    assert "/card/" in say(client, "remind me on Thursday at five pm to pay the rent").split("<template")[0]
    phone = sign_in(person).get("/").text.split("<template")[0]
    assert "pay the rent" in phone
    assert "/card/" not in phone


def test_silent_cards_leave_no_trace_on_the_page(
    client: FlaskClient, sign_in: SignIn, make_person: MakePerson, model: ScriptedModel
) -> None:
    plain = say(client, "plain")
    model._steps[:] = [
        [Call("create_card", {"category": "fact", "text": f"Fact {number}"}) for number in range(3)]
    ]
    silent = say(sign_in(make_person("clara2")), "plain")

    def shape(page: str) -> list[str]:
        return re.findall(r"<[a-z0-9]+|class=\"[^\"]*\"", page)

    assert shape(plain) == shape(silent)


def test_days_and_conversations_are_divided(wiring: Wiring, client: FlaskClient, person: Person) -> None:
    first = factories.conversation(wiring.engine, person, archived_at=T0)
    factories.turn(wiring.engine, person, first, said="on Monday")
    later = T0 + timedelta(hours=3)
    second = factories.conversation(wiring.engine, person, opened_at=later, archived_at=later)
    factories.turn(wiring.engine, person, second, said="again on Monday", created_at=later)
    third = factories.conversation(wiring.engine, person, opened_at=T0 + timedelta(days=1))
    factories.turn(wiring.engine, person, third, said="on Tuesday", created_at=T0 + timedelta(days=1))
    log = client.get("/").text.split('id="live"')[0]
    marks = re.findall(r"(?:data-day=\"([\d-]+)\"|class=\"(begins)\"|auto\">((?:again )?on \w+)<)", log)
    assert ["".join(mark) for mark in marks] == [
        "2026-03-02",
        "on Monday",
        "begins",
        "again on Monday",
        "2026-03-03",
        "on Tuesday",
    ]


def test_older_turns_load_in_pieces_without_a_gap(
    wiring: Wiring, client: FlaskClient, person: Person
) -> None:
    thread = factories.conversation(wiring.engine, person)
    for number in range(75):
        factories.turn(wiring.engine, person, thread, said=f"number {number}")
    page = client.get("/").text
    seen = ids(page)
    while found := re.search(r'hx-get="(/older\?before=[\w-]+)"', page):
        page = client.get(found.group(1), headers={"HX-Request": "true"}).text
        seen = ids(page) + seen
    with reading(wiring.engine) as session:
        everything = [turn.public_id for turn, _ in turns.timeline(session, person.id, limit=100)]
    assert seen == everything
    looking_back = client.get(f"/?before={seen[30]}").text
    assert ids(looking_back)[-1] == seen[29]
    assert 'href="/"' in looking_back


def test_a_link_to_an_old_turn_shows_it_among_its_neighbours(
    wiring: Wiring, client: FlaskClient, person: Person
) -> None:
    thread = factories.conversation(wiring.engine, person)
    for number in range(90):
        factories.turn(wiring.engine, person, thread, said=f"number {number}")
    with reading(wiring.engine) as session:
        tenth = turns.timeline(session, person.id, limit=100)[10][0].public_id
    shown = ids(client.get(f"/?turn={tenth}").text)
    assert tenth in shown
    assert shown.index(tenth) < len(shown) - 1


def test_a_vote_is_stored_changed_and_taken_back(wiring: Wiring, client: FlaskClient, person: Person) -> None:
    (turn_id,) = ids(say(client, "hi"))

    def vote(value: str) -> int:
        answer = post(client, f"/turn/{turn_id}/vote", at="/", htmx=True, value=value)
        assert answer.status_code == 200
        with reading(wiring.engine) as session:
            return turns.by_public_id(session, person.id, turn_id).feedback

    assert [vote("1"), vote("-1"), vote("0")] == [1, -1, 0]
    assert post(client, f"/turn/{turn_id}/vote", at="/", value="7").status_code == 422
    shown = post(client, f"/turn/{turn_id}/vote", at="/", htmx=True, value="1").text
    assert re.search(r'value="0" aria-pressed="true"', shown)  # pressing it again takes it back


def test_a_thumb_down_may_say_why(wiring: Wiring, client: FlaskClient, person: Person) -> None:
    (turn_id,) = ids(say(client, "hi"))
    path = f"/turn/{turn_id}/vote"
    assert "-1:outdated" not in client.get("/").text
    assert "-1:outdated" in post(client, path, at="/", htmx=True, value="-1").text
    assert "-1:outdated" not in post(client, path, at="/", htmx=True, value="1").text
    told = post(client, path, at="/", htmx=True, value="-1:other").text
    assert re.search(r'id="why-other-[^"]+" class="bare" name="value" value="-1" aria-pressed="true"', told)
    with reading(wiring.engine) as session:
        turn = turns.by_public_id(session, person.id, turn_id)
        assert turn.feedback == -1
        assert outcomes.voted(session, person.id, turn.id) == (-1, "other")
    assert post(client, path, at="/", value="1:outdated").status_code == 422
    assert post(client, path, at="/", value="-1:<b>").status_code == 422


def test_a_deleted_turn_is_gone_until_it_is_brought_back(client: FlaskClient) -> None:
    (turn_id,) = ids(say(client, "hi"))
    deleted = post(client, f"/turn/{turn_id}/delete", at="/")
    page = client.get(deleted.location).text
    assert f'id="turn-{turn_id}"' not in page
    assert f'action="/turn/{turn_id}/restore"' in page
    post(client, f"/turn/{turn_id}/restore", at="/")
    assert f'id="turn-{turn_id}"' in client.get("/").text


def test_answering_again_and_editing_replace_the_turn(client: FlaskClient) -> None:
    (first,) = ids(say(client, "hi"))
    post(client, f"/turn/{first}/again", at="/")
    (second,) = ids(client.get("/").text)
    assert second != first
    post(client, f"/turn/{second}/edit", at="/", text="hello", client_id="edit")
    page = client.get("/").text
    (third,) = ids(page)
    assert third not in (first, second)
    assert "hello" in page


def test_an_interrupted_turn_says_so_and_offers_another_try(
    wiring: Wiring, client: FlaskClient, person: Person
) -> None:
    thread = factories.conversation(wiring.engine, person)
    factories.turn(wiring.engine, person, thread, answer="Half of", state=TurnState.INTERRUPTED)
    page = client.get("/").text.split("<template")[0]
    assert "This answer was interrupted" in page
    assert re.search(r"data-retry>", page)
    assert '<textarea id="text"' in page


def test_a_running_turn_can_be_stopped_without_a_script(
    wiring: Wiring, client: FlaskClient, person: Person
) -> None:
    thread = factories.conversation(wiring.engine, person)
    factories.turn(wiring.engine, person, thread, answer="", state=TurnState.RUNNING, claimed_by="x:1:2")
    page = client.get("/").text
    (turn_id,) = ids(page)
    assert "The answer is being made." in page
    post(client, f"/turn/{turn_id}/stop", at="/")
    with reading(wiring.engine) as session:
        row = session.query(TurnRow).one()
        assert row.stop_asked


@pytest.mark.parametrize("path", ["vote", "again", "edit", "delete"])
def test_nobody_touches_the_turn_of_another(
    client: FlaskClient, sign_in: SignIn, make_person: MakePerson, path: str
) -> None:
    (turn_id,) = ids(say(client, "hi"))
    bob = sign_in(make_person("bob"))
    answer = post(bob, f"/turn/{turn_id}/{path}", at="/", value="1", text="x", client_id="y")
    assert answer.status_code == 404
    for address in (
        f"/turn/{turn_id}",
        f"/older?before={turn_id}",
        f"/?turn={turn_id}",
        f"/?before={turn_id}",
    ):
        assert bob.get(address).status_code == 404
    assert ids(client.get("/").text) == [turn_id]


def test_a_card_of_another_is_not_there(wiring: Wiring, client: FlaskClient, make_person: MakePerson) -> None:
    factories.card(
        wiring.engine, make_person("bob"), category=Category.MEMO, visible=True, public_id="bobscard"
    )
    assert client.get("/card/bobscard").status_code == 404


def test_every_address_of_the_chat_needs_somebody_signed_in(app: Flask, stranger: FlaskClient) -> None:
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("chat.") or rule.websocket or "GET" not in (rule.methods or ()):
            continue
        path = re.sub(r"<[^>]+>", "x", rule.rule)
        answer = stranger.get(path, headers={"Accept": "application/json"})
        assert answer.status_code == 401, path


def test_the_page_carries_no_script_or_style_of_its_own(client: FlaskClient) -> None:
    page = say(client, "hi")
    assert not re.search(r"<script(?![^>]*src=)", page)
    assert not re.search(r"\s(?:style|on[a-z]+)=", page)
