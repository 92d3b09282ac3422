"""One error page for everything: plain words, no trace, in the form the asker can use."""

from __future__ import annotations

import logging
import traceback
from urllib.parse import urlsplit

from flask import (
    Flask,
    Response,
    current_app,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext as _
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from memory.errors import AppError, NotFound, NotSignedIn
from memory.web.current import wants_fragment, wants_json
from memory.web.i18n import said
from memory.web.session import safe_next

log = logging.getLogger(__name__)


def init(app: Flask) -> None:
    """Answer every kind of error with words."""
    app.register_error_handler(AppError, _app_error)
    app.register_error_handler(CSRFError, _csrf_error)
    app.register_error_handler(RateLimitExceeded, _too_many)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _fault)


def words(error: AppError) -> str:
    """What a person reads about an error, in their language."""
    if isinstance(error, NotFound):
        return str(_("This does not exist, or it is not yours."))
    return said(error)


def answer(message: str, status: int) -> Response:
    """The message as a page, a fragment or JSON, whichever the asker can show."""
    if wants_json():
        response = jsonify(error={"status": status, "message": message})
    elif wants_fragment():
        response = make_response(render_template("errors/_notice.html", message=message))
        response.headers["HX-Retarget"] = "#notice"
        response.headers["HX-Reswap"] = "innerHTML"
    else:
        page = render_template("errors/page.html", message=message, status=status, back=_came_from())
        response = make_response(page)
    response.status_code = status
    return response


def _came_from() -> str | None:
    """The page of ours that one was on, to go back to; None when that was elsewhere, or is this one."""
    found = urlsplit(request.referrer or "")
    if found.netloc != request.host or (found.path == request.path and request.method == "GET"):
        return None
    try:
        current_app.url_map.bind("").match(found.path, method="GET")
    except HTTPException:
        return None  # the answer to a form: it cannot be asked for again
    return safe_next(f"{found.path}?{found.query}" if found.query else found.path)


def _app_error(error: AppError) -> BaseResponse:
    if isinstance(error, NotSignedIn) and not wants_json():
        # A page asked for by address comes back after signing in; anything else starts anew.
        back = request.full_path.rstrip("?") if request.method == "GET" and not wants_fragment() else None
        target = url_for("accounts.sign_in", next=back if back != "/" else None)
        if wants_fragment():
            response = make_response("", 200)
            response.headers["HX-Redirect"] = target
            return response
        return redirect(target, code=303)
    return answer(words(error), error.status)


def _csrf_error(_error: CSRFError) -> Response:
    return answer(_("This form was open for too long. Please load the page again and repeat it."), 400)


def _too_many(_error: RateLimitExceeded) -> Response:
    return answer(_("Too many tries. Please wait a few minutes and try again."), 429)


def _http_error(error: HTTPException) -> BaseResponse:
    status = error.code or 500
    if status < 400:
        return error.get_response()  # a redirect that routing raised
    messages = {
        404: _("This page does not exist."),
        405: _("This page cannot be used in that way."),
        413: _("That is too large to be sent."),
    }
    return answer(messages.get(status, _("That did not work. Please go back and try again.")), status)


def _fault(error: Exception) -> Response:
    # Broad on purpose: whatever breaks, the person reads a sentence and the log has the place.
    # Its message stays out of the log: it may hold what a person wrote.
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("page failed: %s\n%s", type(error).__name__, frames, extra={"endpoint": request.endpoint})
    message = _("Something went wrong on our side. Nothing that you wrote before is lost. Please try again.")
    return answer(message, 500)
