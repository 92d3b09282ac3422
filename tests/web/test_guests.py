"""Guests: who held the phone, when, what was kept of it, and forgetting it with one undo."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from memory.records import Author, Category, Person
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow, ConversationRow, TurnRow
from memory.wiring import Wiring
from tests import factories
from tests.fakes import T0
from tests.web.conftest import MakePerson, SignIn, post


@pytest.fixture
def clara(make_person: MakePerson, wiring: Wiring) -> Person:
    """Rosa spoke twice and told two things, Zoé once and told nothing; the rest is Clara's own."""
    who, engine = make_person("clara"), wiring.engine
    earlier = factories.conversation(engine, who, archived_at=T0, summary="Rosa told of her garden.")
    now = factories.conversation(engine, who, speaker="Rosa", speaker_relation="neighbour")
    told = factories.turn(engine, who, earlier, said="My garden is full of roses", speaker="Rosa")
    factories.turn(engine, who, earlier, said="I am back", created_at=T0 + timedelta(minutes=1))
    factories.turn(engine, who, earlier, said="Hi there", speaker="Zoé", created_at=T0 + timedelta(minutes=2))
    later = T0 + timedelta(days=1)
    factories.turn(engine, who, now, said="It's Rosa again", speaker="rosa", created_at=later)
    for text, speaker in (("Rosa grows roses.", "Rosa"), ("Rosa has a cat.", "ROSA"), ("Likes tea.", "")):
        factories.card(
            engine,
            who,
            text=text,
            surface_terms=text.lower(),
            speaker=speaker,
            author=Author.GUEST if speaker else Author.OWNER,
            turn_id=told if speaker else None,
        )
    factories.card(
        engine,
        who,
        category=Category.PERSON,
        text="My aunt",
        people=["zoe"],
        relation="aunt",
        surface_terms="aunt",
    )
    long_ago = factories.conversation(engine, who, archived_at=T0)  # brought in by an import just now
    factories.turn(engine, who, long_ago, said="Hi", speaker="ROSA", created_at=T0 - timedelta(days=90))
    secret = factories.conversation(engine, who, archived_at=T0, private=True)
    factories.turn(engine, who, secret, said="hush", speaker="Nadia")
    return who


@pytest.fixture
def client(clara: Person, sign_in: SignIn) -> FlaskClient:
    return sign_in(clara)


def sheets(client: FlaskClient, query: str = "") -> list[str]:
    """What stands on the page of each guest, as words."""
    page = client.get(f"/guests/{query}").text
    cut = re.split(r'<section class="sheet guest-sheet"', page)[1:]
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", each.partition(">")[2])).split()) for each in cut]


def kept(wiring: Wiring) -> tuple[set[str], set[str]]:
    """The memories that are there, and the words that may be quoted."""
    with reading(wiring.engine) as session:
        cards = session.scalars(select(CardRow.text).where(CardRow.status == "active"))
        said = session.scalars(select(TurnRow.said).where(~TurnRow.withheld))
        return set(cards), set(said)


def test_everybody_who_spoke_with_when_and_what_was_kept(client: FlaskClient) -> None:
    rosa, zoe = sheets(client)
    assert rosa.startswith("rosa neighbour speaks now 3 messages")
    assert re.findall(r"\d+ \w+ \d{4}", rosa)[:3] == ["3 Mar 2026", "2 Mar 2026", "2 Dec 2025"]
    assert "2 memories from them" in rosa
    assert "Rosa grows roses." in rosa
    assert "Rosa has a cat." in rosa
    assert "Likes tea." not in rosa
    assert zoe.startswith("Zoé aunt 1 message")
    assert "Nothing of what they said was kept" in zoe
    page = client.get("/guests/").text
    assert "Nadia" not in page  # in private nothing is kept
    assert len(re.findall(r'href="/\?turn=[\w-]+#turn-', page)) == 4
    assert 'href="/guests/"' in client.get("/memories/").text


def test_without_guests_the_page_says_how_one_comes(sign_in: SignIn, make_person: MakePerson) -> None:
    page = sign_in(make_person("bento")).get("/guests/").text
    assert "No guest spoke here yet." in page
    assert "hand the phone" in page


def test_all_of_a_guest_goes_and_comes_back_as_it_was(
    client: FlaskClient, wiring: Wiring, clara: Person
) -> None:
    # One message was taken out of use before: the undo must not give it back.
    with transaction(wiring.engine) as session:
        session.execute(update(TurnRow).where(TurnRow.said == "Hi there").values(withheld=True))
    before = kept(wiring)
    asked = client.get("/guests/forget?name=rosa").text
    assert "2 memories from them" in asked
    sent = post(client, "/guests/forget", name="rosa", at="/guests/")
    assert kept(wiring) == ({"Likes tea.", "My aunt"}, {"I am back", "hush"})
    with reading(wiring.engine) as session:
        assert set(session.scalars(select(ConversationRow.summary))) == {""}
    assert sheets(client) == []
    page = client.get(sent.headers["Location"]).text
    gone = re.search(r'name="gone" value="([^"]+)"', page)
    assert gone
    post(client, "/guests/undo", gone=gone.group(1), at="/guests/")
    assert kept(wiring) == before
    with reading(wiring.engine) as session:
        assert not any(trace for trace in session.scalars(select(TurnRow.trace)))
    assert post(client, "/guests/undo", gone=gone.group(1), at="/guests/").status_code == 422


def test_somebody_elses_guest_is_out_of_reach(
    client: FlaskClient, wiring: Wiring, sign_in: SignIn, make_person: MakePerson
) -> None:
    before = kept(wiring)
    other = sign_in(make_person("bento"))
    assert other.get("/guests/forget?name=Rosa").status_code == 404
    assert post(other, "/guests/forget", name="Rosa", at="/guests/").status_code == 404
    assert post(other, "/guests/undo", gone="2026-06-08T10:00:00+00:00", at="/guests/").status_code == 422
    assert post(other, "/guests/undo", gone="yesterday", at="/guests/").status_code == 422
    assert kept(wiring) == before
    assert client.get("/guests/forget?name=Nadia").status_code == 404


def test_a_name_is_never_markup(client: FlaskClient, wiring: Wiring, clara: Person) -> None:
    talk = factories.conversation(wiring.engine, clara, archived_at=T0)
    factories.turn(wiring.engine, clara, talk, speaker="<img src=x>")
    assert "<img src=x" not in client.get("/guests/").text
    assert "<img src=x" not in client.get("/guests/forget?name=%3Cimg src=x%3E").text
