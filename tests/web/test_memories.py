from __future__ import annotations

import re
from datetime import datetime

import pytest
from flask import Flask
from flask.testing import FlaskClient

from memory import cards
from memory.records import Card, CardStatus, Category, NewCard, Person, When
from memory.storage import cards as rows
from memory.storage.engine import reading, transaction
from memory.web import memories
from memory.wiring import Wiring
from tests.fakes import FakeClock
from tests.web.conftest import MakePerson, SignIn, post

OVERRIDE = "\u202e"


class Keeper:
    """Keeps cards for a person and reads them back."""

    def __init__(self, wiring: Wiring, person: Person) -> None:
        self.wiring = wiring
        self.person = person

    def keep(self, text: str, category: Category = Category.FACT, **known: object) -> Card:
        new = NewCard(category=category, text=text, **known)  # type: ignore[arg-type]
        with transaction(self.wiring.engine) as session:
            return cards.remember(
                session, self.person, new, embedder=self.wiring.embedder, now=self.wiring.clock()
            ).card

    def read(self, card: Card) -> Card:
        with reading(self.wiring.engine) as session:
            return rows.by_public_id(session, self.person.id, card.public_id)


@pytest.fixture
def clara(wiring: Wiring, person: Person) -> Keeper:
    return Keeper(wiring, person)


def texts(page: str) -> list[str]:
    return re.findall(r'<p class="memory-text"[^>]* dir="auto">(.*?)</p>', page, re.DOTALL)


def test_an_empty_list_explains_itself_in_the_persons_language(
    sign_in: SignIn, make_person: MakePerson
) -> None:
    page = sign_in(make_person(language="de")).get("/memories/").text
    assert "Noch nichts." in page
    assert "Erzähl mir im Chat nebenbei etwas" in page


def test_newest_first_with_kind_moment_people_and_source(
    client: FlaskClient, clara: Keeper, clock: FakeClock, wiring: Wiring
) -> None:
    clara.keep("Lives in Porto.")
    clock.tick(hours=2)
    clara.keep(
        "Recital in the town hall",
        Category.EVENT,
        people=("Zoe",),
        when=When(start=datetime.fromisoformat("2026-06-13T16:00"), zone="Europe/Lisbon"),
    )
    page = client.get("/memories/").text
    assert texts(page) == ["Recital in the town hall", "Lives in Porto."]
    assert "Saturday, 13 June 2026, 16:00" in page
    assert "With <bdi" in page
    assert "2 hours ago" in page
    assert "2 memories" in page


def test_search_and_kind_narrow_the_list(client: FlaskClient, clara: Keeper) -> None:
    clara.keep("José Muñoz lives in Málaga")
    clara.keep("Call José about the boat", Category.TASK)
    clara.keep("The boat is in Cascais")
    assert texts(client.get("/memories/?q=munoz").text) == ["José Muñoz lives in Málaga"]
    assert texts(client.get("/memories/?q=BOAT&category=task").text) == ["Call José about the boat"]
    assert texts(client.get("/memories/?category=nonsense").text) != []
    nothing = client.get("/memories/?q=%25").text
    assert texts(nothing) == []
    assert "Nothing fits." in nothing
    piece = client.get("/memories/?q=boat", headers={"HX-Request": "true"}).text
    assert "<html" not in piece
    assert len(texts(piece)) == 2


def test_what_is_close_in_meaning_is_shown_apart(client: FlaskClient, clara: Keeper) -> None:
    clara.keep("My daughter has a peanut allergy")
    clara.keep("The car is parked on the second level")
    page = client.get("/memories/?q=what+must+my+daughter+not+eat").text
    assert "Not in these words." in page
    assert "Close in meaning" in page
    assert texts(page)[0] == "My daughter has a peanut allergy"
    twice = client.get("/memories/?q=peanut").text
    assert texts(twice).count("My daughter has a peanut allergy") == 1
    assert "Close in meaning" not in client.get("/memories/?q=zzzzqqq").text


def test_long_lists_come_in_pages(
    client: FlaskClient, clara: Keeper, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "PAGE_SIZE", 3)
    for number in range(4):
        clara.keep(f"The garden has bed number {number}, with its own soil and plants")
        clock.tick(minutes=1)
    first, second = client.get("/memories/").text, client.get("/memories/?page=2").text
    assert (len(texts(first)), len(texts(second))) == (3, 1)
    assert 'href="/memories/?page=2"' in first
    assert client.get("/memories/?page=999").status_code == client.get("/memories/?page=x").status_code == 200


def test_hostile_text_is_only_text(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep(f"<script>alert(1)</script> pay{OVERRIDE}gnp.exe")
    page = client.get("/memories/").text
    assert texts(page) == ["&lt;script&gt;alert(1)&lt;/script&gt; paygnp.exe"]
    assert OVERRIDE not in page
    assert clara.read(card).text.endswith(f"pay{OVERRIDE}gnp.exe")  # kept as it was sent


def test_a_card_is_edited_in_its_place(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep("The gate code is 0075")
    form = client.get(f"/memories/{card.public_id}/edit", headers={"HX-Request": "true"}).text
    assert ">The gate code is 0075</textarea>" in form
    row = post(
        client,
        f"/memories/{card.public_id}",
        htmx=True,
        text="The gate code is 0076",
        category="memo",
        date="",
        time="",
    ).text
    assert "<html" not in row
    assert texts(row) == ["The gate code is 0076"]
    changed = clara.read(card)
    assert (changed.category, changed.text) == (Category.MEMO, "The gate code is 0076")
    assert texts(client.get("/memories/?q=0076").text) == ["The gate code is 0076"]
    assert texts(client.get("/memories/?q=0075").text) == []


def test_a_card_is_edited_without_a_script(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep("The gate code is 0075")
    assert '<html lang="en"' in client.get(f"/memories/{card.public_id}/edit").text
    answer = post(client, f"/memories/{card.public_id}", text="The code is 0076", category="fact")
    assert (answer.status_code, answer.location) == (303, f"/memories/#card-{card.public_id}")


def test_a_moment_can_be_moved_made_and_taken_away(client: FlaskClient, clara: Keeper) -> None:
    weekly = When(
        start=datetime.fromisoformat("2026-06-12T17:00"),
        end=datetime.fromisoformat("2026-06-12T18:00"),
        zone="America/New_York",
        rrule="FREQ=WEEKLY",
    )
    card = clara.keep("Choir", Category.EVENT, when=weekly)
    path = f"/memories/{card.public_id}"
    post(client, path, htmx=True, text="Choir", category="event", date="2026-06-13", time="19:30")
    assert clara.read(card).when == When(
        start=datetime.fromisoformat("2026-06-13T19:30"),
        end=datetime.fromisoformat("2026-06-13T20:30"),
        zone="America/New_York",
        rrule="FREQ=WEEKLY",
    )
    post(client, path, htmx=True, text="Choir", category="memo", date="", time="")
    assert clara.read(card).when is None
    post(client, path, htmx=True, text="Choir", category="task", date="2026-07-01", time="")
    assert clara.read(card).when == When(
        start=datetime.fromisoformat("2026-07-01"), zone="Europe/Lisbon", all_day=True
    )


def test_what_does_not_fit_comes_back_with_what_was_typed(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep("Pay the rent", Category.TASK)
    for form, words in (
        ({"text": "  ", "category": "task"}, "A memory needs some text."),
        ({"text": "Pay it all", "category": "reminder", "date": ""}, "A reminder needs a day and a time."),
        ({"text": "Pay it all", "category": "task", "date": "soon"}, "Write the day as 2026-06-08"),
        ({"text": "Pay it all", "category": "secret"}, "Choose one of the kinds on the list."),
    ):
        row = post(client, f"/memories/{card.public_id}", form, htmx=True)
        assert row.status_code == 200  # htmx puts it in its place
        assert words in row.text
        assert f">{form['text']}</textarea>" in row.text
        page = post(client, f"/memories/{card.public_id}", form)
        assert page.status_code == 422
        assert words in page.text
    assert clara.read(card).text == "Pay the rent"


def test_pinned_and_unpinned(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep("Allergic to nuts")
    assert "Pinned" in post(client, f"/memories/{card.public_id}/pin", htmx=True, pinned="1").text
    assert clara.read(card).pinned
    assert "Pinned" not in post(client, f"/memories/{card.public_id}/pin", htmx=True, pinned="0").text
    assert not clara.read(card).pinned


def test_forgetting_can_be_undone(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep("Allergic to nuts")
    row = post(client, f"/memories/{card.public_id}/forget", htmx=True).text
    assert 'data-expires-s="20"' in row
    assert texts(client.get("/memories/").text) == []
    assert client.get(f"/memories/{card.public_id}").status_code == 404
    assert client.get(f"/memories/{card.public_id}/edit").status_code == 404
    assert texts(post(client, f"/memories/{card.public_id}/undo", htmx=True).text) == ["Allergic to nuts"]
    assert clara.read(card).status is CardStatus.ACTIVE


def test_forgetting_can_be_undone_without_a_script(client: FlaskClient, clara: Keeper) -> None:
    card = clara.keep("Allergic to nuts")
    answer = post(client, f"/memories/{card.public_id}/forget")
    assert answer.location == f"/memories/?forgotten={card.public_id}"
    page = client.get(str(answer.location)).text
    assert f'action="/memories/{card.public_id}/undo"' in page
    assert post(client, f"/memories/{card.public_id}/undo").status_code == 303
    assert texts(client.get("/memories/").text) == ["Allergic to nuts"]


def test_an_earlier_value_can_be_seen_and_made_current_again(
    client: FlaskClient, clara: Keeper, wiring: Wiring
) -> None:
    old = clara.keep("The gate code is 0075", attribute="code:gate", value="0075")
    new = NewCard(category=Category.FACT, text="The gate code is 0076", attribute="code:gate", value="0076")
    with transaction(wiring.engine) as session:
        current = cards.remember(
            session, clara.person, new, embedder=wiring.embedder, now=wiring.clock(), replaces=[old]
        ).card
    history = client.get(f"/memories/{current.public_id}/history", headers={"HX-Request": "true"}).text
    assert "The gate code is 0075" in history
    assert post(client, f"/memories/{old.public_id}/restore").status_code == 303
    assert texts(client.get("/memories/").text) == ["The gate code is 0075"]
    assert post(client, f"/memories/{old.public_id}/restore").status_code == 409


def test_a_card_of_someone_else_is_not_found(
    app: Flask, clara: Keeper, sign_in: SignIn, make_person: MakePerson
) -> None:
    card = clara.keep("The gate code is 0075")
    dora = sign_in(make_person("dora"))
    assert texts(dora.get("/memories/?q=gate").text) == []
    path = f"/memories/{card.public_id}"
    for each in ("", "/edit", "/history"):
        assert dora.get(path + each).status_code == 404, each
    for each in ("", "/pin", "/forget", "/undo", "/restore"):
        assert post(dora, path + each, text="mine", category="fact", pinned="1").status_code == 404, each
    assert texts(dora.get(f"/memories/?forgotten={card.public_id}").text) == []
    assert clara.read(card) == card


def test_the_source_turn_is_linked(client: FlaskClient, clara: Keeper, wiring: Wiring) -> None:
    from tests import factories

    conversation = factories.conversation(wiring.engine, clara.person)
    turn = factories.turn(wiring.engine, clara.person, conversation)
    clara.keep("Lives in Porto.", turn_id=turn)
    assert re.search(r'<a href="/#turn-[\w-]+"', client.get("/memories/").text)
