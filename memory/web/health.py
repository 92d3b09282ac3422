"""Whether the product can work: for the operator's page and for whoever watches from outside."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from redis.exceptions import RedisError
from sqlalchemy import text

from memory.errors import Unavailable
from memory.storage.engine import reading
from memory.web.current import wiring
from memory.web.session import public

bp = Blueprint("health", __name__)


@bp.get("/health")
@public
def page() -> tuple[Response, int]:
    """200 "ok"; 200 "degraded" while pages work without the queue; 503 "down" without the database."""
    parts = check()
    status = "ok" if all(parts.values()) else "degraded" if parts["database"] else "down"
    named = {name: "ok" if works else "down" for name, works in parts.items()}
    return jsonify(status=status, **named), 503 if status == "down" else 200


def check() -> dict[str, bool]:
    """Which parts answer: "database" and "queue"."""
    return {"database": _database_answers(), "queue": _queue_answers()}


def _database_answers() -> bool:
    try:
        with reading(wiring().engine) as session:
            session.execute(text("SELECT 1"))
    except Unavailable:
        return False
    return True


def _queue_answers() -> bool:
    try:
        return bool(wiring().redis.ping())
    except RedisError:
        return False
