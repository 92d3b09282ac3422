"""What the model was given for an answer: for the person with the words, for the operator in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request
from flask_babel import gettext as _

from memory.errors import NotFound
from memory.overview.blocks import LATELY, PEOPLE, RECENT, RULES, SAMPLE, SETTLED, WARM
from memory.overview.verdict import Verdict, verdict
from memory.records import Card, CardStatus, Role
from memory.storage import cards, conversations, rules, traces, turns
from memory.storage.engine import reading
from memory.web import messages
from memory.web.asked import BIGGEST, whole
from memory.web.current import person, wiring, with_role

PAGE_TURNS = 50
_LAYERS = (WARM, LATELY, SAMPLE)

bp = Blueprint("trace", __name__)


@bp.get("/turn/<turn_id>/trace")
def turn(turn_id: str) -> str:
    """What one of the person's own turns was given, with the words as they stand now.

    What was forgotten since is counted, not shown.
    """
    who = person()
    with reading(wiring().engine) as session:
        found = turns.by_public_id(session, who.id, messages.name(turn_id))
        if turns.find(session, found.id) is None:
            raise NotFound("turn", turn_id)
        noted = turns.trace_of(session, found.id)
        given: Mapping[str, list[str]] = noted.get("given", {})
        known = {
            card.public_id: card
            for card in cards.by_public_ids(
                session, who.id, [each for layer in _LAYERS for each in given.get(layer, ())]
            )
            if card.status is not CardStatus.FORGOTTEN
        }
        talks = conversations.by_public_ids(session, who.id, given.get(RECENT, ()))
        ruled = {rule.public_id: rule for rule in rules.of_person(session, who.id)}
        searched = traces.retrieved(session, who.id, found.id)
    return render_template(
        "trace/page.html",
        turn=found,
        noted=noted,
        verdict=verdict(noted),
        verdict_word=verdict_word,
        source_word=source_word,
        talks=[talk for talk in talks if not talk.private],
        layers=[(layer, _known(known, given.get(layer, ()))) for layer in _LAYERS],
        rules=[ruled[each] for each in given.get(RULES, ()) if each in ruled],
        searched=searched,
        gone=sum(len(given.get(layer, ())) for layer in _LAYERS)
        - sum(each in known for layer in _LAYERS for each in given.get(layer, ())),
    )


@bp.get("/operator/turns")
def recent() -> str:
    """The newest turns of everybody in numbers: no words, no names."""
    with_role(Role.OPERATOR)
    before = whole("before", 0, most=BIGGEST) or None
    only = request.args.get("turn", "").strip()
    with reading(wiring().engine) as session:
        found = traces.recent(session, before=before, only=only, limit=PAGE_TURNS + 1)
    shown = found[:PAGE_TURNS]
    return render_template(
        "trace/recent.html",
        rows=[(each, verdict(each.noted)) for each in shown],
        older=shown[-1].turn_id if len(found) > PAGE_TURNS else None,
        only=only,
        verdict_word=verdict_word,
        source_word=source_word,
        tokens=lambda noted: sum(noted.get("tokens", {}).values()),
    )


def verdict_word(found: Verdict) -> str:
    """A verdict in few words."""
    words: dict[Verdict, str] = {
        Verdict.UNKNOWN: _("Memory was not asked"),
        Verdict.EMPTY: _("Memory was empty"),
        Verdict.INCOMPLETE: _("A part of memory did not answer"),
        Verdict.FULL: _("Memory was given"),
    }
    return words[found]


def source_word(name: str) -> str:
    """A source of the overview in plain words."""
    words: dict[str, str] = {
        RECENT: _("Recent talks"),
        WARM: _("Just talked about"),
        LATELY: _("Mentioned in the last days"),
        SAMPLE: _("Some of the rest"),
        RULES: _("Your rules"),
        SETTLED: _("Settled decisions"),
        PEOPLE: _("People you told of"),
    }
    return words.get(name, name)


def _known(known: Mapping[str, Card], names: Any) -> list[Card]:
    return [known[each] for each in names if each in known]
