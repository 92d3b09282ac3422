"""Cards of the people that a clause names with their relations."""

from __future__ import annotations

import re

from memory.language import names
from memory.listening.heard import Candidate
from memory.listening.judging import attribute_of
from memory.listening.mention import Mention
from memory.listening.scene import Scene
from memory.listening.subjects import Told, is_age
from memory.listening.tokens import Kind
from memory.records import Category


def persons_of(scene: Scene, told: Told, predicate: str, *, skip_known: bool) -> list[Candidate]:
    """Cards for named people with a relation; the subject's card takes what is said of it."""
    found = []
    for mention in told.mentions:
        if mention.plural:
            found.extend(_listed(scene, told, mention))
            continue
        if not mention.name or not mention.relation or mention.owner == "other":
            continue
        if mention.known and skip_known and not mention.named:
            continue
        said = [mention.name, mention.relation]
        why = f"relation {mention.key}"
        is_subject = mention.last == told.lead or told.subject.name == mention.name
        if predicate and is_subject and not mention.named:
            rest = told.piece.without(*mention.apart).part(mention.last)
            first = rest.words[0].folded if rest else ""
            if scene.lex.has("copula", first) and len(rest) > 1:
                rest = rest.part(1)
            if scene.lex.has("third", first):
                rest = rest.part(1)
            says = rest and not (len(rest) == 1 and scene.lex.has("naming_verb", rest.folded[0]))
            if says and told.lead == mention.last:
                said.append(re.sub(r"\s*,(?:\s*,)+", ",", rest.said(scene.text)).strip(" ,"))
                why += "+"
        rule = attribute_of(scene, told) if len(said) > 2 else None
        if told.gapped and len(said) > 2 and rule is None and is_age(scene, told.piece.part(mention.last)):
            rule = ("age", said[-1], False)
        words = told.piece.words[mention.first : mention.last]
        end = told.piece.end if len(said) > 2 else words[-1].end
        found.append(
            Candidate(
                category=Category.PERSON,
                text=", ".join(said),
                span=(words[0].start, end),
                subject=mention.name,
                relation=mention.relation,
                attribute=rule[0] if rule else f"relation:{mention.key}",
                value=rule[1] if rule else mention.name,
                people=(mention.name,),
                sensitive=bool(rule and rule[2]),
                why=why,
            )
        )
    return found


def _listed(scene: Scene, told: Told, mention: Mention) -> list[Candidate]:
    """People told as a list: "my kids Mia and Tom", "zwei Söhne, Leo (5) und Max"."""
    words, found = told.piece.words, []
    relation = names.relation_word(mention.key, scene.lex.language)
    at = mention.last
    naming = scene.lex.begins("naming", told.piece.part(at).norm)
    if naming:
        at += told.piece.part(at).range_of(naming)[1]
    while at < len(words):
        if scene.lex.has("and", words[at].folded):
            at += 1
            continue
        name, last = scene.people.name_at(words, at)
        sure = naming or words[at].is_capital or scene.lex.has("first_name", words[at].folded)
        if not name or not sure:
            break
        said, at, age = [name, relation], last, ""
        if at < len(words) and words[at].kind is Kind.NUMBER and words[at].text.isdigit():
            age, at = words[at].text, at + 1
            said.append(age)
        found.append(
            Candidate(
                category=Category.PERSON,
                text=", ".join(said),
                span=(words[last - 1].start, words[at - 1].end),
                subject=name,
                relation=relation,
                attribute="age" if age else f"relation:{mention.key}",
                value=age or name,
                people=(name,),
                why="list of relations",
            )
        )
    return found


def only_names(scene: Scene, told: Told, persons: list[Candidate]) -> bool:
    """Whether a clause says nothing beyond who somebody is: "Tobias is my brother-in-law"."""
    if not persons:
        return False
    covered = {i for m in told.mentions for i in range(m.first, m.last)}
    rest = [
        word.folded
        for i, word in enumerate(told.piece.words)
        if i not in covered
        and not scene.lex.has("copula", word.folded)
        and not scene.lex.has("and", word.folded)
        and not scene.lex.has("article", word.folded)
        and not scene.lex.has("adverb", word.folded)
        and not scene.lex.has("possession", word.folded)
        and not scene.lex.has("self", word.folded)
    ]
    return not rest or bool(scene.lex.begins("naming", " ".join(rest)))
