"""The agenda: what is late, today, coming and done; the same with htmx and without a script."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from flask import Blueprint, flash, make_response, redirect, render_template, request, url_for
from flask_babel import format_date, format_time, lazy_gettext
from flask_babel import gettext as _
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from memory import cards, language
from memory.cards import agenda, reminders
from memory.errors import InvalidInput, NotFound
from memory.records import Card, CardStatus, Category, NewCard, When
from memory.storage import agenda as agenda_rows
from memory.storage import cards as rows
from memory.storage import deliveries, people
from memory.storage.engine import reading, transaction
from memory.web.current import base_url, now, person, wants_fragment, wiring
from memory.web.errors import words
from memory.web.session import this_device

bp = Blueprint("agenda", __name__, url_prefix="/agenda")
MOST_ENDED = 30
KINDS = (Category.REMINDER, Category.TASK, Category.EVENT)
_MORNING = time(9)
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
RECURRENCES = {
    "": lazy_gettext("Once"),
    "daily": lazy_gettext("Every day"),
    "workdays": lazy_gettext("On workdays"),
    "weekly": lazy_gettext("Every week"),
    "fortnightly": lazy_gettext("Every two weeks"),
    "monthly": lazy_gettext("Every month"),
    "yearly": lazy_gettext("Every year"),
}
_RULES: dict[str, Callable[[datetime], str]] = {
    "daily": lambda _start: "FREQ=DAILY",
    "workdays": lambda _start: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "weekly": lambda start: f"FREQ=WEEKLY;BYDAY={_WEEKDAYS[start.weekday()]}",
    "fortnightly": lambda start: f"FREQ=WEEKLY;INTERVAL=2;BYDAY={_WEEKDAYS[start.weekday()]}",
    # On the 31st of a short month: its last day, as people mean it.
    "monthly": lambda start: "FREQ=MONTHLY;BYMONTHDAY=" + _month_days(start.day),
    "yearly": lambda _start: "FREQ=YEARLY",
}


@bp.app_template_filter("recurring")
def recurring(when: When) -> str:
    """A recurrence in words, such as "every day at 07:15"; the day it stands under says which is next."""
    here = now().astimezone(ZoneInfo(person().zone))
    try:
        return language.say_when(when, language=person().language, now=here, with_first=False)
    except (ValueError, KeyError):
        return str(_("repeats"))  # a rule from elsewhere that has no words here


@bp.app_template_filter("civil_day")
def civil_day(value: datetime) -> str:
    """A day that is in the reader's zone already, such as "Thursday, 5 March"."""
    same_year = value.year == now().astimezone(ZoneInfo(person().zone)).year
    return str(format_date(value.date(), "EEEE, d MMMM" if same_year else "EEEE, d MMMM y"))


@bp.app_template_filter("civil_time")
def civil_time(value: datetime) -> str:
    """A time of day that is in the reader's zone already, such as "17:00"."""
    return str(format_time(value.time(), "HH:mm", rebase=False))


@bp.get("/")
def page() -> str:
    """The whole agenda."""
    return _page()


@bp.post("/")
def add() -> str | Response | tuple[str, int]:
    """Add a reminder, a task or an event."""
    try:
        category = _kind()
        new = NewCard(
            category=category,
            text=request.form.get("text", "").strip(),
            language=language.detect(request.form.get("text", ""), hint=person().language),
            when=_moment(category, zone=person().zone, rrule=None),
            device_id=this_device().id,
        )
        with transaction(wiring().engine) as session:
            cards.remember(session, person(), new, embedder=wiring().embedder, now=now())
    except InvalidInput as error:
        return _refused(error, add=True)
    wiring().frames.wake(person().id)
    answer = _changed()
    if isinstance(answer, str) and category is Category.REMINDER:
        response = make_response(answer)
        response.headers["HX-Trigger-After-Swap"] = "asterism:reminder-set"  # static/notify.js hears it
        return response
    return answer


@bp.get("/<public_id>")
def edit(public_id: str) -> str:
    """The form for one item, in its place or as a page."""
    with reading(wiring().engine) as session:
        card = _own(session, public_id)
    return _form(card)


@bp.post("/<public_id>")
def change(public_id: str) -> str | Response:
    """Change an item's words, kind or moment."""
    with reading(wiring().engine) as session:
        card = _own(session, public_id)
    try:
        category = _kind()
        moment = _moment(
            category, zone=card.when.zone if card.when else person().zone, rrule=_kept_rule(card)
        )
        if moment is not None and card.when is not None and card.when.end is not None:
            moment = _with_end(moment, card.when)
        with transaction(wiring().engine) as session:
            known = _own(session, public_id)
            text = request.form.get("text", "").strip()
            cards.edit(
                session,
                person(),
                known,
                embedder=wiring().embedder,
                now=now(),
                text=None if known.title and text == known.text else text,
                category=category,
                when=moment,
                clear_when=moment is None,
            )
    except InvalidInput as error:
        return _refused_change(card, error)
    wiring().frames.wake(person().id)
    return _changed()


def _refused_change(card: Card, error: InvalidInput) -> Response:
    response = make_response(_form(card, fault=words(error)), 200 if wants_fragment() else error.status)
    if wants_fragment():  # the form asked for the whole agenda; what is wrong belongs in its own place
        response.headers["HX-Retarget"] = f"#item-{card.public_id}"
        response.headers["HX-Reswap"] = "outerHTML"
    return response


@bp.post("/<public_id>/done")
def done(public_id: str) -> str | Response:
    """Tick an item; of what recurs, this occurrence."""
    return _act(public_id, lambda session, card: reminders.tick(session, card, now=now()))


@bp.post("/<public_id>/reopen")
def reopen(public_id: str) -> str | Response:
    """It is not done after all."""
    return _act(public_id, lambda session, card: reminders.reopen(session, card, now=now()))


@bp.post("/<public_id>/cancel")
def cancel(public_id: str) -> str | Response:
    """Call an item off, a recurring one for good."""
    return _act(
        public_id, lambda session, card: cards.complete(session, card, CardStatus.CANCELLED, now=now())
    )


@bp.post("/<public_id>/skip")
def skip(public_id: str) -> str | Response:
    """Leave the next occurrence out."""
    return _act(public_id, lambda session, card: reminders.skip(session, card, now=now()))


@bp.post("/<public_id>/snooze")
def snooze(public_id: str) -> str | Response:
    """Put an item off for a while."""
    until = _snooze_until(request.form.get("for", ""))
    return _act(public_id, lambda session, card: reminders.snooze(session, card, until=until, now=now()))


def _act(public_id: str, what: Callable[[Session, Card], object]) -> str | Response:
    with transaction(wiring().engine) as session:
        what(session, _own(session, public_id))
    wiring().frames.wake(person().id)
    return _changed()


def _changed() -> str | Response:
    """The agenda anew for htmx, since an item may move to another place; the page for a plain form."""
    return _page() if wants_fragment() else redirect(url_for(".page"), code=303)


def _refused(error: InvalidInput, *, add: bool) -> tuple[str, int]:
    return _page(fault=words(error), is_adding=add), 200 if wants_fragment() else error.status


def _page(*, fault: str = "", is_adding: bool = False) -> str:
    who, moment = person(), now()
    with reading(wiring().engine) as session:
        found = rows.to_do(session, who.id) + agenda_rows.ended_to_do(session, who.id, limit=MOST_ENDED)
        found = [card for card in found if card.visible]
        rung = deliveries.last_of(session, who.id, [card.id for card in found])
        token = people.feed_token(session, who.id)
        imported = [] if wants_fragment() else agenda_rows.of_batch(session, who.id, _batch())
    shelves = agenda.arrange(found, rung, now=moment, zone=who.zone)
    shelves[agenda.Shelf.DONE] = shelves[agenda.Shelf.DONE][:MOST_ENDED]
    return render_template(
        "agenda/_agenda.html" if wants_fragment() else "agenda/page.html",
        shelves=shelves,
        is_empty=not any(shelves.values()),
        kinds=KINDS,
        recurrences=RECURRENCES,
        today=moment.astimezone(ZoneInfo(who.zone)),
        feed=f"{base_url()}{url_for('calendars.feed', token=token)}" if token else "",
        imported=len(imported),
        batch=_batch(),
        fault=fault,
        # What was typed stays when it was refused, and only then.
        typed=request.form if is_adding else {},
    )


def _form(card: Card, *, fault: str = "") -> str:
    return render_template(
        "agenda/_edit.html" if wants_fragment() else "agenda/edit.html",
        card=card,
        kinds=KINDS,
        recurrences=RECURRENCES,
        repeat=_named_rule(card.when),
        fault=fault,
    )


def _batch() -> str:
    """The import that was just done, so that the page can offer to undo it."""
    return request.args.get("imported", "")[:24]


def _own(session: Session, public_id: str) -> Card:
    """One of the person's own items.

    Raises:
        NotFound: there is none, or it is someone else's, or nothing for an agenda.
    """
    card = rows.by_public_id(session, person().id, public_id)
    if card.status in (CardStatus.FORGOTTEN, CardStatus.SUPERSEDED) or card.category not in KINDS:
        raise NotFound("card", public_id)
    return card


def _kind() -> Category:
    try:
        kind = Category(request.form.get("category", ""))
    except ValueError:
        kind = Category.THEME
    if kind not in KINDS:
        raise InvalidInput("Choose one of the kinds on the list.")
    return kind


def _moment(category: Category, *, zone: str, rrule: str | None) -> When | None:
    """The moment in the form.

    Args:
        rrule: what "as it is" stands for.

    Raises:
        InvalidInput: what was written is no day or no time, or the kind needs more.
    """
    day_text, time_text = request.form.get("date", "").strip(), request.form.get("time", "").strip()
    try:
        day = date.fromisoformat(day_text) if day_text else None
        at = time.fromisoformat(time_text) if time_text else None
    except ValueError:
        raise InvalidInput("Write the day as 2026-06-08 and the time as 17:00.") from None
    if category is Category.REMINDER and (day is None or at is None):
        raise InvalidInput("A reminder needs a day and a time.")
    if day is None:
        if category is Category.EVENT:
            raise InvalidInput("An event needs a day.")
        return None
    start = datetime.combine(day, (at or time()).replace(second=0, microsecond=0, tzinfo=None))
    repeat = request.form.get("repeat", "")
    rule = rrule if repeat == "same" else _RULES[repeat](start) if repeat in _RULES else None
    moment = When(start=start, zone=zone, all_day=at is None, rrule=rule)
    if category is Category.REMINDER and reminders.first_due(category, moment, now=now()) is None:
        raise InvalidInput("This moment has passed. Choose one that is still to come.")
    return moment


def _kept_rule(card: Card) -> str | None:
    return card.when.rrule if card.when is not None else None


def _named_rule(when: When | None) -> str:
    """Which choice of the form a card's rule is; "same" for one that the form has no name for."""
    if when is None or not when.rrule:
        return ""
    return next((name for name, rule in _RULES.items() if rule(when.start) == when.rrule), "same")


def _with_end(moment: When, before: When) -> When:
    assert before.end is not None  # noqa: S101 (the caller looked)
    return When(
        start=moment.start,
        zone=moment.zone,
        all_day=moment.all_day,
        end=before.end + (moment.start - before.start),
        rrule=moment.rrule,
    )


def _month_days(day: int) -> str:
    return f"{day}" if day <= 28 else ",".join(str(each) for each in range(28, day + 1)) + ";BYSETPOS=-1"


def _snooze_until(chosen: str) -> datetime:
    moment = now()
    minutes = {"10": 10, "60": 60, "180": 180}.get(chosen)
    if minutes is not None:
        return moment + timedelta(minutes=minutes)
    days = {"tomorrow": 1, "week": 7}.get(chosen)
    if days is None:
        raise InvalidInput("Choose for how long.")
    day = moment.astimezone(ZoneInfo(person().zone)).date() + timedelta(days=days)
    return language.resolve(datetime.combine(day, _MORNING), person().zone)


def notice(text: str) -> Response:
    """Back to the agenda with a sentence."""
    flash(text)
    return redirect(url_for("agenda.page"), code=303)
