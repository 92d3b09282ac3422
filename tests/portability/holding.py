"""A real web process that also tells how much it holds in memory of what people told."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from flask import Flask, jsonify
from flask.wrappers import Response

from memory.config import Settings
from memory.running.serving import serve
from memory.web import build_web
from memory.wiring import build
from tests.servers import ROOT
from tests.stage import Stage


def application(settings: Settings) -> Flask:
    """The web application of one process, with one page more."""
    parts = build(settings)
    parts.conductor.start()
    app = build_web(parts)

    @app.get("/held")
    def held() -> Response:
        return jsonify(shelves=len(parts.cache), texts=sorted(parts.embedder._cache))

    return app


@dataclass
class Holding(Stage):
    """A web process whose copies can be looked at."""

    def command(self) -> list[str]:
        """What starts the web process."""
        return [sys.executable, "-m", "tests.portability.holding", str(self.workers)]


if __name__ == "__main__":
    told = Settings.from_env(os.environ, root=ROOT)
    serve(lambda: application(told), told, workers=1)
