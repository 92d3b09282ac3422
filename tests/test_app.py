"""The commands, called as a person calls them but in this process."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, text

import app
from memory import accounts
from memory.records import Role
from memory.storage.engine import make_engine
from memory.wiring import Wiring


@pytest.fixture
def var(tmp_path: Path, sqlite_url: str, valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A product's folder with a current database, told through the environment."""
    folder = tmp_path / "var"
    monkeypatch.setenv("ASTERISM_VAR", str(folder))
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("REDIS_URL", valkey_url)
    monkeypatch.setattr("memory.running.logs.configure", lambda _level: None)  # logging is this process's
    return folder


def _typing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_an_app_takes_the_parts_it_is_given(wiring: Wiring, var: Path) -> None:
    made = app.create_app(wiring.settings, clock=wiring.clock, redis=wiring.redis)
    assert isinstance(made, Flask)
    assert made.extensions["asterism"].clock is wiring.clock


def test_an_account_is_made_and_its_password_can_be_reset(
    var: Path, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _typing("correct horse battery\n", monkeypatch)
    words = [
        "create-user",
        "Anna@Example.org",
        "--role",
        "operator",
        "--language",
        "pt",
        "--zone",
        "Europe/Lisbon",
    ]
    assert app.main(words) == 0
    made = accounts.sign_in(sqlite_engine, "anna@example.org", "correct horse battery")
    assert (made.role, made.language, made.zone) == (Role.OPERATOR, "pt", "Europe/Lisbon")

    _typing("another horse battery\n", monkeypatch)
    assert app.main(["reset-password", "anna@example.org"]) == 0
    accounts.sign_in(sqlite_engine, "anna@example.org", "another horse battery")
    assert "battery" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "words",
    [
        ["create-user", "not an address"],
        ["reset-password", "nobody@example.org"],
        ["chat", "nobody@example.org"],
    ],
)
def test_what_does_not_fit_is_told_without_a_trace(
    words: list[str], var: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _typing("correct horse battery\n", monkeypatch)
    assert app.main(words) == 1
    told = capsys.readouterr().err
    assert told.strip()
    assert "Traceback" not in told


def test_a_zone_that_does_not_exist_is_refused(var: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        app.main(["create-user", "anna@example.org", "--zone", "Mars/Olympus"])
    assert "Europe/Lisbon was expected" in capsys.readouterr().err


def test_migrate_makes_a_fresh_database_current(
    var: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'fresh.db'}")
    assert app.main(["migrate"]) == 0
    engine = make_engine(f"sqlite:///{tmp_path / 'fresh.db'}")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM cards")).scalar() == 0
    engine.dispose()


def test_a_database_that_does_not_answer_is_told(
    var: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://anna:hunter2@127.0.0.1:9/nowhere")
    assert app.main(["migrate"]) == 2
    told = capsys.readouterr().err
    assert "DATABASE_URL: " in told
    assert "hunter2" not in told


def test_a_file_of_messages_is_played_and_shows_what_was_kept(
    var: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _typing("correct horse battery\n", monkeypatch)
    app.main(["create-user", "anna@example.org", "--zone", "Europe/Berlin"])
    played = tmp_path / "messages.txt"
    played.write_text("my wife's name is Claire\n\nwhat is my wife's name?\n", encoding="utf-8")
    assert app.main(["chat", "anna@example.org", "--file", str(played)]) == 0
    told = capsys.readouterr().out
    kept, _, answer = told.partition("> what is my wife's name?")
    assert "kept, silent: " in kept
    assert "Claire" in answer


def test_what_is_typed_is_answered(
    var: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _typing("correct horse battery\n", monkeypatch)
    app.main(["create-user", "anna@example.org"])
    capsys.readouterr()
    _typing("hello\n", monkeypatch)
    assert app.main(["chat", "anna@example.org"]) == 0
    assert capsys.readouterr().out.strip()
