"""What is told: facts, people and events out of the clauses of a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from memory.language import TimeMention, names
from memory.listening.clauses import Clause, Role
from memory.listening.durable import Leaning, leanings
from memory.listening.heard import Candidate
from memory.listening.people import Mention
from memory.listening.scene import Scene, sentence_case, strip
from memory.listening.tokens import Kind, Piece, Token, is_hour
from memory.records import Category, When

ANCHORED = 0.42  # a clause about the speaker, their people or things is lasting from here on
RULED = 0.05  # ... when a row of the attribute table fits it
LOOSE = 0.62  # ... when nothing in it says whose it is
CORRECTED = 0.3  # ... when the person puts something right
AMONG = 0.33  # ... when another clause of the sentence is lasting
CONDITIONAL = 0.85  # ... when it hangs on an "if"


@dataclass
class Subject:
    """Whom a clause is about, carried to the clauses that leave it out."""

    kind: str = ""  # "self", "person", "thing" or ""
    name: str = ""
    relation: str = ""
    words: str = ""  # as said: "my sister", "the lift"


@dataclass
class Told:
    """One clause prepared for judging."""

    clause: Clause
    piece: Piece
    mentions: tuple[Mention, ...]
    subject: Subject
    text: str
    lead: int = 0  # how many words at the beginning are the subject
    leaning: Leaning | None = None
    times: tuple[TimeMention, ...] = ()


def hear_told(
    scene: Scene,
    clauses: list[Clause],
    *,
    correcting: bool = False,
    asked: bool = False,
    subject: Subject | None = None,
) -> tuple[list[Candidate], Subject]:
    """Candidates of the told clauses of one sentence, and whom it spoke of last.

    Args:
        scene: the message.
        clauses: clauses in order; those that ask or command are not among them.
        correcting: the sentence puts something right.
        asked: the clauses stand beside a question or request.
        subject: whom the sentence before spoke of.
    """
    told: list[Told] = []
    current = subject or Subject()
    spoken = current  # the person spoken of last, for "he" and "she"
    conditional = False
    clauses = _put_right(scene, clauses) if correcting else clauses
    for clause in clauses:
        prepared, current = _prepare(scene, clause, current, spoken)
        spoken = _spoken_of(scene, prepared, current, spoken)
        if clause.role is Role.CONDITION:
            conditional = True
            continue
        if prepared is not None:
            both = _both(scene, prepared.piece, told)
            if len(both) == 2:
                prepared.text = f"{both[0]}, {both[1]}: {prepared.text}"
            told.append(prepared)
    told = [t for i, t in enumerate(told) if not _only_antecedent(scene, t, told[i + 1 : i + 2])]
    for each, leaning in zip(told, leanings([t.text for t in told]), strict=True):
        each.leaning = leaning
    found: list[Candidate] = []
    several = sum(_lasting(scene, t, None)[0] for t in told)
    lived: Candidate | None = None
    tense = "past" if any(w in scene.lex.past_verbs for t in told for w in t.piece.folded) else "auto"
    for number, each in enumerate(told):
        event = None if asked or conditional else _event(scene, each, told[number + 1 :], tense)
        if event is not None:
            if lived is not None and (event.when == lived.when or _hour_only(each)):
                continue
            event = _with_hour(event, told, scene)
            if number and _leans_back(scene, each) and not told[number - 1].times:
                before = told[number - 1]
                gone = (before.piece.start, before.piece.end)
                found = [c for c in found if c.span != gone]
                event = replace(event, text=sentence_case(f"{before.text}, {event.text[0].lower()}{event.text[1:]}"))
            lived = event
            found.append(event)
            found.extend(_persons(scene, each, "", skip_known=True))
            continue
        past = (
            lived is not None and lived.when is not None and lived.when.start < scene.now.replace(tzinfo=None)
        )
        threshold = CONDITIONAL if conditional else 0.6 if past else None
        if each.clause.result and threshold is None:
            threshold = LOOSE  # "so ...": mostly a remark
        elif threshold is None and several and not _lasting(scene, each, None)[0]:
            threshold = AMONG  # facts come together
        found.extend(_statement(scene, each, threshold, correcting=correcting))
    return _distinct(introduced(found)), current


def _only_antecedent(scene: Scene, told: Told, after: list[Told]) -> bool:
    """Whether a clause without a verb is only what the relative clause behind it speaks of."""
    verb = any(w in scene.lex.verbs for w in told.piece.folded)
    return not verb and any(
        t.clause.role is Role.RELATIVE and t.subject.kind == "self" and t.clause.antecedent for t in after
    )


def _leans_back(scene: Scene, told: Told) -> bool:
    """Whether an event's clause only says "it": what it is was said before ("the club has moved, it's on ...")."""
    lex = scene.lex
    words = [w for w in told.piece.folded if not lex.has("adverb", w)]
    if not words:
        return False
    kinds = ("it", "third", "copula")
    return any(lex.has(kind, words[0]) for kind in kinds) or told.clause.bare_verb


def _hour_only(told: Told) -> bool:
    """Whether a clause tells an hour but no day: it belongs to the event told before."""
    return bool(told.times) and not any(t.has_date for t in told.times)


def _with_hour(event: Candidate, told: list[Told], scene: Scene) -> Candidate:
    """The event with the hour that another clause of the sentence tells ("..., take-off 13:20")."""
    if event.when is None or not event.when.all_day:
        return event
    hours = [t for each in told for t in each.times if not t.has_date and t.time is not None and not t.rrule]
    if len(hours) != 1 or hours[0].time is None:
        return event
    start = datetime.combine(event.when.start.date(), hours[0].time)
    return replace(event, when=When(start=start, zone=event.when.zone))


def introduced(found: list[Candidate]) -> list[Candidate]:
    """A new person's card takes the first statement that was made about them ("..., who loves pottery")."""
    merged: list[Candidate] = []
    bare: dict[str, int] = {}
    first = [c for c in found if c.category is Category.PERSON]
    for candidate in [*first, *(c for c in found if c.category is not Category.PERSON)]:
        at = bare.get(candidate.subject)
        if candidate.category is Category.FACT and at is not None and candidate.text.startswith(candidate.subject):
            said = candidate.text.removeprefix(candidate.subject).strip()
            person = merged[at]
            span = (min(person.span[0], candidate.span[0]), max(person.span[1], candidate.span[1]))
            merged[at] = replace(
                person,
                text=f"{person.text}, {said}",
                span=span,
                attribute=candidate.attribute or person.attribute,
                value=candidate.value or person.value,
                sensitive=candidate.sensitive,
            )
            del bare[candidate.subject]
            continue
        if candidate.category is Category.PERSON and candidate.text.count(",") == 1:
            bare[candidate.subject] = len(merged)
        merged.append(candidate)
    return merged


# preparing


def _put_right(scene: Scene, clauses: list[Clause]) -> list[Clause]:
    """Without the denied half of "Nia isn't four, she's five": the right half names her instead of "she"."""
    kept: list[Clause] = []
    for clause in clauses:
        before = kept[-1].piece if kept else None
        pronoun = bool(clause.piece) and any(
            scene.lex.has(kind, clause.piece.folded[0]) for kind in ("third", "it")
        )
        denied = before is not None and any(scene.lex.has("negation", w) for w in before.folded)
        if before is not None and pronoun and denied:
            verb = next((i for i, w in enumerate(before.folded) if w in scene.lex.verbs), 0)
            if verb:
                subject = before.part(0, verb)
                kept[-1] = Clause(Piece([*subject.tokens, *clause.piece.part(1).tokens]), Role.MAIN)
                continue
        kept.append(clause)
    return kept


def _spoken_of(scene: Scene, told: Told | None, current: Subject, before: Subject) -> Subject:
    """Whom a "he" in the next clause means: the subject if a person, else the person named last."""
    if current.kind == "person":
        return current
    if told is None:
        return before
    people = [m for m in told.mentions if m.owner in ("self", "article") and not m.plural or m.known]
    return _of(people[-1], told.piece, scene) if people else before


def _prepare(
    scene: Scene, clause: Clause, before: Subject, spoken: Subject | None = None
) -> tuple[Told | None, Subject]:
    piece = strip(scene, clause.piece)
    if not piece:
        return None, before
    mentions = scene.people.find(piece)
    subject, lead = _subject(scene, piece, mentions, clause, before, spoken or before)
    text = _clause_text(scene, piece, clause, subject, lead)
    told = Told(clause, piece, mentions, subject, text, lead)
    told.times = tuple(scene.times(piece))
    return told, subject if subject.kind else before


def _subject(
    scene: Scene,
    piece: Piece,
    mentions: tuple[Mention, ...],
    clause: Clause,
    before: Subject,
    spoken: Subject,
) -> tuple[Subject, int]:
    """Whom a clause is about and how many of its first words say so."""
    lex, words = scene.lex, piece.words
    at = 0
    while at < len(words) and (lex.has("adverb", words[at].folded) or lex.has("filler", words[at].folded)):
        at += 1
    if at >= len(words):
        return before, 0
    for mention in mentions:
        leads = mention.first <= at or (mention.first == at + 1 and lex.has("article", words[at].folded))
        if leads and mention.last > at:
            return _of(mention, piece, scene), mention.last
    word = words[at].folded
    if clause.role is Role.RELATIVE and clause.antecedent:
        inner = scene.people.find(clause.antecedent)
        if inner:
            return _of(inner[-1], clause.antecedent, scene), 0
    if lex.has("self", word) or word in lex.first_verbs:
        return Subject(kind="self"), 0
    if lex.has("third", word) and len(words) > 1:
        spoken = spoken if spoken.kind == "person" else _before(scene)
        return (replace(spoken), at + 1) if spoken.kind == "person" else (Subject(), 0)
    if clause.bare_verb or (word in lex.verbs and not lex.has("question_verb", word)):
        if lex.has("self", words[at + 1].folded if at + 1 < len(words) else ""):
            return Subject(kind="self"), 0
        for mention in mentions:
            if mention.first == at + 1 and not clause.bare_verb:
                return _of(mention, piece, scene), 0
        if before.kind == "self" and lex.first_verbs and not any(w in lex.first_verbs for w in piece.folded):
            return replace(spoken) if spoken.kind == "person" else Subject(), 0
        return replace(before), 0
    inverted = _inverted(scene, piece, mentions)
    if inverted is not None:
        return inverted, 0
    if lex.has("possessive", word) or lex.has("article", word):
        return Subject(kind="thing", words=" ".join(w.text for w in words[: at + 2])), 0
    return Subject(), 0


def _before(scene: Scene) -> Subject:
    """Whom the person's message before this one spoke of last."""
    if not scene.previous:
        return Subject()
    piece = Piece(scene.lex.tokens(scene.previous))
    found = [m for m in scene.people.find(piece) if m.owner in ("self", "article") or m.known]
    return _of(found[-1], piece, scene) if found else Subject()


def _inverted(scene: Scene, piece: Piece, mentions: tuple[Mention, ...]) -> Subject | None:
    """The subject behind the verb, when something else stands first: "mittwochs hat meine Tochter ..."."""
    lex, words = scene.lex, piece.words
    for at, word in enumerate(words[:8]):
        if lex.has("self", word.folded):
            return Subject(kind="self")
        if word.folded in lex.verbs:
            for mention in mentions:
                if mention.first == at + 1:
                    return _of(mention, piece, scene)
            if at + 1 < len(words) and lex.has("self", words[at + 1].folded):
                return Subject(kind="self")
            return None
    return None


def _both(scene: Scene, piece: Piece, told: list[Told]) -> tuple[str, ...]:
    """The two people that a "both" means: the last two named ones before it in the sentence."""
    if not scene.lex.begins("both", piece.norm):
        return ()
    named = [m.name for t in told for m in t.mentions if m.name]
    return tuple(dict.fromkeys(named))[-2:]


def _of(mention: Mention, piece: Piece, scene: Scene) -> Subject:
    words = " ".join(word.text for word in piece.words[mention.first : mention.last])
    return Subject(kind="person", name=mention.name, relation=mention.relation, words=words)


def _clause_text(scene: Scene, piece: Piece, clause: Clause, subject: Subject, lead: int) -> str:
    """The clause as a sentence of its own: the subject it left out, or only a pronoun for it, put in."""
    said = piece.said(scene.text)
    if _is_age(scene, piece):
        template = scene.lex.templates["age_self" if subject.kind in ("", "self") else "age"]
        return template.format(name=subject.name or subject.words, age=said)
    if clause.role is Role.RELATIVE and clause.antecedent:
        if subject.kind == "self":  # "the clinic where I work ..."
            return f"{clause.antecedent.said(scene.text)} {clause.link} {said}"
        return f"{subject.name or subject.words or clause.antecedent.said(scene.text)} {said}"
    if subject.kind != "person":
        return said
    name = subject.name or subject.words
    word = piece.words[0].folded
    if scene.lex.has("third", word) and lead:
        return re.sub(r" (?=['’])", "", f"{name} {piece.part(lead).said(scene.text)}")
    if clause.bare_verb and not any(m.first == 0 for m in scene.people.find(piece)):
        return f"{name} {said}"
    return said


def _is_age(scene: Scene, piece: Piece) -> bool:
    """Whether a clause is nothing but an age: "fifty-three"."""
    match = scene.lex.begins("age_alone", piece.norm)
    return match is not None and match.end() == len(piece.norm)


def like_mine(scene: Scene, piece: Piece) -> Candidate | None:
    """What a question tells of the speaker's own thing: "a cellar that, like ours, floods every spring"."""
    lex = scene.lex
    match = lex.search("like_mine", piece.norm)
    if match is None:
        return None
    at, last = piece.range_of(match)
    start = at
    while start > 0 and not lex.has("article", piece.words[start - 1].folded):
        start -= 1
    if start == 0:
        return None
    if start > 1 and lex.has("relative", piece.words[start - 1].folded):  # "..., der wie meiner": its noun is before
        start -= 1
        while start > 0 and not lex.has("article", piece.words[start - 1].folded):
            start -= 1
    inside = any(lex.has("relative", w) or lex.has("that", w) for w in piece.folded[start:at])
    end = len(piece) if inside else last
    part = piece.part(start, end)
    return Candidate(
        category=Category.FACT,
        text=sentence_case(part.said(scene.text)),
        span=(part.start, part.end),
        why=f"one's own thing: {match.group()}",
    )


# judging


def _statement(scene: Scene, told: Told, threshold: float | None, *, correcting: bool) -> list[Candidate]:
    """The fact of a clause, if it is lasting, and the people it names."""
    lex, piece = scene.lex, told.piece
    if correcting and threshold is None:
        threshold = CORRECTED
    keep, why = _lasting(scene, told, threshold)
    text = told.text
    wrong = ""
    if keep:
        text, wrong = _without_wrong(scene, piece, text)
    head = next((m for m in told.mentions if m.last == told.lead and m.first <= 1 and m.name), None)
    naming_only = head is not None and head.named and len(piece) - head.last <= 1
    persons = _persons(scene, told, text if keep and not naming_only else "", skip_known=True)
    if not keep or naming_only:
        return persons
    if (
        any(p.text.count(",") > 1 or p.why.endswith("+") for p in persons)
        and head is not None
        and not head.known
    ):
        return persons  # the person's card says it
    if _only_names(scene, told, persons):
        return persons
    if persons and told.subject.kind not in ("self", "person") and not _about_self(scene, told):
        return [replace(persons[0], text=f"{persons[0].text}, {text}"), *persons[1:]]
    rule = _attribute(scene, told)
    attribute, value, sensitive = rule if rule else ("", "", False)
    about = told.subject
    fact = Candidate(
        category=Category.FACT,
        text=sentence_case(text),
        span=(piece.start, piece.end),
        subject=about.name or about.relation if about.kind == "person" else "",
        attribute=attribute,
        value=value,
        people=tuple(m.name for m in told.mentions if m.name),
        sensitive=sensitive or _has_code(piece),
        negated=bool(lex.search("no_longer", piece.norm))
        or any(lex.has("negation", w) for w in piece.folded),
        why=why,
    )
    return [*persons, fact]


def _lasting(scene: Scene, told: Told, threshold: float | None) -> tuple[bool, str]:
    """Whether a clause is worth keeping as a fact, and by what."""
    lex, piece, leaning = scene.lex, told.piece, told.leaning
    assert leaning is not None
    norm = piece.norm
    if lex.search("correction_only", norm):
        return False, "about a mistake"
    if told.clause.role is Role.QUESTION or not any(w in lex.verbs for w in piece.folded):
        known_verb = any(w in lex.verbs for w in piece.folded)
        if told.clause.role is Role.QUESTION or not (
            (_has_code(piece) and len(piece) >= 2)
            or _is_age(scene, piece)
            or (not known_verb and leaning.lasting > 0.7 and len(piece) >= 4)
        ):
            return False, "no verb"
    if lex.search("hypothetical", norm) or lex.search("joke_word", norm) or lex.search("unsure", norm):
        return False, "unreal"
    if lex.search("speech", norm) and any(m.owner or m.name for m in told.mentions):
        return False, "somebody's words"
    if lex.search("meta", norm) and not lex.search("home_anchor", norm):
        return False, "about the talk"
    anchored = _anchored(scene, told) or bool(lex.search("home_anchor", norm))
    rule = _attribute(scene, told)
    code = _has_code(piece)
    if _introduces(scene, piece):
        return True, "introduces"
    if lex.search("state", norm) and leaning.lasting < 0.8 and not code:
        return False, "passing state"
    needed = threshold
    if needed is None:
        if rule or code or lex.search("no_longer", norm):
            needed = RULED
        elif anchored and any(t.rrule for t in told.times):
            return leaning.transient < 0.8, f"habit {leaning.lasting:.2f}"
        else:
            needed = ANCHORED if anchored else LOOSE
    if not anchored and not code and not _thing(scene, piece):
        return False, "nobody's"
    if leaning.unreal > 0.6 and leaning.lasting < 0.35 and not rule and not code:
        return False, "unreal"
    if leaning.lasting < needed:
        return False, "not lasting"
    return True, f"{rule[0] if rule else 'code' if code else 'statement'} {leaning.lasting:.2f}"


def _introduces(scene: Scene, piece: Piece) -> bool:
    """Whether a clause is "I'm Priyanka" or "there's a whippet called Moss": a name is said."""
    match = scene.lex.begins("intro", piece.norm)
    if match is not None:
        name, last = scene.people.name_at(piece.words, piece.range_of(match)[1])
        if name and last >= len(piece):
            return True
    match = scene.lex.search("naming", piece.norm)
    if match is None:
        return False
    name, _ = scene.people.name_at(piece.words, piece.range_of(match)[1])
    return bool(name)


def _anchored(scene: Scene, told: Told) -> bool:
    """Whether a clause is about the speaker, their people or what is theirs."""
    lex, piece = scene.lex, told.piece
    if told.subject.kind in ("self", "person"):
        return True
    if lex.begins("both", piece.norm):
        return True
    if any(m.owner in ("self", "article") or m.known for m in told.mentions):
        return True
    return any(
        lex.has("self_any", w) or lex.has("possessive", w) or w in lex.first_verbs for w in piece.folded
    )


def _about_self(scene: Scene, told: Told) -> bool:
    """Whether the speaker is in a clause, beside "my" of a relation."""
    within = {i for m in told.mentions for i in range(m.first, m.last)}
    return any(
        scene.lex.has("self_any", word.folded) or word.folded in scene.lex.first_verbs
        for i, word in enumerate(told.piece.words)
        if i not in within
    ) or bool(_attribute(scene, told))


def _thing(scene: Scene, piece: Piece) -> bool:
    """Whether a clause speaks of a certain thing of the household: "the lift stops at ..."."""
    first = piece.words[0].folded
    return (
        scene.lex.has("article", first)
        or piece.words[0].is_capital
        or bool(scene.lex.begins("exist", piece.norm))
        or any(scene.lex.has("article", w) for w in piece.folded[:4])
    )


def _has_code(piece: Piece) -> bool:
    """Whether a clause gives a code, a number to call or an identifier (not a time, age or amount)."""
    for word in piece.words:
        if word.kind is not Kind.NUMBER or is_hour(word):
            continue
        digits = re.sub(r"\D", "", word.text)
        if len(digits) >= 4 and not re.fullmatch(r"19\d\d|20[0-4]\d", word.text):
            return True
        if (
            word.text.startswith("0")
            and len(digits) >= 2
            or re.search(r"[A-Za-z_]", word.text)
            and len(word.text) >= 3
            and not re.fullmatch(r"\d+(?:st|nd|rd|th|kg|km|cm|mm|er|e|ème|h|am|pm|ml|g|l|m|s)", word.folded)
        ):
            return True
    return False


def _attribute(scene: Scene, told: Told) -> tuple[str, str, bool] | None:
    """Key, value and sensitivity of the first row that fits."""
    about = told.subject.kind or "self"
    for rule in scene.lex.attributes:
        if rule.about not in ("any", about):
            continue
        match = rule.pattern.search(told.piece.norm)
        if match is None:
            continue
        groups = {key: value for key, value in match.groupdict().items() if value}
        x = (groups.get("x") or groups.get("x2") or "").split(" ")
        x = " ".join(w for w in x if not scene.lex.has("article", w) and not scene.lex.has("possessive", w))
        v = groups.get("v") or groups.get("v2") or ""
        if rule.key.startswith("code"):
            v = next((w.text for w in told.piece.words if w.kind is Kind.NUMBER), v)
        return rule.key.format(x=x).rstrip(":"), rule.value.format(v=v), rule.sensitive
    return None


def _without_wrong(scene: Scene, piece: Piece, text: str) -> tuple[str, str]:
    """A statement without what it denies in passing: "twelve, not eleven", "nicht Lenz, sondern Renz"."""
    for name in ("not_but", "but_not"):
        match = scene.lex.search(name, piece.norm)
        if match is None or scene.lex.search("no_longer", piece.norm):
            continue
        first, last = piece.range_of(match, "gone")
        if name == "but_not" and not _comma_before(piece, first):
            continue
        kept = piece.without(first, last).said(scene.text)
        wrong = match.group("wrong")
        gone = piece.part(first, last).said(scene.text)
        shorter = text.replace(gone, " ") if gone in text else kept
        return re.sub(r"\s+", " ", re.sub(r"\s*,\s*(?=,|$)", "", shorter)).strip(), wrong
    return text, ""


def _comma_before(piece: Piece, at: int) -> bool:
    if at == 0 or at >= len(piece.words):
        return False
    start, end = piece.words[at - 1].end, piece.words[at].start
    return any(start <= token.start < end and token.kind is Kind.PUNCT for token in piece.tokens)


# people


def _persons(scene: Scene, told: Told, predicate: str, *, skip_known: bool) -> list[Candidate]:
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
            rest = told.piece.part(mention.last)
            first = rest.words[0].folded if rest else ""
            if scene.lex.has("copula", first) and len(rest) > 1:
                rest = rest.part(1)
            if scene.lex.has("third", first):
                rest = rest.part(1)
            if rest and told.lead == mention.last:
                said.append(rest.said(scene.text).strip(" ,"))
                why += "+"
        rule = _attribute(scene, told) if len(said) > 2 else None
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
        if not name:
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


def _only_names(scene: Scene, told: Told, persons: list[Candidate]) -> bool:
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
    ]
    return not rest or bool(scene.lex.begins("naming", " ".join(rest)))


# events


def _event(scene: Scene, told: Told, after: list[Told], tense: str) -> Candidate | None:
    """The event a clause tells, when it names a day (or an hour of today) that is not a habit.

    Args:
        scene: the message.
        told: the clause.
        after: the clauses behind it in the sentence; what else happened then is part of the event.
        tense: "past" when a verb of the sentence says that it is over.
    """
    lex, piece, leaning = scene.lex, told.piece, told.leaning
    assert leaning is not None
    time = next((t for t in told.times if t.date is not None and not t.rrule), None)
    if time is None or any(t.rrule for t in told.times):
        return None
    norm = piece.norm
    if lex.search("hypothetical", norm) or lex.search("unsure", norm) or lex.search("birthday", norm):
        return None
    if lex.search("no_longer", norm) or _since(scene, piece, time):
        return None
    rule = _attribute(scene, told)
    if rule is not None and rule[0] in ("home", "job", "origin") and time.past:
        return None  # "we moved here last week": what lasts is where they live
    if tense == "past" and not time.past and leaning.past > leaning.plan and not lex.search("rescheduled", norm):
        earlier = [t for t in scene.times(piece, tense="past") if t.date is not None and not t.rrule]
        time = earlier[0] if earlier else time
    if time.past and lex.search("rescheduled", norm):
        later = [t for t in scene.times(piece, tense="future") if t.date is not None and not t.rrule]
        time = later[0] if later else time
    if time.granularity == "year" or not (time.has_date or time.date == scene.now.date()):
        return None
    if not time.has_date and (leaning.lasting > 0.3 or leaning.plan < 0.5 or not lex.search("plan", norm)):
        return None
    today = time.date == scene.now.date()
    if time.past:
        if time.granularity in ("month",) or leaning.lasting > 0.7 or leaning.transient > 0.75:
            return None
        if today and leaning.past < 0.5:
            return None
    else:
        if today and time.missing_time and leaning.plan < 0.5:
            return None
        planned = bool(lex.search("plan", norm))
        dated = time.has_date and time.time is not None  # a day and an hour are told: nothing else has both
        if not dated and leaning.plan + leaning.past < (0.2 if planned else 0.4) or leaning.unreal > 0.6:
            return None
        if leaning.request > 0.7 or leaning.transient > 0.8:
            return None
    more = _goes_on(told, after) if time.past else []
    spans = [span for t in (told, *more) for time_ in t.times for span in time_.spans]
    last = more[-1].piece if more else piece
    body = Piece([t for t in scene.tokens if piece.start <= t.start < last.end]).outside(spans)
    for each in (told, *more):
        body = _without_relations(each, body)
    text = sentence_case(_trim(scene, body))
    if not text:
        return None
    people = tuple(dict.fromkeys(m.name for t in (told, *more) for m in t.mentions if m.name))
    return Candidate(
        category=Category.EVENT,
        text=text,
        span=(piece.start, last.end),
        people=people,
        when=time.when(scene.zone),
        why=f"event {'past' if time.past else 'coming'} {leaning.plan:.2f}/{leaning.past:.2f}",
    )


def _goes_on(told: Told, after: list[Told]) -> list[Told]:
    """The clauses behind a past event that go on telling it, up to the first that tells something lasting."""
    more = []
    for each in after:
        assert each.leaning is not None
        if each.leaning.lasting > 0.6 or any(not t.past for t in each.times if t.date):
            break
        if any(m.last == each.lead and m.relation for m in each.mentions) and not each.clause.joined:
            break
        more.append(each)
    return more


def _since(scene: Scene, piece: Piece, time: TimeMention) -> bool:
    """Whether a moment is where something lasting began: "since Monday", "depuis lundi"."""
    start = time.span[0]
    inside = [w.folded for w in piece.words if start <= w.start < time.span[1]]
    before = [w.folded for w in piece.words if w.end <= start]
    around = [*inside[:1], *before[-1:]]
    return any(scene.lex.has("since", word) or scene.lex.has("until", word) for word in around)


def _without_relations(told: Told, body: Piece) -> Piece:
    """The event's words without what the people's cards already say of them."""
    gone: list[Token] = []
    for mention in told.mentions:
        if mention.name and mention.relation:
            words = told.piece.words[mention.first : mention.last]
            parts = set(mention.name.casefold().split())
            gone.extend(word for word in words if word.text.casefold() not in parts)
    spans = [(word.start, word.end) for word in gone]
    return body.outside(spans) if spans else body


def _trim(scene: Scene, body: Piece) -> str:
    """Words that only led to a moment that is cut out are cut with it."""
    words = list(body.words)
    while words and scene.lex.has("dangling", words[-1].folded):
        words.pop()
    if not words:
        return ""
    return Piece([t for t in body.tokens if t.start < words[-1].end]).said(scene.text)


def _distinct(found: list[Candidate]) -> list[Candidate]:
    seen: dict[tuple[str, str], Candidate] = {}
    for candidate in found:
        seen.setdefault((candidate.category, candidate.text.casefold()), candidate)
    return list(seen.values())
