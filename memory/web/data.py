"""My data: take everything away, bring it back, erase it."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response as AnyResponse

from memory.cards.calendar import to_ics
from memory.errors import InvalidInput
from memory.portability import erase as erasing
from memory.portability import export, importing
from memory.queue import JobName
from memory.storage import cards
from memory.storage.engine import reading
from memory.web.current import now, person, wiring

bp = Blueprint("data", __name__, url_prefix="/data")
MOST_BYTES = 50_000_000


@bp.get("/")
def page() -> str:
    """What can be done with one's own data."""
    return render_template("data/page.html")


@bp.get("/export.<kind>")
def take(kind: str) -> AnyResponse:
    """Everything as a file: json for machines and for coming back, md for reading, ics for dates."""
    owner, moment = person(), now()
    if kind == "json":
        told = export.as_data(wiring().engine, owner, now=moment)
        return _file(json.dumps(told, ensure_ascii=False, indent=1).encode(), "application/json", kind)
    if kind == "md":
        text = export.as_markdown(export.as_data(wiring().engine, owner, now=moment))
        return _file(text.encode(), "text/markdown; charset=utf-8", kind)
    if kind == "ics":
        with reading(wiring().engine) as session:
            dated = [card for card in cards.to_do(session, owner.id) if card.when is not None]
        content = to_ics(dated, now=moment, name="Asterism", private="")
        return _file(content, "text/calendar; charset=utf-8", kind)
    raise InvalidInput("Choose one of: %(kinds)s.", kinds="json, md, ics")


@bp.post("/import")
def look() -> str:
    """Read a file and say what bringing it back would add; nothing is added yet."""
    text = _uploaded()
    data = _parsed(text)
    found = importing.preview(wiring().engine, person(), data)
    return render_template("data/preview.html", preview=found, labels=_labels(), text=text)


@bp.post("/import/confirm")
def bring_in() -> str:
    """Bring the file that was looked at back."""
    data = _parsed(request.form.get("text", ""))
    done = importing.bring_in(wiring().engine, wiring().embedder, person(), data)
    return render_template("data/imported.html", imported=done, labels=_labels())


@bp.post("/import/undo")
def undo() -> AnyResponse:
    """Take one import back."""
    gone = importing.undo(wiring().engine, person(), request.form.get("batch", "")[:24])
    flash(ngettext("%(num)d thing is taken back.", "%(num)d things are taken back.", gone))
    return redirect(url_for(".page"), code=303)


@bp.post("/erase")
def erase() -> str:
    """Erase everything after the word was typed; ends with a receipt."""
    if request.form.get("confirm", "").strip().casefold() != person().email.casefold():
        raise InvalidInput("Type your e-mail address to confirm. Nothing was erased.")
    parts = wiring()
    receipt = erasing.erase(
        parts.engine,
        person(),
        redis=parts.redis,
        cache=parts.cache,
        embedder=parts.embedder,
        frames=parts.frames,
        now=now(),
    )
    if not receipt.scrubbed:
        parts.queue.enqueue(JobName.ERASE, unique="scrub")
    return render_template("data/receipt.html", receipt=receipt, labels=_layers())


def _file(content: bytes, kind: str, ending: str) -> AnyResponse:
    name = f"asterism-{now():%Y-%m-%d}.{ending}"
    return Response(
        content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _uploaded() -> str:
    file = request.files.get("file")
    content = file.read(MOST_BYTES + 1) if file is not None else b""
    if not content:
        raise InvalidInput("Choose a file first.")
    if len(content) > MOST_BYTES:
        raise InvalidInput("The file may have at most %(most)s MB.", most=MOST_BYTES // 1_000_000)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("This file is no export of Asterism.") from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput("This file is no export of Asterism.") from None


def _labels() -> dict[str, str]:
    """The sections a person cares about, in their language."""
    return {
        "cards": _("Memories"),
        "links": _("Links between memories"),
        "conversations": _("Talks"),
        "turns": _("Messages with their answers"),
        "rules": _("Rules"),
        "decisions": _("Decisions"),
        "votes": _("Votes"),
    }


def _layers() -> dict[str, str]:
    return {
        "memories": _("Memories"),
        "vectors": _("Vectors"),
        "links": _("Links between memories"),
        "conversations": _("Talks"),
        "summaries": _("Summaries"),
        "turns": _("Messages with their answers"),
        "frames": _("Copies on their way to your browsers"),
        "tool results": _("Tool results"),
        "decisions": _("Decisions"),
        "matters": _("Matters"),
        "rules": _("Rules"),
        "votes": _("Votes"),
        "outcomes": _("Outcomes"),
        "retrievals": _("Searches"),
        "worth": _("Worth of memories"),
        "worth acts": _("What you did with a memory's worth"),
        "worth ledgers": _("Counts of worth"),
        "deliveries": _("Reminders that rang"),
        "push subscriptions": _("Browsers that may be woken"),
        "handovers": _("Handovers"),
        "audit entries": _("Entries of the desk's audit"),
        "devices": _("Devices"),
        "queued jobs": _("Waiting jobs"),
    }
