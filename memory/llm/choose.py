"""Which model answers: the environment's, else the one the operator connected, else the embedded one."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from memory.config import MODEL_PROVIDERS, Settings
from memory.errors import AppError, InvalidInput, Unavailable

NEEDS_KEY = ("openai", "anthropic", "google", "mistral")


@dataclass(frozen=True, kw_only=True)
class Connection:
    """How to reach a model."""

    provider: str  # one of config.MODEL_PROVIDERS
    model: str  # the provider's own name for it
    base_url: str = ""  # "" is the provider's own address
    key: str = field(default="", repr=False)  # must not reach a log


def load_connection(settings: Settings) -> Connection | None:
    """The connection in force, or None when the embedded model answers.

    Read anew for each turn, so that a change on the operator's page is in force
    from the next turn, in every process.
    """
    if settings.model:
        provider, _, model = settings.model.partition(":")
        return Connection(
            provider=provider, model=model, base_url=settings.model_base_url, key=settings.model_key
        )
    return saved_connection(settings)


def saved_connection(settings: Settings) -> Connection | None:
    """The connection that the operator's page keeps, whether it is in force or not."""
    try:
        told = json.loads(_path(settings).read_text())
        return Connection(**{name: str(told[name]) for name in ("provider", "model", "base_url", "key")})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save_connection(settings: Settings, connection: Connection | None) -> None:
    """Keep a connection, readable by its owner only; None goes back to the embedded model.

    Raises:
        InvalidInput: something in it does not fit.
        Unavailable: the folder cannot be written.
    """
    path = _path(settings)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        if connection is None:
            path.unlink(missing_ok=True)
            return
        text = json.dumps(asdict(checked(connection)))
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        part.replace(path)  # another process reads the old one or the new one, never a half
    except OSError as error:
        raise Unavailable("The connection could not be saved: the data folder cannot be written.") from error


def checked(connection: Connection) -> Connection:
    """The connection, when it could work.

    Raises:
        InvalidInput: names what is missing.
    """
    if connection.provider not in MODEL_PROVIDERS:
        raise InvalidInput("Choose a provider.")
    if not connection.model:
        raise InvalidInput("Write the name of the model.")
    if connection.base_url:
        parts = urlsplit(connection.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InvalidInput("Write the address as http://… or https://….")
    elif connection.provider in NEEDS_KEY and not connection.key:
        raise InvalidInput("This provider needs a key.")
    return connection


def try_connection(connection: Connection) -> AppError | None:
    """Ask the model for one word: None when it answers, else what is wrong, in plain words.

    Takes up to half a minute: a server of one's own may load its model first.
    """
    from memory.llm.trying import complaint_about  # a provider's library takes seconds to load

    return complaint_about(connection)


def preload_connected(settings: Settings) -> None:
    """Load the libraries of the connected model, if there is one: that takes seconds. Contacts nothing."""
    connection = load_connection(settings)
    if connection is not None:
        from memory.llm.providers import make_client, make_model

        make_model(connection, make_client(1.0))


def _path(settings: Settings) -> Path:
    return settings.var / "model.json"
