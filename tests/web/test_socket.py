"""The socket under real gunicorn with two processes: nothing lost, nothing doubled, nobody else's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from simple_websocket import Client, ConnectionClosed

from memory.errors import Unavailable
from memory.frames import Frames
from memory.records import Person, Turn
from memory.storage import turns
from memory.storage.engine import reading, transaction
from memory.storage.tables import FrameRow, PersonRow
from memory.web.socket import Visitor, is_same_site, serve
from memory.wiring import Wiring
from tests import factories
from tests.servers import new_server
from tests.stage import SAID, Stage

_PATIENCE_S = 10.0
Frame = dict[str, Any]


@dataclass
class Browser:
    """A page of a person, as far as the socket sees it."""

    client: Client
    last: int = 0
    seen: list[Frame] = field(default_factory=list)

    def tell(self, **message: Any) -> None:
        self.client.send(json.dumps(message))

    def hello(self, *, last: int = 0, screen: str = "screen") -> list[Frame]:
        """Say hello; gives what came until the page was caught up."""
        self.tell(hello=last, screen=screen, zone="Europe/Berlin", language="en")
        self.until("caught_up")
        return self.seen

    def next(self) -> Frame:
        received = self.client.receive(timeout=_PATIENCE_S)
        assert received is not None, f"nothing came; seen so far: {self.kinds()}"
        frame: Frame = json.loads(received)
        self.seen.append(frame)
        self.last = max(self.last, frame["n"])
        return frame

    def until(self, kind: str, **body: Any) -> Frame:
        """The next frame of a kind, with these values in it."""
        while True:
            frame = self.next()
            if frame["kind"] == kind and body.items() <= frame.items():
                return frame

    def kinds(self) -> list[str]:
        return [frame["kind"] for frame in self.seen]


Open = Callable[..., Browser]


def open_page(stage: Stage, person: Person) -> Browser:
    """Open a socket as a page of the server does on which the person is signed in."""
    place = urlsplit(stage.url)
    # This client names no port in Host.
    headers = {"Origin": f"http://{place.hostname}", "Cookie": stage.cookie(person)}
    return Browser(Client.connect(f"ws://{place.netloc}/chat/socket", headers=headers))


@pytest.fixture
def clara(stage: Stage) -> Person:
    return stage.person(name="Clara")


@pytest.fixture
def connect(stage: Stage) -> Iterator[Open]:
    """Open sockets; they are closed at the end."""
    opened: list[Client] = []

    def make(person: Person) -> Browser:
        page = open_page(stage, person)
        opened.append(page.client)
        return page

    yield make
    for client in opened:
        with suppress(ConnectionClosed, OSError):
            client.close()


def said(stage: Stage, person: Person) -> list[tuple[str, str, str]]:
    """What is stored of a person's talk: words, answer, state."""
    with reading(stage.parts.engine) as session:
        return [(turn.said, turn.answer, turn.state.value) for turn, _ in turns.timeline(session, person.id)]


def test_what_is_said_is_taken_then_answered_with_safe_html(clara: Person, connect: Open) -> None:
    page = connect(clara)
    page.hello()
    page.tell(say="<b>hi</b>", client_id="one")
    accepted = page.until("accepted", client_id="one")
    answered = page.until("answered", t=accepted["t"])
    assert answered["state"] == "answered"
    assert "&lt;b&gt;hi&lt;/b&gt;" in answered["html"]
    assert "<strong>" in answered["html"]
    numbers = [frame["n"] for frame in page.seen if frame["n"]]
    assert numbers == sorted(set(numbers))
    assert all(frame["c"] and frame["t"] for frame in page.seen if frame["kind"] in ("accepted", "answered"))


def test_the_same_client_id_twice_is_one_turn(stage: Stage, clara: Person, connect: Open) -> None:
    page, other = connect(clara), connect(clara)
    page.hello()
    other.hello(screen="other")
    for each in (page, other, page):
        each.tell(say="once", client_id="one")
    page.tell(say="after", client_id="two")
    while page.kinds().count("answered") < 2 or page.kinds().count("taken") < 3:
        page.next()
    assert [words for words, _, _ in said(stage, clara)] == ["once", "after"]
    receipts = [(frame["client_id"], frame["t"]) for frame in page.seen if frame["kind"] == "taken"]
    assert receipts[0] == receipts[1]
    assert page.kinds().count("accepted") == 2


def knock(stage: Stage, *, cookie: str = "", origin: str = "") -> int:
    """Ask for a socket by hand; gives the status of the answer, 101 when it is opened."""
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Accept": "application/json",
        **({"Cookie": cookie} if cookie else {}),
        **({"Origin": origin} if origin else {}),
    }
    with closing(HTTPConnection(urlsplit(stage.url).netloc, timeout=_PATIENCE_S)) as connection:
        connection.request("GET", "/chat/socket", headers=headers)
        return connection.getresponse().status


def test_only_a_page_of_this_server_may_open_a_socket(stage: Stage, clara: Person) -> None:
    cookie = stage.cookie(clara)
    assert knock(stage, cookie=cookie, origin=stage.url) == 101
    assert knock(stage, cookie=cookie, origin="https://evil.example") == 403
    assert knock(stage, cookie=cookie, origin="null") == 403
    assert knock(stage, cookie=cookie) == 403
    assert knock(stage, origin=stage.url) == 401


@pytest.mark.parametrize(
    ("origin", "host", "url", "expected"),
    [
        ("http://127.0.0.1:8137", "127.0.0.1:8137", "", True),
        ("http://127.0.0.1:8137", "127.0.0.1:9999", "", False),
        ("https://chat.example.org", "10.0.0.7:8137", "https://chat.example.org", True),
        ("https://chat.example.org.evil.example", "10.0.0.7:8137", "https://chat.example.org", False),
        ("", "", "", False),
        ("null", "null", "", False),
    ],
)
def test_whose_page_it_is(origin: str, host: str, url: str, expected: bool) -> None:
    assert is_same_site(origin, host, url) is expected


def test_a_returning_page_gets_what_it_missed_once_and_in_order(
    stage: Stage, clara: Person, connect: Open
) -> None:
    page = connect(clara)
    page.hello()
    with stage.holding() as release:
        page.tell(say="hold", client_id="one")
        page.until("text")
        page.client.close()
        release()
        stage.parts.conductor.wait(newest(stage, clara), _PATIENCE_S)
    back = connect(clara)
    missed = back.hello(last=page.last)
    assert [frame["kind"] for frame in missed] == ["answered", "snapshot", "caught_up"]
    assert missed[0]["answer"] == "The first sentence. And then the **second** one."
    assert missed[1]["turns"] == []


def newest(stage: Stage, person: Person) -> int:
    """The id of the person's newest turn."""
    with reading(stage.parts.engine) as session:
        return turns.timeline(session, person.id)[-1][0].id


def test_a_page_that_comes_in_the_middle_gets_the_running_turn_so_far(
    stage: Stage, clara: Person, connect: Open
) -> None:
    page = connect(clara)
    page.hello()
    with stage.holding() as release:
        page.tell(say="hold", client_id="one")
        text = page.until("text")
        late = connect(clara)
        late.hello(last=text["n"], screen="late")
        snapshot = next(frame for frame in late.seen if frame["kind"] == "snapshot")
        release()
        rest = "".join(frame["delta"] for frame in iter_text(late))
    assert [(turn["said"], turn["state"]) for turn in snapshot["turns"]] == [("hold", "running")]
    assert snapshot["turns"][0]["text"] + rest == "The first sentence. And then the **second** one."


def iter_text(page: Browser) -> Iterator[Frame]:
    """The text frames until the answer is complete."""
    while (frame := page.next())["kind"] != "answered":
        if frame["kind"] == "text":
            yield frame


def test_stop_keeps_the_partial_answer(stage: Stage, clara: Person, connect: Open) -> None:
    page = connect(clara)
    page.hello()
    with stage.holding():
        page.tell(say="hold", client_id="one")
        text = page.until("text")
        page.tell(stop=text["t"])
        stopped = page.until("answered")
    assert (stopped["state"], stopped["answer"]) == ("stopped", "The first sentence.")
    assert said(stage, clara) == [("hold", "The first sentence.", "stopped")]


def test_nobody_can_stop_or_hear_the_turn_of_another(stage: Stage, clara: Person, connect: Open) -> None:
    page, stranger = connect(clara), connect(stage.person(name="Bob"))
    page.hello()
    stranger.hello()
    with stage.holding() as release:
        page.tell(say="hold", client_id="one")
        text = page.until("text")
        stranger.tell(stop=text["t"])
        stranger.tell(say="hello", client_id="one")  # the same client id, another person: another turn
        stranger.until("answered")
        release()
        page.until("answered", state="answered")
    assert not [frame for frame in stranger.seen if frame.get("t") == text["t"]]


def test_two_turns_at_once_are_answered_one_after_the_other_on_every_page(
    stage: Stage, clara: Person, connect: Open
) -> None:
    tab, other = connect(clara), connect(clara)
    tab.hello()
    other.hello(screen="other")
    with stage.holding() as release:
        tab.tell(say="hold", client_id="one")
        tab.until("text")
        other.tell(say="second", client_id="two")
        other.until("accepted", client_id="two")
        release()
        for page in (tab, other):
            page.until("answered")
            page.until("answered")
    shapes = [[(f["kind"], f["t"]) for f in page.seen if f["n"]] for page in (tab, other)]
    assert shapes[0] == shapes[1]
    assert [words for words, _, _ in said(stage, clara)] == ["hold", "second"]


def test_cards_open_on_the_page_that_asked_only(stage: Stage, clara: Person, connect: Open) -> None:
    phone, tablet = connect(clara), connect(clara)
    phone.hello(screen="phone")
    tablet.hello(screen="tablet")
    tablet.tell(say=SAID["cards"], client_id="one")
    cards = tablet.until("cards")
    assert [card["label"] for card in cards["cards"]] == ["Pay the rent", "Call Ada"]
    tablet.tell(say="done", client_id="two")
    phone.until("answered")
    phone.until("answered")
    assert "cards" not in phone.kinds()


def test_silent_facts_leave_no_trace_in_the_frames(clara: Person, stage: Stage, connect: Open) -> None:
    shapes = []
    for words in ("Nothing of mine, only a few words about the weather and the sea", SAID["silent"]):
        page = connect(stage.person(name="Ada"))
        page.hello()
        page.tell(say=words, client_id="one")
        page.until("answered")
        page.tell(say="ping", client_id="two")
        page.until("answered")
        shapes.append([(frame["n"], frame["kind"], sorted(frame)) for frame in page.seen if frame["n"]])
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize(
    "garbage",
    ["", "{", "[]", "7", '{"say": 7, "client_id": "x"}', '{"say": "x"}', '{"hello": -1}', '{"stop": {}}'],
)
def test_garbage_is_refused_and_the_line_holds(clara: Person, connect: Open, garbage: str) -> None:
    page = connect(clara)
    page.client.send(garbage)
    assert page.next()["kind"] == "refused"
    page.hello()
    page.client.send(garbage)
    assert page.until("refused")["again"] is False
    page.tell(ping=1)
    page.until("pong")


def test_too_long_and_empty_words_are_refused_by_name(stage: Stage, clara: Person, connect: Open) -> None:
    page = connect(clara)
    page.hello()
    page.tell(say="x" * (stage.settings.max_message_chars + 1), client_id="long")
    assert page.until("refused", client_id="long")["again"] is False
    page.tell(say="   ", client_id="empty")
    page.until("refused", client_id="empty")
    assert said(stage, clara) == []


def test_broken_characters_are_taken_as_far_as_they_can_be(
    stage: Stage, clara: Person, connect: Open
) -> None:
    page = connect(clara)
    page.hello()
    page.client.send('{"say": "half \\ud83d nul \\u0000 whole \\ud83d\\ude00", "client_id": "one"}')
    page.until("answered")
    assert said(stage, clara)[0][0] == "half \ufffd nul \ufffd whole \U0001f600"


def test_a_page_that_slept_too_long_is_told_to_load_anew(stage: Stage, clara: Person, connect: Open) -> None:
    page = connect(clara)
    page.hello()
    page.tell(say="one", client_id="one")
    page.until("answered")
    with transaction(stage.parts.engine) as session:
        session.query(FrameRow).where(FrameRow.person_id == clara.id).delete()
    late = connect(clara)
    assert [frame["kind"] for frame in late.hello(last=0)] == ["reload", "caught_up"]
    known = connect(clara)
    assert [frame["kind"] for frame in known.hello(last=page.last)] == ["snapshot", "caught_up"]


def test_signed_out_everywhere_closes_what_is_open(stage: Stage, clara: Person, connect: Open) -> None:
    page = connect(clara)
    page.hello()
    with transaction(stage.parts.engine) as session:
        row = session.get(PersonRow, clara.id)
        assert row is not None
        row.session_epoch += 1
    page.tell(say="still me?", client_id="one")
    page.until("signed_out")
    assert said(stage, clara) == []


def test_a_dead_page_neither_stops_its_turn_nor_another_page(
    stage: Stage, clara: Person, connect: Open
) -> None:
    page, other = connect(clara), connect(clara)
    page.hello()
    other.hello(screen="other")
    with stage.holding() as release:
        page.tell(say="hold", client_id="one")
        page.until("text")
        page.client.sock.close()  # as a phone does that leaves the network: without a word
        release()
        other.until("answered", state="answered")
    other.tell(say="still here", client_id="two")
    other.until("answered", state="answered")


def test_a_killed_server_leaves_the_words_and_an_honest_line(
    sqlite_url: str, valkey_url: str, tmp_path: Path
) -> None:
    stage = new_server(Stage, tmp_path / "killed", sqlite_url, f"{valkey_url}?db=4", 1, {})
    clara = stage.person(name="Clara")
    try:
        page = open_page(stage, clara)
        page.hello()
        page.tell(say="hold", client_id="one")
        page.until("text")
        page.tell(say="and then", client_id="two")
        page.until("accepted", client_id="two")
        stage.kill()
        with suppress(ConnectionClosed, OSError):
            page.client.close()
        stage.start()
        back = open_page(stage, clara)
        back.hello(last=page.last)
        if "interrupted" not in [frame.get("state") for frame in back.seen]:
            back.until("answered", state="interrupted")
        answers = [frame for frame in back.seen if frame["kind"] == "answered"]
        if len(answers) < 2:
            back.until("answered", state="answered")
        back.client.close()
        assert [(words, answer.strip(), state) for words, answer, state in said(stage, clara)] == [
            ("hold", "The first sentence.", "interrupted"),
            ("and then", "You said **and then**.", "answered"),
        ]
    finally:
        stage.stop()
        stage.parts.engine.dispose()


class _Ear:
    """A browser's end of a line that says two things and hangs up."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._messages = [json.dumps(each) for each in messages]
        self.told: list[Frame] = []

    def receive(self) -> str | None:
        return self._messages.pop(0) if self._messages else None

    def send(self, data: str) -> None:
        self.told.append(json.loads(data))

    def close(self) -> None:
        """Nothing is open."""


class _Held:
    """A conductor whose store is held by another writer."""

    def accept(self, person: Person, **_told: Any) -> Turn:
        raise Unavailable("The memory store does not answer just now. Please try again in a moment.")

    def stop(self, person_id: int, turn_public_id: str) -> bool:
        raise Unavailable("The memory store does not answer just now. Please try again in a moment.")


def test_while_the_store_is_held_nobody_is_asked_to_send_again(app: Flask, wiring: Wiring) -> None:
    person = factories.person(wiring.engine)
    ear = _Ear({"hello": 0, "screen": "s"}, {"say": "keep this", "client_id": "one"}, {"stop": "x"})
    visitor = Visitor(person=person, device_id=None, is_welcome=lambda: True)
    with app.test_request_context(), pytest.raises(ConnectionClosed):
        serve(
            ear, conductor=_Held(), frames=Frames(wiring.engine, None), engine=wiring.engine, visitor=visitor
        )
    said, stopped = (frame for frame in ear.told if frame["kind"] == "refused")
    assert (said["client_id"], said["again"]) == ("one", True)
    assert "tried again" in said["message"]  # by the page, which keeps the words
    assert (stopped["client_id"], stopped["again"]) == ("", True)
    assert "Please try again" in stopped["message"]  # a stop is the person's to repeat
