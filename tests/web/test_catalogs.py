from __future__ import annotations

import re
from gettext import GNUTranslations
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog

from memory.config import LANGUAGES
from memory.web import catalogs
from memory.web.i18n import LANGUAGE_NAMES

PLACEHOLDER = re.compile(r"%\(\w+\)s")


@pytest.fixture(scope="module")
def strings() -> Catalog:
    return catalogs.extract()


def test_code_templates_and_errors_are_all_read(strings: Catalog) -> None:
    for known in ("What I remember", "just now", "This provider needs a key."):
        assert strings.get(known) is not None, known


@pytest.mark.parametrize("language", catalogs.languages())
def test_no_language_lacks_a_string(strings: Catalog, language: str) -> None:
    assert catalogs.missing(strings, catalogs.load(language)) == []


@pytest.mark.parametrize("language", catalogs.languages())
def test_translations_keep_their_placeholders(language: str) -> None:
    for message in catalogs.load(language):
        if not message.id:
            continue
        sources = (message.id,) if isinstance(message.id, str) else message.id
        wanted = set(PLACEHOLDER.findall(sources[-1]))
        for word in catalogs.words(message):
            assert set(PLACEHOLDER.findall(word)) == wanted, (message.id, word)
            assert "%" not in PLACEHOLDER.sub("", word).replace("%%", "") or "%" in sources[0], word


@pytest.mark.parametrize("language", catalogs.languages())
def test_what_is_compiled_is_current(language: str) -> None:
    compiled = catalogs.FOLDER / language / "LC_MESSAGES" / "messages.mo"
    with compiled.open("rb") as file:
        found = GNUTranslations(file)
    wanted = GNUTranslations(BytesIO(catalogs.compiled(catalogs.load(language))))
    assert words_of(found) == words_of(wanted), "run `make catalogs`"


def words_of(compiled: GNUTranslations) -> dict[object, str]:
    held: dict[object, str] = vars(compiled)["_catalog"]
    return {source: word for source, word in held.items() if source}  # without the header


def test_every_language_has_a_name() -> None:
    assert set(LANGUAGE_NAMES) == set(LANGUAGES)
