"""The web server: gunicorn with threads, one for each open socket."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from memory.config import Settings

_GRACE_S = 2  # open sockets never end by themselves: what is not done by then is cut
_FILES = 8192  # an open socket is a file, and so is each connection to the database


class _Server(BaseApplication):  # type: ignore[misc]
    """Gunicorn, told everything from here and nothing from files or its own variables."""

    def __init__(self, make_app: Callable[[], Flask], options: dict[str, Any]) -> None:
        self._make_app = make_app
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._make_app()


def serve(
    make_app: Callable[[], Flask],
    settings: Settings,
    *,
    workers: int = 1,
    at_end: Callable[[Flask], None] = lambda _app: None,
) -> None:
    """Serve until SIGTERM.

    Args:
        make_app: called in each worker process after the fork.
        workers: how many processes.
        at_end: called with the app when its process begins to end.
    """
    _raise_file_limit()

    def on_exit(_server: Any, worker: Any) -> None:
        at_end(worker.app.wsgi())

    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    options = {
        "bind": [f"{host}:{settings.port}"],
        "worker_class": "gthread",
        "workers": workers,
        "threads": settings.web_threads,
        "worker_connections": max(1000, 2 * settings.web_threads),
        "graceful_timeout": _GRACE_S,
        "timeout": 60,
        "keepalive": 5,
        "worker_tmp_dir": "/dev/shm" if os.path.isdir("/dev/shm") else None,  # noqa: S108 (memory, not a shared file)
        "control_socket_disable": True,
        "proc_name": "asterism",
        "worker_exit": on_exit,
        "loglevel": "warning",
        # Who speaks for a proxy is decided in one place, by ASTERISM_TRUSTED_PROXIES.
        "forwarded_allow_ips": "",
        "secure_scheme_headers": {},
    }
    _Server(make_app, options).run()


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
