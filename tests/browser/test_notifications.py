"""Reminders in a real browser: asked once, told once, with a page open and through the service worker."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from zoneinfo import ZoneInfo

from playwright.sync_api import BrowserContext, BrowserType, Page, expect

from memory.cards.firing import Firing, fire_due
from memory.notify.vapid import load_key, public_key
from memory.records import Category, Person
from memory.storage import subscriptions
from memory.storage.engine import reading, transaction
from memory.storage.subscriptions import Subscription
from memory.storage.tables import CardRow
from tests import factories
from tests.browsers import launch_options
from tests.notify import google
from tests.stage import Stage

expect.set_options(timeout=15_000)  # a busy machine; none of these waits is long on an idle one
Open = Callable[..., BrowserContext]
SHOWN = """async () => (await (await navigator.serviceWorker.ready).getNotifications())
    .map((each) => [each.title, each.body])"""
# Showing one takes the browser a moment.
WAIT_SHOWN = f"""async () => {{
    for (let tries = 0; tries < 100; tries += 1) {{
        if ((await ({SHOWN})()).length) return;
        await new Promise((done) => setTimeout(done, 100));
    }}
}}"""
READY = "navigator.serviceWorker.ready.then(() => true)"


def firing(stage: Stage) -> Firing:
    parts = stage.parts
    return Firing(engine=parts.engine, frames=parts.frames, queue=parts.queue, clock=parts.clock)


def ring(stage: Stage, owner: Person, text: str = "Phone Ida") -> None:
    """A reminder that is due now, fired."""
    now = stage.parts.clock()
    factories.card(
        stage.parts.engine,
        owner,
        category=Category.REMINDER,
        text=text,
        starts_local=now.astimezone(ZoneInfo(owner.zone)).replace(tzinfo=None).isoformat(timespec="minutes"),
        zone=owner.zone,
        due_at=now,
        visible=True,
    )
    fire_due(firing(stage))


def chat(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto("/")
    before = page.locator("#log .prose").count()  # another device may have talked
    page.get_by_label("Your message").fill("hello")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#log .prose")).to_have_count(before + 1)
    return page


def test_set_be_told_once_snooze_and_tick(stage: Stage, clara: Person, window: Open) -> None:
    context = window(permissions=["notifications"])
    page = chat(context)
    page.evaluate(READY)
    ring(stage, clara)
    expect(page.locator(".reminder-line")).to_have_count(1)
    expect(page.locator(".reminder-line")).to_contain_text("Phone Ida")
    page.evaluate(WAIT_SHOWN)
    assert [title for title, _ in page.evaluate(SHOWN)] == ["Phone Ida"]
    page.reload()
    expect(page.locator(".reminder-line")).to_have_count(1)

    page.goto("/agenda/")
    row = page.locator("li.item", has_text="Phone Ida")
    expect(row).to_contain_text("it rang")
    row.locator("summary").click()
    row.get_by_role("button", name="In an hour").click()
    expect(page.locator("li.item", has_text="Phone Ida")).to_contain_text("put off")
    page.locator("li.item", has_text="Phone Ida").get_by_role("button", name="Done: Phone Ida").click()
    expect(page.locator(".shelf.over summary")).to_contain_text("Done")
    expect(page.locator(".shelf.today")).to_have_count(0)


def test_a_push_message_is_shown_once_though_it_comes_twice(
    stage: Stage, clara: Person, window: Open
) -> None:
    """The service worker's handler, driven by the browser's debugging protocol."""
    context = window(permissions=["notifications"])
    page = context.new_page()
    page.goto("/agenda/")
    page.evaluate(READY)
    protocol = context.new_cdp_session(page)
    registrations: list[str] = []
    protocol.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registrations.extend(each["registrationId"] for each in told["registrations"]),
    )
    protocol.send("ServiceWorker.enable")
    page.wait_for_timeout(50)
    while not registrations:
        page.wait_for_timeout(50)
    message = {"id": "abc", "text": "Water the plants", "when": "17:00", "done": "Done", "snooze": "Later"}
    for _ in range(2):
        protocol.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": stage.url, "registrationId": registrations[0], "data": json.dumps(message)},
        )
    page.evaluate(WAIT_SHOWN)
    assert page.evaluate(SHOWN) == [["Water the plants", "17:00"]]


def add(page: Page, kind: str, text: str) -> None:
    if not page.get_by_label("What").is_visible():
        page.locator("details.add > summary").click()
    page.get_by_label("What").fill(text)
    page.get_by_label("Kind").select_option(kind)
    page.get_by_label("Day", exact=True).fill("2035-03-05")
    page.get_by_label("Time of day").fill("17:00")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".shelf.coming")).to_contain_text(text)


def test_it_asks_only_when_the_first_reminder_was_set(window: Open) -> None:
    page = window().new_page()
    # Without a person at the screen this browser says "denied" before anybody was asked.
    page.add_init_script("Object.defineProperty(Notification, 'permission', { get: () => 'default' })")
    page.goto("/agenda/")
    add(page, "task", "Buy paint")
    expect(page.locator("[data-offer]")).to_have_count(0)
    add(page, "reminder", "Pay the rent")
    expect(page.locator("[data-offer=ask]")).to_be_visible()
    page.get_by_role("button", name="Not now").click()
    expect(page.locator("[data-offer]")).to_have_count(0)
    add(page, "reminder", "Call Ada")
    expect(page.locator("[data-offer]")).to_have_count(0)


def test_another_device_is_told_nothing_but_the_line(stage: Stage, clara: Person, window: Open) -> None:
    phone, tablet = (chat(window(permissions=["notifications"])) for _ in range(2))
    for page in (phone, tablet):
        page.evaluate(READY)
    device = tablet.evaluate(
        "fetch('/notify/').then((response) => response.json()).then((told) => told.device)"
    )
    now = stage.parts.clock()
    card_id = factories.card(
        stage.parts.engine,
        clara,
        category=Category.REMINDER,
        text="The laundry",
        starts_local=datetime(2030, 1, 1).isoformat(),  # noqa: DTZ001 (wall clock)
        zone=clara.zone,
        visible=True,
    )
    with transaction(stage.parts.engine) as session:
        from memory.storage import devices

        found = devices.find(session, clara.id, device)
        assert found is not None
        row = session.get(CardRow, card_id)
        assert row is not None
        row.device_id, row.due_at = found.id, now - timedelta(seconds=1)
    fire_due(firing(stage))
    for page in (phone, tablet):
        expect(page.locator(".reminder-line")).to_have_count(1)
    tablet.evaluate(WAIT_SHOWN)
    assert phone.evaluate(SHOWN) == []


def test_the_agenda_works_without_a_script(window: Open) -> None:
    page = window(java_script_enabled=False).new_page()
    page.goto("/agenda/")
    page.get_by_label("What").fill("Buy paint")
    page.get_by_label("Kind").select_option("task")
    page.get_by_label("Day", exact=True).fill("")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".shelf.some_time")).to_contain_text("Buy paint")
    page.get_by_role("button", name="Done: Buy paint").click()
    expect(page.locator(".shelf.over")).to_contain_text("Buy paint")


def test_a_real_subscription_reaches_the_server_and_goes_with_the_sign_out(
    stage: Stage, clara: Person, browser_type: BrowserType, tmp_path: Path
) -> None:
    """The browser's own push manager makes it, with keys of its own; only the push service is ours."""
    with google.registration() as address:
        options = launch_options()
        kept_arguments = [each for each in options["args"] if each != _NO_PUSH]
        context = browser_type.launch_persistent_context(
            str(tmp_path / "profile"),  # a private window is given no subscription
            **{**options, "args": [*kept_arguments, *google.arguments(address)]},
            ignore_default_args=[_NO_PUSH],
            base_url=stage.url,
            locale="en-GB",
            env={**os.environ, **_NO_KEYS},
        )
        try:
            name, _, value = stage.cookie(clara).partition("=")
            context.add_cookies([{"name": name, "value": value, "url": stage.url}])
            context.grant_permissions(["notifications"], origin=stage.url)
            page = context.new_page()
            page.goto("/agenda/")
            (kept,) = _kept(stage, clara, count=1)
            told = page.evaluate(SUBSCRIPTION)
            assert kept.endpoint == told["endpoint"]
            assert kept.endpoint.endswith(google.TOKEN)
            assert (kept.p256dh, kept.auth) == (told["keys"]["p256dh"], told["keys"]["auth"])
            assert told["key"] == public_key(
                load_key(stage.parts.settings.var, stage.parts.settings.secret_key)
            )

            page.get_by_label("Settings and more").click()
            page.get_by_role("button", name="Sign out").click()
            expect(page.get_by_label("Password")).to_be_visible()
            assert _kept(stage, clara, count=0) == []
        finally:
            context.close()


SUBSCRIPTION = """async () => {
    const worker = await navigator.serviceWorker.ready;
    const found = await worker.pushManager.getSubscription();
    const key = String.fromCharCode(...new Uint8Array(found.options.applicationServerKey));
    const text = btoa(key).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    return { ...found.toJSON(), key: text };
}"""
_NO_PUSH = "--disable-background-networking"
_NO_KEYS = {"GOOGLE_API_KEY": "no", "GOOGLE_DEFAULT_CLIENT_ID": "no", "GOOGLE_DEFAULT_CLIENT_SECRET": "no"}


def _kept(stage: Stage, owner: Person, *, count: int) -> list[Subscription]:
    """The server's subscriptions of a person, once there are so many: a page sends its own a moment later."""
    deadline = monotonic() + 15
    while True:
        with reading(stage.parts.engine) as session:
            found = subscriptions.of_person(session, owner.id)
        if len(found) == count or monotonic() > deadline:
            return found
        threading.Event().wait(0.05)
