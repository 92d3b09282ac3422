"""One conductor for the whole server, not one for each connection.

It holds no conversation: threads are rows, and whatever is kept here is a cache of
what this process runs just now. Any number of processes may have one.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import monotonic
from typing import Any

from sqlalchemy.orm import Session

from memory import language as lang
from memory.conductor import keeping, thread, versions
from memory.conductor.gate import Check
from memory.conductor.parts import Parts
from memory.conductor.run import run_turn
from memory.config import LANGUAGES
from memory.errors import AppError, Conflict, InvalidInput
from memory.overview.interrupted import mark_interrupted
from memory.overview.telling import tell_closed
from memory.queue import JobName
from memory.records import ENDED, Person, Turn, TurnContext, TurnState
from memory.storage import conversations as conversation_rows
from memory.storage import leases
from memory.storage import people as people_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction

log = logging.getLogger(__name__)

_PERSONS_AT_ONCE = 256
_SOURCE_THREADS = 64
_BEAT_S = 1.0  # how often a process looks after its turns, in real seconds
_LOOK_S = 1.0  # how long one who waits for an answer trusts that its wake-up is not lost


class Conductor:
    """Takes messages and runs their turns: a person's one after the other, any number of persons at once."""

    def __init__(self, parts: Parts, *, checks: Sequence[Check] = ()) -> None:
        """Nothing is started before the first message or `start`.

        Args:
            checks: more checks for the output gate, in order.
        """
        self._parts = parts
        self._checks = tuple(checks)
        self._host = socket.gethostname()
        self.owner = f"{self._host}:{os.getpid()}:{secrets.token_hex(4)}"
        self._turns = ThreadPoolExecutor(_PERSONS_AT_ONCE, thread_name_prefix="turn")
        self._sources = ThreadPoolExecutor(_SOURCE_THREADS, thread_name_prefix="source")
        self._lock = threading.Lock()
        self._draining: set[int] = set()
        self._again: set[int] = set()
        self._stops: dict[int, threading.Event] = {}
        self._closing = threading.Event()
        self._keeper: threading.Thread | None = None

    def start(self) -> None:
        """Mark what a dead process left, run what waits, and keep looking."""
        with self._lock:
            if self._keeper is not None:
                return
            self._keeper = threading.Thread(target=self._keep, name="keeper", daemon=True)
        self.recover()
        self._parts.frames.listen()  # for what is to be let go of
        self._keeper.start()
        # The first message must not wait for the weights and the tables.
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def _warm_up(self) -> None:
        lang.detect("the first message asks for this", hint="en")  # its tables take a second to load
        self._parts.embedder.preload()
        self._parts.model()
        for language in LANGUAGES:  # each language's tables take a moment to compile
            keeping.warm_up(language, now=self._parts.clock())

    def close(self, *, wait: bool = False) -> None:
        """Stop looking and start no further turn.

        Args:
            wait: until running turns have ended; else they end by themselves, or are
                marked as interrupted by whoever comes next.
        """
        self._closing.set()
        self._turns.shutdown(wait=wait, cancel_futures=True)
        self._sources.shutdown(wait=wait, cancel_futures=True)
        if wait and self._keeper is not None:
            self._keeper.join()

    def accept(self, person: Person, *, text: str, client_id: str, context: TurnContext) -> Turn:
        """Write down what a person said, then run it.

        The same `client_id` twice is one turn. When the conversation is over, it is
        archived first and a new one begins. While a human holds the conversation,
        the words go to them.

        Raises:
            InvalidInput: there is no text, or too much of it.
            Unavailable: the store is down; nothing was written, sending again is safe.
        """
        text = _checked(text, self._parts.settings.max_message_chars)
        return self._write(person, text=text, client_id=client_id, context=context, replaces=None)

    def edit(
        self, person: Person, turn_public_id: str, *, text: str, client_id: str, context: TurnContext
    ) -> Turn:
        """Say something else instead: a new version of the turn replaces the old.

        Raises:
            NotFound: there is no such turn of this person.
            Conflict: it is still being answered, or it is not in the open conversation.
        """
        text = _checked(text, self._parts.settings.max_message_chars)
        return self._write(person, text=text, client_id=client_id, context=context, replaces=turn_public_id)

    def regenerate(self, person: Person, turn_public_id: str, context: TurnContext) -> Turn:
        """Answer the same words anew; the old version is superseded.

        Raises:
            NotFound: there is no such turn of this person.
            Conflict: it is still being answered, or it is not in the open conversation.
        """
        with reading(self._parts.engine) as session:
            old = turn_rows.by_public_id(session, person.id, turn_public_id)
        client_id = f"again-{secrets.token_hex(8)}"
        return self._write(
            person, text=old.said, client_id=client_id, context=context, replaces=turn_public_id
        )

    def stop(self, person_id: int, turn_public_id: str) -> bool:
        """Stop an answer; what was shown stays. False when it was over already."""
        with transaction(self._parts.engine) as session:
            asked = leases.ask_stop(session, person_id, turn_public_id)
            turn_id = turn_rows.by_public_id(session, person_id, turn_public_id).id if asked else 0
        if asked and (event := self._stops.get(turn_id)) is not None:
            event.set()
        return asked

    def delete(self, person: Person, turn_public_id: str) -> None:
        """Take a whole turn out: of the page, of every excerpt, with the cards that it made.

        Until its undo runs out `undo_delete` brings it back; then the sweep removes it.

        Raises:
            NotFound: there is no such turn of this person.
            Conflict: it is still being answered.
        """
        with transaction(self._parts.engine) as session:
            turn = turn_rows.by_public_id(session, person.id, turn_public_id)
            if turn.state not in ENDED:
                raise Conflict(
                    "This can be changed when it has been answered, while the conversation is open."
                )
            conversation_rows.lock(session, turn.conversation_id)
            versions.delete(session, turn, now=self._parts.clock())
            self._frame(session, person.id, turn.conversation_id, turn.id, "removed", {})
        self._parts.frames.wake(person.id)
        self._summarise_anew(turn.conversation_id)

    def undo_delete(self, person: Person, turn_public_id: str) -> None:
        """Bring back a turn that was taken out a moment ago, with its cards.

        Raises:
            NotFound: there is no such turn, or its undo has run out.
        """
        with transaction(self._parts.engine) as session:
            turn = turn_rows.by_public_id(session, person.id, turn_public_id)
            conversation_rows.lock(session, turn.conversation_id)
            versions.restore(session, turn, now=self._parts.clock())
            self._frame(session, person.id, turn.conversation_id, turn.id, "restored", {})
        self._parts.frames.wake(person.id)
        self._summarise_anew(turn.conversation_id)

    def start_afresh(self, person: Person) -> bool:
        """Archive the open conversation now; the next message begins a new one. False when none was open.

        An answer that is under way is finished in the old one.

        Raises:
            Conflict: a human holds the conversation.
        """
        closed = thread.start_afresh(self._parts.engine, self._parts.frames, person, now=self._parts.clock())
        if closed is not None:
            self._summarise_anew(closed)
        return closed is not None

    def set_private(self, person: Person, private: bool) -> None:
        """Begin a conversation that reads memory and keeps nothing, or end it with all that was said in it.

        Raises:
            Conflict: a human holds the open conversation.
        """
        parts = self._parts
        closed = thread.set_private(parts.engine, parts.frames, person, private=private, now=parts.clock())
        if closed is not None:
            self._summarise_anew(closed)

    def set_speaker(self, person: Person, *, name: str, relation: str = "") -> None:
        """Say who holds the phone from now on; "" is the owner.

        Raises:
            InvalidInput: the name or the relation is too long.
        """
        parts = self._parts
        closed = thread.set_speaker(
            parts.engine,
            parts.frames,
            person,
            name=name,
            relation=relation,
            now=parts.clock(),
            idle_s=parts.settings.idle_s,
        )
        if closed is not None:
            self._summarise_anew(closed)

    def _summarise_anew(self, conversation_id: int) -> None:
        """See to a conversation's summary; the job leaves open ones alone, and the sweep finds it too."""
        self._parts.queue.enqueue(
            JobName.ARCHIVE, unique=str(conversation_id), conversation_id=conversation_id
        )

    def wait(self, turn_id: int, timeout_s: float) -> Turn:
        """The turn once it has ended, or as it stands after `timeout_s` seconds."""
        until = monotonic() + timeout_s
        turn = self._look_at(turn_id)
        while turn.state not in ENDED and monotonic() < until:
            # Only this person's frames wake it: a hundred who wait must not look a hundred times each.
            with self._parts.frames.following(turn.person_id) as news:
                turn = self._look_at(turn_id)
                if turn.state not in ENDED:
                    news.wait(min(max(0.0, until - monotonic()), _LOOK_S))
        return turn if turn.state in ENDED else self._look_at(turn_id)

    def _look_at(self, turn_id: int) -> Turn:
        with reading(self._parts.engine) as session:
            return turn_rows.by_id(session, turn_id)

    def recover(self) -> int:
        """Mark turns of dead processes as interrupted and run what waits; returns how many were marked."""
        parts = self._parts
        with reading(parts.engine) as session:
            owners = leases.running_owners(session)
        here = {owner: self._is_dead(owner) for owner in owners if owner.startswith(f"{self._host}:")}
        marked = mark_interrupted(
            parts.engine,
            parts.frames,
            now=parts.clock(),
            dead=[owner for owner, is_dead in here.items() if is_dead],
            alive=[owner for owner, is_dead in here.items() if not is_dead],
        )
        with reading(parts.engine) as session:
            waiting = leases.people_waiting(session)
        for person_id in waiting:
            self._kick(person_id)
        return marked

    def _write(
        self, person: Person, *, text: str, client_id: str, context: TurnContext, replaces: str | None
    ) -> Turn:
        parts = self._parts
        with transaction(parts.engine) as session:
            now = parts.clock()
            conversation, closed, fresh = conversation_rows.take_open(
                session, person.id, now=now, idle_s=parts.settings.idle_s
            )
            old = None if replaces is None else turn_rows.by_public_id(session, person.id, replaces)
            if old is not None and (old.state not in ENDED or old.conversation_id != conversation.id):
                raise Conflict(
                    "This can be changed when it has been answered, while the conversation is open."
                )
            if old is not None and old.answered_by is not None:
                raise Conflict("A person wrote this: it cannot be asked for again.")
            held = conversation.handled_by is not None
            # A short answer is in the language of the talk, whatever the browser is set to.
            language = lang.detect(
                text, hint=turn_rows.language_of(session, conversation.id) or context.language
            )
            context = replace(context, language=language)
            turn, new = turn_rows.write(
                session,
                conversation,
                client_id=client_id,
                text=text,
                context=context,
                now=now,
                state=TurnState.WITH_HUMAN if held else TurnState.WAITING,
                replaces_id=None if old is None else old.id,
            )
            if new:
                if context.zone != person.zone:
                    people_rows.set_zone(session, person.id, context.zone)  # they travelled
                if closed is not None:
                    tell_closed(session, parts.frames, person.id, closed, now=now)
                if fresh:
                    body = {"at": now.isoformat(timespec="seconds"), "private": conversation.private}
                    self._frame(session, person.id, conversation.id, None, "conversation", body)
                if old is not None:
                    versions.supersede(session, old, said_anew=text != old.said, now=now)
                    self._frame(session, person.id, conversation.id, old.id, "removed", {})
                self._frame(
                    session,
                    person.id,
                    conversation.id,
                    turn.id,
                    "accepted",
                    {
                        "client_id": client_id,
                        "said": text,
                        "at": now.isoformat(timespec="seconds"),
                        "speaker": turn.speaker,
                        "language": turn.language,
                        "replaces": replaces or "",
                    },
                )
        parts.frames.wake(person.id)
        if closed is not None:
            self._summarise_anew(closed)
        if new and not held:
            self._kick(person.id)
        elif new and not conversation.private:  # told to a human, heard as ever
            parts.queue.enqueue(JobName.VERIFY, unique=str(turn.id), turn_id=turn.id)
        return turn

    def _frame(
        self,
        session: Session,
        person_id: int,
        conversation_id: int,
        turn_id: int | None,
        kind: str,
        body: dict[str, Any],
    ) -> None:
        self._parts.frames.add(
            session,
            person_id=person_id,
            kind=kind,
            body=body,
            now=self._parts.clock(),
            conversation_id=conversation_id,
            turn_id=turn_id,
        )

    def _kick(self, person_id: int) -> None:
        """Run the person's waiting turns in this process, unless it is doing so already."""
        with self._lock:
            if self._closing.is_set():
                return
            if person_id in self._draining:
                self._again.add(person_id)
                return
            self._draining.add(person_id)
        try:
            self._turns.submit(self._drain, person_id)
        except RuntimeError:  # shutting down: the next process finds the turn waiting
            with self._lock:
                self._draining.discard(person_id)

    def _drain(self, person_id: int) -> None:
        while True:
            try:
                if (turn := self._claim(person_id)) is not None:
                    self._parts.frames.wake(person_id)
                    self._run(turn)
                    continue
            # Broad on purpose: this thread serves the person's next messages too.
            except Exception:
                log.exception("turns of a person broke off", extra={"person_id": person_id})
            with self._lock:
                if person_id in self._again:
                    self._again.discard(person_id)
                    continue
                self._draining.discard(person_id)
                return

    def _claim(self, person_id: int) -> Turn | None:
        parts = self._parts
        with reading(parts.engine) as session:
            if not leases.waits(session, person_id):
                return None  # seen without queueing up among the writers
        with transaction(parts.engine) as session:
            now = parts.clock()
            turn = leases.claim_next(
                session, person_id, owner=self.owner, now=now, lease_s=parts.settings.lease_s
            )
            if turn is not None:
                body = {"speaker": turn.speaker}
                self._frame(session, person_id, turn.conversation_id, turn.id, "running", body)
            return turn

    def _run(self, turn: Turn) -> None:
        stop = self._stops[turn.id] = threading.Event()
        try:
            run_turn(self._parts, turn, owner=self.owner, stop=stop, pool=self._sources, checks=self._checks)
        finally:
            self._stops.pop(turn.id, None)

    def _keep(self) -> None:
        """Hold the leases of running turns, hear stops from other processes, find what others left."""
        beats = 0
        while not self._closing.wait(_BEAT_S):
            beats += 1
            try:
                self._hold()
                if beats % 5 == 0:
                    self.recover()
            except AppError as error:
                log.warning("store not reached", extra={"error": type(error).__name__})
            # Broad on purpose: without this thread leases run out and stops are not heard.
            except Exception:
                log.exception("keeping turns failed")

    def _hold(self) -> None:
        running = list(self._stops.items())
        if not running:
            return
        parts = self._parts
        with transaction(parts.engine) as session:
            for turn_id, stop in running:
                now = parts.clock()
                leases.renew(session, turn_id, owner=self.owner, now=now, lease_s=parts.settings.lease_s)
                if leases.is_stopped(session, turn_id):
                    stop.set()

    def _is_dead(self, owner: str) -> bool:
        """Whether a turn's owner was a process of this machine that is gone."""
        host, _, rest = owner.partition(":")
        pid_text = rest.partition(":")[0]
        if host != self._host or owner == self.owner or not pid_text.isdigit():
            return False
        pid = int(pid_text)
        if pid == os.getpid():
            return True  # an earlier process had our number
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False


def _checked(text: str, most: int) -> str:
    if not text.strip():
        raise InvalidInput("Write something first.")
    if len(text) > most:
        raise InvalidInput("A message may have at most %(most)s characters.", most=most)
    return text
