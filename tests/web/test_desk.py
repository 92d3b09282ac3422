"""The desk's pages: who may see what, the sheet, acts without a script, the audit."""

from __future__ import annotations

import csv
import io
import re

import pytest
from flask.testing import FlaskClient

from memory.decisions import log
from memory.handover.asking import ask_by_button
from memory.records import Category, Person, Role, TurnState
from memory.storage import conversations
from memory.storage import decisions as decision_rows
from memory.storage import handovers as rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import TurnRow
from memory.wiring import Wiring
from tests import factories
from tests.fakes import T0
from tests.web.conftest import MakePerson, SignIn, post

VALUES = {
    "delivery_window": "2026-03-12 09:00-12:00",
    "delivery_address": "12 Mill Lane",
    "quantity": "40",
    "order_number": "4711",
}


@pytest.fixture
def agent(make_person: MakePerson) -> Person:
    return make_person("hanna", role=Role.AGENT)


@pytest.fixture
def desk(sign_in: SignIn, agent: Person) -> FlaskClient:
    """Hanna's browser."""
    return sign_in(agent)


@pytest.fixture
def asked(wiring: Wiring, person: Person) -> str:
    """Clara's request; its public id."""
    talk = factories.conversation(wiring.engine, person)
    factories.turn(wiring.engine, person, talk, said="Is Mill Lane right?", answer="Which house number?")
    ask_by_button(wiring.engine, wiring.frames, person, now=T0, idle_s=1800)
    with reading(wiring.engine) as session:
        (waiting,) = rows.waiting(session)
    return waiting.public_id


@pytest.fixture
def taken(desk: FlaskClient, asked: str) -> str:
    """Clara's request once Hanna has it."""
    assert post(desk, f"/desk/{asked}/claim").status_code == 303
    return asked


def decide(wiring: Wiring, person: Person, name: str, value: str, *, by: str = "person") -> None:
    with transaction(wiring.engine) as session:
        conversation = conversations.open_of(session, person.id)
        key = wiring.keys.get(name)
        assert conversation is not None
        assert key is not None
        thread = turn_rows.of_conversation(session, conversation.id)
        log.store(
            session,
            person_id=person.id,
            conversation=conversation,
            key=key,
            value=value,
            turn_id=thread[0].id,
            decided_by=by,
            now=T0,
        )


def lines(page: str) -> list[str]:
    sheet = page.partition('id="sheet"')[2].partition("</ol>")[0]
    found = re.findall(r'<div class="entry".*?(?=<div class="entry"|</li>)', sheet, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in found]


def test_a_person_has_no_desk(client: FlaskClient, asked: str) -> None:
    for path in ("/desk/", "/desk/queue", f"/desk/{asked}", f"/desk/{asked}/live", "/desk/audit"):
        assert client.get(path).status_code == 403
    assert "Desk" not in client.get("/settings/").text.partition("<main")[0]


def test_the_queue_tells_who_waits_and_none_of_their_words(desk: FlaskClient, asked: str) -> None:
    shown = desk.get("/desk/").text
    assert "Clara" in shown
    assert "English" in shown
    assert "asked for" in shown
    assert "Mill Lane" not in shown


def test_the_queue_sends_nothing_while_nothing_changes(desk: FlaskClient, asked: str) -> None:
    page = desk.get("/desk/").text
    found = re.search(r'hx-get="(/desk/queue\?seen=\w+)"', page)
    assert found
    assert desk.get(found.group(1), headers={"HX-Request": "true"}).status_code == 204
    post(desk, f"/desk/{asked}/claim")
    assert "With you" in desk.get(found.group(1), headers={"HX-Request": "true"}).text


def test_who_does_not_hold_it_reads_nothing(
    desk: FlaskClient, sign_in: SignIn, make_person: MakePerson, taken: str
) -> None:
    other = sign_in(make_person("emil", role=Role.AGENT))
    assert "Mill Lane" in desk.get(f"/desk/{taken}").text
    assert other.get(f"/desk/{taken}").status_code == 303
    assert other.get(f"/desk/{taken}/live").status_code == 303
    assert post(other, f"/desk/{taken}/say", text="hi", client_id="a").status_code == 403
    assert post(other, f"/desk/{taken}/note", text="hi").status_code == 403
    assert post(other, f"/desk/{taken}/decide", key="quantity", value="2").status_code == 403
    assert post(other, f"/desk/{taken}/claim").status_code == 409
    assert "Hanna" in other.get("/desk/").text
    post(desk, f"/desk/{taken}/return")
    assert desk.get(f"/desk/{taken}").status_code == 303  # over: no longer theirs to read


def test_the_sheet_holds_what_is_settled_and_what_is_open(
    wiring: Wiring, person: Person, desk: FlaskClient, taken: str
) -> None:
    decide(wiring, person, "quantity", "30")
    for name, value in VALUES.items():
        decide(wiring, person, name, value)
    factories.card(wiring.engine, person, text="Has a secret garden.")
    factories.card(wiring.engine, person, category=Category.TASK, text="Mow the lawn", visible=True)
    first, again = (desk.get(f"/desk/{taken}").text for _ in range(2))
    found = lines(first)
    assert found == lines(again)
    assert len(found) == 5
    assert any("Quantity" in each and "40" in each for each in found)
    assert not any("30" in each.partition("Quantity: ")[2].split(" ")[0] for each in found)
    assert any("Open question : Which house number?" in each for each in found)
    assert "secret garden" not in first
    assert "Mow the lawn" not in first
    with reading(wiring.engine) as session:
        (turn,) = turn_rows.timeline(session, person.id)
    assert first.count(f'href="#turn-{turn[0].public_id}"') == 5
    assert f'id="turn-{turn[0].public_id}"' in first


def test_with_every_key_set_the_sheet_is_about_twelve_lines(
    wiring: Wiring, person: Person, desk: FlaskClient, taken: str
) -> None:
    values = {
        "pickup_time": "10:00",
        "appointment": "2026-03-13 10:00-11:00",
        "budget": "45.00 EUR",
        "delivery_address": "Donaudampfschifffahrtsstraße 24, Stiege 3, 1020 Wien, Österreich",
    }
    for key in wiring.keys.open():
        decide(wiring, person, key.name, (VALUES | values).get(key.name) or (key.choices or ("en",))[0])
    with reading(wiring.engine) as session:
        talk = conversations.open_of(session, person.id)
        assert talk is not None
    for number in range(5):
        factories.card(
            wiring.engine,
            person,
            category=Category.TASK,
            text=f"Task {number}",
            visible=True,
            conversation_id=talk.id,
        )
    page = desk.get(f"/desk/{taken}").text
    found = lines(page)
    assert len([each for each in found if not each.startswith(("Task", "Open"))]) == len(wiring.keys.open())
    sheet = page.partition('id="sheet"')[2].partition("</ol>")[0]
    assert sheet.count("<li>") == 12
    assert len(re.findall("Open question", sheet)) == 1
    assert "and 4 more" in sheet
    for each in found[: len(wiring.keys.open())]:  # those that share a line have their own time and turn
        assert "Clara" in each
    again = desk.get(f"/desk/{taken}").text.partition('id="sheet"')[2].partition("</ol>")[0]
    token = re.compile('name="csrf_token" value="[^"]+"')  # signed with the second it is made in
    assert token.sub("", sheet) == token.sub("", again)


def test_an_agent_decides_and_a_second_agent_reads_who_did(
    wiring: Wiring, person: Person, desk: FlaskClient, sign_in: SignIn, make_person: MakePerson, taken: str
) -> None:
    decide(wiring, person, "quantity", "30")
    shown = post(desk, f"/desk/{taken}/decide", key="quantity", value="many", htmx=True).text
    assert "one whole number" in shown
    assert any("30" in each for each in lines(shown))
    post(desk, f"/desk/{taken}/decide", key="delivery_address", value="Calle Sol 3")
    post(desk, f"/desk/{taken}/return")
    ask_by_button(wiring.engine, wiring.frames, person, now=T0, idle_s=1800)
    with reading(wiring.engine) as session:
        (again,) = rows.waiting(session)
        assert [each.decided_by for each in decision_rows.current(session, person.id, now=T0)] == [
            "Hanna",
            "person",
        ]
    emil = sign_in(make_person("emil", role=Role.AGENT))
    post(emil, f"/desk/{again.public_id}/claim")
    found = lines(emil.get(f"/desk/{again.public_id}").text)
    assert any("Calle Sol 3" in each and each.endswith("Hanna ×") for each in found)
    assert any("30" in each and each.endswith("Clara ×") for each in found)
    post(emil, f"/desk/{again.public_id}/undecide", key="quantity", matter=_matter(wiring, person))
    assert len(lines(emil.get(f"/desk/{again.public_id}").text)) == len(found) - 1


def _matter(wiring: Wiring, person: Person) -> str:
    with reading(wiring.engine) as session:
        return decision_rows.current(session, person.id, now=T0)[0].matter


def test_a_talk_without_a_script(
    client: FlaskClient, desk: FlaskClient, wiring: Wiring, person: Person, taken: str
) -> None:
    page = client.get("/").text
    assert "Hanna is answering you now" in page
    assert 'data-human="1"' in page
    post(client, "/say", text="Anybody there?", client_id="one", at="/")
    assert "Anybody there?" in desk.get(f"/desk/{taken}").text.partition('id="now"')[2]
    post(desk, f"/desk/{taken}/note", text="careful with this one")
    post(desk, f"/desk/{taken}/say", text="Yes, <b>me</b>.", client_id="a1")
    post(desk, f"/desk/{taken}/return")
    page = client.get("/").text
    assert "Yes, &lt;b&gt;me&lt;/b&gt;." in page
    assert re.search(r'data-by class="speaker">Hanna<', page)
    assert "Hanna has joined" in page
    assert "Hanna has left" in page
    assert "careful" not in page
    with reading(wiring.engine) as session:
        states = [turn.state for turn, _ in turn_rows.timeline(session, person.id)]
    assert states[1:] == [TurnState.WITH_HUMAN, TurnState.WITH_HUMAN]


def test_the_sheet_renews_itself_and_sends_nothing_while_nothing_changes(
    wiring: Wiring, person: Person, desk: FlaskClient, sign_in: SignIn, make_person: MakePerson, taken: str
) -> None:
    page = desk.get(f"/desk/{taken}").text
    found = re.search(rf'hx-get="(/desk/{taken}/sheet\?seen=\w+)"', page)
    assert found
    assert desk.get(found.group(1), headers={"HX-Request": "true"}).status_code == 204
    post(desk, f"/desk/{taken}/decide", key="quantity", value="48")
    renewed = desk.get(found.group(1), headers={"HX-Request": "true"}).text
    assert "48" in renewed
    assert 'id="value"' not in renewed  # what is being written below stays
    other = sign_in(make_person("emil", role=Role.AGENT))
    assert other.get(found.group(1)).status_code == 303


def test_who_is_here_stands_on_the_desk(
    desk: FlaskClient, sign_in: SignIn, make_person: MakePerson, taken: str
) -> None:
    other = sign_in(make_person("emil", role=Role.AGENT))
    shown = other.get("/desk/").text.partition('id="agents"')[2].partition("</section>")[0]
    told = [" ".join(re.sub("<[^>]+>", " ", each).split()) for each in shown.split("<li")[1:]]
    assert "Emil here" in told[0]
    assert "Hanna here · 1 conversation" in told[1]
    assert "Emil · here" in desk.get(f"/desk/{taken}").text


def test_ready_texts_are_ones_own_or_everybodys(
    client: FlaskClient, desk: FlaskClient, sign_in: SignIn, make_person: MakePerson, taken: str
) -> None:
    assert client.get("/desk/texts/").status_code == 403
    assert post(client, "/desk/texts/", name="x", text="y").status_code == 403
    post(desk, "/desk/texts/", name="Olá", text="Bom dia,\r\nem que posso ajudar?")
    post(desk, "/desk/texts/", name="Thanks", text="Thank you <b>very</b> much.", shared="1")
    page = desk.get(f"/desk/{taken}").text
    assert 'data-insert="Bom dia,\nem que posso ajudar?"' in page
    assert 'data-insert="Thank you &lt;b&gt;very&lt;/b&gt; much."' in page
    emil = sign_in(make_person("emil", role=Role.AGENT))
    seen = emil.get("/desk/texts/").text
    assert "Thank you" in seen
    assert "Bom dia" not in seen
    which = re.findall(r"/desk/texts/([\w-]+)/remove", desk.get("/desk/texts/").text)
    for each in which:
        assert post(emil, f"/desk/texts/{each}/remove").status_code == 403
        assert post(emil, "/desk/texts/", name="x", text="y", which=each).status_code == 403
    post(desk, "/desk/texts/", name="Olá", text="Boa tarde", which=which[0])
    assert "Bom dia" not in desk.get("/desk/texts/").text
    operator = sign_in(make_person("olga", role=Role.OPERATOR))
    assert post(operator, f"/desk/texts/{which[0]}/remove").status_code == 403  # not a shared one
    assert post(operator, f"/desk/texts/{which[1]}/remove").status_code == 303
    post(desk, f"/desk/texts/{which[0]}/remove")
    assert "data-insert" not in desk.get(f"/desk/{taken}").text
    for wrong in ({"name": "", "text": "x"}, {"name": "x", "text": " "}, {"name": "x" * 61, "text": "x"}):
        assert post(desk, "/desk/texts/", wrong).status_code == 422


def test_the_person_asks_by_button_and_takes_it_back(
    client: FlaskClient, desk: FlaskClient, person: Person
) -> None:
    post(client, "/handover/ask", at="/")
    assert "You are number 1" in client.get("/").text
    assert "Clara" in desk.get("/desk/").text
    post(client, "/handover/withdraw", at="/")
    assert "You are number" not in client.get("/").text.partition("<body")[2].partition('class="foot"')[2]
    assert "Nobody waits" in desk.get("/desk/").text


def test_the_operator_reads_and_takes_along_what_was_done(
    wiring: Wiring, desk: FlaskClient, sign_in: SignIn, make_person: MakePerson, taken: str
) -> None:
    post(desk, f"/desk/{taken}/note", text="a word nobody must find")
    post(desk, f"/desk/{taken}/say", text="Good day", client_id="a1")
    post(desk, f"/desk/{taken}/return")
    assert desk.get("/desk/audit").status_code == 403
    assert desk.get("/desk/audit.csv").status_code == 403
    operator = sign_in(make_person("olga", role=Role.OPERATOR))
    acts = ["requested", "claimed", "noted", "said", "returned"]
    told = operator.get("/desk/audit.json").get_json()
    assert [each["action"] for each in told] == acts
    table = operator.get("/desk/audit.csv").text
    assert [each["action"] for each in csv.DictReader(io.StringIO(table))] == acts
    page = operator.get("/desk/audit").text
    assert "handed the conversation back" in page
    for text in (page, table, str(told)):
        assert "nobody must find" not in text
        assert "Good day" not in text


def test_a_name_of_another_account_cannot_break_the_page(
    wiring: Wiring, desk: FlaskClient, make_person: MakePerson
) -> None:
    mallory = factories.person(wiring.engine, name="<script>alert(1)</script>")
    ask_by_button(wiring.engine, wiring.frames, mallory, now=T0, idle_s=1800)
    mallory = factories.person(wiring.engine, name='Eve" onclick="x')
    ask_by_button(wiring.engine, wiring.frames, mallory, now=T0, idle_s=1800)
    page = desk.get("/desk/").text
    assert "<script>alert" not in page
    assert '" onclick' not in page
    assert all("<" not in label for label in re.findall(r'aria-label="([^"]*)"', page))


def test_words_that_nobody_answered_are_the_open_line(
    wiring: Wiring, person: Person, desk: FlaskClient, taken: str
) -> None:
    with transaction(wiring.engine) as session:
        conversation = conversations.open_of(session, person.id)
        assert conversation is not None
        session.add(
            TurnRow(
                conversation_id=conversation.id,
                person_id=person.id,
                client_id="later",
                zone=person.zone,
                language="en",
                said="Where is my parcel?",
                state="with_human",
                created_at=T0,
            )
        )
    assert any(
        "Not answered yet : Where is my parcel?" in each for each in lines(desk.get(f"/desk/{taken}").text)
    )
