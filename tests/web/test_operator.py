from __future__ import annotations

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from memory.config import Settings
from memory.errors import AppError, InvalidInput, Unavailable
from memory.llm import choose
from memory.llm.choose import Connection
from memory.records import Role
from memory.storage import figures
from memory.storage.engine import transaction
from memory.storage.figures import Figure
from memory.web import build_web
from memory.wiring import Wiring
from tests.web.conftest import MakePerson, SignIn, post

KEY = "sk-very-secret"


@pytest.fixture
def operator(sign_in: SignIn, make_person: MakePerson) -> FlaskClient:
    return sign_in(make_person("olga", role=Role.OPERATOR))


def save(operator: FlaskClient, **form: str) -> tuple[int, str]:
    values = {"provider": "openai", "model": "gpt-5", "base_url": "", "key": KEY, "do": "save", **form}
    answer = post(operator, "/operator/model", values, at="/operator/model")
    return answer.status_code, answer.text


def test_a_connection_is_kept_for_the_server_only_and_never_shown(
    operator: FlaskClient, wiring: Wiring
) -> None:
    assert save(operator)[0] == 303
    path = wiring.settings.var / "model.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert choose.load_connection(wiring.settings) == Connection(provider="openai", model="gpt-5", key=KEY)
    page = operator.get("/operator/model").text
    assert "gpt-5" in page
    assert KEY not in page
    assert KEY not in repr(choose.load_connection(wiring.settings))
    assert "OpenAI" in operator.get("/operator/").text


def test_an_empty_key_keeps_the_saved_one_but_not_for_another_address(
    operator: FlaskClient, wiring: Wiring
) -> None:
    save(operator)
    save(operator, model="gpt-6", key="")
    assert choose.load_connection(wiring.settings) == Connection(provider="openai", model="gpt-6", key=KEY)
    save(operator, base_url="https://elsewhere.example/v1", key="")
    kept = choose.load_connection(wiring.settings)
    assert kept is not None
    assert kept.key == ""


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"model": ""}, "Write the name of the model."),
        ({"provider": "acme"}, "Choose a provider."),
        ({"base_url": "localhost:11434"}, "Write the address as http://"),
        ({"key": ""}, "This provider needs a key."),
    ],
    ids=str,
)
def test_what_cannot_work_is_refused_in_place(
    operator: FlaskClient, wiring: Wiring, form: dict[str, str], words: str
) -> None:
    status, page = save(operator, **form)
    assert status == 422
    assert words in page
    assert choose.load_connection(wiring.settings) is None


def test_a_test_saves_nothing_and_says_how_it_went(
    operator: FlaskClient, wiring: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Connection] = []

    def answers(connection: Connection) -> AppError | None:
        asked.append(connection)
        return None if connection.model == "gpt-5" else Unavailable("It says %(it)s.", it="1 < 2")

    monkeypatch.setattr(choose, "try_connection", answers)
    assert "It works: the model answered." in save(operator, do="test")[1]
    assert "It says 1 &lt; 2." in save(operator, do="test", model="other")[1]
    assert [connection.key for connection in asked] == [KEY, KEY]
    assert choose.load_connection(wiring.settings) is None


def test_the_operator_can_go_back_to_the_built_in_model(operator: FlaskClient, wiring: Wiring) -> None:
    save(operator)
    assert save(operator, do="built-in")[0] == 303
    assert choose.load_connection(wiring.settings) is None
    assert "built in" in operator.get("/operator/").text


def test_the_environment_wins_and_the_page_says_so(
    operator: FlaskClient, wiring: Wiring, make_person: MakePerson
) -> None:
    save(operator)
    told = replace(wiring.settings, model="ollama:qwen3", model_base_url="http://localhost:11434/v1")
    in_force = choose.load_connection(told)
    assert in_force == Connection(
        provider="ollama", model="qwen3", base_url="http://localhost:11434/v1", key=""
    )
    browser = build_web(replace(wiring, settings=told)).test_client()
    with operator.session_transaction() as old, browser.session_transaction() as new:
        new.update(old)
    page = browser.get("/operator/model").text
    assert "The environment sets the model: Ollama, qwen3." in page


@pytest.mark.parametrize("text", ["", "{", "[]", '{"provider": "openai"}'])
def test_a_damaged_file_means_the_built_in_model(wiring: Wiring, text: str) -> None:
    (wiring.settings.var / "model.json").write_text(text)
    assert choose.load_connection(wiring.settings) is None


def test_nothing_half_is_saved(wiring: Wiring) -> None:
    settings: Settings = wiring.settings
    choose.save_connection(settings, Connection(provider="ollama", model="a", base_url="http://localhost:1"))
    with pytest.raises(InvalidInput):
        choose.save_connection(settings, Connection(provider="ollama", model=""))
    kept = choose.load_connection(settings)
    assert kept is not None
    assert kept.model == "a"
    assert [path.name for path in settings.var.glob("model.json*")] == ["model.json"]


def test_figures_are_rates_of_the_last_seven_days(operator: FlaskClient, wiring: Wiring) -> None:
    assert operator.get("/operator/").text.count("<dd>–</dd>") == 2  # nothing counted is not zero
    with transaction(wiring.engine) as session:
        for figure, amount in (
            (Figure.TURNS, 8),
            (Figure.CARDS, 6),
            (Figure.VERIFIED, 8),
            (Figure.MISSED, 1),
        ):
            figures.add(session, figure, amount, now=wiring.clock())
    page = operator.get("/operator/").text
    assert "<dd>0.75</dd>" in page
    assert "<dd>12.5 %</dd>" in page
