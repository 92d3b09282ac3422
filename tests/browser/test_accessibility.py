"""Every page is looked at by axe-core, dark and light: nothing serious for who cannot see or point."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from memory import accounts
from memory.decisions import log
from memory.handover.asking import ask_by_button
from memory.portability import export
from memory.records import Author, CardStatus, Category, Person, Role
from memory.storage import conversations, handovers, people
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow, LinkRow, RuleRow, TurnRow, WorthRow
from memory.worth import Status
from tests import factories
from tests.browser.conftest import Open
from tests.fakes import T0
from tests.stage import Stage

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
ICS = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\nBEGIN:VEVENT\r\nUID:1@x\r\nDTSTAMP:20300101T000000Z\r\n"
    "DTSTART:20300105T170000Z\r\nSUMMARY:Choir\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.fixture(scope="module")
def seen(stage: Stage) -> dict[str, str]:
    """An operator with something on every page, and by which names it is asked for."""
    engine = stage.parts.engine
    who = stage.person(name="Olga", role=Role.OPERATOR)
    cards = _memories(stage, who)
    talk = factories.conversation(engine, who, archived_at=T0)
    turn = factories.turn(engine, who, talk, said="It is **Rosa**.", speaker="Rosa", created_at=T0)
    factories.card(engine, who, text="Rosa grows roses.", speaker="Rosa", author=Author.GUEST, turn_id=turn)
    with transaction(engine) as session:
        session.add(RuleRow(person_id=who.id, text="Be brief.", created_at=T0))
    asking = stage.person(name="Clara")
    held = factories.conversation(engine, asking)
    factories.turn(engine, asking, held, said="Is Mill Lane right?", answer="Which house number?")
    ask_by_button(engine, stage.parts.frames, asking, now=T0, idle_s=1800)
    _decide(stage, asking, held)
    with reading(engine) as session:
        waiting = next(each for each in handovers.waiting(session) if each.person_id == asking.id)
    with reading(engine) as session:
        rule = session.query(RuleRow.public_id).filter_by(person_id=who.id).scalar()
        said = session.query(TurnRow.public_id).filter_by(id=turn).scalar()
    invitation = accounts.invite(engine, role=Role.PERSON, by=who, now=stage.parts.clock())
    file = json.dumps(export.as_data(engine, asking, now=T0))
    return {
        "who": who.email, **cards, "rule": rule, "turn": said, "desk": waiting.public_id,
        "invitation": invitation, "file": file,
    }  # fmt: skip


def _memories(stage: Stage, who: Person) -> dict[str, str]:
    """A memory of each kind, one corrected, one there twice, and one in every state of doubt."""
    engine = stage.parts.engine
    ids = [
        factories.card(
            engine,
            who,
            category=each,
            text=f"The {each.value}",
            surface_terms=f"the {each.value}",
            starts_local="2030-01-05T17:00" if each in (Category.EVENT, Category.REMINDER) else None,
            zone="Europe/Lisbon",
        )
        for each in Category
    ]
    old = factories.card(engine, who, text="The old fact", status=CardStatus.SUPERSEDED)
    now = factories.card(engine, who, text="The new fact", surface_terms="the new fact", supersedes_id=old)
    doubted = (Status.SUSPECT, Status.REVIEW, Status.SUPPRESSED, Status.DEPRECATED)
    with transaction(engine) as session:
        for a, b, reason in ((0, 1, ""), (0, 6, ""), (2, 3, "nearly the same")):
            kind = "similar" if reason or b != 6 else "theme"
            session.add(
                LinkRow(
                    person_id=who.id,
                    a_id=ids[a],
                    b_id=ids[b],
                    kind=kind,
                    weight=0.9,
                    reason=reason,
                    created_at=T0,
                )
            )
        for card, status in zip(ids, doubted, strict=False):
            state = {"status": status.value, "uses": 10, "good": 3, "s": 1.0, "n": 4.0, "run": -4}
            session.add(
                WorthRow(
                    card_id=card,
                    person_id=who.id,
                    status=status.value,
                    state=state,
                    successes=3,
                    uses=10,
                    changed_at=T0,
                )
            )
    with reading(engine) as session:
        names = dict(session.query(CardRow.id, CardRow.public_id).filter_by(person_id=who.id).all())
    return {"card": names[ids[0]], "changed": names[now], "reminder": names[ids[5]]}


def _decide(stage: Stage, person: Person, conversation_id: int) -> None:
    key = stage.parts.keys.get("delivery_address")
    assert key is not None
    with transaction(stage.parts.engine) as session:
        log.store(
            session,
            person_id=person.id,
            conversation=conversations.by_id(session, conversation_id),
            key=key,
            value="12 Mill Lane",
            turn_id=None,
            decided_by="person",
            now=T0,
        )


def _file(page: Page, path: str, name: str, content: str) -> None:
    """Choose a file in a page's form and send it."""
    page.goto(path)
    field = page.locator("input[type=file]")
    field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content.encode()})
    field.locator("xpath=ancestor::form").locator("button").click()


def _opened(page: Page, seen: dict[str, str]) -> None:
    expect(page.locator("#sky[data-drawn]")).to_be_attached(timeout=30_000)
    page.locator("#sky-filter summary").click()


def _several(page: Page, seen: dict[str, str]) -> None:
    page.get_by_role("button", name="Forget all").click()


def _history(page: Page, seen: dict[str, str]) -> None:
    page.locator(f"#card-{seen['changed']}").get_by_role("link", name="Earlier text").click()
    page.locator(f"#card-{seen['card']} .memory-worth").click()
    expect(page.get_by_text("The old fact")).to_be_visible()
    page.locator(f"#card-{seen['reminder']}").get_by_role("link", name="Edit").click()
    expect(page.get_by_label("Time of day")).to_be_visible()


def _look(page: Page, seen: dict[str, str]) -> None:
    _file(page, "/data/", "all.json", seen["file"])
    expect(page.get_by_role("button", name="Add what is new")).to_be_visible()


def _bring_in(page: Page, seen: dict[str, str]) -> None:
    _look(page, seen)
    page.get_by_role("button", name="Add what is new").click()
    expect(page.get_by_role("heading", name="It is back")).to_be_visible()


def _calendar(page: Page, seen: dict[str, str]) -> None:
    _file(page, "/agenda/", "choir.ics", ICS)
    expect(page.locator(".item-text")).to_be_visible()


def _claim(page: Page, seen: dict[str, str]) -> None:
    with page.expect_navigation():
        page.locator(f"form[action*='{seen['desk']}/claim'] button").click()
    page.get_by_text("Pass on", exact=True).first.click()


def _mistaken(page: Page, seen: dict[str, str]) -> None:
    page.get_by_label("Type your e-mail address to confirm").fill("somebody@else.org")
    page.get_by_role("button", name="Erase everything").click()
    expect(page.get_by_role("alert")).to_be_visible()


def _erase(page: Page, seen: dict[str, str]) -> None:
    page.get_by_label("Type your e-mail address to confirm").fill(seen["who"])
    page.get_by_role("button", name="Erase everything").click()
    expect(page.get_by_role("heading", name="Everything is erased")).to_be_visible(timeout=30_000)


# Where to go, and what to do there first. Erasing is the last.
PAGES: list[tuple[str, Callable[[Page, dict[str, str]], None] | None]] = [
    ("/", None),
    ("/turn/{turn}/trace", None),
    ("/memories/?q=the", _history),
    ("/memories/?q=the", _several),
    ("/memories/{card}", None),
    ("/memories/{changed}/history", None),
    ("/memories/{card}/edit", None),
    ("/guests/", None),
    ("/guests/forget?name=Rosa", None),
    ("/rules/", None),
    ("/rules/{rule}", None),
    ("/tidy/", None),
    ("/search?q=the", None),
    ("/constellation?card={card}", _opened),
    ("/constellation/table?q=the", None),
    ("/constellation/card/{card}", None),
    ("/worth", None),
    ("/worth/{card}", None),
    ("/agenda/", None),
    ("/agenda/{reminder}", None),
    ("/agenda/", _calendar),
    ("/settings/", None),
    ("/operator/", None),
    ("/operator/model", None),
    ("/operator/worth", None),
    ("/operator/turns", None),
    ("/desk/", None),
    ("/desk/", _claim),
    ("/desk/texts/", None),
    ("/desk/audit", None),
    ("/no-such-page", None),
    ("/data/", _look),
    ("/data/", _bring_in),
    ("/data/", _mistaken),
    ("/data/", None),
    ("/data/", _erase),
]


def test_nothing_serious_on_any_page(stage: Stage, seen: dict[str, str], window: Open) -> None:
    with reading(stage.parts.engine) as session:
        found = people.by_email(session, seen["who"])
    assert found is not None
    page = window(found[0], bypass_csp=True, color_scheme="dark", reduced_motion="reduce").new_page()
    faults = {}
    for path, first in PAGES:
        page.goto(path.format(**seen))
        if first is not None:
            first(page, seen)
        name = f"{path} {first.__name__ if first else ''}"
        faults[name] = serious(page)
    assert {name: each for name, each in faults.items() if each} == {}


def test_nothing_serious_for_who_is_not_signed_in(
    stage: Stage, seen: dict[str, str], browser: Browser
) -> None:
    context = browser.new_context(
        base_url=stage.url, bypass_csp=True, color_scheme="dark", reduced_motion="reduce", locale="en-GB"
    )
    page = context.new_page()
    for path in ("/sign-in", "/join/{invitation}", "/join/nothing"):
        page.goto(path.format(**seen))
        assert serious(page) == [], path
    context.close()


def serious(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds that is serious or critical, in the scheme that stands and its colours in the other."""
    page.add_script_tag(path=AXE)
    found = page.evaluate("async () => (await axe.run({resultTypes: ['violations']})).violations")
    page.emulate_media(color_scheme="light")
    found += page.evaluate("async () => (await axe.run({runOnly: ['color-contrast']})).violations")
    page.emulate_media(color_scheme="dark")
    return [
        (each["id"], [node["html"][:160] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
