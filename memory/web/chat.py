"""The chat page: one continuous timeline, and what a person can do with each turn.

Reading and sending work without a script; with one, the socket carries what is
said and the page is only asked for pieces.
"""

from __future__ import annotations

import secrets
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask_babel import format_datetime
from flask_sock import Sock
from werkzeug.wrappers import Response as BaseResponse

from memory.errors import Forbidden, InvalidInput, NotFound
from memory.handover import standing
from memory.llm.choose import load_connection
from memory.queue import JobName
from memory.records import Conversation, Turn, TurnContext, When
from memory.storage import cards, conversations, people, turns, votes
from memory.storage import frames as frame_rows
from memory.storage.engine import reading, transaction
from memory.web import messages
from memory.web.current import now, person, wants_fragment, wiring
from memory.web.errors import words
from memory.web.line import Socket
from memory.web.session import this_device
from memory.web.socket import Visitor, is_same_site, options, serve
from memory.web.timeline import Timeline, read_around, read_newest

PAGE_TURNS = 30
_ANSWER_WAIT_S = 20.0  # without a script the page comes back with the answer, or says that it is under way

bp = Blueprint("chat", __name__)
sock = Sock()


@bp.record_once
def _prepare(state: Any) -> None:
    settings = state.app.extensions["asterism"].settings
    state.app.config["SOCK_SERVER_OPTIONS"] = options(settings.max_message_chars)


@bp.app_template_filter("brief")
def brief(value: When) -> str:
    """A card's moment in few words, for a chip, such as "Thu 5 Mar, 17:00"; a year not this one is told."""
    year = "" if value.start.year == now().year else " y"
    if value.is_month:
        return str(format_datetime(value.start, f"LLLL{year}", rebase=False))
    pattern = f"E d MMM{year}" if value.all_day else f"E d MMM{year}, HH:mm"
    return str(format_datetime(value.start, pattern, rebase=False))


@bp.before_request
def _only_our_pages() -> None:
    # Browsers send our cookie with a socket that any other site opens, and neither
    # flask-sock nor simple-websocket looks where it comes from.
    if request.endpoint == "chat.talk" and not is_same_site(
        request.headers.get("Origin", ""), request.host, wiring().settings.url
    ):
        raise Forbidden("This page belongs to another site.")


@sock.route("/chat/socket", bp=bp)  # type: ignore[untyped-decorator]  # flask-sock ships no types
def talk(ws: Socket) -> None:
    """The socket of one page; see `memory.web.socket`."""
    parts, who = wiring(), person()

    def is_welcome() -> bool:
        with reading(parts.engine) as session:
            found = people.by_public_id(session, who.public_id)
        return found is not None and found.session_epoch == who.session_epoch

    visitor = Visitor(person=who, device_id=this_device().id, is_welcome=is_welcome)
    serve(ws, conductor=parts.conductor, frames=parts.frames, engine=parts.engine, visitor=visitor)


@bp.get("/")
def page() -> str:
    """The newest turns with the composer; `?before=` and `?turn=` look back from a turn."""
    return _page()


@bp.get("/chat/here")
def here() -> Response:
    """Nothing, for a signed-in browser; a page whose socket was refused asks here why."""
    return Response(status=204)


@bp.get("/timeline")
def timeline() -> str:
    """The thread alone, for a page that slept through more frames than are kept."""
    return render_template("chat/_thread.html", **_shown(live=True))


@bp.get("/older")
def older() -> str:
    """The turns before `?before=`, to be put above them."""
    before = messages.name(request.args.get("before"))
    with reading(wiring().engine) as session:
        anchor = turns.by_public_id(session, person().id, before)
        shown = read_newest(session, person(), limit=PAGE_TURNS, before=anchor.id, device_id=this_device().id)
    return render_template("chat/_older.html", timeline=shown)


@bp.get("/turn/<turn_id>")
def turn(turn_id: str) -> str:
    """One turn as it stands now."""
    with reading(wiring().engine) as session:
        found = turns.by_public_id(session, person().id, turn_id)
        shown = read_around(session, person(), found, limit=1, after=0, device_id=this_device().id)
    if [entry.turn.id for entry in (*shown.finished, *shown.under_way)] != [found.id]:
        raise NotFound("turn", turn_id)  # it left the thread; its neighbour must not stand in for it
    return render_template("chat/_turns.html", timeline=shown)


@bp.post("/say")
def say() -> BaseResponse | tuple[str, int]:
    """Send without a script: comes back with the answer when it is made in time."""
    text = messages.storable(request.form.get("text", "").replace("\r\n", "\n"))
    client_id = messages.name(request.form.get("client_id"))
    try:
        taken = wiring().conductor.accept(person(), text=text, client_id=client_id, context=_context())
    except InvalidInput as error:
        return _page(draft=text, problem=words(error)), error.status
    wiring().conductor.wait(taken.id, timeout_s=_ANSWER_WAIT_S)
    return redirect(_at(taken.public_id), code=303)


@bp.post("/turn/<turn_id>/vote")
def vote(turn_id: str) -> str | BaseResponse:
    """Helpful (1), not helpful (-1, or -1:reason) or neither (0); one vote a person and turn, changeable."""
    told, _, reason = request.form.get("value", "").partition(":")
    value = {"1": 1, "-1": -1, "0": 0}.get(told)
    if value is None or (reason and (value != -1 or reason not in votes.REASONS)):
        raise InvalidInput("Choose helpful or not helpful.")
    with transaction(wiring().engine) as session:
        found = turns.by_public_id(session, person().id, turn_id)
        votes.vote(session, person().id, found.id, value, now=now(), reason=reason)
    wiring().queue.enqueue(JobName.JUDGE, unique=str(found.id), turn_id=found.id)
    if wants_fragment():
        return render_template("chat/_vote.html", turn_id=found.public_id, feedback=value, reason=reason)
    return redirect(_at(turn_id), code=303)


@bp.post("/turn/<turn_id>/stop")
def stop(turn_id: str) -> BaseResponse:
    """Stop answering; what was shown stays."""
    wiring().conductor.stop(person().id, messages.name(turn_id))
    return _done(turn_id)


@bp.post("/turn/<turn_id>/again")
def again(turn_id: str) -> BaseResponse:
    """Answer the same words anew; the old answer leaves the thread."""
    fresh = wiring().conductor.regenerate(person(), messages.name(turn_id), _context())
    return _done(fresh.public_id, fresh)


@bp.post("/turn/<turn_id>/edit")
def edit(turn_id: str) -> BaseResponse:
    """Say it differently; the old turn leaves the thread."""
    text = messages.storable(request.form.get("text", "").replace("\r\n", "\n"))
    client_id = messages.name(request.form.get("client_id"))
    fresh = wiring().conductor.edit(
        person(), messages.name(turn_id), text=text, client_id=client_id, context=_context()
    )
    return _done(fresh.public_id, fresh)


@bp.post("/turn/<turn_id>/delete")
def delete(turn_id: str) -> BaseResponse:
    """Take a turn out of the thread; it can be brought back for some seconds."""
    wiring().conductor.delete(person(), messages.name(turn_id))
    if wants_fragment():
        return Response(status=204)
    return redirect(url_for(".page", deleted=turn_id), code=303)


@bp.post("/turn/<turn_id>/restore")
def restore(turn_id: str) -> BaseResponse:
    """Bring a deleted turn back."""
    wiring().conductor.undo_delete(person(), messages.name(turn_id))
    return _done(turn_id)


@bp.post("/chat/afresh")
def afresh() -> BaseResponse:
    """Close the conversation now; the next message begins a new one."""
    wiring().conductor.start_afresh(person())
    return _changed()


@bp.post("/chat/private")
def private() -> BaseResponse:
    """Begin a conversation that keeps nothing (1), or end it with all that was said in it (0)."""
    value = {"1": True, "0": False}.get(request.form.get("value", ""))
    if value is None:
        raise InvalidInput("Say whether it is to be private.")
    wiring().conductor.set_private(person(), value)
    return _changed()


@bp.post("/chat/speaker")
def speaker() -> BaseResponse:
    """Say who holds the phone from now on; without a name it is the owner again."""
    name = messages.storable(request.form.get("name", ""))
    relation = messages.storable(request.form.get("relation", ""))
    wiring().conductor.set_speaker(person(), name=name, relation=relation)
    return _changed()


@bp.get("/card/<card_id>")
def card(card_id: str) -> str:
    """A card, opened in the place of its chip; with `?chip=1` the chip again."""
    with reading(wiring().engine) as session:
        found = cards.by_public_id(session, person().id, messages.name(card_id))
    if not wants_fragment():
        return render_template("chat/card.html", card=found)
    return render_template("chat/_chip.html" if request.args.get("chip") else "chat/_card.html", card=found)


def _page(**more: Any) -> str:
    looks_back = bool(request.args.get("before") or request.args.get("turn"))
    deleted = request.args.get("deleted")
    return render_template(
        "chat/page.html",
        client_id=secrets.token_urlsafe(12),
        max_chars=wiring().settings.max_message_chars,
        built_in=load_connection(wiring().settings) is None,
        undo_s=wiring().settings.undo_s,
        deleted=messages.name(deleted) if deleted else "",
        **_shown(live=not looks_back),
        **{"draft": "", "problem": "", **more},
    )


def _shown(*, live: bool) -> dict[str, Any]:
    """What the thread's templates need, read from one moment of the store."""
    who, device_id = person(), this_device().id
    with reading(wiring().engine) as session:
        last = frame_rows.latest(session, who.id)  # first: a frame that comes later is sent again, not lost
        shown = _timeline(session, device_id) if not live else None
        if shown is None:
            shown = read_newest(session, who, limit=PAGE_TURNS, device_id=device_id)
        conversation = conversations.open_of(session, who.id)
        human = None if conversation is None else standing(session, conversation)
    lasts = conversation is not None and not _is_over(conversation)
    return {
        "timeline": shown,
        "last": last,
        "live": live,
        "speaker": conversation.speaker if conversation is not None and lasts else "",
        "private": conversation is not None and lasts and conversation.private,
        "human": human,
    }


def _is_over(conversation: Conversation) -> bool:
    return conversations.is_over(conversation.last_exchange_at, now=now(), idle_s=wiring().settings.idle_s)


def _timeline(session: Any, device_id: int) -> Timeline:
    before, wanted = request.args.get("before"), request.args.get("turn")
    anchor = turns.by_public_id(session, person().id, messages.name(before or wanted))
    if before:
        return read_newest(session, person(), limit=PAGE_TURNS, before=anchor.id, device_id=device_id)
    return read_around(session, person(), anchor, limit=2 * PAGE_TURNS, after=PAGE_TURNS, device_id=device_id)


def _context() -> TurnContext:
    """The context of a turn that came by form: no screen of its own can open its cards."""
    screen = request.form.get("screen") or f"form-{secrets.token_urlsafe(8)}"
    return TurnContext(
        screen=messages.name(screen),
        device_id=this_device().id,
        zone=messages.known_zone(request.form.get("zone")) or person().zone,
        language=person().language,
    )


def _done(turn_id: str, under_way: Turn | None = None) -> BaseResponse:
    """Nothing for a script, which hears of it by frames; for a plain form the page at the turn."""
    if wants_fragment():
        return Response(status=204)
    if under_way is not None:
        wiring().conductor.wait(under_way.id, timeout_s=_ANSWER_WAIT_S)
    return redirect(_at(turn_id), code=303)


def _changed() -> BaseResponse:
    """Nothing for a script, which hears of it by frames; for a plain form the page."""
    return Response(status=204) if wants_fragment() else redirect(url_for(".page"), code=303)


def _at(turn_id: str) -> str:
    return url_for(".page", _anchor=f"turn-{turn_id}")
