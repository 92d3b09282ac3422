"""The agenda page, with htmx and without; feed and import."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from memory.records import Card, CardStatus, Category, Person
from memory.storage import cards as rows
from memory.storage import people
from memory.storage.engine import reading, transaction
from memory.wiring import Wiring
from tests import factories
from tests.databases import rows as all_rows
from tests.fakes import T0, FakeClock
from tests.web.conftest import MakePerson, SignIn, post, token_of


def card_of(wiring: Wiring, person: Person, card_id: int) -> Card:
    with reading(wiring.engine) as session:
        return rows.by_ids(session, person.id, [card_id])[card_id]


def reminder(
    wiring: Wiring, person: Person, *, due_at: datetime | None = T0 + timedelta(hours=2), **more: Any
) -> int:
    told = {
        "text": "Phone Ida",
        "category": Category.REMINDER,
        "starts_local": (due_at or T0).replace(tzinfo=None).isoformat(timespec="minutes"),
        "zone": "Europe/Lisbon",
        "visible": True,
        "due_at": due_at,
    }
    return factories.card(wiring.engine, person, **{**told, **more})


def shelf_of(page: TestResponse, text: str) -> str:
    """Under which heading a text stands on the page."""
    parts = re.split(r'<(?:section|details) class="shelf ([a-z_]+)"', page.text)
    found = [name for name, body in zip(parts[1::2], parts[2::2], strict=True) if text in body]
    return found[0] if found else ""


def test_an_empty_agenda_says_what_to_do(client: FlaskClient) -> None:
    page = client.get("/agenda/")
    assert "Nothing is waiting for you" in page.text
    assert 'href="/agenda/"' in page.text


@pytest.mark.parametrize("htmx", [False, True])
def test_a_reminder_is_added_for_its_wall_clock_time(client: FlaskClient, wiring: Wiring, htmx: bool) -> None:
    answer = post(
        client,
        "/agenda/",
        {"text": "Stretch", "category": "reminder", "date": "2026-03-02", "time": "19:15", "repeat": "daily"},
        htmx=htmx,
    )
    assert answer.status_code == (200 if htmx else 303)
    (row,) = all_rows(wiring.engine, "cards")
    assert (row["text"], row["rrule"], row["zone"]) == ("Stretch", "FREQ=DAILY", "Europe/Lisbon")
    assert str(row["due_at"]).startswith("2026-03-02 19:15")
    page = client.get("/agenda/")
    assert shelf_of(page, "Stretch") == "today"
    assert "every day at 19:15" in page.text
    if htmx:
        assert answer.headers["HX-Trigger-After-Swap"] == "asterism:reminder-set"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"category": "reminder", "date": "2026-03-03", "time": ""}, "A reminder needs a day and a time."),
        ({"category": "reminder", "date": "2026-03-01", "time": "10:00"}, "This moment has passed."),
        ({"category": "event", "date": "", "time": ""}, "An event needs a day."),
        ({"category": "fact", "date": "", "time": ""}, "Choose one of the kinds"),
        ({"category": "task", "date": "tomorrow", "time": ""}, "Write the day as"),
    ],
)
def test_what_does_not_fit_comes_back_with_what_was_typed(
    client: FlaskClient, wiring: Wiring, fields: dict[str, str], words: str
) -> None:
    answer = post(client, "/agenda/", {"text": "Buy <b>bread</b>", **fields})
    assert answer.status_code == 422
    assert words in answer.text
    assert 'value="Buy &lt;b&gt;bread&lt;/b&gt;"' in answer.text
    assert all_rows(wiring.engine, "cards") == []


def test_each_thing_stands_on_its_shelf(client: FlaskClient, wiring: Wiring, person: Person) -> None:
    task: dict[str, Any] = {"category": Category.TASK, "due_at": None, "all_day": True}
    reminder(wiring, person, text="Today's reminder")
    reminder(wiring, person, text="Next week", due_at=T0 + timedelta(days=7))
    reminder(wiring, person, text="Late task", starts_local="2026-02-27T00:00", **task)
    reminder(wiring, person, text="Task of today", starts_local="2026-03-02T00:00", **task)
    reminder(
        wiring, person, text="Whenever", **{**task, "starts_local": None, "zone": None, "all_day": False}
    )
    reminder(wiring, person, text="Was done", status=CardStatus.DONE, **task)
    event: dict[str, Any] = {"category": Category.EVENT, "due_at": None}
    reminder(
        wiring, person, text="Fair", starts_local="2026-02-28T00:00", ends_local="2026-03-03T00:00", **event
    )
    reminder(wiring, person, text="Long past", starts_local="2026-02-01T10:00", **event)
    reminder(
        wiring, person, text="Weekly choir", starts_local="2026-01-05T20:00", rrule="FREQ=WEEKLY", **event
    )
    page = client.get("/agenda/")
    assert shelf_of(page, "Today&#39;s reminder") == "today"
    assert shelf_of(page, "Next week") == "coming"
    assert shelf_of(page, "Late task") == "late"
    assert shelf_of(page, "Task of today") == "today"
    assert shelf_of(page, "Whenever") == "some_time"
    assert shelf_of(page, "Was done") == "over"
    assert shelf_of(page, "Fair") == "today"
    assert "Long past" not in page.text
    assert shelf_of(page, "Weekly choir") == "today"


def test_every_shelf_takes_more_than_one(client: FlaskClient, wiring: Wiring, person: Person) -> None:
    for word in ("one", "two"):
        for shelf, days, status in (
            ("late", -2, CardStatus.ACTIVE),
            ("today", 0, CardStatus.ACTIVE),
            ("coming", 3, CardStatus.ACTIVE),
            ("some_time", None, CardStatus.ACTIVE),
            ("done", None, CardStatus.DONE),
        ):
            told: dict[str, Any] = {"text": f"{shelf} {word}", "category": Category.TASK, "visible": True}
            if days is not None:
                day = T0 + timedelta(days=days)
                told |= {"starts_local": f"{day:%Y-%m-%d}T00:00", "all_day": True, "zone": "Europe/Lisbon"}
            factories.card(wiring.engine, person, status=status, **told)
    page = client.get("/agenda/")
    for shelf in ("late", "today", "coming", "some_time", "done"):
        assert [shelf_of(page, f"{shelf} {word}") for word in ("one", "two")] == [
            shelf.replace("done", "over")
        ] * 2


def test_what_recurs_says_its_hour_once_and_a_whole_day_says_so(
    client: FlaskClient, wiring: Wiring, person: Person
) -> None:
    reminder(wiring, person, text="Stretch", due_at=T0 + timedelta(days=1), rrule="FREQ=DAILY")
    day: dict[str, Any] = {
        "starts_local": f"{T0 + timedelta(days=9):%Y-%m-%d}T00:00",
        "all_day": True,
        "zone": "Europe/Lisbon",
    }
    factories.card(wiring.engine, person, category=Category.EVENT, text="Brittany", visible=True, **day)
    page = client.get("/agenda/").text
    stretch = page[page.index("Stretch</p>") : page.index("Brittany</p>")]
    assert "every day at 9:00" in stretch
    assert "<time" not in stretch
    assert "all day" in page[page.index("Brittany</p>") :]


def test_what_rang_waits_until_it_is_ticked(
    client: FlaskClient, wiring: Wiring, person: Person, clock: FakeClock
) -> None:
    from memory.cards.firing import Firing, fire_due

    card_id = reminder(wiring, person)
    clock.tick(hours=3)
    fire_due(Firing(engine=wiring.engine, frames=wiring.frames, queue=wiring.queue, clock=clock))
    page = client.get("/agenda/")
    assert shelf_of(page, "Phone Ida") == "today"
    assert "it rang" in page.text
    clock.tick(days=1)
    assert shelf_of(client.get("/agenda/"), "Phone Ida") == "late"
    post(client, f"/agenda/{card_of(wiring, person, card_id).public_id}/done")
    assert shelf_of(client.get("/agenda/"), "Phone Ida") == "over"


def test_tick_snooze_skip_call_off_and_back(client: FlaskClient, wiring: Wiring, person: Person) -> None:
    card_id = reminder(wiring, person, rrule="FREQ=DAILY")
    at = f"/agenda/{card_of(wiring, person, card_id).public_id}"
    page = post(client, f"{at}/snooze", htmx=True, fields={"for": "60"})
    assert "put off" in page.text
    assert card_of(wiring, person, card_id).due_at == T0 + timedelta(hours=1)
    post(client, f"{at}/snooze", fields={"for": "tomorrow"})
    assert card_of(wiring, person, card_id).due_at == datetime(2026, 3, 3, 9, tzinfo=UTC)
    assert post(client, f"{at}/snooze", fields={"for": "ever"}).status_code == 422
    post(client, f"{at}/skip")
    assert card_of(wiring, person, card_id).due_at == datetime(2026, 3, 3, 11, tzinfo=UTC)
    post(client, f"{at}/cancel")
    assert card_of(wiring, person, card_id).status is CardStatus.CANCELLED
    assert shelf_of(client.get("/agenda/"), "Phone Ida") == "over"
    post(client, f"{at}/reopen")
    assert card_of(wiring, person, card_id).status is CardStatus.ACTIVE


@pytest.mark.parametrize("htmx", [False, True])
def test_editing_moves_it_and_keeps_its_rule(
    client: FlaskClient, wiring: Wiring, person: Person, htmx: bool
) -> None:
    rule = "FREQ=MONTHLY;BYDAY=-1FR"
    card_id = reminder(wiring, person, rrule=rule)
    at = f"/agenda/{card_of(wiring, person, card_id).public_id}"
    assert 'value="same" selected' in client.get(at).text
    fields = {"text": "Phone Ida again", "category": "reminder", "date": "2026-03-05", "time": "18:30"}
    post(client, at, {**fields, "repeat": "same"}, htmx=htmx)
    changed = card_of(wiring, person, card_id)
    assert changed.when is not None
    assert (changed.text, changed.when.rrule) == ("Phone Ida again", rule)
    assert changed.due_at == datetime(2026, 3, 27, 18, 30, tzinfo=UTC)


def test_a_bad_edit_stays_in_its_place(client: FlaskClient, wiring: Wiring, person: Person) -> None:
    card_id = reminder(wiring, person)
    public_id = card_of(wiring, person, card_id).public_id
    answer = post(
        client,
        f"/agenda/{public_id}",
        {"text": "Typed", "category": "reminder", "date": "2026-03-05", "time": ""},
        htmx=True,
    )
    assert answer.headers["HX-Retarget"] == f"#item-{public_id}"
    assert 'value="Typed"' in answer.text
    assert "A reminder needs a day and a time." in answer.text


def test_nobody_touches_what_is_someone_elses(
    wiring: Wiring, person: Person, make_person: MakePerson, sign_in: SignIn
) -> None:
    card_id = reminder(wiring, person)
    public_id = card_of(wiring, person, card_id).public_id
    other = sign_in(make_person("mallory"))
    for action in ("done", "cancel", "skip", "snooze", "reopen"):
        assert post(other, f"/agenda/{public_id}/{action}", fields={"for": "10"}).status_code == 404
    assert other.get(f"/agenda/{public_id}").status_code == 404
    assert "Phone Ida" not in other.get("/agenda/").text
    assert card_of(wiring, person, card_id).status is CardStatus.ACTIVE


def test_a_fact_is_nothing_for_the_agenda(client: FlaskClient, wiring: Wiring, person: Person) -> None:
    card_id = factories.card(wiring.engine, person)
    assert post(client, f"/agenda/{card_of(wiring, person, card_id).public_id}/done").status_code == 404


def test_the_feed_opens_with_its_secret_only_and_can_be_closed(
    client: FlaskClient, stranger: FlaskClient, wiring: Wiring, person: Person
) -> None:
    reminder(wiring, person)
    assert stranger.get("/calendar/.ics").status_code == 404
    assert stranger.get("/calendar/guess.ics").status_code == 404
    post(client, "/agenda/feed")
    with reading(wiring.engine) as session:
        token = people.feed_token(session, person.id)
    assert token is not None
    assert f"/calendar/{token}.ics" in client.get("/agenda/").text
    feed = stranger.get(f"/calendar/{token}.ics")
    assert feed.content_type == "text/calendar; charset=utf-8"
    assert "SUMMARY:Phone Ida" in feed.text
    assert "Set-Cookie" not in feed.headers
    post(client, "/agenda/feed")
    assert stranger.get(f"/calendar/{token}.ics").status_code == 404
    post(client, "/agenda/feed/close")
    with reading(wiring.engine) as session:
        assert people.feed_token(session, person.id) is None


ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//x//EN
BEGIN:VEVENT
UID:1
DTSTAMP:20260301T000000Z
SUMMARY:Choir <i>rehearsal</i>
DTSTART;TZID=Europe/Lisbon:20260305T200000
DTEND;TZID=Europe/Lisbon:20260305T220000
RRULE:FREQ=WEEKLY
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTAMP:20260301T000000Z
SUMMARY:Fair
DTSTART;VALUE=DATE:20260310
DTEND;VALUE=DATE:20260312
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTAMP:20260301T000000Z
DTSTART:20260310T100000Z
END:VEVENT
END:VCALENDAR
"""


def upload(client: FlaskClient, data: bytes) -> TestResponse:
    token = token_of(client.get("/agenda/"))
    return client.post(
        "/agenda/import",
        data={"csrf_token": token, "file": (io.BytesIO(data), "calendar.ics")},
        content_type="multipart/form-data",
    )


def test_a_calendar_is_shown_before_it_is_kept_and_can_be_taken_back(
    client: FlaskClient, wiring: Wiring
) -> None:
    preview = upload(client, ICS.encode())
    assert "2 entries can be added" in preview.text
    assert "1 entry is left out" in preview.text
    assert "Choir &lt;i&gt;rehearsal&lt;/i&gt;" in preview.text
    assert all_rows(wiring.engine, "cards") == []
    kept = post(client, "/agenda/import/keep", {"calendar": ICS}, at="/agenda/")
    page = client.get(kept.headers["Location"])
    assert "2 entries added." in page.text
    assert shelf_of(page, "Fair") == "coming"
    again = post(client, "/agenda/import/keep", {"calendar": ICS}, at="/agenda/")
    assert "known already" in client.get(again.headers["Location"]).text
    assert len(all_rows(wiring.engine, "cards")) == 2
    batch = kept.headers["Location"].rpartition("imported=")[2]
    post(client, f"/agenda/import/{batch}/undo", at="/agenda/")
    assert all_rows(wiring.engine, "cards") == []


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"hello", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n"])
def test_what_is_no_calendar_is_said_in_words(client: FlaskClient, wiring: Wiring, data: bytes) -> None:
    answer = upload(client, data)
    assert answer.status_code == 303
    assert all_rows(wiring.engine, "cards") == []


def test_a_quiet_line_stays_in_the_conversation(
    client: FlaskClient, wiring: Wiring, person: Person, clock: FakeClock
) -> None:
    from memory.cards.firing import Firing, fire_due

    conversation = factories.conversation(wiring.engine, person)
    factories.turn(wiring.engine, person, conversation, said="Remind me")
    reminder(wiring, person)
    clock.tick(hours=2)
    fire_due(Firing(engine=wiring.engine, frames=wiring.frames, queue=wiring.queue, clock=clock))
    clock.tick(hours=1)
    factories.turn(wiring.engine, person, conversation, said="Something else", created_at=clock())
    page = client.get("/").text
    assert page.index("Remind me") < page.index("Phone Ida") < page.index("Something else")
    with transaction(wiring.engine) as session:
        card_id = all_rows(wiring.engine, "cards")[0]["id"]
        rows.set_status(session, [card_id], CardStatus.FORGOTTEN, now=clock(), was=CardStatus.ACTIVE)
    assert "Phone Ida" not in client.get("/").text
