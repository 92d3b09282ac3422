"""My data: take everything away, bring it back, erase it."""

from __future__ import annotations

import base64
import json
import zlib
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
from memory.web.asked import whole
from memory.web.current import now, person, wants_fragment, wiring
from memory.web.errors import words
from memory.web.i18n import CATEGORY_WORDS
from memory.web.security import MOST_UPLOAD_BYTES

bp = Blueprint("data", __name__, url_prefix="/data")
MOST_BYTES = MOST_UPLOAD_BYTES


@bp.get("/")
def page() -> str:
    """What can be done with one's own data."""
    return _page()


@bp.get("/export.<kind>")
def take(kind: str) -> AnyResponse:
    """Everything as a file: json for machines and for coming back, md for reading, ics for dates."""
    owner, moment = person(), now()
    if kind == "json":
        told = export.as_data(wiring().engine, owner, now=moment)
        return _file(json.dumps(told, ensure_ascii=False, indent=1).encode(), "application/json", kind)
    if kind == "md":
        called = {category.value: str(word) for category, word in CATEGORY_WORDS.items()}
        called |= {"decisions": _("Decisions"), "rules": _("Rules")}
        text = export.as_markdown(export.as_data(wiring().engine, owner, now=moment), words=called)
        return _file(text.encode(), "text/markdown; charset=utf-8", kind)
    if kind == "ics":
        with reading(wiring().engine) as session:
            dated = [card for card in cards.to_do(session, owner.id) if card.when is not None]
        content = to_ics(dated, now=moment, name="Asterism", private="")
        return _file(content, "text/calendar; charset=utf-8", kind)
    raise InvalidInput("Choose one of: %(kinds)s.", kinds="json, md, ics")


@bp.post("/import")
def look() -> str | tuple[str, int]:
    """Read a file and say what bringing it back would add; nothing is added yet."""
    try:
        content = _uploaded()
        found = importing.preview(wiring().engine, person(), importing.parsed(content))
    except InvalidInput as error:
        return _page(bring=error), error.status
    return render_template("data/preview.html", preview=found, labels=_labels(), packed=_packed(content))


@bp.post("/import/confirm")
def bring_in() -> AnyResponse:
    """Bring the file that was looked at back; what takes long goes on behind the page that follows."""
    parts = wiring()
    data = importing.parsed(_unpacked(request.form.get("packed", "")))
    done = importing.bring_in(parts.engine, person(), data, now=now())
    if not parts.queue.enqueue(JobName.EMBED, unique=str(person().id), person_id=person().id):
        importing.embed_missing(parts.engine, parts.embedder, person().id)
    told: dict[str, Any] = {name: count for name, count in done.added.items() if count and name in _labels()}
    return redirect(url_for(".imported", batch=done.batch, **told), code=303)


@bp.get("/import/<batch>")
def imported(batch: str) -> str:
    """What an import brought, and how far it is."""
    parts, owner = wiring(), person()
    ready, total = importing.progress(parts.engine, owner)
    if ready < total:  # in case the job was lost
        parts.queue.enqueue(JobName.EMBED, unique=str(owner.id), person_id=owner.id)
    added = {name: whole(name, 0) for name in _labels()}
    template = "data/_progress.html" if wants_fragment() else "data/imported.html"
    return render_template(
        template,
        batch=batch,
        added=added,
        labels=_labels(),
        ready=ready,
        all=total,
        is_here=any(each.name == batch for each in importing.batches(parts.engine, owner)),
    )


@bp.post("/import/undo")
def undo() -> AnyResponse:
    """Take one import back."""
    gone = importing.undo(wiring().engine, person(), request.form.get("batch", "")[:24])
    flash(ngettext("%(num)d thing is taken back.", "%(num)d things are taken back.", gone))
    return redirect(url_for(".page"), code=303)


@bp.post("/erase")
def erase() -> str | tuple[str, int]:
    """Erase everything after the word was typed; ends with a receipt."""
    if request.form.get("confirm", "").strip().casefold() != person().email.casefold():
        error = InvalidInput("Type your e-mail address to confirm. Nothing was erased.")
        return _page(erase=error), error.status
    parts = wiring()
    receipt = erasing.erase(
        parts.engine,
        person(),
        redis=parts.redis,
        frames=parts.frames,
        now=now(),
    )
    if not receipt.scrubbed:
        parts.queue.enqueue(JobName.ERASE, unique="scrub")
    return render_template("data/receipt.html", receipt=receipt, labels=_layers())


def _page(**faults: InvalidInput) -> str:
    """The page, with what was wrong in one of its sections said where it was."""
    return render_template(
        "data/page.html",
        batches=importing.batches(wiring().engine, person()),
        faults={name: words(error) for name, error in faults.items()},
    )


def _file(content: bytes, kind: str, ending: str) -> AnyResponse:
    name = f"asterism-{now():%Y-%m-%d}.{ending}"
    return Response(
        content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _uploaded() -> bytes:
    file = request.files.get("file")
    content = b""
    if file is not None:
        content = file.read(MOST_BYTES + 1)
        file.close()  # a large one lies in a file of its own
    if not content:
        raise InvalidInput("Choose a file first.")
    if len(content) > MOST_BYTES:
        raise InvalidInput("The file may have at most %(most)s MB.", most=MOST_BYTES // 1_000_000)
    return content


def _packed(content: bytes) -> str:
    """A file as the page carries it from looking to confirming: nothing of it is kept on the server."""
    return base64.b64encode(zlib.compress(content, 6)).decode()


def _unpacked(packed: str) -> bytes:
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(base64.b64decode(packed, validate=True), MOST_BYTES)
    except (ValueError, zlib.error):
        raise InvalidInput("Choose a file first.") from None
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise InvalidInput("The file may have at most %(most)s MB.", most=MOST_BYTES // 1_000_000)
    return content


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
        "desk presence": _("Presence at the desk"),
        "ready texts": _("Ready texts"),
        "audit entries": _("Entries of the desk's audit"),
        "devices": _("Devices"),
        "queued jobs": _("Waiting jobs"),
    }
