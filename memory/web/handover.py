"""The person's side of a handover: ask for a human, or need none any more."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from memory.handover import withdraw as withdraw_request
from memory.handover.asking import ask_by_button
from memory.queue import JobName
from memory.web.current import now, person, wants_fragment, wiring

bp = Blueprint("handover", __name__, url_prefix="/handover")


@bp.post("/ask")
def ask() -> BaseResponse:
    """Ask for a human; asking again keeps the place in the queue."""
    parts = wiring()
    ask_by_button(parts.engine, parts.frames, person(), now=now(), idle_s=parts.settings.idle_s)
    parts.queue.enqueue(JobName.ANNOUNCE, unique="desk")
    return _done()


@bp.post("/withdraw")
def withdraw() -> BaseResponse:
    """Take the request back."""
    parts = wiring()
    withdraw_request(parts.engine, parts.frames, person(), now=now())
    return _done()


def _done() -> BaseResponse:
    return Response(status=204) if wants_fragment() else redirect(url_for("chat.page"), code=303)
