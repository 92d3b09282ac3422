"""Ready texts: what an agent keeps to insert into a message, for themselves or for everybody."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from memory.errors import InvalidInput
from memory.handover.holding import AGENTS, MOST_CHARS
from memory.storage import desks
from memory.storage.engine import reading, transaction
from memory.web import messages
from memory.web.current import now, wiring, with_role

MOST_NAME_CHARS = 60
MOST_TEXTS = 200  # of one agent

bp = Blueprint("desk_texts", __name__, url_prefix="/desk/texts")


@bp.get("/")
def page() -> str:
    """The agent's own texts and those of everybody."""
    agent = with_role(*AGENTS)
    with reading(wiring().engine) as session:
        texts = desks.ready_texts(session, agent.id)
    return render_template("desk/texts.html", texts=texts, most=MOST_CHARS, most_name=MOST_NAME_CHARS)


@bp.post("/")
def keep() -> BaseResponse:
    """Write a text, or write one of one's own anew."""
    agent = with_role(*AGENTS)
    name = " ".join(messages.storable(request.form.get("name", "")).split())
    text = messages.storable(request.form.get("text", "").replace("\r\n", "\n")).strip()
    which = request.form.get("which", "")
    if not name or not text:
        raise InvalidInput("Write something first.")
    if len(name) > MOST_NAME_CHARS:
        raise InvalidInput("A name may have at most %(most)s characters.", most=MOST_NAME_CHARS)
    if len(text) > MOST_CHARS:
        raise InvalidInput("A message may have at most %(most)s characters.", most=MOST_CHARS)
    with transaction(wiring().engine) as session:
        if not which and desks.count_texts(session, agent.id) >= MOST_TEXTS:
            raise InvalidInput("You have %(most)s texts. Remove one first.", most=MOST_TEXTS)
        desks.keep_text(
            session,
            agent.id,
            name=name,
            text=text,
            shared=request.form.get("shared") == "1",
            public_id=messages.name(which) if which else "",
            now=now(),
        )
    return redirect(url_for(".page"), code=303)


@bp.post("/<public_id>/remove")
def remove(public_id: str) -> BaseResponse:
    """Remove a text."""
    agent = with_role(*AGENTS)
    with transaction(wiring().engine) as session:
        desks.drop_text(session, agent.id, messages.name(public_id), role=agent.role)
    return redirect(url_for(".page"), code=303)
