"""Keeps the translations beside the sources: `python -m memory.web.catalogs`, or `make catalogs`.

Every language's `messages.po` is brought to the strings that the code and the
templates use now, and compiled; what is not translated yet is listed.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from memory.config import LANGUAGES

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "translations"
SOURCE = "en"  # its strings stand in the code
_METHODS = [("memory/**.py", "python"), ("templates/**.html", "jinja2")]
_OPTIONS = {"templates/**.html": {"trimmed": "true"}}
# An error's first argument is its English message (memory/errors.py).
_ERRORS = ("InvalidInput", "NotSignedIn", "Forbidden", "Conflict", "TooMany", "Unavailable")
_KEYWORDS = {**DEFAULT_KEYWORDS, "lazy_gettext": None, **dict.fromkeys(_ERRORS)}


def extract() -> Catalog:
    """All strings that a person may read, from code and templates."""
    found = Catalog(charset="utf-8")
    for folder in ("memory", "templates"):
        for _file, _line, message, comments, context in extract_from_dir(
            ROOT / folder,
            [(pattern.removeprefix(f"{folder}/"), method) for pattern, method in _METHODS],
            {pattern.removeprefix(f"{folder}/"): options for pattern, options in _OPTIONS.items()},
            keywords=_KEYWORDS,
        ):
            if message and message != ("", ""):
                found.add(message, None, auto_comments=comments, context=context)
    return found


def languages() -> tuple[str, ...]:
    """The languages that have a catalog: all but the source's own."""
    return tuple(code for code in LANGUAGES if code != SOURCE)


def load(language: str) -> Catalog:
    """One language's translations; empty when there are none yet."""
    path = _path(language, "po")
    if not path.exists():
        return Catalog(charset="utf-8")
    with path.open("rb") as file:
        # Without a locale the plural forms are the file's own: Unicode's third form, for
        # whole millions, is of no use to a list of memories.
        return read_po(file, charset="utf-8")


def missing(strings: Catalog, translated: Catalog) -> list[str]:
    """The strings that a language has no words for, or whose words are only guessed."""
    return [
        _source(message)
        for message in strings
        if message.id and not _is_translated(translated.get(_source(message), message.context))
    ]


def words(message: Message) -> tuple[str, ...]:
    """A message's translation, one for each of its plural forms."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def compiled(catalog: Catalog) -> bytes:
    """The catalog as the running product reads it; the same words give the same bytes."""
    catalog.creation_date = catalog.revision_date = _NO_DATE
    buffer = BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def main() -> int:
    """Bring every catalog up to date; 1 when something is left to translate."""
    strings = extract()
    left = 0
    for language in languages():
        catalog = load(language)
        catalog.update(strings, no_fuzzy_matching=True, update_header_comment=False)
        catalog.obsolete.clear()
        _path(language, "po").parent.mkdir(parents=True, exist_ok=True)
        buffer = BytesIO()
        write_po(buffer, catalog, width=110, no_location=True, omit_header=True, sort_output=True)
        header = _HEADER.format(language=language, plural=_PLURALS[language])
        _path(language, "po").write_bytes(header.encode() + buffer.getvalue())
        _path(language, "mo").write_bytes(compiled(load(language)))
        for source in missing(strings, catalog):
            left += 1
            sys.stdout.write(f"{language}: {source}\n")
    return 1 if left else 0


_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
_PLURALS = {"de": "(n != 1)", "pt": "(n != 1)", "fr": "(n > 1)", "es": "(n != 1)"}
# Without dates, so that a catalog changes only when its words do.
_HEADER = """msgid ""
msgstr ""
"Project-Id-Version: Asterism\\n"
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural={plural};\\n"

"""


def _path(language: str, kind: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"messages.{kind}"


def _source(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _is_translated(message: Message | None) -> bool:
    if message is None or message.fuzzy:
        return False
    return all(words(message)) and len(words(message)) == (1 if isinstance(message.id, str) else 2)


if __name__ == "__main__":
    sys.exit(main())
