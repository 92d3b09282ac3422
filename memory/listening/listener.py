"""One message heard: sentence by sentence, and what each of them holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory.config import LANGUAGES
from memory.language import numbers
from memory.language.folding import fold
from memory.listening import acts, todo
from memory.listening.announced import announced, dictates
from memory.listening.beside import asked_about, tells
from memory.listening.clauses import Clause, Role
from memory.listening.commands import commands, moment_spans
from memory.listening.draft import Draft
from memory.listening.earnest import is_doubted
from memory.listening.facts import hear_told, introduced
from memory.listening.fronted import from_when, fronted, hour_after
from memory.listening.heard import Act, Candidate, Correction, Heard, KnownPerson, Question, Request
from memory.listening.judging import in_earnest
from memory.listening.letters import composed_letters, placed
from memory.listening.lexicon import Lexicon, lexicon
from memory.listening.likeness import left_out, like_mine
from memory.listening.quotes import hear_quotes
from memory.listening.regions import Sentence, sentences
from memory.listening.reminding import people_in
from memory.listening.righting import correct, named_before, swapped
from memory.listening.scene import Scene, sentence_case, strip
from memory.listening.tokens import Kind, Piece
from memory.records import Category, When

_ORDER = tuple(Act)
_HEADING = 14  # words before a colon that may announce what comes behind it
_ANNOUNCES = 7  # words before a colon that may say of whom one speaks
_MOST = 40  # words of a label and its value
_LAST_HOUR = 24
_LEFT_CHARS = 25  # that may follow a yes or no
_BARE_TOKENS = 5  # of a message that is a yes or no and nothing else
_SHORT_TAIL = 8  # letters that may follow "remember that": "please", "mal"
_TOLD = (Category.FACT, Category.PERSON, Category.EVENT)
_QUIET = frozenset({Act.GREETING, Act.THANKS, Act.QUESTION, Act.LAST_TALK, Act.WHAT_DO_YOU_KNOW})


def hear(
    text: str,
    *,
    language: str,
    now: datetime,
    zone: str,
    known: Sequence[KnownPerson] = (),
    speaker: str = "",
    pending: Mapping[str, Any] | None = None,
    previous: str = "",
) -> Heard:
    """See `memory.listening.listen`."""
    composed, places = composed_letters(text)
    scene = Scene(composed, lexicon(language), now, zone, known, pending or {}, previous)
    tokens = scene.lex.tokens(composed)
    draft = Draft()
    for sentence in sentences(composed, tokens, scene.lex):
        before = len(draft.candidates)
        _sentence(scene, sentence, draft)
        _doubt(scene, sentence, draft, before)
        draft.last = sentence.piece
    _answer(scene, draft)
    candidates = tuple(placed(c, places) for c in _unique(draft.candidates))
    if any(c.category for c in candidates):
        draft.acts.add(Act.TELL)
    if not draft.acts:
        draft.acts.add(Act.SMALL_TALK)
    ordered = tuple(act for act in _ORDER if act in draft.acts)
    return Heard(
        text=text,
        language=language,
        acts=ordered,
        candidates=candidates,
        surely_nothing=not candidates and not draft.unsure and draft.acts <= _QUIET,
        **draft.fields,
    )


def _hear_within(scene: Scene, text: str) -> Heard:
    """What another wording, or the message before, holds: heard at the same moment, of the same people."""
    return hear(text, language=scene.lex.language, now=scene.now, zone=scene.zone, known=scene.known)


def _unique(candidates: Sequence[Candidate]) -> list[Candidate]:
    seen: dict[tuple[str, str, When | None], Candidate] = {}
    for candidate in candidates:
        # One thing may ring twice: on Monday and on Thursday.
        when = candidate.when if candidate.category is Category.REMINDER else None
        seen.setdefault((candidate.category, candidate.text.casefold(), when), candidate)
    return list(seen.values())


# one sentence


def _sentence(scene: Scene, sentence: Sentence, draft: Draft) -> None:
    """Add what one sentence holds. The first thing that it surely does decides how it is read."""
    if sentence.play:
        draft.unsure = True
        return
    lex = scene.lex
    whole = sentence.piece
    _courtesies(scene, whole, draft)
    core = strip(scene, whole)
    if sentence.quotes:
        draft.candidates.extend(hear_quotes(scene, sentence))
        draft.unsure = True
        if lex.search("quote_source", whole.norm):
            return
    if not core:
        if lex.search("joke", whole.norm):
            _take_back_told(draft)
        _remembers(scene, whole, draft)
        return
    if _is_an_hour(scene, core):
        return  # "nine" answers something and tells nothing
    core = _dictated(scene, whole) or core
    if lex.search("aside_out", whole.norm):
        core = strip(scene, core)
    told = lex.begins("keep_that", core.norm)
    if told and len(core.norm) > told.end():  # "can you remember that the key is with Ann?" tells
        sentence = replace(sentence, piece=core.part(core.range_of(told)[1]), mark=".")
        core = strip(scene, sentence.piece)
    if dictates(scene, sentence, draft) or _control(scene, whole, core, draft):
        return
    if announced(scene, core, draft):
        return
    if from_when(scene, core, draft) or hour_after(scene, core, draft):
        return
    if commands(scene, sentence, core, draft):
        return
    if sentence.mark != "?" and (_labelled(scene, core, draft) or _fronted(scene, core, draft)):
        return
    _told_or_asked(scene, sentence, core, draft)


def _doubt(scene: Scene, sentence: Sentence, draft: Draft, before: int) -> None:
    """Drop what a sentence told that is no earnest word of the speaker's; what it asked for stays."""
    quoted = [c for c in draft.candidates[before:] if sentence.quotes and c.people and c.subject in c.people]
    told = [c for c in draft.candidates[before:] if c.category in _TOLD and c not in quoted]
    norm = sentence.piece.norm
    if not told or any(scene.lex.begins(name, norm) for name in ("keep_that", "remember_previous")):
        return
    if not sentence.quotes and _announces_oneself(scene, sentence.piece):
        return
    said = sentence.piece.said(scene.text)
    if is_doubted(said, scene.text, scene.lex.language, told=len(told)):
        draft.candidates[before:] = [c for c in draft.candidates[before:] if c not in told]
        draft.unsure = True


def _announces_oneself(scene: Scene, piece: Piece) -> bool:
    """Whether a sentence begins like "a word about me: ..."."""
    colon = next((t for t in piece.tokens if t.text == ":" and t.kind is Kind.PUNCT), None)
    before = [w.folded for w in piece.words if colon is not None and w.start < colon.start]
    said_by = scene.lex.search("speech", " ".join(before))
    return 0 < len(before) <= _ANNOUNCES and not said_by and any(scene.lex.has("self_any", w) for w in before)


def _courtesies(scene: Scene, piece: Piece, draft: Draft) -> None:
    for name, act in (("greeting", Act.GREETING), ("thanks", Act.THANKS)):
        if scene.lex.begins(name, piece.norm):
            draft.acts.add(act)


def _take_back_told(draft: Draft) -> None:
    """The last sentence was a joke: what it told is dropped, what it asked for stays."""
    draft.candidates = [c for c in draft.candidates if c.category not in _TOLD]


def _control(scene: Scene, whole: Piece, core: Piece, draft: Draft) -> bool:
    """Speaker, rule, human, kept?, forgetting: a sentence that speaks to the assistant about itself."""
    lex = scene.lex
    change = acts.speaker(scene, whole) or acts.speaker(scene, core)
    if change is not None:
        draft.fields |= {"speaker_change": change.name, "speaker_relation": change.relation}
        if change.name and change.relation and change.name != change.relation:
            draft.candidates.extend(acts.guest(scene, whole, change))
        draft.unsure = True
        return True
    # "I want to speak" may have been taken for a way of beginning: then only the whole says with whom.
    wants_human = lex.search("human", core.norm) or lex.begins("human", whole.norm)
    if wants_human and len(core) <= 25 and not lex.begins("remind", core.norm):
        draft.fields["wants_human"] = True
        draft.acts.add(Act.REQUEST)
        return True
    said = acts.rule(scene, core)
    if said:
        draft.fields["rule"] = said
        draft.acts.add(Act.REQUEST)
        return True
    if lex.begins("kept", core.norm) and len(core) <= 10:
        draft.fields["asks_if_kept"] = True
        draft.acts.add(Act.QUESTION)
        return True
    if _remembers(scene, core, draft) or _remembers(scene, whole, draft):
        return True
    forgotten = acts.forgetting(scene, core)
    if forgotten is not None and not acts.is_item(scene, core):
        draft.fields["forgetting"] = forgotten
        draft.acts.add(Act.FORGET)
        return True
    return False


def _is_an_hour(scene: Scene, piece: Piece) -> bool:
    """Whether a sentence is a small number and no more."""
    said = piece.said(scene.text).strip(" .!")
    told = numbers.find(said, scene.lex.language)
    return len(told) == 1 and told[0].value <= _LAST_HOUR and told[0].span == (0, len(said))


def _dictated(scene: Scene, piece: Piece) -> Piece | None:
    """What follows "remember this:", or None."""
    match = scene.lex.begins("remember_previous", piece.norm)
    if match is None or match.end() == len(piece.norm):
        return None
    at = piece.range_of(match)[1]
    start, end = piece.words[at - 1].end, piece.words[at].start if at < len(piece) else 0
    return piece.part(at) if any(start <= t.start < end and t.text == ":" for t in piece.tokens) else None


def _remembers(scene: Scene, piece: Piece, draft: Draft) -> bool:
    """Whether a sentence says no more than "remember that", which may look like a way of beginning."""
    match = scene.lex.begins("remember_previous", piece.norm)
    if match is None or len(piece.norm) - match.end() > _SHORT_TAIL:
        return False
    _remember_previous(scene, piece, draft)
    return True


def _remember_previous(scene: Scene, piece: Piece, draft: Draft) -> None:
    """ "Remember that": what the message before said; here too if this message said it first."""
    draft.unsure = True
    draft.acts.add(Act.TELL)
    if draft.candidates or not scene.previous:
        return
    heard = _hear_within(scene, scene.previous)
    span = (piece.start, piece.end)
    draft.candidates.extend(replace(c, span=span, why=f"remember that: {c.why}") for c in heard.candidates)


def _told_or_asked(scene: Scene, sentence: Sentence, core: Piece, draft: Draft) -> None:
    """Clauses that tell are listened to; those that ask are taken apart for search."""
    lex = scene.lex
    core = _without_heading(scene, core)
    said = sentence.piece.norm
    correcting = bool(lex.search("correction", said) or lex.begins("correction_lead", said))
    swap = acts.swapped_day(scene, core)
    correcting = (correcting or swap is not None) and len(sentence.piece) < 40
    draft.correcting = draft.correcting or correcting
    asked = acts.question(scene, sentence, core)
    request = acts.is_request(scene, core)
    clauses = scene.splitter.split(core, moment_spans(scene, core))
    laughing = bool(lex.search("laugh_end", said))
    ironic = bool(lex.begins("joke_start", said)) and sentence.mark != "?"
    quoting = bool(lex.search("quote_goes", said))
    if ironic or quoting or (lex.search("joke_end", said) and not laughing):
        draft.unsure = True
        return
    if asked is None and not request:
        asking = [c for c in clauses if c.role is Role.QUESTION]
        if asking and (sentence.mark == "?" or not lex.begins("comment_clause", asking[-1].piece.norm)):
            ask = Sentence(asking[-1].piece, "?")
            _asked(scene, acts.question(scene, ask, asking[-1].piece), asking[-1].piece, False, draft)
        clauses = [c for c in clauses if c.role is not Role.QUESTION]
        told, draft.subject = hear_told(scene, clauses, correcting=draft.correcting, subject=draft.subject)
        if laughing:  # one joke makes the whole sentence one
            earnest = not lex.search("joke_word", said) and not lex.search("hypothetical", said)
            told = in_earnest(scene, told) if earnest else []
        reasons = [c.piece for c in clauses if c.role is Role.CAUSE]  # "no, eighty-three: she was born in 43"
        only_why = all(any(p.start <= c.span[0] < p.end for p in reasons) for c in told)
        if draft.correcting and only_why and not draft.candidates and _put_right(scene, clauses, draft):
            draft.candidates.extend(told)
            return
        draft.candidates.extend(named_before(scene, told, draft))
        correct(scene, core, told, draft)
        draft.unsure = True
        return
    _asked(scene, asked, core, request, draft)
    beside = [c for i, c in enumerate(clauses) if tells(scene, c, i, clauses)]
    told, draft.subject = hear_told(
        scene, beside, asked=True, subject=asked_about(scene, clauses) or draft.subject
    )
    told = [left_out(scene, core, c) for c in told]
    own = like_mine(scene, core)
    if own is not None:
        told = [c for c in told if c.span[1] <= own.span[0] or c.span[0] >= own.span[1]]
        told.append(own)
    covered = {c.text for c in told}
    if not any(c.category is Category.PERSON for c in told):
        told += [c for c in people_in(scene, core) if c.text not in covered]
    draft.candidates.extend(introduced(told))


def _labelled(scene: Scene, core: Piece, draft: Draft) -> bool:
    """ "Shoe size: 43": a label and its value are a fact of the speaker's."""
    colon = next((t for t in core.tokens if t.text == ":" and t.kind is Kind.PUNCT), None)
    if colon is None or len(core) > _MOST:
        return False
    before = sum(1 for word in core.words if word.start < colon.start)
    label = core.part(0, before).norm if 0 < before < len(core) else ""
    if label and scene.lex.begins("note_label", label):
        note = sentence_case(core.part(before).said(scene.text))
        span = (core.start, core.end)
        memo = Candidate(category=Category.MEMO, text=note, span=span, consult=True, why="a note")
        draft.candidates.append(memo)
        return True
    if not label or not scene.lex.begins("label", label):
        return False
    text = sentence_case(core.said(scene.text))
    span = (core.start, core.end)
    draft.candidates.append(Candidate(category=Category.FACT, text=text, span=span, why="label and value"))
    draft.unsure = True
    return True


def _fronted(scene: Scene, core: Piece, draft: Draft) -> bool:
    """A sentence with one part at its front is listened to in its plain order."""
    plain = fronted(scene, core)
    if plain is None:
        return False
    heard = _hear_within(scene, plain.text)
    if not heard.candidates:
        return False
    span = (core.start, core.end)
    draft.candidates.extend(replace(c, span=span, why=f"fronted: {c.why}") for c in heard.candidates)
    if plain.wrong or draft.correcting:
        first = heard.candidates[0]
        draft.fields["correction"] = Correction(
            right=plain.right, wrong=plain.wrong, subject=first.subject, attribute=first.attribute
        )
    draft.unsure = True
    return True


def _put_right(scene: Scene, clauses: Sequence[Clause], draft: Draft) -> bool:
    """A bare value that corrects the message before: what that message says with it."""
    swap = swapped(scene, clauses)
    if swap is None:
        return False
    heard = _hear_within(scene, swap.text)
    kept = [c for c in heard.candidates if fold(swap.right) in fold(f"{c.text} {' '.join(c.people)}")]
    if not kept:
        return False
    draft.candidates.extend(replace(c, span=swap.span, why=f"put right: {c.why}") for c in kept)
    draft.fields["correction"] = Correction(right=swap.right, wrong=swap.wrong, subject=kept[0].subject)
    draft.unsure = True
    return True


def _without_heading(scene: Scene, core: Piece) -> Piece:
    """A sentence without the words before a colon that only announce a list: "Two numbers for you: ..."."""
    colon = next((t for t in core.tokens if t.text == ":" and t.kind is Kind.PUNCT), None)
    if colon is None or not scene.lex.begins("heading", core.norm):
        return core
    before = sum(1 for word in core.words if word.start < colon.start)
    rest = core.part(before)
    return rest if rest and before <= _HEADING else core


def _asked(scene: Scene, asked: Question | None, core: Piece, request: bool, draft: Draft) -> None:
    lex, norm = scene.lex, core.norm
    if asked is None:
        draft.acts.add(Act.REQUEST)
        draft.fields.setdefault("request", Request(verb="", topic=core.said(scene.text)))
        return
    if not (asked.names or asked.relations) and draft.last is not None:
        asked = _with_people_before(scene, asked, draft.last)
    draft.fields["question"] = asked
    told = lex.begins("recall_told", norm)  # "what did I say Winnie's childminder was called?"
    if told:
        draft.acts.add(Act.QUESTION)
    elif lex.begins("last_talk", norm) or (lex.search("last_talk", norm) and len(core) < 14):
        draft.acts.add(Act.LAST_TALK)
    elif lex.begins("know", norm) or lex.search("know", norm) or acts.about_person(scene, core):
        draft.acts.add(Act.WHAT_DO_YOU_KNOW)
    elif lex.begins("recall", norm):
        draft.acts.add(Act.QUESTION)
    elif request or not acts.personal(scene, core):
        draft.acts.add(Act.REQUEST)
        draft.fields.setdefault("request", Request(verb="", topic=core.said(scene.text)))
        if not request:
            draft.acts.add(Act.QUESTION)
    else:
        draft.acts.add(Act.QUESTION)


def _with_people_before(scene: Scene, asked: Question, before: Piece) -> Question:
    """The question with whom the sentence before it spoke of: "I'm buying my godson a shirt. Which size?"."""
    people = [m for m in scene.people.find(before) if m.owner in ("self", "article") or m.known]
    if len(people) != 1 or asked.attribute in ("name", "where", "when", "code"):
        return asked
    only = people[0]
    return replace(
        asked,
        names=(only.name,) if only.name else (),
        relations=(only.key,) if only.key else (),
        about_speaker=False,
    )


def _answer(scene: Scene, draft: Draft) -> None:
    """A short message that answers what the assistant had asked: a time, a yes, a choice."""
    piece = Piece(scene.lex.tokens(scene.text))
    core = strip(scene, piece) or piece
    said = _yes_no(scene, (piece, core))
    if said is not None and "yes_no" not in draft.fields:
        draft.fields["yes_no"] = said
        if scene.pending:
            draft.acts.add(Act.ANSWER)
    new = any(c.category in (Category.REMINDER, Category.TASK, Category.MEMO) for c in draft.candidates)
    if new or len(piece) > 16:
        return
    found = todo.answer_time(scene, piece, _pending_day(scene))
    if found is None:
        return
    draft.fields["when"], draft.fields["has_time"] = found
    if scene.pending.get("ask") == "time":
        draft.acts.add(Act.ANSWER)
        draft.candidates = [c for c in draft.candidates if c.category is Category.PERSON]


def _yes_no(scene: Scene, pieces: Sequence[Piece]) -> bool | None:
    """Yes or no at the beginning; the longer reading wins ("stimmt" and "stimmt nicht mehr").

    One that is the whole answer to a question is understood in every language: so short a message
    has too few letters to tell in which one it is.
    """
    found = [
        (match.end() - len(each.norm), value)
        for name, value in (("yes", True), ("no", False))
        for each in pieces
        if (match := scene.lex.begins(name, each.norm)) and len(each.norm) - match.end() <= _LEFT_CHARS
    ]
    left, own = min(found, key=lambda each: (-each[0], each[1]), default=(-_LEFT_CHARS, None))
    if left == 0 or not scene.pending or len(pieces[0]) > _BARE_TOKENS:
        return own
    meant = {value for language in LANGUAGES for value in _whole(lexicon(language), scene.text)}
    return meant.pop() if len(meant) == 1 else own


def _whole(lex: Lexicon, text: str) -> Iterator[bool]:
    """What a text says that is nothing but a yes or a no of a language."""
    norm = Piece(lex.tokens(text)).norm
    for name, value in (("yes", True), ("no", False)):
        match = lex.begins(name, norm)
        if match and match.end() == len(norm):
            yield value


def _pending_day(scene: Scene) -> datetime | None:
    day = scene.pending.get("day") or scene.pending.get("date")
    if isinstance(day, datetime):
        return day
    if isinstance(day, str):
        try:
            return datetime.fromisoformat(day)
        except ValueError:
            return None
    return None
