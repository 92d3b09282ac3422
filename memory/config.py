"""Everything the process may be told from outside. docs/configuration.md mirrors it."""

from __future__ import annotations

import difflib
import hashlib
import ipaddress
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from memory.errors import ConfigError

LANGUAGES = ("en", "de", "pt", "fr", "es")
_SOCKET_PATH_BYTES = 100  # the kernel takes 103 (macOS) or 107 (Linux)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Typed settings with their defaults. Times end in `_s` (seconds), sizes in `_tokens` or `_mb`."""

    secret_key: str  # no default: a silent one is a hole
    var: Path  # everything the product writes
    database_url: str
    redis_url: str  # empty: the embedded Valkey under `var`
    host: str = "127.0.0.1"
    port: int = 8137
    url: str = ""  # public address; Origin checks, links and Secure cookies follow it
    trusted_proxies: int = 0  # how many proxies in front may set X-Forwarded-*
    model: str = ""  # e.g. openai:gpt-5; empty: the operator's page, else the embedded model
    model_base_url: str = ""
    model_key: str = ""
    model_timeout_s: float = 60.0
    model_longest_chars: int = 20_000
    idle_s: float = 1800.0  # silence after which a conversation is over
    sweep_s: float = 300.0
    lease_s: float = 20.0  # how long a process may hold a turn without renewing it
    overview_deadline_s: float = 1.5  # a source slower than this is left out of the turn
    overview_tokens: int = 6000
    retry_pause_s: float = 0.6  # before an empty first answer is asked for once more
    handover_wait_s: float = 1800.0  # after which a request for a human that nobody took runs out
    undo_s: float = 20.0  # how long a deletion can be undone
    max_message_chars: int = 100_000
    cache_mb: int = 256  # vectors and postings kept in memory
    exact_search_most: int = 100_000  # cards and turns of one person; above, pgvector preselects where it is
    web_threads: int = 640  # one for each open socket, and some for pages
    log_level: str = "INFO"
    clock_file: Path | None = None  # moves time; tests and benchmarks only
    keys_file: Path | None = None  # decision keys; empty: the shipped ones
    vapid_contact: str = "mailto:operator@localhost"

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, root: Path) -> Self:
        """Build settings from the environment; unset ones keep their default.

        Raises:
            ConfigError: with one line for each bad variable, not just the first.
        """
        reader = _Reader(env, root)
        values = reader.values()
        if not values["secret_key"]:
            reader.problems.append(
                f"ASTERISM_VAR: {values['var']} cannot be written; choose a folder that this user may write"
            )
        if reader.problems:
            raise ConfigError(reader.problems)
        return cls(**values)

    @property
    def is_public(self) -> bool:
        """Whether another machine can reach the server."""
        return not _is_loopback(self.host)

    @property
    def is_secure(self) -> bool:
        """Whether people reach the server by https."""
        return self.url.startswith("https://")

    @property
    def redis_address(self) -> str:
        """Where the queue answers: the configured server, else the embedded Valkey's socket."""
        return self.redis_url or f"unix://{self.valkey_socket}"

    @property
    def valkey_socket(self) -> Path:
        """The embedded Valkey's socket: under `var` or, where that path is too long, in a private folder.

        The same for every process of this user with this `var`, so that commands find it.
        """
        path = self.var / "valkey" / "socket"
        if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES:
            return path
        name = hashlib.sha256(os.fsencode(self.var)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"asterism-{os.getuid()}-{name}" / "socket"


# name of the field -> name of the variable; the documentation and its test are made from this.
VARIABLES: dict[str, str] = {
    "secret_key": "ASTERISM_SECRET_KEY",
    "var": "ASTERISM_VAR",
    "database_url": "DATABASE_URL",
    "redis_url": "REDIS_URL",
    "host": "ASTERISM_HOST",
    "port": "ASTERISM_PORT",
    "url": "ASTERISM_URL",
    "trusted_proxies": "ASTERISM_TRUSTED_PROXIES",
    "model": "ASTERISM_MODEL",
    "model_base_url": "ASTERISM_MODEL_BASE_URL",
    "model_key": "ASTERISM_MODEL_KEY",
    "model_timeout_s": "ASTERISM_MODEL_TIMEOUT",
    "model_longest_chars": "ASTERISM_MODEL_LONGEST",
    "idle_s": "ASTERISM_IDLE",
    "sweep_s": "ASTERISM_SWEEP",
    "lease_s": "ASTERISM_LEASE",
    "overview_deadline_s": "ASTERISM_OVERVIEW_DEADLINE",
    "overview_tokens": "ASTERISM_OVERVIEW_TOKENS",
    "retry_pause_s": "ASTERISM_RETRY_PAUSE",
    "handover_wait_s": "ASTERISM_HANDOVER_WAIT",
    "undo_s": "ASTERISM_UNDO",
    "max_message_chars": "ASTERISM_MAX_MESSAGE",
    "cache_mb": "ASTERISM_CACHE_MB",
    "exact_search_most": "ASTERISM_EXACT_SEARCH",
    "web_threads": "ASTERISM_WEB_THREADS",
    "log_level": "ASTERISM_LOG_LEVEL",
    "clock_file": "ASTERISM_CLOCK_FILE",
    "keys_file": "ASTERISM_KEYS_FILE",
    "vapid_contact": "ASTERISM_VAPID_CONTACT",
}

_OURS = "ASTERISM_"
_NO_SETTINGS = frozenset({"ASTERISM_PARENT"})  # what a process tells its children


def misspelt(env: Mapping[str, str]) -> list[str]:
    """One line for each variable that looks like a setting and is none, with the one that was meant."""
    lines = []
    for name in sorted(env):
        if not name.startswith(_OURS) or name in VARIABLES.values() or name in _NO_SETTINGS:
            continue
        near = difflib.get_close_matches(name, VARIABLES.values(), n=1, cutoff=0.8)
        lines.append(f"{name}: there is no such setting" + (f"; {near[0]} was meant?" if near else ""))
    return lines


MODEL_PROVIDERS = ("openai", "anthropic", "google", "mistral", "ollama")


class _Reader:
    """Reads variables one by one and remembers every problem."""

    def __init__(self, env: Mapping[str, str], root: Path) -> None:
        self._env = env
        self._root = root
        self.problems: list[str] = []

    def values(self) -> dict[str, Any]:
        var = Path(self._text("var") or self._root / "var").absolute()
        told: dict[str, Any] = {
            "var": var,
            "secret_key": self._text("secret_key") or _secret(var),
            "database_url": self._database(var),
            "redis_url": self._url("redis_url", ("redis", "rediss", "unix"), "redis://host:6379/0") or "",
            "url": (self._url("url", ("http", "https"), "https://chat.example.org") or "").rstrip("/"),
            "model": self._model(),
            "model_base_url": self._url("model_base_url", ("http", "https"), "http://localhost:11434/v1")
            or "",
            "clock_file": self._path("clock_file"),
            "keys_file": self._path("keys_file"),
            "log_level": self._choice("log_level", ("DEBUG", "INFO", "WARNING", "ERROR")),
        }
        for name in ("host", "model_key", "vapid_contact"):
            told[name] = self._text(name) or None
        for name, low, high in (
            ("port", 1, 65535),
            ("trusted_proxies", 0, 10),
            ("overview_tokens", 200, 1_000_000),
            ("max_message_chars", 1_000, 10_000_000),
            ("model_longest_chars", 200, 1_000_000),
            ("cache_mb", 8, 1_000_000),
            ("exact_search_most", 100, 100_000_000),
            ("web_threads", 4, 20_000),
        ):
            told[name] = self._number(name, int, low, high, "a whole number")
        for name, low, high in (
            ("model_timeout_s", 1, 3600),
            ("idle_s", 1, 7 * 86400),
            ("sweep_s", 1, 86400),
            ("lease_s", 1, 3600),
            ("overview_deadline_s", 0, 60),
            ("retry_pause_s", 0, 60),
            ("handover_wait_s", 1, 7 * 86400),
            ("undo_s", 0, 3600),
        ):
            told[name] = self._number(name, float, low, high, "a number of seconds")
        if told["clock_file"] is not None and told["host"] is not None and not _is_loopback(told["host"]):
            self._bad("clock_file", "only allowed on a loopback address: a moved clock is for tests")
        return {name: value for name, value in told.items() if value is not None}

    def _bad(self, name: str, expected: str) -> None:
        self.problems.append(f"{VARIABLES[name]}: {expected}")

    def _text(self, name: str) -> str:
        return self._env.get(VARIABLES[name], "").strip()

    def _path(self, name: str) -> Path | None:
        return Path(self._text(name)).absolute() if self._text(name) else None

    def _number(self, name: str, kind: Callable[[str], Any], low: float, high: float, what: str) -> Any:
        text = self._text(name)
        if not text:
            return None
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            self._bad(name, f"{what} from {low} to {high} was expected, not {text!r}")
            return None
        return value

    def _choice(self, name: str, allowed: tuple[str, ...]) -> str | None:
        text = self._text(name).upper()
        if text and text not in allowed:
            self._bad(name, f"one of {', '.join(allowed)} was expected, not {text!r}")
        return text or None

    def _url(self, name: str, schemes: tuple[str, ...], example: str) -> str | None:
        text = self._text(name)
        if not text:
            return None
        parts = urlsplit(text)
        if parts.scheme not in schemes or not (parts.netloc or parts.path.strip("/")):
            # The value is not repeated: a URL may hold a password.
            self._bad(name, f"an address such as {example} was expected ({', '.join(schemes)})")
        return text

    def _database(self, var: Path) -> str:
        text = self._text("database_url")
        if not text:
            return f"sqlite:///{var / 'asterism.db'}"
        if text.startswith("postgres://"):
            text = "postgresql://" + text.removeprefix("postgres://")
        if text.startswith("postgresql://"):
            text = "postgresql+psycopg://" + text.removeprefix("postgresql://")
        if not text.startswith(("sqlite:///", "postgresql+psycopg://")):
            self._bad("database_url", "sqlite:///path or postgresql://user:password@host/name was expected")
        return text

    def _model(self) -> str | None:
        text = self._text("model")
        if not text or text == "embedded":
            return None
        provider, _, name = text.partition(":")
        if provider not in MODEL_PROVIDERS or not name:
            expected = ", ".join(f"{each}:NAME" for each in MODEL_PROVIDERS)
            self._bad("model", f"one of {expected} or embedded was expected, not {text!r}")
        return text


def _secret(var: Path) -> str:
    """Read the secret that the first start wrote, or make it; only its owner may read the file."""
    path = var / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    except OSError:
        return ""
    try:
        var.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()  # another process made it just now
    except OSError:
        return ""
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text().strip()


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
