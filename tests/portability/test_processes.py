"""An erasure reaches what other web processes hold; nothing of it was ever in the queue's server."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from urllib.parse import urlencode

import httpx
from redis import Redis

from memory.records import Person
from tests import factories
from tests.portability.holding import Holding
from tests.servers import new_server

WORD = "Zinnoberkanister"
_PATIENCE_S = 15.0


def test_what_one_process_erases_another_does_not_hold(
    sqlite_template: Path, valkey_url: str, tmp_path: Path
) -> None:
    database = tmp_path / "asterism.db"
    database.write_bytes(sqlite_template.read_bytes())
    made = [
        new_server(Holding, tmp_path / f"web{number}", f"sqlite:///{database}", f"{valkey_url}?db=4", 1, {})
        for number in range(2)
    ]
    try:
        clara, bob = made[0].person(name="Clara"), made[0].person(name="Bob")
        factories.card(made[0].parts.engine, clara, text=f"The code is {WORD}", surface_terms="code")
        for server in made:
            for person in (clara, bob):
                fetch(server, person, f"/search?{urlencode({'q': f'{person.name} {WORD}'})}")
            held = json.loads(fetch(server, bob, "/held"))
            assert held["shelves"] == 2
            assert any(WORD in text for text in held["texts"])
        receipt = fetch(made[0], clara, "/data/erase", confirm=clara.email)
        assert "Everything is erased" in receipt
        until = time.monotonic() + _PATIENCE_S
        for server in made:
            while (held := json.loads(fetch(server, bob, "/held"))) != {"shelves": 1, "texts": []}:
                assert time.monotonic() < until, held
        server_of_queue = Redis.from_url(f"{valkey_url}?db=4")
        assert not [
            key for key in server_of_queue.scan_iter("*") if WORD.encode() in dump(server_of_queue, key)
        ]
        for log in tmp_path.glob("web*/web.log"):
            assert WORD not in log.read_text()
    finally:
        for server in made:
            server.stop()
            server.parts.engine.dispose()


def dump(redis: Redis, key: bytes) -> bytes:
    """All that a key holds, as the server would write it down."""
    return bytes(redis.dump(key) or b"")


def fetch(server: Holding, person: Person, path: str, **form: str) -> str:
    """A page as a browser of the person gets it; with a form, after sending it from the page of data."""
    name, _, value = server.cookie(person).partition("=")
    with httpx.Client(base_url=server.url, headers={"Cookie": f"{name}={value}"}) as browser:
        if not form:
            return browser.get(path).raise_for_status().text
        page = browser.get("/data/")
        token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
        assert token is not None
        sent = {**form, "csrf_token": token.group(1)}
        browser.headers["Cookie"] = f"{name}={page.cookies.get(name, value)}"
        browser.cookies.clear()
        return browser.post(path, data=sent, headers={"Referer": server.url}).raise_for_status().text
