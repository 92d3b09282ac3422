"""`make bench-constellation`: what the map costs: bytes, server time, and main-thread time in Chromium."""

from __future__ import annotations

import gzip
import json
import logging
import os
import random
import shutil
import statistics
import tempfile
import threading
from datetime import timedelta
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import numpy as np
from flask import Flask
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from playwright.sync_api import CDPSession, Page, sync_playwright
from sqlalchemy import insert, select
from werkzeug.serving import make_server

from memory import constellation
from memory.clock import system_clock
from memory.config import Settings
from memory.embedding import DIMENSIONS, Embedder
from memory.language import surface_terms
from memory.records import Category, Person
from memory.storage.engine import transaction
from memory.storage.migrate import upgrade
from memory.storage.tables import CardRow, LinkRow, WorthRow, new_public_id
from memory.web import build_web
from memory.wiring import Wiring, build
from tests import factories

SIZES = (300, 3000, 30_000)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_WORDS = (
    "garden", "violin", "passport", "harbour", "kettle", "window", "bicycle", "dentist", "market", "winter",
    "ladder", "engine", "concert", "river", "bread", "letter", "train", "mountain", "piano", "insurance",
)  # fmt: skip


def fill(parts: Wiring, owner: Person, count: int, lots: random.Random) -> None:
    """Give a person cards around common centres, 1.5 links a card, and worth for every second one."""
    noise = np.random.default_rng(lots.randrange(2**32))
    centres = noise.standard_normal((max(count // 25, 2), DIMENSIONS))
    kinds, now = list(Category), system_clock()
    rows = []
    for number in range(count):
        vector = centres[number % len(centres)] + 0.9 * noise.standard_normal(DIMENSIONS)
        words = lots.sample(_WORDS, 5)
        text = f"The {words[0]} and the {' '.join(words[1:])} {number}"
        category = kinds[number % 7] if number % 3 == 0 else Category.FACT
        learned = now - timedelta(minutes=lots.randrange(700 * 1440))
        rows.append(
            {
                "public_id": new_public_id(),
                "person_id": owner.id,
                "category": category.value,
                "text": text,
                "people": [f"Name{number}"] if category is Category.PERSON else [],
                "language": "en",
                "author": "owner",
                "learned_at": learned,
                "mentioned_at": learned,
                "changed_at": learned,
                "surface_terms": " ".join(surface_terms(text, "en")),
                "vector": (vector / np.linalg.norm(vector)).astype(np.float32),
                "vector_version": Embedder.version,
            }
        )
    with transaction(parts.engine) as session:
        for at in range(0, count, 1000):
            session.execute(insert(CardRow), rows[at : at + 1000])
        ids = list(
            session.scalars(select(CardRow.id).where(CardRow.person_id == owner.id).order_by(CardRow.id))
        )
        step = len(centres)
        pairs = {(ids[at], ids[at + step]) for at in range(count - step)}
        pairs |= {(min(pair), max(pair)) for pair in (lots.sample(ids, 2) for _ in range(count // 2))}
        ties = [
            {"person_id": owner.id, "a_id": a, "b_id": b, "kind": "similar", "weight": 0.6, "created_at": now}
            for a, b in sorted(pairs)
        ]
        worth = [
            {
                "card_id": each,
                "person_id": owner.id,
                "successes": float(uses - lots.randrange(uses)),
                "uses": float(uses),
                "changed_at": now,
            }
            for each in ids[::2]
            if (uses := lots.randrange(1, 20))
        ]
        for table, found in ((LinkRow, ties), (WorthRow, worth)):
            for at in range(0, len(found), 1000):
                session.execute(insert(table), found[at : at + 1000])


def cookie(app: Flask, person: Person) -> str:
    """The session of a browser that the person is signed in on."""
    session = SecureCookieSession({"_user_id": f"{person.public_id}:{person.session_epoch}", "_fresh": True})
    serializer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert serializer is not None
    return str(serializer.dumps(dict(session)))


class Meter:
    """Main-thread time of a page in processor milliseconds, whatever else the machine is doing."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._client: CDPSession = page.context.new_cdp_session(page)
        self._client.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent(self, script: str) -> float:
        """What a script costs, with the layout and paint that follow it."""
        before = self._now()
        self._page.evaluate(script)
        self._page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return (self._now() - before) * 1000

    def _now(self) -> float:
        told = self._client.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in told if each["name"] == "TaskDuration"))


_DRAW = """async () => {
  const page = asterismSky;
  Plotly.purge(page.sky.box);
  page.sky.shown = null;
  await page.sky.draw(page.data);
}"""
_FILTER = """async (on) => {
  const page = asterismSky;
  page.form.elements.uses.value = page.form.elements.uses.value === "5" ? "0" : "5";
  page.apply();
}"""


def measure(page: Page, base: str, client: Any, repeats: int) -> dict[str, Any]:
    """All figures of one person's sky."""
    answers, times, walls = [], [], []
    for _ in range(repeats + 1):
        began, spent = perf_counter(), thread_time()
        answers.append(client.get("/constellation/data", headers={"Accept-Encoding": "gzip"}))
        times.append((thread_time() - spent) * 1000)  # of the processor: others may be using the machine
        walls.append((perf_counter() - began) * 1000)
    body = answers[-1].data
    names = client.get("/constellation/labels", headers={"Accept-Encoding": "gzip"}).data
    page.goto(f"{base}/constellation")
    page.wait_for_selector("#sky[data-drawn]", timeout=120_000)
    page.wait_for_timeout(500)
    meter = Meter(page)
    draws = [meter.spent(_DRAW) for _ in range(repeats)]
    filters = [meter.spent(_FILTER) for _ in range(repeats)]
    return {
        "payload_gz_kb": round(len(body) / 1000, 1),
        "labels_gz_kb": round(len(names) / 1000, 1),
        "draw_ms": round(statistics.median(draws), 1),
        "filter_ms": round(statistics.median(filters), 1),
        "build_ms": round(statistics.median(times[1:]), 1),
        "build_wall_ms": round(statistics.median(walls[1:]), 1),
        "drawn": len(json.loads(gzip.decompress(body))["k"]),
    }


def evaluation(page: Page) -> float:
    """What it costs to evaluate the vendored script, in main-thread milliseconds."""
    source = (Path(__file__).parents[2] / "static" / "vendor" / "plotly-basic-4.1.1.min.js").read_text()
    page.goto("about:blank")
    page.evaluate("(text) => { window.source = text; }", source)
    return round(Meter(page).spent("() => { (0, eval)(window.source); }"), 1)


def main() -> None:
    """Measure, print a table, and one JSON object at the end."""
    started, quick = perf_counter(), bool(os.environ.get("QUICK"))
    seed = int(os.environ.get("SEED", "7"))
    lots = random.Random(seed)
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        told = {"ASTERISM_VAR": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.db"}
        settings = Settings.from_env({**told, "REDIS_URL": "redis://127.0.0.1:1/0"}, root=Path(folder))
        parts = build(settings)
        upgrade(parts.engine)
        app = build_web(parts)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = make_server("127.0.0.1", 0, app, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        path = next((found for name in _NAMES if (found := shutil.which(name))), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        name = app.config["SESSION_COOKIE_NAME"]
        for size in SIZES[: 2 if quick else 3]:
            owner = factories.person(parts.engine, name=f"Owner{size}", now=system_clock())
            fill(parts, owner, size, lots)
            began = perf_counter()
            constellation.settle(parts.engine, owner.id)
            laid_out_s = round(perf_counter() - began, 1)
            client = app.test_client()
            client.set_cookie(name, cookie(app, owner))
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies([{"name": name, "value": cookie(app, owner), "url": base}])
            figures = measure(context.new_page(), base, client, 3 if quick else 7)
            result[str(size)] = {**figures, "layout_s": laid_out_s}
            print(f"{size:>6} memories: {result[str(size)]}", flush=True)
            context.close()
        result["eval_ms"] = evaluation(browser.new_page())
        browser.close()
        server.shutdown()
    result |= {"seed": seed, "quick": quick, "seconds": round(perf_counter() - started, 1)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
