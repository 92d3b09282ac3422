"""Signing in and out, and the page behind a link that makes an account."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from memory import accounts
from memory.errors import AppError, NotFound
from memory.records import Role
from memory.web.current import now, person_or_none, wiring
from memory.web.errors import words
from memory.web.i18n import LANGUAGE_NAMES, detected_language
from memory.web.security import FEW_BY_ACCOUNT, FEW_BY_ADDRESS, account_key, is_failure, limiter
from memory.web.session import close_session, open_session, public, safe_next

bp = Blueprint("accounts", __name__)


@bp.get("/sign-in")
@public
def sign_in() -> BaseResponse | str:
    """The form; whoever is signed in already goes on to the chat."""
    if person_or_none() is not None:
        return redirect(safe_next(request.args.get("next")) or "/", code=303)
    return render_template("accounts/sign_in.html", email="", fault="")


@bp.post("/sign-in")
@public
@limiter.limit(FEW_BY_ADDRESS)
@limiter.limit(FEW_BY_ACCOUNT, key_func=account_key, deduct_when=is_failure)
def sign_in_now() -> BaseResponse:
    """Open a session, or show the form again with what was wrong."""
    email = request.form.get("email", "")
    try:
        found = accounts.sign_in(wiring().engine, email, request.form.get("password", ""))
    except AppError as error:
        return _again("accounts/sign_in.html", error, email=email)
    open_session(found)
    return redirect(safe_next(request.args.get("next")) or "/", code=303)


@bp.post("/sign-out")
@public
def sign_out() -> BaseResponse:
    """End this browser's session."""
    close_session()
    return redirect(url_for(".sign_in"), code=303)


@bp.get("/join/<token>")
@public
@limiter.limit(FEW_BY_ADDRESS)
def join(token: str) -> BaseResponse | str:
    """The form behind a link, while the link is good."""
    try:
        found = accounts.invitation(wiring().engine, token, now=now())
    except NotFound:
        return make_response(render_template("accounts/gone.html"), 404)
    return render_template(
        "accounts/join.html", role=found.role, form=_newcomer(), languages=LANGUAGE_NAMES, fault=""
    )


@bp.post("/join/<token>")
@public
@limiter.limit(FEW_BY_ADDRESS)
def join_now(token: str) -> BaseResponse:
    """Make the account and sign it in, or show the form again with what was wrong."""
    form = _newcomer()
    try:
        role = accounts.invitation(wiring().engine, token, now=now()).role
    except NotFound:
        return make_response(render_template("accounts/gone.html"), 404)
    try:
        made = accounts.sign_up(wiring().engine, token, form, now=now())
    except AppError as error:
        return _again("accounts/join.html", error, role=role, form=form, languages=LANGUAGE_NAMES)
    open_session(made)
    return redirect("/", code=303)


def _newcomer() -> accounts.SignUp:
    """What was filled in so far; at first what the browser tells."""
    return accounts.SignUp(
        email=request.form.get("email", ""),
        name=request.form.get("name", ""),
        password=request.form.get("password", ""),
        language=request.form.get("language") or detected_language(),
        zone=request.form.get("zone", ""),
    )


def _again(template: str, error: AppError, **values: object) -> Response:
    return make_response(render_template(template, fault=words(error), **values), error.status)


def role_word(role: Role) -> str:
    """The role in the page's language."""
    return str({Role.PERSON: _("Person"), Role.AGENT: _("Agent"), Role.OPERATOR: _("Operator")}[role])
