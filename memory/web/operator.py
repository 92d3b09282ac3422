"""For the operator: what works, who is invited, how it goes in numbers, which model answers."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from memory import accounts
from memory.config import MODEL_PROVIDERS
from memory.errors import AppError, InvalidInput
from memory.llm import choose
from memory.records import Person, Role
from memory.storage import figures, people
from memory.storage.engine import reading, transaction
from memory.storage.figures import Figure
from memory.web import health
from memory.web.accounts import role_word
from memory.web.current import base_url, now, wiring, with_role
from memory.web.errors import words

bp = Blueprint("operator", __name__, url_prefix="/operator")
SPAN = timedelta(days=7)
PROVIDER_NAMES = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "mistral": "Mistral",
    "ollama": "Ollama",
}


@bp.get("/")
def page() -> str:
    """Health, model, invitations and figures."""
    _operator()
    return _page()


@bp.post("/invitations")
def invite() -> str:
    """Make an invitation; its link is shown on this page and never again."""
    operator = _operator()
    try:
        role = Role(request.form.get("role", ""))
    except ValueError:
        raise InvalidInput("Invite a person or an agent.") from None
    token = accounts.invite(wiring().engine, role=role, by=operator, now=now())
    return _page(link=base_url() + url_for("accounts.join", token=token), link_role=role_word(role))


@bp.post("/invitations/<int:invitation_id>/withdraw")
def withdraw(invitation_id: int) -> Response:
    """Make an invitation useless."""
    _operator()
    with transaction(wiring().engine) as session:
        people.withdraw_invitation(session, invitation_id)
    flash(_("The invitation is withdrawn."))
    return redirect(url_for(".page", _anchor="invitations"), code=303)


@bp.get("/model")
def model() -> str:
    """The form that connects a model."""
    _operator()
    return _model_page(choose.saved_connection(wiring().settings))


@bp.post("/model")
def save_model() -> Response | tuple[str, int]:
    """Save the connection, or only test it, or go back to the built-in model."""
    _operator()
    action = request.form.get("do", "save")
    if action == "built-in":
        choose.save_connection(wiring().settings, None)
        flash(_("The built-in model answers from the next message on."))
        return redirect(url_for(".model"), code=303)
    connection = _connection()
    try:
        choose.checked(connection)
        if action == "test":
            fault = choose.try_connection(connection)
            return _model_page(connection, fault=words(fault) if fault else "", works=fault is None), 200
        choose.save_connection(wiring().settings, connection)
    except AppError as error:
        return _model_page(connection, fault=words(error)), error.status
    flash(_("Saved. The model answers from the next message on."))
    return redirect(url_for(".model"), code=303)


def _operator() -> Person:
    return with_role(Role.OPERATOR)


def _page(**values: object) -> str:
    moment = now()
    with reading(wiring().engine) as session:
        counted = figures.totals(session, since=moment - SPAN)
        invitations = people.open_invitations(session, now=moment)
        accounts_count = people.count(session)
    return render_template(
        "operator/page.html",
        health=health.check(),
        connection=choose.load_connection(wiring().settings),
        provider_names=PROVIDER_NAMES,
        accounts=accounts_count,
        invitations=invitations,
        role_word=role_word,
        counted=counted,
        cards_per_turn=_ratio(counted[Figure.CARDS], counted[Figure.TURNS]),
        miss_rate=_ratio(counted[Figure.MISSED], counted[Figure.VERIFIED]),
        **values,
    )


def _model_page(connection: choose.Connection | None, **values: object) -> str:
    settings = wiring().settings
    return render_template(
        "operator/model.html",
        form=connection,
        providers={name: PROVIDER_NAMES[name] for name in MODEL_PROVIDERS},
        from_environment=choose.load_connection(settings) if settings.model else None,
        saved=choose.saved_connection(settings),
        **values,
    )


def _connection() -> choose.Connection:
    """What the form says; an empty key keeps the saved one, which the page never shows."""
    form = request.form
    provider = form.get("provider", "").strip()
    base = form.get("base_url", "").strip()
    key = form.get("key", "").strip()
    saved = choose.saved_connection(wiring().settings)
    # A saved key goes only to where it was saved for: never along to another address.
    if not key and saved and (saved.provider, saved.base_url) == (provider, base):
        key = saved.key
    return choose.Connection(provider=provider, model=form.get("model", "").strip(), base_url=base, key=key)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
