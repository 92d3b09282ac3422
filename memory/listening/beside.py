"""What is told beside a question or a request, and whom the question is about."""

from __future__ import annotations

from collections.abc import Sequence

from memory.listening.clauses import Clause, Role
from memory.listening.scene import Scene, strip
from memory.listening.subjects import Subject, of_mention


def tells(scene: Scene, clause: Clause, index: int, clauses: Sequence[Clause]) -> bool:
    """Whether a clause of a question or request tells something: a reason, an aside, a statement before."""
    lex, norm = scene.lex, clause.piece.norm
    if clause.role is Role.RELATIVE:
        people = scene.people.find(clause.antecedent) if clause.antecedent else ()
        own = clause.antecedent and any(lex.has("possessive", w) for w in clause.antecedent.folded[-4:])
        return not lex.search("like_mine", norm) and (
            bool(own) or any(m.owner in ("self", "article") or m.name for m in people)
        )
    if clause.role is Role.CAUSE:
        return True
    if (
        clause.role in (Role.CONDITION, Role.QUESTION)
        or lex.begins("question", norm)
        or lex.begins("request", norm)
    ):
        return False
    if index and lex.search("asked_cleft", clauses[index - 1].piece.norm):
        return False  # "when was it we saw them otters"
    if clause.role is Role.COMPLEMENT:
        return clause.joined and index > 0 and clauses[index - 1].role is Role.CAUSE
    if index and _only_asks_which(scene, clauses[index - 1]):
        return False  # "que número de sandália | eu levo para ela": one question
    last = all(c.role in (Role.CAUSE, Role.RELATIVE, Role.CONDITION) for c in clauses[index + 1 :])
    if clause.joined and clause.bare_verb and index and tells(scene, clauses[index - 1], index - 1, clauses):
        return True
    asked = any(_asks(scene, other) for other in clauses[:index])
    if last and not asked:
        return False
    said = strip(scene, clause.piece) or clause.piece
    first = next((w for w in said.folded if not lex.has("adverb", w)), "")
    own = lex.has("elides_self", lex.language) and lex.has("elided", first)  # "..., can't bear the things"
    if own and asked and not _asks(scene, clause):
        return True
    before = index and lex.has("third", first) and any(w in lex.verbs for w in clause.piece.folded)
    if before and tells(scene, clauses[index - 1], index - 1, clauses):
        return not _asks(scene, clause)  # "my aunt stays with us, she eats no garlic, so what ...?"
    elsewhere = any(_asks(scene, other) for other in clauses if other is not clause)
    verb = any(word in lex.verbs for word in clause.piece.folded) and not lex.has("wh", first)
    if elsewhere and verb and lex.has("verb_last", lex.language) and first not in lex.verbs:
        return not _asks(scene, clause)  # "ohne Brille bin ich aufgeschmissen, hast du ...?"
    return (
        lex.has("self", first)
        or lex.has("possessive", first)
        or lex.has("article", first)
        or first in lex.first_verbs
        or bool(scene.people.find(clause.piece.part(0, 5)))
    ) and (not last or bool(scene.people.find(clause.piece.part(0, 5))) or lex.has("self", first))


def asked_about(scene: Scene, clauses: Sequence[Clause]) -> Subject | None:
    """The person that a question is about: "he" in its reason is that person."""
    for clause in clauses:
        if clause.role in (Role.MAIN, Role.QUESTION, Role.COMPLEMENT):
            people = [m for m in scene.people.find(clause.piece) if m.name or m.owner in ("self", "article")]
            if people:
                return of_mention(people[-1], clause.piece)
    return None


def _only_asks_which(scene: Scene, clause: Clause) -> bool:
    """Whether a clause is the question words of the one behind it: no verb of its own."""
    lex, words = scene.lex, clause.piece.folded
    asks = bool(words) and (lex.has("wh", words[0]) or bool(lex.begins("question", clause.piece.norm)))
    return asks and not any(word in lex.verbs and not lex.has("ambiguous", word) for word in words)


def _asks(scene: Scene, clause: Clause) -> bool:
    """Whether a clause is itself the question or the request."""
    norm = clause.piece.norm
    lex = scene.lex
    return (
        clause.role is Role.QUESTION
        or bool(lex.begins("question", norm))
        or bool(lex.begins("request", norm))
        or any(lex.has("you", w) for w in clause.piece.folded)
        or (bool(clause.piece) and lex.has("asking", clause.piece.folded[0]))
    )
