"""The private switch on the chat page, without a script."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from memory.config import Settings
from memory.llm.scripted import Say, ScriptedModel
from memory.wiring import Wiring, build
from tests.conftest import ROOT
from tests.fakes import FakeClock
from tests.web.conftest import post

BANNER = "Private: nothing of this conversation is kept."


@pytest.fixture
def wiring(sqlite_url: str, valkey: object, valkey_url: str, clock: FakeClock, tmp_path: object) -> Wiring:
    """The real parts with a model that plays a script."""
    env = {"ASTERISM_VAR": f"{tmp_path}/var", "DATABASE_URL": sqlite_url, "REDIS_URL": valkey_url}
    model = ScriptedModel(then=[Say("I see.")])
    return build(Settings.from_env(env, root=ROOT), clock=clock, model=lambda: model)


def banner(page: str) -> str:
    """The line that says that the conversation is private; "" while it is hidden."""
    _, _, rest = page.partition('data-banner="private"')
    return "" if rest.startswith(" hidden") else rest.partition("</p>")[0]


def test_it_is_visible_while_on_and_takes_its_words_with_it(client: FlaskClient) -> None:
    assert BANNER not in banner(client.get("/").text)
    post(client, "/chat/private", at="/", value="1")
    page = client.get("/").text
    assert BANNER in banner(page)
    assert "End the private conversation" in page
    post(client, "/say", at="/", text="the owl hoots", client_id="one")
    assert "the owl hoots" in client.get("/").text
    post(client, "/chat/private", at="/", value="0")
    page = client.get("/").text
    assert BANNER not in banner(page)
    assert "the owl hoots" not in page


def test_it_ends_with_the_silence_before_anything_is_said_again(
    client: FlaskClient, clock: FakeClock
) -> None:
    post(client, "/chat/private", at="/", value="1")
    clock.tick(minutes=31)
    assert BANNER not in banner(client.get("/").text)


def test_a_value_that_says_nothing_changes_nothing(client: FlaskClient) -> None:
    assert post(client, "/chat/private", at="/", value="perhaps").status_code == 422
    assert BANNER not in banner(client.get("/").text)
