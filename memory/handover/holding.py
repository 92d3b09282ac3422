"""What an agent does: claim, speak, note, decide, pass on, hand back. Each act writes its audit."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.decisions import log
from memory.decisions.schema import Keys
from memory.decisions.values import Refused, canonical
from memory.errors import Conflict, Forbidden, InvalidInput
from memory.frames import Frames
from memory.handover.asking import tell_places
from memory.handover.telling import tell
from memory.records import Person, Role
from memory.storage import audit, conversations, people, turns
from memory.storage import decisions as decision_rows
from memory.storage import handovers as rows
from memory.storage.audit import Action
from memory.storage.engine import transaction
from memory.storage.handovers import Handover

AGENTS = (Role.AGENT, Role.OPERATOR)
MOST_CHARS = 20_000


def claim(engine: Engine, frames: Frames, public_id: str, agent: Person, *, now: datetime) -> Handover:
    """Take a waiting conversation. From the commit on nothing more of the assistant reaches the person.

    Raises:
        NotFound: there is no such request.
        Conflict: somebody was faster, it is over, or it is the agent's own conversation.
    """
    with transaction(engine) as session:
        handover = rows.by_public_id(session, public_id)
        if handover.person_id == agent.id:
            raise Conflict("This is your own conversation. A colleague can take it.")
        if not rows.claim(session, handover, agent.id, now=now):
            raise Conflict("Somebody else has taken this, or it is over.")
        _note_down(session, Action.CLAIMED, handover, agent, now=now)
        tell(session, frames, handover, "claimed", agent=agent.name, now=now)
        handover = rows.by_public_id(session, public_id)
    frames.wake(handover.person_id)
    tell_places(engine, frames, now=now)
    return handover


def held(session: Session, public_id: str, agent: Person) -> Handover:
    """The request that this agent holds; nobody else reads the conversation.

    Raises:
        NotFound: there is no such request.
        Forbidden: another holds it, nobody does, or it is over.
    """
    handover = rows.by_public_id(session, public_id)
    if handover.ended_at is not None or handover.claimed_by != agent.id:
        raise Forbidden("You do not hold this conversation.")
    return handover


def say(
    engine: Engine,
    frames: Frames,
    public_id: str,
    agent: Person,
    *,
    text: str,
    client_id: str,
    now: datetime,
) -> None:
    """Send the person a message, as a turn of their thread. The same `client_id` twice is one message.

    Raises:
        InvalidInput: there is no text, or too much.
        Forbidden: the agent does not hold the conversation.
    """
    text = _checked(text)
    with transaction(engine) as session:
        handover = _held_fast(session, public_id, agent)
        turn, new = rows.say(session, handover, agent, text=text, client_id=client_id, now=now)
        if new:
            frames.add(
                session,
                person_id=handover.person_id,
                kind="human",
                body={"text": text, "agent": agent.name, "at": now.isoformat(timespec="seconds")},
                now=now,
                conversation_id=handover.conversation_id,
                turn_id=turn.id,
            )
            _note_down(session, Action.SAID, handover, agent, now=now)
    frames.wake(handover.person_id)


def note(engine: Engine, public_id: str, agent: Person, *, text: str, now: datetime) -> None:
    """Keep an internal note. It makes no turn and no frame, so that no page of the person can get it.

    Raises:
        InvalidInput: there is no text, or too much.
        Forbidden: the agent does not hold the conversation.
    """
    text = _checked(text)
    with transaction(engine) as session:
        handover = _held_fast(session, public_id, agent)
        rows.add_note(session, handover, agent.id, text, now=now)
        _note_down(session, Action.NOTED, handover, agent, now=now)


def decide(
    engine: Engine,
    keys: Keys,
    public_id: str,
    agent: Person,
    *,
    name: str,
    value: str,
    matter: str = "",
    now: datetime,
) -> Refused | None:
    """Decide something as a human; what held before stays in the history.

    Args:
        matter: its name as `Decision.matter`; "" is this conversation.

    Returns:
        Why the value is refused; what held is then untouched. None when it holds now.

    Raises:
        InvalidInput: there is no such key.
        Forbidden: the agent does not hold the conversation.
    """
    key = keys.get(name)
    if key is None or key.retired:
        raise InvalidInput("Choose what is decided.")
    with transaction(engine) as session:
        handover = _held_fast(session, public_id, agent)
        owner = people.by_id(session, handover.person_id)
        checked = canonical(key, value, language=agent.language, now=now, zone=owner.zone)
        if isinstance(checked, Refused):
            return checked
        newest = turns.of_conversation(session, handover.conversation_id, limit=1)
        log.store(
            session,
            person_id=owner.id,
            conversation=conversations.by_id(session, handover.conversation_id),
            key=key,
            value=checked,
            matter=_matter(session, owner.id, matter),
            turn_id=newest[-1].id if newest else None,
            decided_by=agent.name[:120],
            now=now,
            zone=owner.zone,
        )
        _note_down(session, Action.DECIDED, handover, agent, detail=name, now=now)
    return None


def undecide(engine: Engine, public_id: str, agent: Person, *, name: str, matter: str, now: datetime) -> bool:
    """Take a decision back as a human; False when none held.

    Raises:
        Forbidden: the agent does not hold the conversation.
    """
    with transaction(engine) as session:
        handover = _held_fast(session, public_id, agent)
        found = [each for each in decision_rows.matters(session, handover.person_id) if each.name == matter]
        if not found or decision_rows.withdraw(session, found[0], key=name, now=now) is None:
            return False
        _note_down(session, Action.WITHDREW, handover, agent, detail=name, now=now)
    return True


def pass_on(engine: Engine, frames: Frames, public_id: str, agent: Person, *, to: str, now: datetime) -> None:
    """Give the conversation to a colleague, or back to the queue with "".

    Raises:
        InvalidInput: there is no such colleague.
        Forbidden: the agent does not hold the conversation.
    """
    with transaction(engine) as session:
        handover = _held_fast(session, public_id, agent)
        colleague = people.by_public_id(session, to) if to else None
        if to and (
            colleague is None
            or colleague.role not in AGENTS
            or colleague.id in (agent.id, handover.person_id)
        ):
            raise InvalidInput("Choose a colleague.")
        target = None if colleague is None else colleague.id
        if not rows.reassign(session, handover, holder_id=agent.id, to=target, now=now):
            raise Forbidden("You do not hold this conversation.")
        if colleague is None:
            _note_down(session, Action.REQUEUED, handover, agent, now=now)
            place = rows.place(session, handover)
            tell(session, frames, handover, "requested", agent=agent.name, place=place, now=now)
        else:
            _note_down(session, Action.PASSED, handover, agent, detail=colleague.name, now=now)
            tell(session, frames, handover, "claimed", agent=colleague.name, now=now)
    frames.wake(handover.person_id)


def return_to_assistant(
    engine: Engine, frames: Frames, public_id: str, agent: Person, *, now: datetime
) -> None:
    """Hand the conversation back: the assistant goes on from what is stored.

    Raises:
        Forbidden: the agent does not hold the conversation.
    """
    with transaction(engine) as session:
        handover = _held_fast(session, public_id, agent)
        if not rows.give_back(session, handover, holder_id=agent.id, now=now):
            raise Forbidden("You do not hold this conversation.")
        _note_down(session, Action.RETURNED, handover, agent, now=now)
        tell(session, frames, handover, "returned", agent=agent.name, now=now)
    frames.wake(handover.person_id)


def _held_fast(session: Session, public_id: str, agent: Person) -> Handover:
    """As `held`, and held so until the transaction ends."""
    conversations.lock(session, rows.by_public_id(session, public_id).conversation_id)
    return held(session, public_id, agent)


def _matter(session: Session, person_id: int, name: str) -> str:
    """A matter that the person has, by its name; "" for any other."""
    return name if any(each.name == name for each in decision_rows.matters(session, person_id)) else ""


def _note_down(
    session: Session, action: Action, handover: Handover, agent: Person, *, detail: str = "", now: datetime
) -> None:
    audit.add(
        session,
        action,
        actor=agent.name,
        person_id=handover.person_id,
        handover_id=handover.id,
        detail=detail,
        now=now,
    )


def _checked(text: str) -> str:
    if not text.strip():
        raise InvalidInput("Write something first.")
    if len(text) > MOST_CHARS:
        raise InvalidInput("A message may have at most %(most)s characters.", most=MOST_CHARS)
    return text.strip()
