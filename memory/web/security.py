"""What every response carries and every form must show: headers, cookies, CSRF, rate limits."""

from __future__ import annotations

import re
from datetime import timedelta

from flask import Flask, Response, g, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from memory.accounts import fold_email
from memory.web.current import is_this_machine, person_or_none, wiring

SESSION_LIFE = timedelta(days=90)
MOST_FORM_BYTES = 2 * 1024 * 1024
MOST_UPLOAD_BYTES = 50_000_000  # of a person's own export, which comes back
_UPLOADS = frozenset({"data.look", "data.bring_in"})
FEW_BY_ADDRESS = "60 per minute; 600 per hour"
FEW_BY_ACCOUNT = "10 per 5 minutes; 50 per day"

csrf = CSRFProtect()
limiter = Limiter(key_func=get_remote_address, strategy="fixed-window", headers_enabled=False)
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")


def init(app: Flask) -> None:
    """Set cookies, CSRF, limits and headers up for an app whose parts are wired already."""
    with app.app_context():
        parts = wiring()
    settings = parts.settings
    app.secret_key = settings.secret_key
    app.config.update(
        SESSION_COOKIE_NAME="asterism",
        SESSION_COOKIE_SECURE=settings.is_secure,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=SESSION_LIFE,
        WTF_CSRF_TIME_LIMIT=None,  # the token lives as long as the session it belongs to
        MAX_CONTENT_LENGTH=MOST_FORM_BYTES,
        RATELIMIT_STORAGE_URI="redis://",
        RATELIMIT_STORAGE_OPTIONS={"connection_pool": parts.redis.connection_pool},
        # Signing in must work while the queue's server is down: each process then counts for itself.
        RATELIMIT_IN_MEMORY_FALLBACK_ENABLED=True,
    )
    app.before_request(_take_uploads)  # before the protection looks into the form
    csrf.init_app(app)
    limiter.init_app(app)
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # Flask's documented way
            app.wsgi_app, x_for=count, x_proto=count, x_host=count
        )
    app.after_request(_add_headers)


def _take_uploads() -> None:
    """Let the two pages that take an export in take a large one; no other."""
    if request.endpoint in _UPLOADS and person_or_none() is not None:
        request.max_content_length = MOST_UPLOAD_BYTES + MOST_FORM_BYTES
        request.max_form_memory_size = MOST_UPLOAD_BYTES


def account_key() -> str:
    """Counts tries for one account, from wherever they come."""
    return "account:" + fold_email(request.form.get("email", ""))[:254]


def is_failure(response: Response) -> bool:
    """Only tries that failed count against a limit: a success answers with a redirect."""
    return response.status_code != 303


def allow_inline_styles() -> None:
    """Let the current response carry `style` attributes, for a page whose drawing needs them."""
    g.inline_styles = True


def _add_headers(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", _policy())
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("X-Frame-Options", "DENY")
    # Links hold one-time tokens; no other site is to see them. "same-origin" and not
    # "no-referrer": Flask-WTF compares the referrer on https.
    response.headers.setdefault("Referrer-Policy", "same-origin")
    if request.is_secure or is_this_machine(request.host):  # elsewhere browsers ignore it, with a complaint
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers.setdefault(
        "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    )
    if wiring().settings.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    if request.endpoint != "static":
        # What was remembered must not come back with the Back button after signing out.
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def _policy() -> str:
    style = "'self' 'unsafe-inline'" if g.get("inline_styles") else "'self'"
    sockets = _socket_origins()
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            f"style-src {style}",
            "img-src 'self' data:",
            "font-src 'self'",
            f"connect-src 'self'{sockets}",
            "manifest-src 'self'",
            "worker-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )


def _socket_origins() -> str:
    """The page's own sockets, named for browsers that do not count them as 'self'."""
    host = request.host
    if not _HOST.fullmatch(host):
        return ""
    return f" {'wss' if request.is_secure else 'ws'}://{host}"
