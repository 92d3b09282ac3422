"""One sentence into its clauses."""

from __future__ import annotations

import pytest

from memory.listening.clauses import Role, Splitter
from memory.listening.lexicon import lexicon
from memory.listening.regions import sentences
from memory.listening.tokens import Piece


def split(text: str, language: str) -> list[str]:
    lex = lexicon(language)
    return [clause.piece.said(text) for clause in Splitter(lex).split(Piece(lex.tokens(text)))]


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("my brother callum drives the night bus and i work at a garden centre and i'm left handed", "en", 3),
        ("I like bread and butter", "en", 1),
        ("ich vertrag keine laktose was koch ich denn jetzt", "de", 2),
        ("a minha filha tem onze anos e o meu filho dezoito", "pt", 2),
        ("ma boîte est la 0B7 et l'ascenseur s'arrête au cinquième", "fr", 2),
        ("mi hijo juega al balonmano y mi hija monta a caballo", "es", 2),
    ],
)
def test_a_clause_for_each_thing_said(text: str, language: str, count: int) -> None:
    assert len(split(text, language)) == count


def test_a_relative_clause_knows_whom_it_speaks_of() -> None:
    lex = lexicon("pt")
    text = "o meu filho Duarte, que é alérgico a marisco, leva almoço"
    relative, main = Splitter(lex).split(Piece(lex.tokens(text)))
    assert relative.role is Role.RELATIVE
    assert "Duarte" in relative.antecedent.said(text)
    assert main.piece.said(text).startswith("o meu filho Duarte")


def test_sentences_end_at_their_signs_and_not_at_titles_or_dates() -> None:
    lex = lexicon("de")
    text = "Dr. Held hat am 3. Oktober frei. Kommst du? Ja!"
    found = sentences(text, lex.tokens(text), lex)
    assert [sentence.mark for sentence in found] == [".", "?", "!"]
