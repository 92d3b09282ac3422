"""How memories served, on the page: numbers with their counts, and the person's word."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory import judge
from memory.records import CardStatus, Found, Person, Role
from memory.storage import cards as rows
from memory.storage import outcomes, retrievals, votes
from memory.storage.engine import reading, transaction
from memory.wiring import Wiring
from memory.worth import Status, WorthState
from tests import factories
from tests.fakes import T0, FakeClock
from tests.web.conftest import MakePerson, SignIn, post


def served(wiring: Wiring, person: Person, text: str, results: list[int], **card: object) -> str:
    """A memory that answers used, with how these went; gives its public id."""
    card_id = factories.card(wiring.engine, person, text=text, **card)  # type: ignore[arg-type]
    conversation = factories.conversation(wiring.engine, person, archived_at=T0)
    with reading(wiring.engine) as session:
        known = rows.by_ids(session, person.id, [card_id])[card_id]
    for number, value in enumerate(results):
        at = T0 + timedelta(hours=number)
        turn = factories.turn(wiring.engine, person, conversation, said=f"{text} {number}", created_at=at)
        with transaction(wiring.engine) as session:
            found = Found(card=known, score=1.0, angles=("meaning",), protected=known.pinned)
            retrievals.log(session, person.id, turn, [found], now=at)
            retrievals.mark_used(session, turn, [card_id])
            if value:
                votes.vote(session, person.id, turn, value, now=at)
        judge.judge(wiring.engine, turn, now=at)
    return known.public_id


def state_of(wiring: Wiring, person: Person, public_id: str) -> WorthState:
    with reading(wiring.engine) as session:
        card = rows.by_public_id(session, person.id, public_id)
        return WorthState.from_dict(outcomes.states(session, person.id, [card.id])[card.id])


@pytest.fixture
def stale(wiring: Wiring, person: Person, clock: FakeClock) -> str:
    """A memory that served for long and fails since; another keeps up what may be expected."""
    clock.tick(days=2)
    served(wiring, person, "The clinic opens at eight.", [1] * 20)
    return served(wiring, person, "Bus 12 goes to the clinic.", [1] * 20 + [-1] * 14)


def test_a_card_says_its_counts_and_range_and_never_a_bare_ratio(
    wiring: Wiring, person: Person, sign_in: SignIn
) -> None:
    public_id = served(wiring, person, "Bus 12 goes to the clinic.", [1] * 7 + [-1] * 2 + [0])
    client = sign_in(person)
    page = client.get(f"/worth/{public_id}").get_data(as_text=True)
    assert "7 of 9 went well, 0." in page
    assert "<svg" in page
    assert "need not be the cause" in page
    assert "7 of 9 went well, 0." in client.get("/memories/").get_data(as_text=True)
    fragment = client.get(f"/worth/{public_id}", headers={"HX-Request": "true"}).get_data(as_text=True)
    assert "<html" not in fragment


def test_what_is_on_trial_is_shown_with_its_evidence_and_can_be_ended(
    wiring: Wiring, person: Person, sign_in: SignIn, stale: str
) -> None:
    client = sign_in(person)
    assert state_of(wiring, person, stale).status is Status.SUSPECT
    page = client.get("/worth").get_data(as_text=True)
    assert "Bus 12 goes to the clinic." in page
    assert "20 of 34 went well" in page
    assert "The clinic opens at eight." not in page
    assert post(client, f"/worth/{stale}/end").status_code == 303
    assert state_of(wiring, person, stale).status is Status.UNPROVEN
    assert "Nothing is in doubt" in client.get("/worth").get_data(as_text=True)


@pytest.mark.parametrize(
    ("move", "status"), [("deny", Status.SUPPRESSED), ("pin", Status.REVIEW), ("confirm", Status.UNPROVEN)]
)
def test_the_person_decides(
    wiring: Wiring, person: Person, sign_in: SignIn, stale: str, move: str, status: Status
) -> None:
    client = sign_in(person)
    post(client, f"/worth/{stale}/{move}")
    assert state_of(wiring, person, stale).status is status
    with transaction(wiring.engine) as session:
        assert judge.recount(session, person.id, now=T0 + timedelta(days=2)).differing == ()


def test_forgetting_from_here_can_be_undone(
    wiring: Wiring, person: Person, sign_in: SignIn, stale: str
) -> None:
    client = sign_in(person)
    answer = post(client, f"/worth/{stale}/forget")
    assert "forgotten=" in (answer.location or "")
    with reading(wiring.engine) as session:
        assert rows.by_public_id(session, person.id, stale).status is CardStatus.FORGOTTEN


def test_nobody_sees_or_moves_what_is_another_s(
    person: Person, make_person: MakePerson, sign_in: SignIn, stale: str
) -> None:
    other = sign_in(make_person("otto"))
    assert other.get(f"/worth/{stale}").status_code == 404
    assert post(other, f"/worth/{stale}/deny").status_code == 404


def test_the_operator_sees_numbers_and_no_words(
    wiring: Wiring, make_person: MakePerson, person: Person, sign_in: SignIn, stale: str
) -> None:
    page = sign_in(make_person("olga", role=Role.OPERATOR)).get("/operator/worth").get_data(as_text=True)
    assert "Bus 12" not in page
    assert "Clara" not in page
    assert ">54<" in page  # answers with memories
    assert sign_in(person).get("/operator/worth").status_code == 403
