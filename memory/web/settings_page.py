"""What a person can set about themselves: name, language, zone, password, devices."""

from __future__ import annotations

import zoneinfo

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import refresh
from werkzeug.wrappers import Response as BaseResponse

from memory import accounts
from memory.errors import AppError
from memory.storage import devices
from memory.storage.engine import reading, transaction
from memory.web.current import is_this_machine, person, wiring
from memory.web.errors import words
from memory.web.i18n import LANGUAGE_NAMES
from memory.web.security import FEW_BY_ACCOUNT, is_failure, limiter
from memory.web.session import renew_session, this_device

bp = Blueprint("settings_page", __name__, url_prefix="/settings")
MOST_LABEL_CHARS = 120


def _own_key() -> str:
    return f"password:{person().public_id}"


@bp.get("/")
def page() -> str:
    """All settings on one page."""
    return _page()


@bp.post("/profile")
def profile() -> BaseResponse:
    """Change name, language and zone."""
    form = request.form
    try:
        changed = accounts.change_profile(
            wiring().engine,
            person(),
            name=form.get("name", ""),
            language=form.get("language", ""),
            zone=form.get("zone", ""),
        )
    except AppError as error:
        return _refused("profile", error)
    renew_session(changed)
    refresh()  # what is said from here on is in the new language
    flash(_("Saved."))
    return redirect(url_for(".page"), code=303)


@bp.post("/password")
@limiter.limit(FEW_BY_ACCOUNT, key_func=_own_key, deduct_when=is_failure)
def password() -> BaseResponse:
    """Change the password; all other browsers are signed out."""
    try:
        changed = accounts.change_password(
            wiring().engine,
            person(),
            current=request.form.get("current", ""),
            new=request.form.get("new", ""),
        )
    except AppError as error:
        return _refused("password", error)
    renew_session(changed)
    flash(_("The password is changed. All other browsers are signed out."))
    return redirect(url_for(".page"), code=303)


@bp.post("/sign-out-everywhere")
def sign_out_everywhere() -> BaseResponse:
    """End the sessions of all other browsers; this one stays signed in."""
    renew_session(accounts.sign_out_everywhere(wiring().engine, person()))
    flash(_("All other browsers are signed out."))
    return redirect(url_for(".page"), code=303)


@bp.post("/devices/<public_id>")
def rename_device(public_id: str) -> BaseResponse:
    """Give a device a name of one's own."""
    label = " ".join(request.form.get("label", "").split())[:MOST_LABEL_CHARS]
    with transaction(wiring().engine) as session:
        devices.rename(session, person().id, public_id, label)
    flash(_("Saved."))
    return redirect(url_for(".page", _anchor="devices"), code=303)


@bp.post("/devices/<public_id>/remove")
def remove_device(public_id: str) -> BaseResponse:
    """Forget a device."""
    with transaction(wiring().engine) as session:
        devices.remove(session, person().id, public_id)
    flash(_("The device is removed."))
    return redirect(url_for(".page", _anchor="devices"), code=303)


def _page(**faults: str) -> str:
    here = this_device()
    with reading(wiring().engine) as session:
        known = devices.of_person(session, person().id)
    return render_template(
        "settings/page.html",
        devices=known,
        here=here,
        languages=LANGUAGE_NAMES,
        zones=sorted(zone for zone in zoneinfo.available_timezones() if "/" in zone or zone == "UTC"),
        faults=faults,
        is_plain_http=not request.is_secure and not is_this_machine(request.host),
    )


def _refused(part: str, error: AppError) -> Response:
    return make_response(_page(**{part: words(error)}), error.status)
