"""A very large store is searched in part: what the database's indexes bring, ranked as if it were all.

Below the stated size the whole store is in memory and the search is exact
(`shelves`). Above it only the best candidates by meaning, by each word, by date and
by age are loaded, each time anew. They are ranked by the same functions; how rare a
word is, is then told by the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy.orm import Session

from memory import language as lang
from memory.cards.ranking.question import meaning, read
from memory.cards.shelves import Shelves, load
from memory.config import LANGUAGES
from memory.embedding import Embedder
from memory.storage import nearest

CANDIDATES = 300  # of each kind: for each meaning, each word, the soonest, the newest
_TALKS = 100  # turns, of each kind: each brings its whole conversation


def candidates(
    session: Session,
    person_id: int,
    queries: Sequence[str],
    *,
    language: str,
    embedder: Embedder,
    today: date,
) -> Shelves:
    """The part of the person's store that may answer, ready to be ranked.

    Args:
        queries: what is asked, an angle each.
        language: of the turn; that of each query is looked at itself.
        today: the person's own date: coming events are candidates.
    """
    texts: list[str] = []
    sought: dict[tuple[str, ...], None] = {}
    for query in queries:
        spoken = lang.detect(query, hint=language)
        texts += dict.fromkeys([query, meaning(query, language=spoken)])
        sought |= dict.fromkeys(read(query, language=spoken, others=LANGUAGES).sought)
    vectors, words, version = list(embedder.encode(texts)), list(sought), embedder.version
    cards = nearest.cards(
        session, person_id, vectors, words, version=version, today=today.isoformat(), limit=CANDIDATES
    )
    turns = nearest.turns(session, person_id, vectors, words, version=version, limit=_TALKS)
    talks = nearest.summaries(session, person_id, vectors, words, version=version, limit=_TALKS)
    return load(session, person_id, cards=cards, turns=turns, summaries=talks, vector_version=version)
