"""The file of keys: checked whole, at start and by command; a changed file loses no history."""

from __future__ import annotations

from pathlib import Path

import pytest

import app
from memory.config import LANGUAGES
from memory.decisions import log
from memory.decisions.schema import SHIPPED, KeyType, load
from memory.errors import ConfigError
from memory.records import Decision
from tests.fakes import T0


def test_the_shipped_keys_are_about_twelve_and_speak_every_language() -> None:
    keys = load().open()
    assert 10 <= len(keys) <= 14
    for key in keys:
        assert set(key.label) >= set(LANGUAGES)
        assert set(key.question) >= set(LANGUAGES)
        assert key.type is not KeyType.CHOICE or set(key.choice) == set(LANGUAGES)


def test_every_problem_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[keys.size]\ntype = "integer"\nleast = 9\nmost = 2\n[keys."Big One"]\ntype = "colour"\n')
    with pytest.raises(ConfigError) as error:
        load(bad)
    told = "\n".join(error.value.problems)
    for each in ("keys.size: label", "keys.size: question", "keys.size: least", "keys.Big One: type"):
        assert each in told


WORDED = """
label = { en = "A", de = "A", pt = "A", fr = "A", es = "A" }
question = { en = "A?", de = "A?", pt = "A?", fr = "A?", es = "A?" }
"""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[keys.a\n", "bad.toml: "),
        ("keys = 5\n", "at least one [keys.NAME]"),
        ("[keys]\na = 5\n", "keys.a: a table was expected"),
        ('[keys.a]\ntype = ["text"]\n', "keys.a: type"),
        ('[keys.a]\ntype = "text"\nlabel = "A"\n', "keys.a: label: a text for each language"),
        ('[keys.a]\ntype = "text"\nquestion = { en = 5 }\n', "keys.a: question: a text was expected for en"),
        ('[keys.a]\ntype = "text"\nwords = "a b"\n', "keys.a: words: a text for each language"),
        ('[keys.a]\ntype = "text"\nloose = { en = ["a"] }\n', "keys.a: loose: a text was expected for en"),
        ('[keys.a]\ntype = "text"\nlabel = { it = "A" }\n', "keys.a: label: no language of ours: it"),
        ('[keys.a]\ntype = "text"\nretired = "false"\n', "keys.a: retired"),
        ('[keys.a]\ntype = "text"\nleast = 1\n', "keys.a: least and most"),
        ('[keys.a]\ntype = "integer"\nleast = "one"\nmost = 5\n', "keys.a: least and most"),
        ('[keys.a]\ntype = "integer"\nleast = true\nmost = 5.5\n', "keys.a: least and most"),
        ('[keys.a]\ntype = "integer"\nchoices = ["a", "b"]\n', "keys.a: choices and choice"),
        ('[keys.a]\ntype = "choice"\nchoices = "red blue"\n', "keys.a: choices: a list"),
        ('[keys.a]\ntype = "choice"\nchoices = ["a", "a"]\n', "keys.a: choices: at least two"),
        ('[keys.a]\ntype = "choice"\nchoices = ["a", "b"]\nchoice = "a"\n', "keys.a: choice: each language"),
        (
            '[keys.a]\ntype = "choice"\nchoices = ["a", "b"]\nchoice = { en = ["a"] }\n',
            "keys.a: choice: each",
        ),
        (f'[keys.a]\ntype = "text"{WORDED}[more]\n', "bad.toml: not understood: more"),
        (f'[keys.a]\ntype = "text"\ncolour = 1{WORDED}', "keys.a: not understood: colour"),
    ],
)
def test_a_broken_file_is_told_in_words_and_never_breaks_the_reader(
    tmp_path: Path, text: str, problem: str
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load(bad)
    assert any(problem in each for each in error.value.problems), error.value.problems


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        load(bad)


def test_a_key_that_was_taken_out_is_still_read(tmp_path: Path) -> None:
    fewer = tmp_path / "keys.toml"
    start, _, rest = SHIPPED.read_text(encoding="utf-8").partition("[keys.quantity]")
    fewer.write_text(start + rest.partition("\n\n")[2], encoding="utf-8")
    decision = Decision(
        id=1,
        person_id=1,
        matter="A-1",
        key="quantity",
        value="40",
        decided_at=T0,
        turn_id=None,
        decided_by="person",
        active=True,
    )
    keys = load(fewer)
    assert keys.get("quantity") is None
    assert log.told(keys, decision, language="en", now=T0, zone="UTC") == ("quantity", "40")


def test_a_file_is_checked_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASTERISM_VAR", str(tmp_path / "var"))
    assert app.main(["keys", "check", str(SHIPPED)]) == 0
    assert "12 keys" in capsys.readouterr().out
    assert app.main(["keys", "check", str(tmp_path / "none.toml")]) == 2
    assert "cannot be read" in capsys.readouterr().err
