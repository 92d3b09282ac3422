"""The chat in a terminal: the same conductor, as one account. For trying, support and scripts."""

from __future__ import annotations

import logging
import secrets
import unicodedata
from collections.abc import Callable, Iterable

from memory.errors import InvalidInput
from memory.records import ENDED, Card, Person, Turn, TurnContext, TurnState
from memory.storage import cards as card_rows
from memory.storage.engine import reading
from memory.wiring import Wiring

log = logging.getLogger(__name__)

_ANSWER_WAIT_S = 120.0
_ENDS = {
    TurnState.STOPPED: "[stopped]",
    TurnState.INTERRUPTED: "[interrupted]",
    TurnState.FAILED: "[failed]",
    TurnState.WITH_HUMAN: "[a human has this conversation; your words went there]",
}


def talk(
    wiring: Wiring,
    person: Person,
    messages: Iterable[str],
    *,
    say: Callable[[str], None],
    verify: Callable[[int], object],
    echo: bool = False,
    show_kept: bool = False,
) -> int:
    """Send one message after the other and say each answer; gives how many were answered.

    Args:
        verify: the job that looks at a turn again, called with the turn's id; what is
            shown as kept then holds what it added.
        echo: say each message too, as for a file that is played.
        show_kept: say after each answer what the turn kept, visible or silent.
    """
    screen = f"terminal-{secrets.token_hex(4)}"
    context = TurnContext(screen=screen, device_id=None, zone=person.zone, language=person.language)
    answered = 0
    for message in messages:
        if not message.strip():
            continue
        if echo:
            say(f"> {plain(message.strip())}")
        try:
            turn = _answer(wiring, person, message.strip(), context)
        except InvalidInput as error:
            say(f"[{error.message}]")
            continue
        answered += turn.state is TurnState.ANSWERED
        say(plain(turn.answer) if turn.answer else "")
        if turn.state not in ENDED:
            say(f"[no answer within {_ANSWER_WAIT_S:.0f} s; it goes on]")
        elif turn.state in _ENDS:
            say(_ENDS[turn.state])
        if show_kept:
            _look_again(verify, turn.id)
            for line in kept(wiring, turn):
                say(line)
        if echo:
            say("")
    return answered


def _look_again(verify: Callable[[int], object], turn_id: int) -> None:
    try:
        verify(turn_id)
    # Broad on purpose: as with the queue, a failing second look is logged and never felt.
    except Exception:
        log.exception("verification failed", extra={"turn_id": turn_id})


def _answer(wiring: Wiring, person: Person, text: str, context: TurnContext) -> Turn:
    turn = wiring.conductor.accept(person, text=text, client_id=secrets.token_hex(8), context=context)
    return wiring.conductor.wait(turn.id, _ANSWER_WAIT_S)


def kept(wiring: Wiring, turn: Turn) -> list[str]:
    """One line for each card the turn made, as it stands now."""
    with reading(wiring.engine) as session:
        cards = card_rows.of_turn(session, turn.id)
    return [f"    kept, {'shown' if card.visible else 'silent'}: {describe(card)}" for card in cards]


def describe(card: Card) -> str:
    """A card in one line: category, statement, and when it is due."""
    line = f"{card.category}: {plain(card.text)}"
    if card.when is not None:
        form = "%a %Y-%m-%d" if card.when.all_day else "%a %Y-%m-%d %H:%M"
        line += f" ({card.when.start.strftime(form)} {card.when.zone})"
        line += f" {card.when.rrule}" if card.when.rrule else ""
    return line


def plain(text: str) -> str:
    """Text that cannot steer a terminal: control characters other than a new line are left out."""
    return "".join(
        each
        for each in text
        if each in "\n\t" or unicodedata.category(each) not in ("Cc", "Cf") or each == "\u200d"
    )
