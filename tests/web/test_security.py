from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from werkzeug.routing import Rule

from memory.records import Person, Role
from memory.web import build_web
from memory.web.security import limiter
from memory.web.session import safe_next
from memory.wiring import Wiring
from tests.web.conftest import PASSWORD, MakePerson, SignIn, post, token_of

TEMPLATES = Path(__file__).parents[2] / "templates"
STATIC = Path(__file__).parents[2] / "static"
# Whoever adds to this list has thought about it.
OPEN_TO_STRANGERS = {
    "accounts.join",
    "accounts.join_now",
    "accounts.sign_in",
    "accounts.sign_in_now",
    "accounts.sign_out",
    "calendars.feed",  # a calendar program cannot sign in: its address is the secret
    "health.page",
    "notifications.service_worker",
    "static",
}


def routes(app: Flask, method: str) -> Iterator[tuple[Rule, str]]:
    """Every route that answers a method, with an address that fits it."""
    for rule in app.url_map.iter_rules():
        if method in (rule.methods or ()):
            path = re.sub(r"<any\((\w+)[^)]*\):\w+>", r"\1", rule.rule)
            yield rule, re.sub(r"<int:[^>]+>", "1", re.sub(r"<[^:>]+>", "x", path))


def test_every_page_is_closed_unless_it_is_meant_to_be_open(app: Flask, stranger: FlaskClient) -> None:
    seen_open = set()
    for rule, path in routes(app, "GET"):
        if rule.websocket or rule.endpoint == "chat.talk":
            continue  # tests/web/test_socket.py
        answer = stranger.get(path)
        answer.close()  # a file that is sent stays open otherwise
        if answer.status_code == 303 and str(answer.location).startswith("/sign-in"):
            continue
        seen_open.add(rule.endpoint)
    for rule, path in routes(app, "POST"):
        token = token_of(stranger.get("/sign-in"))
        answer = stranger.post(path, data={"csrf_token": token, "email": rule.endpoint})
        if (
            answer.status_code == 303
            and answer.location == "/sign-in"
            and rule.endpoint != "accounts.sign_out"
        ):
            continue
        seen_open.add(rule.endpoint)
    assert seen_open == OPEN_TO_STRANGERS


def test_every_form_needs_its_token(app: Flask, client: FlaskClient) -> None:
    without = {rule.endpoint: client.post(path).status_code for rule, path in routes(app, "POST")}
    assert set(without.values()) == {400}, without


def test_headers_close_the_page(client: FlaskClient) -> None:
    headers = client.get("/memories/").headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["connect-src"] == "'self' ws://localhost"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Strict-Transport-Security" not in headers


def test_a_forged_host_adds_nothing_to_the_policy(client: FlaskClient) -> None:
    answer = client.get("/health", headers={"Host": "evil.example; script-src *"})
    assert "evil" not in answer.headers.get("Content-Security-Policy", "")


@pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_no_template_needs_inline_script_or_style(template: Path) -> None:
    text = template.read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|javascript:|\|\s*safe\b", text)
    for script in re.findall(r"<script[^>]*>", text):
        assert "src=" in script


def test_cookies_follow_the_address(wiring: Wiring, make_person: MakePerson) -> None:
    made = make_person()
    for url, secure in (("https://chat.example.org", True), ("", False)):
        app = build_web(replace(wiring, settings=replace(wiring.settings, url=url)))
        stranger = app.test_client()
        form = {"email": made.email, "password": PASSWORD}
        headers = {}
        if secure:
            headers = {"Referer": "https://localhost/sign-in"}
        page = stranger.get("/sign-in", base_url="https://localhost" if secure else "http://localhost")
        answer = stranger.post(
            "/sign-in",
            data={**form, "csrf_token": token_of(page)},
            headers=headers,
            base_url="https://localhost" if secure else "http://localhost",
        )
        assert answer.status_code == 303
        cookies = [
            cookie for cookie in answer.headers.getlist("Set-Cookie") if cookie.startswith("asterism=")
        ]
        assert len(cookies) == 1
        assert "HttpOnly" in cookies[0]
        assert "SameSite=Lax" in cookies[0]
        assert ("Secure" in cookies[0]) is secure
        assert ("Strict-Transport-Security" in answer.headers) is secure


def test_forwarded_headers_count_only_behind_a_trusted_proxy(wiring: Wiring) -> None:
    sent = {
        "X-Forwarded-Host": "chat.example.org",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-For": "9.9.9.9",
    }
    for proxies, expected in ((0, "ws://localhost"), (1, "wss://chat.example.org")):
        app = build_web(replace(wiring, settings=replace(wiring.settings, trusted_proxies=proxies)))
        policy = app.test_client().get("/health", headers=sent).headers["Content-Security-Policy"]
        assert f"connect-src 'self' {expected};" in policy


def test_guessing_a_password_is_slowed_down_for_that_account_only(
    stranger: FlaskClient, make_person: MakePerson
) -> None:
    clara, dora = make_person("clara"), make_person("dora")
    token = token_of(stranger.get("/sign-in"))

    def attempt(person: Person, password: str) -> int:
        form = {"email": person.email, "password": password, "csrf_token": token}
        return stranger.post("/sign-in", data=form).status_code

    assert [attempt(clara, "a wrong guess") for _ in range(10)] == [422] * 10
    assert attempt(clara, PASSWORD) == 429
    assert attempt(dora, PASSWORD) == 303


def test_signing_in_works_while_the_queue_is_down(
    wiring: Wiring, make_person: MakePerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        limiter, "_storage_dead", False
    )  # one limiter serves all apps of a process: put it back
    clara = make_person()
    dead = Redis.from_url("redis://127.0.0.1:1/0", retry=Retry(NoBackoff(), 1))  # as the product's
    app = build_web(replace(wiring, redis=dead))
    stranger = app.test_client()
    assert stranger.get("/health").json == {"status": "degraded", "database": "ok", "queue": "down"}
    form = {"email": clara.email, "password": PASSWORD, "csrf_token": token_of(stranger.get("/sign-in"))}
    assert stranger.post("/sign-in", data=form).status_code == 303
    assert stranger.get("/memories/").status_code == 200


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "javascript:alert(1)", "", None],
)
def test_signing_in_leads_nowhere_else(target: str | None) -> None:
    assert safe_next(target) is None


def test_signing_in_leads_back_to_where_one_wanted_to_go(stranger: FlaskClient, person: Person) -> None:
    asked = stranger.get("/memories/?q=claire")
    assert asked.location == "/sign-in?next=/memories/?q%3Dclaire"
    form = {"email": person.email, "password": PASSWORD, "csrf_token": token_of(stranger.get("/sign-in"))}
    assert stranger.post(str(asked.location), data=form).location == "/memories/?q=claire"


@pytest.mark.parametrize("role", [Role.PERSON, Role.AGENT])
def test_the_operators_pages_are_the_operators(
    app: Flask, make_person: MakePerson, sign_in: SignIn, role: Role
) -> None:
    browser = sign_in(make_person(role=role))
    for rule, path in routes(app, "GET"):
        if rule.endpoint.startswith("operator."):
            assert browser.get(path).status_code == 403, path
    for rule, path in routes(app, "POST"):
        if rule.endpoint.startswith("operator."):
            assert post(browser, path).status_code == 403, path


def test_a_raised_epoch_ends_the_session(client: FlaskClient, person: Person, sign_in: SignIn) -> None:
    lost_phone = sign_in(person)
    assert lost_phone.get("/settings/").status_code == 200
    assert post(client, "/settings/sign-out-everywhere").status_code == 303
    assert lost_phone.get("/settings/").status_code == 303
    assert client.get("/settings/").status_code == 200


def test_vendored_files_are_the_ones_in_the_docs() -> None:
    import hashlib

    listed = (TEMPLATES.parent / "docs" / "vendored.md").read_text()
    files = [path for path in (STATIC / "vendor").iterdir() if path.is_file()]
    assert files
    for path in files:
        assert f"`{path.name}`" in listed
        assert hashlib.sha256(path.read_bytes()).hexdigest() in listed
