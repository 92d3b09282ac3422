"""Events: what a clause tells to happen, or to have happened, on a certain day."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memory.language import TimeMention, fold, names, numbers
from memory.listening.acts import comma_at
from memory.listening.clauses import Role
from memory.listening.heard import Candidate
from memory.listening.judging import attribute_of, has_code
from memory.listening.kin import TWO_STEPS
from memory.listening.mention import Mention
from memory.listening.scene import Scene, sentence_case
from memory.listening.subjects import Told
from memory.listening.tokens import Kind, Piece, Token
from memory.records import Category, When

_PLACE = 3  # words of a place with its number
_HOUSEHOLD = frozenset({"wife", "husband", "partner", "girlfriend", "boyfriend", "son", "daughter", "child"})


def event_of(scene: Scene, told: Told, after: list[Told], tense: str) -> Candidate | None:
    """The event a clause tells, when it names a day (or an hour of today) that is not a habit.

    Args:
        scene: the message.
        told: the clause.
        after: the clauses behind it in the sentence; what else happened then is part of the event.
        tense: "past" when a verb of the sentence says that it is over, "coming" when it is settled.
    """
    lex, piece, leaning = scene.lex, told.piece, told.leaning
    moments = [t for t in told.times if t.date is not None and not t.rrule]
    time = next((t for t in moments if not scene.put_aside(piece, t)), None)
    if time is None or any(t.rrule for t in told.times):
        return None
    norm = piece.norm
    refused = ("hypothetical", "unsure", "birthday", "correction_only")
    if any(lex.search(name, norm) for name in refused):
        return None
    ended = lex.search("no_longer", norm) and not lex.search("rescheduled", norm)
    if told.serves or ended or _since(scene, piece, time):
        return None
    rule = attribute_of(scene, told)
    if rule is not None and rule[0] in ("hours", "age", "birthday"):
        return None
    if rule is not None and rule[0] in ("home", "job") and time.past:
        return None  # "we moved here last week": what lasts is where they live
    if rule is not None and rule[0] == "origin" and time.past and leaning.past < 0.6:
        return None
    if (
        (tense == "past" or (leaning.past > 0.6 and tense != "coming"))
        and not time.past
        and leaning.past > max(leaning.plan, 0.15)
        and not lex.search("rescheduled", norm)
        and not lex.search("not_over", norm)
    ):
        earlier = [t for t in scene.times(piece, tense="past") if t.date is not None and not t.rrule]
        time = earlier[0] if earlier else time
    arranged = time.time is not None and leaning.plan > 0.6 and leaning.past < 0.2
    if time.past and (lex.search("rescheduled", norm) or arranged):
        later = [t for t in scene.times(piece, tense="future") if t.date is not None and not t.rrule]
        time = later[0] if later else time
    if time.past and leaning.past < 0.6 and any(lex.has("negation", w) for w in piece.folded):
        return None  # "we don't keep Christmas": how it always is
    if time.granularity == "year" or not (time.has_date or time.date == scene.now.date()):
        return None
    if not time.has_date and (leaning.lasting > 0.3 or leaning.plan < 0.5 or not lex.search("plan", norm)):
        return None
    today = time.date == scene.now.date()
    coming = _coming_part(scene, piece, time) if time.past and not today else None
    time = coming or time
    if time.past:
        if time.granularity in ("month",) or leaning.lasting > 0.7 or leaning.transient > 0.75:
            return None
        if today and leaning.past < 0.5:
            return None
    else:
        if today and time.missing_time and leaning.plan < 0.5:
            return None
        planned = bool(lex.search("plan", norm))
        said = piece.outside([span for t in told.times for span in t.spans]).folded  # "May" is no verb
        verbs = (w for w in said if w in lex.verbs and not lex.has("ambiguous", w))
        verbless = time.has_date and not any(verbs)
        least = 0.2 if planned else 0.3 if verbless else 0.4
        dated = time.has_date and time.time is not None  # a day and an hour are told: nothing else has both
        if (not dated and not coming and leaning.plan + leaning.past < least) or leaning.unreal > 0.6:
            return None
        if leaning.request > 0.7 or leaning.transient > 0.8:
            return None
    more = _goes_on(scene, told, after) if time.past else _place_and_such(scene, after)
    if not more and after and not _has_matter(scene, told):
        more = after[:1]  # "on Wednesday, not this one, the 13th, there's a meeting"
    spans = [span for t in (told, *more) for time_ in t.times for span in time_.spans]
    last = more[-1].piece if more else piece
    inside = [t for t in scene.tokens if piece.start <= t.start < last.end]
    for each in (told, *more):
        inside = _without_denied(scene, each.piece, inside)
    body = _without_moments(scene, Piece(inside), spans)
    for each in (told, *more):
        body = _without_relations(each, body)
    text = sentence_case(_trim(scene, body))
    if not text:
        return None
    named = [m.name or _whose(scene, m) for t in (told, *more) for m in t.mentions if m.name or m.relation]
    people = tuple(dict.fromkeys([*filter(None, named), *_of_us(scene, piece)]))
    return Candidate(
        category=Category.EVENT,
        text=text,
        span=(piece.start, last.end),
        people=people,
        when=time.when(scene.zone),
        why=f"event {'past' if time.past else 'coming'} {leaning.plan:.2f}/{leaning.past:.2f}",
    )


def _coming_part(scene: Scene, piece: Piece, time: TimeMention) -> TimeMention | None:
    """The moment read as to come, when its part has no verb: "I got the flat, keys on 1 July"."""
    words = piece.words
    inside = [i for i, w in enumerate(words) if time.spans[0][0] <= w.start < time.spans[-1][1]]
    if not inside:
        return None
    first = next((i for i in range(inside[0], 0, -1) if comma_at(piece, i)), 0)
    if not first or first == inside[0]:
        return None
    if any(w.folded in scene.lex.verbs and not scene.lex.has("ambiguous", w.folded) for w in words[first:]):
        return None
    later = [t for t in scene.times(piece, tense="future") if t.date is not None and t.spans == time.spans]
    return later[0] if later and not later[0].past else None


def _of_us(scene: Scene, piece: Piece) -> tuple[str, ...]:
    """The people that "the three of us" means, when just as many are known at home."""
    match = scene.lex.search("of_us", piece.norm)
    if match is None:
        return ()
    said = numbers.find(match.group("n"), scene.lex.language)
    keys = names.relation_words(scene.lex.language)
    home = [k.name for k in scene.known if k.name and keys.get(fold(k.relation), "") in _HOUSEHOLD]
    count = said[0].value if said else 0
    return tuple(home) if home and len(home) == count - 1 else ()


def _whose(scene: Scene, mention: Mention) -> str:
    """The known person whose kin is spoken of: "Tamsin's baby"; "" for nobody's."""
    first = scene.lex.tokens(mention.relation)[0].folded if mention.key == TWO_STEPS else ""
    return next((k.name for k in scene.known if k.name and fold(k.name).split()[0] == first), "")


def _has_matter(scene: Scene, told: Told) -> bool:
    """Whether a clause says more than when."""
    rest = told.piece.outside([span for t in told.times for span in t.spans])
    lex = scene.lex
    if told.mentions or any(w.folded in lex.verbs for w in rest.words):
        return True
    return any(w.folded not in lex.common and not lex.has("negation", w.folded) for w in rest.words)


def _goes_on(scene: Scene, told: Told, after: list[Told]) -> list[Told]:
    """The clauses behind a past event that go on telling it, up to the first that tells something lasting."""
    more = []
    for each in after:
        # "... came and fixed the leak", "fomos à pesca e viemos de mãos a abanar"
        same = each.clause.joined and (each.clause.bare_verb or over(scene, each))
        same = same or (each.subject.kind != "self" and bool(scene.lex.search("naming", each.piece.norm)))
        if (each.leaning.lasting > 0.6 and not same) or any(t.has_date for t in each.times if t.date):
            break
        if any(m.last == each.lead and m.relation for m in each.mentions) and not each.clause.joined:
            break
        more.append(each)
    return more


def over(scene: Scene, told: Told) -> bool:
    """Whether a clause by its verb only goes on with what happened: not what has ended or begun since."""
    lex = scene.lex
    if lex.search("no_longer", told.piece.norm) or attribute_of(scene, told) is not None:
        return False
    verbs = [w for w in told.piece.folded if w in lex.verbs]
    return bool(verbs) and verbs[0] in lex.past_verbs and verbs[0] in lex.first_verbs


def tense_of(scene: Scene, told: list[Told]) -> str:
    """Whether a sentence is about what is over ("past"), what was settled to come ("coming"), or "auto"."""
    lex = scene.lex
    # "Ficou combinado, este sábado é ...": what was settled is to come.
    settled = [t for t in told if not t.times and lex.search("rescheduled", t.piece.norm)]
    past = any(w in lex.past_verbs for t in told if t not in settled for w in t.piece.folded)
    return "past" if past else "coming" if settled else "auto"


def told_on(scene: Scene, lived: Candidate | None, each: Told) -> bool:
    """Whether a clause goes on with what the speaker lived: "ontem fomos ao circo, saí de lá com ela"."""
    if lived is None or lived.when is None or each.times or has_code(each.piece):
        return False
    lex = scene.lex
    words = each.piece.folded
    verb = next((w for w in words if w in lex.verbs), "")
    if verb not in lex.past_verbs or lex.has("copula", verb) or lex.has("possession", verb):
        return False
    lasts = attribute_of(scene, each) is not None or lex.search("no_longer", each.piece.norm)
    kin = (m for m in each.mentions if m.relation)
    own = lex.has("possessive", words[0]) or any(m.name or m.owner == "self" for m in kin)
    if lasts or own or each.subject.kind == "person" or lex.search("naming", each.piece.norm):
        return False
    return lived.when.start < scene.now.replace(tzinfo=None)


def _place_and_such(scene: Scene, after: list[Told]) -> list[Told]:
    """The parts without a verb right behind a coming event: where it is, with whom."""
    more = []
    for each in after:
        words = each.piece.outside([span for t in each.times for span in t.spans]).folded
        if each.clause.role is not Role.MAIN or (
            any(w in scene.lex.verbs for w in words)
            and not company(scene, each)
            and not numbered(scene, each)
        ):
            break
        more.append(each)
    return more


def numbered(scene: Scene, told: Told) -> bool:
    """Whether a part is no more than a place with its number: "piso 4", "room 204"."""
    words = told.piece.words
    if any(scene.lex.has(kind, w.folded) for w in words for kind in ("copula", "third", "demonstrative")):
        return False  # "der is 91"
    return len(words) <= _PLACE and words[-1].kind is Kind.NUMBER and words[0].kind is Kind.WORD


def company(scene: Scene, told: Told) -> bool:
    """Whether a clause says no more than with whom the speaker goes: "vou com a Benedita"."""
    if any(t.date for t in told.times) or len(told.piece) > 8:
        return False
    if any(m.name or m.relation for m in told.mentions) and scene.lex.search("comes_along", told.piece.norm):
        return True  # "Lorraine's coming with me"
    if attribute_of(scene, told) is not None:
        return False
    words = told.piece.words
    return any(
        m.name and any(scene.lex.has("with", w.folded) for w in words[max(0, m.first - 2) : m.first])
        for m in told.mentions
    )


def _since(scene: Scene, piece: Piece, time: TimeMention) -> bool:
    """Whether a moment is where something lasting began: "since Monday", "depuis lundi"."""
    around: list[str] = []
    for start, stop in time.spans:
        around += [w.folded for w in piece.words if start <= w.start < stop][:1]
        around += [w.folded for w in piece.words if w.end <= start][-1:]
    end = max(last for _, last in time.spans)
    after = next((w.folded for w in piece.words if w.start >= end), "")
    if time.past and "telling" in scene.lex.words and scene.lex.has("that", after):
        return True  # "há um mês que não fumo", "ça fait deux ans que ..."
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


def _without_denied(scene: Scene, piece: Piece, tokens: list[Token]) -> list[Token]:
    """The tokens without those that were taken out of a clause because it denies them ("not A but B")."""
    left = {t.start for t in piece.tokens}
    gone = [t for t in tokens if piece.start <= t.start < piece.end and t.start not in left]
    if not any(scene.lex.has("negation", t.folded) for t in gone):
        return tokens
    return [t for t in tokens if t not in gone]


def _without_moments(scene: Scene, body: Piece, spans: list[tuple[int, int]]) -> Piece:
    """The words without the moments, and without small words that only led to them."""
    kept = body.outside(spans).tokens
    starts = {start for start, _ in spans}
    left: list[Token] = []
    for index, token in enumerate(kept):
        after = kept[index + 1] if index + 1 < len(kept) else None
        following = min((t.start for t in body.tokens if t.start >= token.end), default=-1)
        ends = after is None or after.kind is Kind.PUNCT or scene.lex.has("preposition", after.folded)
        if following in starts and ends and scene.lex.has("dangling", token.folded):
            continue
        left.append(token)
    return Piece(left)


def _trim(scene: Scene, body: Piece) -> str:
    """Words that only led to a moment that is cut out are cut with it."""
    words = list(body.words)
    lex = scene.lex
    verb = any(w.folded in lex.verbs for w in words[:-1])
    if verb and lex.has("separable_end", words[-1].folded):
        return body.said(scene.text)  # "ich hole es ab"
    while words and any(scene.lex.has(kind, words[-1].folded) for kind in ("dangling", "copula")):
        words.pop()
    if not words:
        return ""
    return Piece([t for t in body.tokens if t.start < words[-1].end]).said(scene.text)


def leans_back(scene: Scene, told: Told) -> bool:
    """Whether an event's clause only says "it", so that the clause before says what it is."""
    lex = scene.lex
    words = [w for w in told.piece.folded if not lex.has("adverb", w)]
    if not words:
        return False
    if len(words) > 1 and lex.has("demonstrative", words[0]) and lex.has("copula", words[1]):
        return True  # "der ist jetzt am 20."
    kinds = ("it", "third", "copula")
    return any(lex.has(kind, words[0]) for kind in kinds) or told.clause.bare_verb


def hour_only(told: Told) -> bool:
    """Whether a clause tells an hour but no day: it belongs to the event told before."""
    return bool(told.times) and not any(t.has_date for t in told.times)


def with_hour(event: Candidate, told: list[Told]) -> Candidate:
    """The event with the hour that another clause of the sentence tells ("..., take-off 13:20")."""
    if event.when is None or not event.when.all_day:
        return event
    hours = [t for each in told for t in each.times if not t.has_date and t.time is not None and not t.rrule]
    if len(hours) != 1 or hours[0].time is None:
        return event
    start = datetime.combine(event.when.start.date(), hours[0].time)
    return replace(event, when=When(start=start, zone=event.when.zone))
