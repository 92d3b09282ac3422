"""The handover desk: who waits, the sheet, the live talk, and what an agent does with it.

Everything works with plain forms; with a script the pieces renew themselves every
two seconds, and nothing is sent while nothing has changed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as BaseResponse

from memory import handover
from memory.errors import Forbidden
from memory.handover.holding import AGENTS, MOST_CHARS, held
from memory.queue import JobName
from memory.records import ENDED, Person, Role, Turn
from memory.storage import audit, decisions, desks, turns
from memory.storage import frames as frame_rows
from memory.storage import handovers as rows
from memory.storage.engine import reading, transaction
from memory.storage.handovers import Handover
from memory.web import messages
from memory.web.asked import BIGGEST, whole
from memory.web.current import now, wants_fragment, wiring, with_role
from memory.web.i18n import LANGUAGE_NAMES
from memory.web.markdown import to_html

SHOWN_TURNS = 200
AUDIT_PAGE = 200
AUDIT_EXPORT = 100_000

bp = Blueprint("desk", __name__, url_prefix="/desk")

REASON_WORDS = {"asked": lazy_gettext("asked for"), "failures": lazy_gettext("answers failed")}
ACTION_WORDS = {
    "requested": lazy_gettext("a human was asked for"),
    "claimed": lazy_gettext("took the conversation"),
    "opened": lazy_gettext("opened the sheet"),
    "said": lazy_gettext("wrote to the person"),
    "noted": lazy_gettext("wrote a note"),
    "decided": lazy_gettext("changed a decision"),
    "withdrew": lazy_gettext("withdrew a decision"),
    "passed": lazy_gettext("passed the conversation on"),
    "requeued": lazy_gettext("put the conversation back"),
    "returned": lazy_gettext("handed the conversation back"),
    "expired": lazy_gettext("nobody came in time"),
    "cancelled": lazy_gettext("took the request back"),
}


@bp.get("/")
def page() -> str:
    """Who waits and who is being talked with."""
    return render_template("desk/page.html", **_queue(_agent()))


@bp.get("/queue")
def queue() -> str | Response:
    """The queue alone; nothing when it stands as the asker saw it."""
    shown = _queue(_agent())
    if request.args.get("seen") == shown["seen"]:
        return Response(status=204)
    return render_template("desk/_queue.html", **shown)


@bp.get("/badge")
def badge() -> str | Response:
    """How many wait, for the bar of every page; nothing when it is as the asker saw it."""
    agent = _agent()
    with reading(wiring().engine) as session:
        found = [each for each in rows.waiting(session) if each.person_id != agent.id]
    newest = max((each.id for each in found), default=0)
    if request.args.get("seen") == f"{len(found)}-{newest}":
        return Response(status=204)
    return render_template("desk/_badge.html", waiting=len(found), newest=newest)


@bp.post("/told")
def told() -> BaseResponse:
    """Whether this agent is told of requests while no page of theirs is open."""
    agent = _agent()
    with transaction(wiring().engine) as session:
        desks.tell(session, agent.id, told=request.form.get("told") == "1")
    return Response(status=204) if wants_fragment() else redirect(url_for(".page"), code=303)


@bp.post("/<public_id>/claim")
def claim(public_id: str) -> BaseResponse:
    """Take a waiting conversation; everyone else sees it at once."""
    agent = _agent()
    handover.claim(wiring().engine, wiring().frames, messages.name(public_id), agent, now=now())
    return _go(url_for(".talk", public_id=public_id))


def _held(session: Session, public_id: str, agent: Person) -> Handover | None:
    """The handover while this agent holds it; None once it ended or somebody else has it."""
    try:
        return held(session, messages.name(public_id), agent)
    except Forbidden:
        return None


@bp.get("/<public_id>")
def talk(public_id: str) -> str | BaseResponse:
    """The sheet, the talk so far folded below it, and the live talk: for whoever holds it."""
    agent = _agent()
    with reading(wiring().engine) as session:
        found = _held(session, public_id, agent)
        if found is None:
            return redirect(url_for(".page"), code=303)
        shown = _talk(session, found, agent)
    return render_template("desk/talk.html", **shown)


@bp.get("/<public_id>/live")
def live(public_id: str) -> str | BaseResponse:
    """What was said since the claim; nothing when nothing has changed."""
    agent = _agent()
    with reading(wiring().engine) as session:
        found = _held(session, public_id, agent)
        if found is None:
            return _go(url_for(".page"))
        if request.args.get("seen") == _seen(session, found):
            return Response(status=204)
        shown = _talk(session, found, agent)
    return render_template("desk/_live.html", **shown)


@bp.get("/<public_id>/sheet")
def sheet(public_id: str) -> str | BaseResponse:
    """The lines of the sheet; nothing when they stand as the asker saw them."""
    agent = _agent()
    with reading(wiring().engine) as session:
        found = _held(session, public_id, agent)
        if found is None:
            return _go(url_for(".page"))
        drawn = handover.draw(session, found, wiring().keys, language=agent.language, now=now())
    if request.args.get("seen") == _digest(drawn):
        return Response(status=204)
    return render_template(
        "desk/_lines.html", sheet=drawn, sheet_seen=_digest(drawn), handover=found, **_worded(agent)
    )


@bp.post("/<public_id>/say")
def say(public_id: str) -> BaseResponse:
    """Write to the person."""
    agent = _agent()
    text = messages.storable(request.form.get("text", "").replace("\r\n", "\n"))
    client_id = messages.name(request.form.get("client_id"))
    parts = wiring()
    handover.say(
        parts.engine,
        parts.frames,
        messages.name(public_id),
        agent,
        text=text,
        client_id=client_id,
        now=now(),
    )
    if not wants_fragment():
        return redirect(url_for(".talk", public_id=public_id, _anchor="now"), code=303)
    # The next message gets an id of its own, and the live talk is fetched at once.
    response = Response(status=204)
    response.headers["HX-Trigger"] = "said"
    return response


@bp.post("/<public_id>/note")
def note(public_id: str) -> str | BaseResponse:
    """Keep an internal note, which the person never sees."""
    agent = _agent()
    text = messages.storable(request.form.get("text", ""))
    handover.note(wiring().engine, messages.name(public_id), agent, text=text, now=now())
    return _renewed(public_id, agent, "desk/_notes.html")


@bp.post("/<public_id>/decide")
def decide(public_id: str) -> str | BaseResponse:
    """Decide something as the agent; a value that does not fit is told and changes nothing."""
    agent = _agent()
    form = request.form
    refused = handover.decide(
        wiring().engine,
        wiring().keys,
        messages.name(public_id),
        agent,
        name=form.get("key", ""),
        value=messages.storable(form.get("value", "")),
        matter=messages.storable(form.get("matter", "")),
        now=now(),
    )
    problem = "" if refused is None else refused_words(refused.code, refused.limit)
    return _renewed(public_id, agent, "desk/_sheet.html", problem=problem, entered=form if problem else None)


@bp.post("/<public_id>/undecide")
def undecide(public_id: str) -> str | BaseResponse:
    """Take a decision back as the agent."""
    agent = _agent()
    handover.undecide(
        wiring().engine,
        messages.name(public_id),
        agent,
        name=request.form.get("key", ""),
        matter=messages.storable(request.form.get("matter", "")),
        now=now(),
    )
    return _renewed(public_id, agent, "desk/_sheet.html")


@bp.post("/<public_id>/pass")
def pass_on(public_id: str) -> BaseResponse:
    """To a colleague, or back to the queue."""
    agent = _agent()
    to = request.form.get("to", "")
    handover.pass_on(
        wiring().engine,
        wiring().frames,
        messages.name(public_id),
        agent,
        to=messages.name(to) if to else "",
        now=now(),
    )
    wiring().queue.enqueue(JobName.ANNOUNCE, unique="desk")
    return redirect(url_for(".page"), code=303)


@bp.post("/<public_id>/return")
def give_back(public_id: str) -> BaseResponse:
    """Back to the assistant."""
    agent = _agent()
    handover.return_to_assistant(wiring().engine, wiring().frames, messages.name(public_id), agent, now=now())
    return redirect(url_for(".page"), code=303)


@bp.get("/audit")
def log() -> str:
    """What was done at the desk, for the operator."""
    operator = with_role(Role.OPERATOR)
    before = whole("before", 0, most=BIGGEST) or None
    with reading(wiring().engine) as session:
        found = audit.newest(session, limit=AUDIT_PAGE + 1, before=before)
    return render_template(
        "desk/audit.html",
        entries=found[:AUDIT_PAGE],
        older=found[AUDIT_PAGE - 1].id if len(found) > AUDIT_PAGE else None,
        action_words=ACTION_WORDS,
        labels={
            key.name: key.label.get(operator.language, key.name) for key in wiring().keys.by_name.values()
        },
    )


@bp.get("/audit.json")
def log_as_json() -> Response:
    """The whole audit, oldest first."""
    return jsonify(_entries())


@bp.get("/audit.csv")
def log_as_csv() -> Response:
    """The whole audit as a table, oldest first."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, ["at", "actor", "action", "person", "handover", "detail"])
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in each.items()} for each in _entries())
    response = Response(buffer.getvalue(), mimetype="text/csv")
    response.headers["Content-Disposition"] = "attachment; filename=desk-audit.csv"
    return response


def refused_words(code: str, limit: str = "") -> str:
    """Why a value of a decision is refused."""
    words: dict[str, Callable[[], str]] = {
        "empty": lambda: _("Write what is decided."),
        "too_long": lambda: _("At most %(limit)s characters.", limit=limit),
        "not_a_choice": lambda: _("Choose one of these: %(limit)s.", limit=limit),
        "not_a_number": lambda: _("Write one whole number."),
        "below": lambda: _("At least %(limit)s.", limit=limit),
        "above": lambda: _("At most %(limit)s.", limit=limit),
        "no_date": lambda: _("Write a day, such as 12 March."),
        "no_time": lambda: _("Write a time, such as 14:30."),
    }
    return words[code]() if code in words else str(_("This value does not fit."))


def _agent() -> Person:
    """Who is signed in, an agent; their colleagues see from now on that they are here."""
    agent = with_role(*AGENTS)
    with reading(wiring().engine) as session:
        noted = desks.is_noted(session, agent.id, now=now())
    if not noted:
        with transaction(wiring().engine) as session:
            desks.seen(session, agent.id, now=now())
    return agent


def _worded(agent: Person) -> dict[str, Any]:
    """What the pieces of a talk are worded with."""
    return {"language_words": LANGUAGE_NAMES, "agent_language": agent.language}


def _queue(agent: Person) -> dict[str, Any]:
    with reading(wiring().engine) as session:
        found = [each for each in rows.queue(session) if each.handover.person_id != agent.id]
        agents = desks.agents(session, now=now())
    waiting = [each for each in found if each.handover.claimed_by is None]
    minute = int(now().timestamp() // 60) if found else 0  # the page tells how long people wait
    return {
        "waiting": waiting,
        "mine": [each for each in found if each.owner_id == agent.id],
        "others": [each for each in found if each.owner_id not in (None, agent.id)],
        "agents": agents,
        "told": any(each.told for each in agents if each.id == agent.id),
        "seen": _digest([(each.handover.id, each.owner_id) for each in found], agents, minute),
        "newest": max((each.handover.id for each in waiting), default=0),
        "language_words": LANGUAGE_NAMES,
        "reason_words": REASON_WORDS,
    }


def _digest(*shown: Any) -> str:
    """Changes with what is shown."""
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def _seen(session: Session, found: Handover) -> str:
    """Changes with everything the person's pages are told."""
    return str(frame_rows.latest(session, found.person_id))


def _talk(session: Session, found: Handover, agent: Person) -> dict[str, Any]:
    seen = _seen(session, found)  # first: what comes later is fetched again, not lost
    thread = turns.of_conversation(session, found.conversation_id, limit=SHOWN_TURNS)
    keys = wiring().keys
    claimed_at = found.claimed_at or now()
    names = rows.names(session, [each.answered_by for each in thread if each.answered_by])

    def is_earlier(turn: Turn) -> bool:
        # An answer that was under way at the claim belongs to the live talk, and stays there when it ends.
        return turn.state in ENDED and (turn.answered_at or turn.created_at) < claimed_at

    drawn = handover.draw(session, found, keys, language=agent.language, now=now())
    agents = desks.agents(session, now=now())
    return {
        "handover": found,
        "sheet": drawn,
        "sheet_seen": _digest(drawn),
        "texts": desks.ready_texts(session, agent.id),
        "earlier": [each for each in thread if is_earlier(each)],
        "since": [each for each in thread if not is_earlier(each)],
        "seen": seen,
        "names": names,
        "notes": rows.notes(session, found.conversation_id),
        "colleagues": [each for each in agents if each.id not in (agent.id, found.person_id)],
        "keys": keys.open(),
        "matters": [
            each.name
            for each in decisions.matters(session, found.person_id)
            if each.is_open(now()) and not each.name.startswith("conversation ")
        ],
        "client_id": secrets.token_urlsafe(12),
        **_worded(agent),
        "html": to_html,
        "most": MOST_CHARS,
        "problem": "",
        "entered": {},
    }


def _renewed(
    public_id: str,
    agent: Person,
    template: str,
    *,
    problem: str = "",
    entered: Mapping[str, str] | None = None,
) -> str | BaseResponse:
    """The piece anew for a script; for a plain form the page.

    Args:
        problem: with what was entered last.
        entered: what it was, to be put right.
    """
    if not wants_fragment() and not problem:
        return redirect(url_for(".talk", public_id=public_id), code=303)
    with reading(wiring().engine) as session:
        shown = _talk(session, held(session, public_id, agent), agent)
    return render_template(
        template if wants_fragment() else "desk/talk.html",
        **{**shown, "problem": problem, "entered": entered or {}},
    )


def _go(target: str) -> BaseResponse:
    if not wants_fragment():
        return redirect(target, code=303)
    response = Response(status=200)
    response.headers["HX-Redirect"] = target
    return response


def _entries() -> list[dict[str, str]]:
    with_role(Role.OPERATOR)
    with reading(wiring().engine) as session:
        found = audit.newest(session, limit=AUDIT_EXPORT)
    return [
        {
            "at": each.at.isoformat(),
            "actor": each.actor,
            "action": each.action,
            "person": each.person,
            "handover": each.handover,
            "detail": each.detail,
        }
        for each in reversed(found)
    ]


def _cell(value: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
