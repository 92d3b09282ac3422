"""Is a told clause worth keeping? The rows of the tables first, then what the classifier leans to."""

from __future__ import annotations

import re

from memory.language import fold
from memory.listening.clauses import Role
from memory.listening.durable import leanings
from memory.listening.heard import Candidate
from memory.listening.scene import Scene
from memory.listening.subjects import Told, is_age
from memory.listening.tokens import Kind, Piece, is_hour
from memory.records import Category

ANCHORED = 0.42  # a clause about the speaker, their people or things is lasting from here on
LIKELY = 0.34  # ... or from here on, when no other kind is likelier
RULED = 0.05  # ... when a row of the attribute table fits it
ENDED = 0.08  # ... when it says that something is no longer so
ENDED_UNREAL = 0.85  # ... unless it leans this far to what is not so: "I am no longer king of ..."
LOOSE = 0.62  # ... when nothing in it says whose it is
CORRECTED = 0.3  # ... when the person puts something right
APART = 0.8  # ... beside an event that would else be told with it
AMONG = 0.33  # ... when another clause of the sentence is lasting
INSTEAD = 0.2  # ... in place of what has just ended
LIVED = 0.66  # ... beside an event that is over
HEALERS = ("doctor", "dentist", "therapist", "physiotherapist", "vet", "midwife")
# Rows about a person; said of a thing ("our cat is twelve") they are not the speaker's.
OWN = (
    "age",
    "birthday",
    "home",
    "diet",
    "job",
    "smokes",
    "handed",
    "origin",
)
STRONG = ("home", "job", "vehicle", "diet", "allergy", "health", "age", "code")  # rows that need no lean
PRESENT = ("diet", "job", "smokes")  # rows about what is so now
YEARLY = ("birthday", "anniversary", "expiry")  # rows that need none when they say a day of the calendar
HABIT = 0.15  # ... when a word of it says "always", "for years", "in the mornings"
ELIDED = 0.55  # ... when "I" is left out
LAUGHED = 0.6  # what leans further to the unreal and is told with a laugh is a joke
_CUT = 3  # words of a clause that ends with its copula and says nothing
SEVERAL = 3  # things told together with a laugh that are no joke
CONDITIONAL = 0.7  # ... when it hangs on an "if"


def lasting(scene: Scene, told: Told, threshold: float | None) -> tuple[bool, str]:
    """Whether a clause is worth keeping as a fact, and by what."""
    lex, piece, leaning = scene.lex, told.piece, told.leaning
    norm = piece.norm
    if lex.search("correction_only", norm):
        return False, "about a mistake"
    if _named_here(scene, piece):
        return True, "introduces"
    if told.clause.role is Role.QUESTION or not any(w in lex.verbs for w in piece.folded):
        known_verb = any(w in lex.verbs for w in piece.folded)
        if told.clause.role is Role.QUESTION or not (
            (has_code(piece) and len(piece) >= 2)
            or told.gapped
            or is_age(scene, piece)
            or (
                not known_verb
                and leaning.lasting > 0.8
                and len(piece) >= 3
                and not _only_a_thing(scene, told)
            )
            or (not known_verb and _bare_trait(scene, piece))
            or (lex.has("self", piece.folded[0]) and len(piece) >= 3)
        ):
            return False, "no verb"
    if (
        told.unreal
        or lex.search("hypothetical", norm)
        or lex.search("joke_word", norm)
        or lex.search("unsure", norm)
    ):
        return False, "unreal"
    said_by = {m.key for m in told.mentions} | {lex.relations.get(w, "") for w in piece.folded}
    healer = not said_by.isdisjoint(HEALERS)  # "my doctor says I have to avoid salt"
    spoken = lex.search("speech", norm)
    if spoken and spoken.end() == len(norm) and told.mentions:
        return False, "somebody's words"  # "my doctor says": what, is another clause
    if (
        lex.search("speech", norm)
        and not healer
        and (told.mentions or told.subject.kind in ("person", "thing"))
    ):
        return False, "somebody's words"
    if lex.search("meta", norm) and not lex.search("home_anchor", norm) and not has_code(piece):
        return False, "about the talk"
    ends = len(piece) <= _CUT and lex.has("copula", piece.folded[-1])
    if ends and not lex.has("verb_last", lex.language):
        return False, "cut off"  # "e que número é?"
    anchored = _anchored(scene, told) or bool(lex.search("home_anchor", norm))
    rule = attribute_of(scene, told)
    code = has_code(piece)
    if _introduces(scene, piece):
        return True, "introduces"
    if told.serves:
        return True, "service"
    if rule is not None and rule[0] == "age" and _is_it(scene, piece):
        return False, "how long, not how old"
    strong = rule is not None and (rule[0].split(":")[0] in STRONG or _on_its_day(scene, told, rule[0]))
    other = leaning.other
    passing = bool(lex.search("state", norm)) and leaning.lasting < min(0.5, other + 0.1)
    if strong and not passing and leaning.unreal < 0.85 and threshold != CONDITIONAL:
        return True, f"{rule[0] if rule else ''} {leaning.lasting:.2f}"
    related = any(m.relation or m.known for m in told.mentions)
    if _is_it(scene, piece) and not rule and not code and not related:
        return False, "what it is was not said"
    instead = threshold is not None and threshold <= INSTEAD  # what holds now is no passing state
    if lex.search("state", norm) and leaning.lasting < 0.7 and not code and not instead:
        return False, "passing state"
    needed = threshold
    if needed is None:
        if rule or code:
            needed = RULED
        elif lex.search("no_longer", norm):
            needed = ENDED
        elif any(t.rrule for t in told.times) and (anchored or leaning.lasting > 0.25):
            return leaning.transient < 0.8, f"habit {leaning.lasting:.2f}"
        elif anchored and lex.search("habitual", norm) and leaning.past < 0.5 and leaning.unreal < 0.6:
            needed = HABIT
        else:
            needed = ANCHORED if anchored or _bare_trait(scene, piece) else LOOSE
            if told.subject.kind == "self" and not about_self(scene, told):
                needed = ELIDED
    if not anchored and not code and not _thing(scene, piece) and not _bare_trait(scene, piece):
        return False, "nobody's"
    if (
        leaning.unreal > (ENDED_UNREAL if needed == ENDED else 0.6)
        and leaning.lasting < 0.35
        and not rule
        and not code
    ):
        return False, "unreal"
    likely = needed == ANCHORED and leaning.lasting > max(LIKELY, leaning.other)
    if leaning.lasting < needed and not likely:
        return False, "not lasting"
    return True, f"{rule[0] if rule else 'code' if code else 'statement'} {leaning.lasting:.2f}"


def _only_a_thing(scene: Scene, told: Told) -> bool:
    """Whether a clause without a verb does no more than name a thing that is nobody's: "the 11 train"."""
    return scene.lex.has("article", told.piece.folded[0]) and not _anchored(scene, told)


def _on_its_day(scene: Scene, told: Told, key: str) -> bool:
    """Whether a birthday or wedding day is told by its date: a day of the calendar, not "tomorrow"."""
    if key.split(":")[0] not in YEARLY:
        return False
    for time in told.times:
        inside = [w for w in told.piece.words if any(a <= w.start < b for a, b in time.spans)]
        if time.date and any(w.kind is Kind.NUMBER or scene.lex.has("month", w.folded) for w in inside):
            return True
    return False


def in_earnest(scene: Scene, told: list[Candidate]) -> list[Candidate]:
    """Of what was told with a laugh ("lol"): all of it when it is a string of plain facts, else only where
    a thing is kept. A single statement with a laugh behind it is a joke as often as not."""
    told_facts = [c for c in told if c.category is Category.FACT]
    leant = dict(zip(told_facts, leanings([c.text for c in told_facts], scene.lex.language), strict=True))
    if len(told) >= SEVERAL and all(leaning.unreal < LAUGHED for leaning in leant.values()):
        return told
    return _happened(scene, told) + [
        c
        for c, leaning in leant.items()
        if scene.lex.search("kept_in", fold(c.text)) and leaning.lasting > 0.7 and leaning.unreal < 0.1
    ]


def _happened(scene: Scene, told: list[Candidate]) -> list[Candidate]:
    """The events that are over and surely were: "no sábado fomos à pesca kkkk"."""
    now = scene.now.replace(tzinfo=None)
    events = [c for c in told if c.category is Category.EVENT and c.when is not None and c.when.start < now]
    leant = leanings([c.text for c in events], scene.lex.language)
    return [c for c, each in zip(events, leant, strict=True) if each.past > 0.3 and each.unreal < 0.15]


def _bare_trait(scene: Scene, piece: Piece) -> bool:
    """Whether a clause is nothing but a trait: "vegan", "allergic to wasps, me"."""
    return len(piece) <= 8 and bool(scene.lex.begins("bare_trait", piece.norm))


def _is_it(scene: Scene, piece: Piece) -> bool:
    """Whether a clause begins with an "it" of its own, not with the article of a noun ("das Büro")."""
    first, second = piece.folded[0], piece.folded[1] if len(piece) > 1 else ""
    if not scene.lex.has("it", first):
        return False
    if not scene.lex.has("article", first) or not second:
        return True
    if scene.lex.nouns and piece.words[1].is_capital:
        return False
    lex = scene.lex
    small = ("adverb", "negation", "copula", "self_any", "preposition", "and", "third")
    return second in lex.verbs or any(lex.has(kind, second) for kind in small)


def _introduces(scene: Scene, piece: Piece) -> bool:
    """Whether a clause is "I'm Priyanka" or "there's a whippet called Moss": a name is said."""
    match = scene.lex.begins("intro", piece.norm)
    if match is not None:
        name, last = scene.people.name_at(piece.words, piece.range_of(match)[1])
        if name and last >= len(piece):
            return True
    what = scene.lex.begins("what_is", piece.norm)
    if what is not None:
        last = piece.range_of(what)[1]  # "who does my accounts is Priti"
        return any(m.name and last <= m.first <= last + 1 for m in scene.people.find(piece))
    match = scene.lex.search("naming", piece.norm)
    if match is None:
        return False
    start = piece.range_of(match)[1]
    name, _ = scene.people.name_at(piece.words, start)
    said = piece.part(*piece.range_of(match)).folded
    if name and scene.lex.nouns and scene.lex.has("copula", said[0]):  # "da ist die Hölle los"
        first = piece.folded[start]
        return scene.lex.has("first_name", first) or scene.lex.has("title", first.rstrip("."))
    return bool(name)


def _named_here(scene: Scene, piece: Piece) -> bool:
    """Whether a clause is no more than who speaks: "Marcus here", "Sister Perpetua here"."""
    match = scene.lex.search("named_here", piece.norm)
    if match is None:
        return False
    end = piece.range_of(match)[0]
    if piece.folded[end - 1] in scene.lex.common:
        return False  # "Snow here": the weather
    starts = range(min(end, 2))  # "old Bert here"
    return any(scene.people.name_at(piece.words, at)[1] == end for at in starts)


def _anchored(scene: Scene, told: Told) -> bool:
    """Whether a clause is about the speaker, their people or what is theirs."""
    lex, piece = scene.lex, told.piece
    if told.subject.kind in ("self", "person"):
        return True
    if lex.begins("both", piece.norm):
        return True
    before = told.clause.antecedent
    if told.clause.role is Role.RELATIVE and any(lex.has("possessive", w) for w in before.folded[-4:]):
        return True
    if any(m.owner in ("self", "article") or m.known for m in told.mentions):
        return True
    return any(
        lex.has("self_any", w) or lex.has("possessive", w) or w in lex.first_verbs for w in piece.folded
    )


def about_self(scene: Scene, told: Told) -> bool:
    """Whether the speaker is in a clause, beside "my" of a relation."""
    within = {i for m in told.mentions for i in range(m.first, m.last)}
    return any(
        scene.lex.has("self_any", word.folded) or word.folded in scene.lex.first_verbs
        for i, word in enumerate(told.piece.words)
        if i not in within
    ) or bool(attribute_of(scene, told))


def _thing(scene: Scene, piece: Piece) -> bool:
    """Whether a clause speaks of a certain thing of the household: "the lift stops at ..."."""
    first = piece.words[0].folded
    led = scene.lex.has("preposition", first)  # "im Ferienhaus am See heißt das WLAN ..."
    return (
        scene.lex.has("article", first)
        or piece.words[0].is_capital
        or bool(scene.lex.begins("exist", piece.norm))
        or any(scene.lex.has("article", w) for w in piece.folded[: 7 if led else 4])
    )


def has_code(piece: Piece) -> bool:
    """Whether a clause gives a code, a number to call or an identifier (not a time, age or amount)."""
    for word in piece.words:
        if word.kind is not Kind.NUMBER or is_hour(word):
            continue
        digits = re.sub(r"\D", "", word.text)
        if len(digits) >= 2 and any(sign in word.text for sign in "#*"):
            return True
        if len(digits) >= 4 and not re.fullmatch(r"19\d\d|20[0-4]\d", word.text):
            return True
        if (word.text.startswith("0") and len(digits) >= 2) or (
            re.search(r"[A-Za-z_]", word.text)
            and len(word.text) >= 3
            and not re.fullmatch(r"\d+(?:st|nd|rd|th|kg|km|cm|mm|er|e|ème|h|am|pm|ml|g|l|m|s)", word.folded)
        ):
            return True
    return False


def attribute_of(scene: Scene, told: Told) -> tuple[str, str, bool] | None:
    """Key, value and sensitivity of the first row that fits."""
    about = told.subject.kind or "self"
    for rule in scene.lex.attributes:
        if rule.about not in ("any", about):
            continue
        match = rule.pattern.search(told.piece.norm)
        if match is None:
            continue
        if rule.key in PRESENT and scene.lex.search("was_once", told.piece.norm):
            continue  # "I was vegan at uni"
        groups = {key: value for key, value in match.groupdict().items() if value}
        x = (groups.get("x") or groups.get("x2") or "").split(" ")
        x = " ".join(w for w in x if not scene.lex.has("article", w) and not scene.lex.has("possessive", w))
        v = groups.get("v") or groups.get("v2") or ""
        if told.subject.kind == "thing" and rule.key in OWN:
            return f"{rule.key}:{told.subject.words.casefold()}", rule.value.format(v=v), rule.sensitive
        if rule.key.startswith("code"):
            v = next((w.text for w in told.piece.words if w.kind is Kind.NUMBER), v)
        return rule.key.format(x=x).rstrip(":"), rule.value.format(v=v), rule.sensitive
    return None
