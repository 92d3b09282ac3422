"""The pages and the socket. Nothing but app.py imports this room."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, current_app

from memory.web import (
    accounts,
    agenda,
    calendars,
    chat,
    constellation,
    data,
    desk,
    desk_texts,
    errors,
    guests,
    handover,
    health,
    i18n,
    memories,
    notifications,
    operator,
    rules,
    search,
    security,
    session,
    settings_page,
    several,
    tidying,
    trace,
    worth,
)
from memory.web.current import EXTENSION, person_or_none

if TYPE_CHECKING:
    from memory.wiring import Wiring

_ROOT = Path(__file__).parents[2]


def build_web(wiring: Wiring) -> Flask:
    """The whole web application over parts that are wired already; contacts nothing."""
    app = Flask("memory.web", template_folder=_ROOT / "templates", static_folder=_ROOT / "static")
    app.extensions[EXTENSION] = wiring
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.json.ensure_ascii = False  # type: ignore[attr-defined]  # the default provider has it
    security.init(app)
    session.init(app)
    i18n.init(app)
    errors.init(app)
    for page in (
        accounts,
        agenda,
        calendars,
        chat,
        constellation,
        data,
        desk,
        desk_texts,
        guests,
        handover,
        health,
        memories,
        notifications,
        operator,
        rules,
        search,
        settings_page,
        several,
        tidying,
        trace,
        worth,
    ):
        app.register_blueprint(page.bp)
    app.context_processor(_template_context)
    return app


def _template_context() -> dict[str, object]:
    return {
        "person": person_or_none(),
        "settings": current_app.extensions[EXTENSION].settings,
        "worth_tally": worth.tally,
        "has_page": lambda endpoint: endpoint in current_app.view_functions,
    }
