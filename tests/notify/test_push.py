"""Web Push against an endpoint of our own that decrypts with its own keys and checks who sent it."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import Engine

from memory.cards import firing, reminders
from memory.cards.firing import Firing, fire_due
from memory.frames import Frames
from memory.notify.delivery import deliver
from memory.notify.push import Gone, NotDelivered, Pusher, is_public_address
from memory.notify.vapid import load_key, public_key
from memory.records import Card, CardStatus, Category, Person
from memory.storage import cards as rows
from memory.storage import subscriptions
from memory.storage.deliveries import Delivery
from memory.storage.engine import reading, transaction
from memory.storage.subscriptions import Subscription
from tests import factories
from tests.fakes import T0, FakeClock, FakeQueue
from tests.notify.browser import Browser, claims_of, push_service, unb64

KEY = ec.derive_private_key(42, ec.SECP256R1())
PUSHER = Pusher(key=KEY, contact="mailto:operator@example.org", may_reach_this_network=True)


@pytest.fixture
def recipient() -> Iterator[Browser]:
    with push_service(Browser()) as made:
        yield made


def subscription(recipient: Browser) -> Subscription:
    return Subscription(
        id=1,
        person_id=1,
        device_id=1,
        endpoint=recipient.endpoint,
        p256dh=recipient.p256dh,
        auth=recipient.auth,
    )


def test_the_browser_can_open_it_and_knows_the_sender(recipient: Browser) -> None:
    PUSHER.send(subscription(recipient), {"text": "Größe ✓"}, topic="abc")
    assert recipient.received == [{"text": "Größe ✓"}]
    (headers,) = recipient.headers
    assert (headers["content-encoding"], headers["topic"], headers["urgency"]) == ("aes128gcm", "abc", "high")
    claims = claims_of(headers["authorization"], KEY.public_key())
    parts = urlsplit(recipient.endpoint)
    assert claims["aud"] == f"{parts.scheme}://{parts.netloc}"
    assert claims["sub"] == "mailto:operator@example.org"
    assert 0 < claims["exp"] - time.time() <= 24 * 3600
    assert f"k={public_key(KEY)}" in headers["authorization"].replace(" ", "")


@pytest.mark.parametrize("status", [404, 410])
def test_an_ended_subscription_is_gone(recipient: Browser, status: int) -> None:
    recipient.status = status
    with pytest.raises(Gone):
        PUSHER.send(subscription(recipient), {}, topic="a")


@pytest.mark.parametrize("status", [429, 500, 503, 302])
def test_another_refusal_may_pass_and_no_redirect_is_followed(recipient: Browser, status: int) -> None:
    recipient.status = status
    with pytest.raises(NotDelivered):
        PUSHER.send(subscription(recipient), {}, topic="a")


def test_nobody_there_is_tried_again_later() -> None:
    with push_service(Browser()) as made:
        gone = subscription(made)
    with pytest.raises(NotDelivered):
        PUSHER.send(gone, {}, topic="a")


@pytest.mark.parametrize(
    ("endpoint", "is_public"),
    [
        ("https://127.0.0.1/x", False),
        ("https://localhost/x", False),
        ("https://10.0.0.7/x", False),
        ("https://[::1]/x", False),
        ("https://169.254.169.254/latest", False),
        ("http://93.184.215.14/x", False),
        ("https://93.184.215.14/x", True),
        ("file:///etc/passwd", False),
    ],
)
def test_no_doors_of_the_own_network_are_knocked_on(endpoint: str, is_public: bool) -> None:
    assert is_public_address(endpoint) is is_public


def test_a_server_that_others_reach_sends_nothing_into_its_own_network(recipient: Browser) -> None:
    with pytest.raises(Gone):
        Pusher(key=KEY, contact="mailto:a@example.org").send(subscription(recipient), {}, topic="a")
    assert recipient.received == []


def test_the_key_is_made_once_for_its_owner_and_agrees_between_machines(tmp_path: Path) -> None:
    first = load_key(tmp_path / "one", "secret")
    path = tmp_path / "one" / "vapid.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public_key(load_key(tmp_path / "two", "secret")) == public_key(first)
    assert public_key(load_key(tmp_path / "three", "other")) != public_key(first)
    assert public_key(load_key(tmp_path / "one", "changed later")) == public_key(first)
    assert len(unb64(public_key(first))) == 65


@pytest.fixture
def owner(sqlite_engine: Engine) -> Person:
    return factories.person(sqlite_engine, zone="Europe/Lisbon", language="pt")


def fire(
    engine: Engine, owner: Person, recipient: Browser, clock: FakeClock, **more: object
) -> tuple[Delivery, int]:
    """A reminder that has just fired on a device that is subscribed."""
    device = factories.device(engine, owner)
    with transaction(engine) as session:
        subscriptions.keep(
            session,
            owner.id,
            device,
            endpoint=recipient.endpoint,
            p256dh=recipient.p256dh,
            auth=recipient.auth,
            now=T0,
        )
    told: dict[str, object] = {"text": "Ligar à Ida", "starts_local": "2026-03-02T10:00", "visible": True}
    factories.card(
        engine,
        owner,
        category=Category.REMINDER,
        zone="Europe/Lisbon",
        due_at=T0 + timedelta(hours=1),
        device_id=device,
        **{**told, **more},  # type: ignore[arg-type]
    )
    clock.tick(hours=1)
    (fired,) = fire_due(Firing(engine=engine, frames=Frames(engine, None), queue=FakeQueue(), clock=clock))
    return fired, device


def send(engine: Engine, fired: Delivery, clock: FakeClock, *, worker: str = "a") -> int:
    def said(card: Card, due_at: object, language: str) -> str:
        return firing.said_moment(card, fired.due_at, language, now=clock())

    return deliver(
        engine, PUSHER, fired.id, worker=worker, now=clock(), late_after=reminders.LATE_AFTER, said=said
    )


def test_a_reminder_reaches_a_closed_browser_once(
    sqlite_engine: Engine, owner: Person, recipient: Browser, clock: FakeClock
) -> None:
    fired, _device = fire(sqlite_engine, owner, recipient, clock)
    assert send(sqlite_engine, fired, clock) == 1
    assert send(sqlite_engine, fired, clock, worker="b") == 0
    (told,) = recipient.received
    assert told == {
        "id": fired.public_id,
        "text": "Ligar à Ida",
        "when": "10:00",
        "language": "pt",
        "done": "Feito",
        "snooze": "Daqui a 10 minutos",
    }
    assert recipient.headers[0]["topic"] == fired.public_id


def test_a_worker_that_died_is_followed_by_another_and_it_is_late(
    sqlite_engine: Engine, owner: Person, recipient: Browser, clock: FakeClock
) -> None:
    fired, _device = fire(sqlite_engine, owner, recipient, clock)
    recipient.status = 503  # the first worker gets nowhere
    assert send(sqlite_engine, fired, clock) == 0
    recipient.status = 201
    assert send(sqlite_engine, fired, clock, worker="b") == 0  # the first one has it
    clock.tick(minutes=2)
    assert send(sqlite_engine, fired, clock, worker="b") == 1
    assert recipient.received[0]["when"] == "10:00 · atrasado"


def test_an_expired_subscription_is_removed(
    sqlite_engine: Engine, owner: Person, recipient: Browser, clock: FakeClock
) -> None:
    fired, _device = fire(sqlite_engine, owner, recipient, clock)
    recipient.status = 410
    assert send(sqlite_engine, fired, clock) == 0
    with reading(sqlite_engine) as session:
        assert subscriptions.of_person(session, owner.id) == []


def test_called_off_between_claim_and_send_nothing_is_said(
    sqlite_engine: Engine, owner: Person, recipient: Browser, clock: FakeClock
) -> None:
    fired, _device = fire(sqlite_engine, owner, recipient, clock)
    with transaction(sqlite_engine) as session:
        rows.set_status(session, [fired.card_id], CardStatus.CANCELLED, now=clock(), was=CardStatus.ACTIVE)
    assert send(sqlite_engine, fired, clock) == 0
    assert recipient.received == []


def test_what_is_sensitive_is_not_on_a_locked_screen(
    sqlite_engine: Engine, owner: Person, recipient: Browser, clock: FakeClock
) -> None:
    fired, _device = fire(sqlite_engine, owner, recipient, clock, sensitive=True)
    send(sqlite_engine, fired, clock)
    assert recipient.received[0]["text"] == "Pediste um lembrete."


def test_a_long_text_fits_a_push_message(
    sqlite_engine: Engine, owner: Person, recipient: Browser, clock: FakeClock
) -> None:
    fired, _device = fire(sqlite_engine, owner, recipient, clock, text="lembrar " * 500)
    assert send(sqlite_engine, fired, clock) == 1
    assert len(recipient.received[0]["text"]) == 200
