"""What tests of pages ask for: the app over real parts, accounts, and browsers that are signed in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.test import TestResponse

from memory.embedding import Embedder
from memory.records import Person, Role
from memory.web import build_web
from memory.wiring import Wiring
from tests import factories

PASSWORD = "three words in a row"
# Its hash with the weakest parameters, so that making accounts costs nothing; signing in
# hashes it anew with the real ones.
HASHED = "$argon2id$v=19$m=8,t=1,p=1$vWaqmNJjFR6xc4zpMYXkRg$cRpZH8wfyVklSpnmJZdUfcbSZwRVnBMwm4QJsD1iTtg"

MakePerson = Callable[..., Person]
SignIn = Callable[[Person], FlaskClient]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """One for all tests: loading it costs more than any of them."""
    return Embedder()


@pytest.fixture
def wiring(wiring: Wiring, embedder: Embedder) -> Wiring:
    """The real parts with the embedding that is loaded already."""
    return replace(wiring, embedder=embedder)


class CompiledOnce(BytecodeCache):
    """Templates compiled by one test's application, for those of all others."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give what is known of a template; its key changes with its text."""
        if (known := self._known.get(f"{bucket.key}-{bucket.checksum}")) is not None:
            bucket.bytecode_from_string(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template that was compiled."""
        self._known[f"{bucket.key}-{bucket.checksum}"] = bucket.bytecode_to_string()


@pytest.fixture(scope="session")
def templates() -> CompiledOnce:
    """Compiling them for each test's application costs more than the tests."""
    return CompiledOnce()


@pytest.fixture
def app(wiring: Wiring, templates: CompiledOnce) -> Flask:
    """The whole web application; CSRF is on."""
    made = build_web(wiring)
    made.jinja_env.bytecode_cache = templates
    made.testing = False  # errors go the way they go for people
    return made


@pytest.fixture
def stranger(app: Flask) -> FlaskClient:
    """A browser that nobody is signed in on."""
    return app.test_client()


@pytest.fixture
def make_person(wiring: Wiring) -> MakePerson:
    """Make an account: `make_person("clara", role=Role.AGENT, language="de")`."""

    def make(
        name: str = "clara", *, role: Role = Role.PERSON, language: str = "en", zone: str = "Europe/Lisbon"
    ) -> Person:
        return factories.person(
            wiring.engine,
            name=name.title(),
            email=f"{name}@example.org",
            password_hash=HASHED,
            role=role,
            language=language,
            zone=zone,
        )

    return make


@pytest.fixture
def person(make_person: MakePerson) -> Person:
    """Clara."""
    return make_person()


@pytest.fixture
def sign_in(app: Flask) -> SignIn:
    """A browser on which an account is signed in."""

    def make(person: Person) -> FlaskClient:
        made = app.test_client()
        with made.session_transaction() as session:
            session["_user_id"] = f"{person.public_id}:{person.session_epoch}"
            session["_fresh"] = True
        return made

    return make


@pytest.fixture
def client(sign_in: SignIn, person: Person) -> FlaskClient:
    """Clara's browser."""
    return sign_in(person)


def token_of(page: TestResponse) -> str:
    """The CSRF token that a page carries."""
    found = re.search(r'name="csrf-token" content="([^"]+)"', page.text)
    assert found, page.text
    return found.group(1)


def post(
    client: FlaskClient,
    path: str,
    fields: Mapping[str, str | list[str]] | None = None,
    *,
    at: str = "/settings/",
    htmx: bool = False,
    **more: str,
) -> TestResponse:
    """Send a form as a browser does that has the page `at` open."""
    token = token_of(client.get(at))
    headers = {"HX-Request": "true", "X-CSRFToken": token} if htmx else {}
    form = {**(fields or {}), **more}
    data = form if htmx else {**form, "csrf_token": token}
    return client.post(path, data=data, headers=headers)
