from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.config import VARIABLES, Settings, misspelt
from memory.errors import ConfigError


def read(tmp_path: Path, **env: str) -> Settings:
    return Settings.from_env({"ASTERISM_VAR": str(tmp_path / "var"), **env}, root=tmp_path)


def problems(tmp_path: Path, **env: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, **env)
    return caught.value.problems


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    settings = Settings.from_env({}, root=tmp_path)
    assert settings.var == tmp_path / "var"
    assert settings.database_url == f"sqlite:///{tmp_path / 'var' / 'asterism.db'}"
    assert settings.host == "127.0.0.1"
    assert settings.model == ""


def test_each_setting_has_a_variable() -> None:
    assert set(VARIABLES) == set(Settings.__dataclass_fields__)


def test_the_secret_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    first = read(tmp_path).secret_key
    assert len(first) > 40
    assert read(tmp_path).secret_key == first
    assert stat.S_IMODE((tmp_path / "var" / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "var").stat().st_mode) == 0o700


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        ASTERISM_PORT="eighty",
        ASTERISM_IDLE="-1",
        ASTERISM_MODEL="gpt",
        DATABASE_URL="mysql://localhost/x",
        ASTERISM_URL="chat.example.org",
    )
    names = {line.partition(":")[0] for line in told}
    assert names == {"ASTERISM_PORT", "ASTERISM_IDLE", "ASTERISM_MODEL", "DATABASE_URL", "ASTERISM_URL"}
    assert len(told) == 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASTERISM_PORT", "0"),
        ("ASTERISM_PORT", "65536"),
        ("ASTERISM_PORT", "80.5"),
        ("ASTERISM_SWEEP", "0"),
        ("ASTERISM_IDLE", "nan"),
        ("ASTERISM_LEASE", "inf"),
        ("ASTERISM_WEB_THREADS", "1"),
        ("REDIS_URL", "localhost:6379"),
        ("ASTERISM_MODEL", "openai:"),
        ("ASTERISM_LOG_LEVEL", "LOUD"),
    ],
)
def test_a_bad_value_is_told_by_name_and_with_what_was_expected(
    tmp_path: Path, name: str, value: str
) -> None:
    (line,) = problems(tmp_path, **{name: value})
    assert line.startswith(f"{name}: ")
    assert "expected" in line


def test_a_password_in_an_address_is_not_repeated(tmp_path: Path) -> None:
    (line,) = problems(tmp_path, REDIS_URL="http://user:hunter2@host")
    assert "hunter2" not in line


def test_a_moved_clock_is_refused_on_a_public_address(tmp_path: Path) -> None:
    (line,) = problems(tmp_path, ASTERISM_CLOCK_FILE=str(tmp_path / "c"), ASTERISM_HOST="0.0.0.0")  # noqa: S104
    assert line.startswith("ASTERISM_CLOCK_FILE: ")
    assert read(tmp_path, ASTERISM_CLOCK_FILE=str(tmp_path / "c")).clock_file == tmp_path / "c"


@pytest.mark.parametrize(
    ("url", "is_secure"), [("https://chat.example.org/", True), ("http://10.0.0.2:8137", False), ("", False)]
)
def test_cookies_are_secure_when_people_come_by_https(tmp_path: Path, url: str, is_secure: bool) -> None:
    settings = read(tmp_path, ASTERISM_URL=url)
    assert settings.is_secure is is_secure
    assert not settings.url.endswith("/")


@pytest.mark.parametrize(
    ("host", "is_public"),
    [("127.0.0.1", False), ("localhost", False), ("::1", False), ("0.0.0.0", True), ("10.0.0.2", True)],  # noqa: S104
)
def test_public_is_what_another_machine_can_reach(tmp_path: Path, host: str, is_public: bool) -> None:
    assert read(tmp_path, ASTERISM_HOST=host).is_public is is_public


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_each_spelling_of_postgresql_gets_its_driver(tmp_path: Path, scheme: str) -> None:
    settings = read(tmp_path, DATABASE_URL=f"{scheme}://user:word@host/name")
    assert settings.database_url == "postgresql+psycopg://user:word@host/name"


@given(depth=st.integers(1, 60))
def test_the_socket_of_the_embedded_queue_is_never_too_long(depth: int) -> None:
    settings = Settings(secret_key="x", var=Path("/" + "folder/" * depth), database_url="", redis_url="")
    assert len(str(settings.valkey_socket).encode()) <= 103
    assert settings.redis_address == f"unix://{settings.valkey_socket}"


def test_two_products_never_share_a_socket() -> None:
    def socket(var: str) -> Path:
        return Settings(secret_key="x", var=Path(var), database_url="", redis_url="").valkey_socket

    assert socket("/" + "a/" * 80) != socket("/" + "b/" * 80)


def test_a_given_queue_is_used(tmp_path: Path) -> None:
    assert read(tmp_path, REDIS_URL="redis://queue:6379/0").redis_address == "redis://queue:6379/0"


@given(
    st.dictionaries(st.sampled_from(sorted(set(VARIABLES.values()) - {"ASTERISM_VAR"})), st.text(max_size=20))
)
def test_any_environment_gives_settings_or_lines_by_name(env: dict[str, str]) -> None:
    # A given secret, so that nothing is written.
    told = {**env, "ASTERISM_SECRET_KEY": "x" * 40, "ASTERISM_VAR": "/nonexistent/var"}
    lines: tuple[str, ...] = ()
    try:
        Settings.from_env(told, root=Path("/nonexistent"))
    except ConfigError as error:
        lines = error.problems
    assert all(line.partition(":")[0] in VARIABLES.values() for line in lines)


def test_a_misspelt_setting_is_named_with_the_one_that_was_meant() -> None:
    told = misspelt({"ASTERISM_PROT": "80", "ASTERISM_FLAVOUR": "x", "ASTERISM_PORT": "1", "HOME": "/"})
    assert told == [
        "ASTERISM_FLAVOUR: there is no such setting",
        "ASTERISM_PROT: there is no such setting; ASTERISM_PORT was meant?",
    ]
    assert misspelt(dict.fromkeys(VARIABLES.values(), "1")) == []
