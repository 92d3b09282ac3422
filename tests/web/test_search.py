"""Search and tidying as pages: what fits, what is filtered out, and nothing of anybody else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory import cards
from memory.cards.tidy import tidy
from memory.records import Category, NewCard, Person
from memory.storage import cards as rows
from memory.storage import tidying, turns
from memory.storage.engine import reading, transaction
from memory.wiring import Wiring
from tests import factories
from tests.fakes import T0
from tests.web.conftest import MakePerson, SignIn, post


def keep(wiring: Wiring, owner: Person, text: str, **more: object) -> str:
    days = more.pop("days", 0)
    new = NewCard(category=more.pop("category", Category.FACT), text=text, **more)  # type: ignore[arg-type]
    with transaction(wiring.engine) as session:
        at = T0 + timedelta(days=days)  # type: ignore[arg-type]
        kept = cards.remember(session, owner, new, embedder=wiring.embedder, now=at)
    return kept.card.public_id


@pytest.fixture
def clara(make_person: MakePerson, wiring: Wiring) -> Person:
    """Somebody with a few memories and a talk."""
    who = make_person("clara")
    keep(wiring, who, "The kayak lies by the river", people=("Tobias",))
    keep(wiring, who, "Buy a paddle for the kayak", category=Category.TASK, days=3)
    talk = factories.conversation(wiring.engine, who, archived_at=T0, summary="About the kayak")
    turn = factories.turn(wiring.engine, who, talk, said="Where is my kayak?", answer="By the river.")
    with transaction(wiring.engine) as session:
        turns.index(
            session,
            turn,
            terms="kayak river",
            vector=wiring.embedder.encode_one("Where is my kayak?"),
            vector_version=wiring.embedder.version,
        )
    return who


def test_words_find_memories_and_talks_and_lead_to_the_turn(clara: Person, sign_in: SignIn) -> None:
    page = sign_in(clara).get("/search?q=kayak").text
    assert "The kayak lies by the river" in page
    assert "Buy a paddle" in page
    assert "Where is my kayak?" in page
    assert "#turn-" in page


@pytest.mark.parametrize(
    ("asked", "shown", "not_shown"),
    [
        ("q=kayak&category=task", "Buy a paddle", "lies by the river"),
        ("q=kayak&who=tobias", "lies by the river", "Buy a paddle"),
        ("q=kayak&since=2026-03-04", "Buy a paddle", "lies by the river"),
        ("q=kayak&until=2026-03-03", "lies by the river", "Buy a paddle"),
        ("who=Tobias", "lies by the river", "Buy a paddle"),
    ],
)
def test_each_filter_narrows(clara: Person, sign_in: SignIn, asked: str, shown: str, not_shown: str) -> None:
    page = sign_in(clara).get(f"/search?{asked}").text
    assert shown in page
    assert not_shown not in page


def test_as_one_types_only_the_findings_come(clara: Person, sign_in: SignIn) -> None:
    part = sign_in(clara).get("/search?q=kayak", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith("<section")
    assert "<html" not in part


@pytest.mark.parametrize(
    "asked", ["", "q=", "q=k", "since=never&until=9999-12-31", "category=nothing", "q=%00"]
)
def test_what_is_no_question_is_answered_calmly(clara: Person, sign_in: SignIn, asked: str) -> None:
    assert sign_in(clara).get(f"/search?{asked}").status_code in (200, 422)


def test_nobody_finds_what_is_somebody_elses(clara: Person, make_person: MakePerson, sign_in: SignIn) -> None:
    page = sign_in(make_person("bob")).get("/search?q=kayak").text
    assert "river" not in page
    assert "Nothing fits" in page


def test_pairs_are_shown_until_both_are_kept(clara: Person, wiring: Wiring, sign_in: SignIn) -> None:
    one = keep(wiring, clara, "My bike is blue")
    other = keep(wiring, clara, "My bicycle is blue")
    tidy(wiring.engine, wiring.embedder, clara.id, now=T0)
    client = sign_in(clara)
    assert "My bicycle is blue" in client.get("/tidy/").text
    post(client, "/tidy/apart", at="/tidy/", one=one, other=other)
    assert "My bicycle is blue" not in client.get("/tidy/").text
    with reading(wiring.engine) as session:
        assert tidying.similar(session, clara.id)


def test_a_theme_is_put_away_and_brought_back(clara: Person, wiring: Wiring, sign_in: SignIn) -> None:
    theme = factories.card(wiring.engine, clara, category=Category.THEME, text="Kayak · River")
    with reading(wiring.engine) as session:
        name = rows.by_ids(session, clara.id, [theme])[theme].public_id
    client = sign_in(clara)
    assert f'action="/tidy/theme/{name}/away"' in client.get("/tidy/").text
    post(client, f"/tidy/theme/{name}/away", at="/tidy/")
    page = client.get("/tidy/").text
    assert "These are not made again" in page
    assert f'action="/tidy/theme/{name}/back"' in page
    assert "Kayak · River" not in client.get("/memories/").text
    assert post(client, f"/tidy/theme/{name}/away", at="/tidy/").status_code == 409
    post(client, f"/tidy/theme/{name}/back", at="/tidy/")
    assert f'action="/tidy/theme/{name}/away"' in client.get("/tidy/").text


def test_tidying_can_be_asked_for(clara: Person, sign_in: SignIn) -> None:
    assert post(sign_in(clara), "/tidy/now", at="/tidy/").status_code == 303


def test_what_a_guest_told_is_found_by_the_guest(clara: Person, wiring: Wiring, sign_in: SignIn) -> None:
    factories.card(wiring.engine, clara, text="Is allergic to nuts", speaker="Lou", statement_key="lou")
    page = sign_in(clara).get("/search?who=lou").text
    assert "allergic to nuts" in page
    assert "kayak" not in page
