from __future__ import annotations

import gzip
import itertools
import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from memory import cards, constellation
from memory.records import Category, NewCard, Person
from memory.storage.engine import transaction
from memory.storage.tables import CardRow, LinkRow, WorthRow
from memory.web import constellation as page_of
from memory.wiring import Wiring
from tests import factories
from tests.fakes import T0
from tests.web.conftest import MakePerson, SignIn, post


def add(wiring: Wiring, owner: Person, text: str, category: Category = Category.FACT, **more: Any) -> int:
    return factories.card(
        wiring.engine, owner, text=text, category=category, surface_terms=text.casefold(), **more
    )


def tie(wiring: Wiring, owner: Person, a: int, b: int) -> None:
    with transaction(wiring.engine) as session:
        session.add(
            LinkRow(
                person_id=owner.id, a_id=min(a, b), b_id=max(a, b), kind="mentions", weight=1.0, created_at=T0
            )
        )


def rate(wiring: Wiring, owner: Person, card: int, good: int, uses: int) -> None:
    state = {"uses": uses, "good": good, "status": "neutral"}
    with transaction(wiring.engine) as session:
        session.add(
            WorthRow(
                card_id=card,
                person_id=owner.id,
                state=state,
                successes=good,
                uses=uses,
                status="neutral",
                changed_at=T0,
            )
        )


def public_id(wiring: Wiring, card: int) -> str:
    with transaction(wiring.engine) as session:
        row = session.get(CardRow, card)
        assert row is not None
        return row.public_id


@pytest.fixture
def seven(wiring: Wiring, person: Person) -> dict[Category, int]:
    """One memory of each kind, with eight threads."""
    made = {each: add(wiring, person, f"The {each.value}", each) for each in Category}
    ids = list(made.values())
    for a, b in [*itertools.pairwise(ids), (ids[0], ids[6]), (ids[1], ids[5])]:
        tie(wiring, person, a, b)
    return made


def sent(client: FlaskClient, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/constellation/data{query}", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    told: dict[str, Any] = json.loads(gzip.decompress(answer.data))
    return told


def test_the_map_sends_all_points_and_threads(client: FlaskClient, seven: dict[Category, int]) -> None:
    told = sent(client)
    assert sorted(told["c"]) == list("0123456")
    assert len(told["a"]) == len(told["b"]) == 8
    assert told["total"] == 7
    assert told["counts"] == [1] * 7


def test_no_thread_hangs_in_the_air(
    client: FlaskClient, wiring: Wiring, person: Person, seven: dict[Category, int]
) -> None:
    with transaction(wiring.engine) as session:
        row = session.get(CardRow, seven[Category.PERSON])
        assert row is not None
        row.status = "forgotten"
    told = sent(client)
    count = len(told["k"])
    assert count == 6
    firsts = list(itertools.accumulate(told["a"]))
    ends = {end for a, step in zip(firsts, told["b"], strict=True) for end in (a, a + step)}
    assert ends <= set(range(count))
    assert len(firsts) == 5


def test_what_another_window_forgot_is_said_plainly(
    client: FlaskClient, wiring: Wiring, seven: dict[Category, int]
) -> None:
    name = public_id(wiring, seven[Category.FACT])
    assert client.get(f"/constellation/card/{name[:5]}", headers={"HX-Request": "true"}).status_code == 200
    post(client, f"/memories/{name}/forget", htmx=True)
    assert client.get(f"/constellation/card/{name[:5]}", headers={"HX-Request": "true"}).status_code == 404
    assert client.get(f"/constellation?card={name}").status_code == 200


def test_nobody_elses_memories_are_drawn_found_or_opened(
    sign_in: SignIn, make_person: MakePerson, wiring: Wiring, seven: dict[Category, int]
) -> None:
    other = sign_in(make_person("dora"))
    assert sent(other)["k"] == []
    assert json.loads(other.get("/constellation/find?q=fact").data) == {"k": [], "total": 0}
    assert other.get(f"/constellation/card/{public_id(wiring, seven[Category.FACT])}").status_code == 404
    assert "The fact" not in other.get("/constellation/table").text


def test_places_are_stored_by_the_job_and_stay(
    client: FlaskClient, wiring: Wiring, person: Person, seven: dict[Category, int], worker: Callable[[], int]
) -> None:
    before = sent(client)
    assert worker() == 1
    again = sent(client)
    assert (again["x"], again["y"]) == (before["x"], before["y"])
    add(wiring, person, "One more")
    after = sent(client)
    assert after["x"][:7] == before["x"]
    assert constellation.settle(wiring.engine, person.id) == 1
    assert constellation.settle(wiring.engine, person.id) == 0


FILTERS = [
    ("category=fact&category=event", {"low", "high", "event"}),
    ("f=1", set()),
    ("unrated=0", {"low", "high"}),
    ("worth_from=50&unrated=0", {"high"}),
    ("worth_to=40", {"low", "event", "friend"}),
    ("uses=8&unrated=0", {"high"}),
    ("since=2026-03-01", {"low", "high", "friend"}),
    ("until=2026-02-28", {"event"}),
    ("q=HIGH", {"high"}),
]


@pytest.fixture
def rated(wiring: Wiring, person: Person) -> dict[str, int]:
    made = {"low": add(wiring, person, "low"), "high": add(wiring, person, "high")}
    made["event"] = add(wiring, person, "event", Category.EVENT, learned_at=T0 - timedelta(days=90))
    made["friend"] = add(wiring, person, "friend", Category.PERSON, people=["Ada"])
    rate(wiring, person, made["low"], 1, 5)
    rate(wiring, person, made["high"], 9, 10)
    tie(wiring, person, made["friend"], made["low"])
    return made


def texts(page: str) -> set[str]:
    return set(re.findall(r'<th scope="row"><a [^>]*>(.*?)</a>', page))


@pytest.mark.parametrize(("query", "expected"), FILTERS)
def test_map_and_table_leave_the_same(
    client: FlaskClient, rated: dict[str, int], query: str, expected: set[str]
) -> None:
    assert texts(client.get(f"/constellation/table?{query}").text) == expected
    told = sent(client, f"?{query}")
    assert told["total"] == len(told["k"]) == len(expected)


def test_around_a_person(client: FlaskClient, wiring: Wiring, rated: dict[str, int]) -> None:
    name = public_id(wiring, rated["friend"])
    assert texts(client.get(f"/constellation/table?person={name}").text) == {"friend", "low"}


def test_the_unrated_come_last_and_are_never_zero(client: FlaskClient, rated: dict[str, int]) -> None:
    for order, first in (("asc", "low"), ("desc", "high")):
        page = client.get(f"/constellation/table?sort=worth&order={order}").text
        found = re.findall(r'<th scope="row"><a [^>]*>(.*?)</a>', page)
        assert found[0] == first
        assert set(found[2:]) == {"event", "friend"}
    assert page.count("not rated yet") >= 2
    assert ">0 %" not in page
    assert ">0.06–0.58<" in page  # the range, never a bare ratio
    assert 'aria-sort="descending"' in page


def test_the_table_turns_pages_and_keeps_the_filter(
    client: FlaskClient, wiring: Wiring, person: Person
) -> None:
    for number in range(page_of.PAGE_SIZE + 3):
        add(wiring, person, f"fact {number}")
    page = client.get("/constellation/table?category=fact&sort=text&order=asc").text
    assert len(texts(page)) == page_of.PAGE_SIZE
    follow = re.search(r'rel="next" href="([^"]+)"', page)
    assert follow
    assert len(texts(client.get(follow[1].replace("&amp;", "&")).text)) == 3


def test_only_so_many_are_drawn_and_the_warmest_of_them(
    client: FlaskClient, wiring: Wiring, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of, "DRAWN", 5)
    ids = [add(wiring, person, f"fact {n}", mentioned_at=T0 + timedelta(hours=n)) for n in range(8)]
    told = sent(client)
    assert told["total"] == 8
    assert {each[:5] for each in told["k"]} == {public_id(wiring, each)[:5] for each in ids[3:]}


def test_a_card_tells_everything_around_it(
    client: FlaskClient, wiring: Wiring, rated: dict[str, int]
) -> None:
    page = client.get(f"/constellation/card/{public_id(wiring, rated['low'])}").text
    assert "1 of 5 went well, 0.06–0.58" in page
    assert "need not be the cause" in page
    assert public_id(wiring, rated["friend"]) in page
    assert "not rated yet" in client.get(f"/constellation/card/{public_id(wiring, rated['friend'])}").text


def test_what_a_memory_says_is_never_markup(client: FlaskClient, wiring: Wiring, person: Person) -> None:
    card = add(wiring, person, "<img src=x onerror=alert(1)>", Category.PERSON, people=["<b>Eve</b>"])
    name = public_id(wiring, card)
    for path in (
        "/constellation",
        f"/constellation?card={name}",
        "/constellation/table",
        f"/constellation/card/{name}",
    ):
        text = client.get(path).text
        assert "<img src=x" not in text
        assert "<b>Eve" not in text


def test_inline_styles_are_allowed_on_the_map_alone(client: FlaskClient) -> None:
    def policy(path: str) -> str:
        return client.get(path).headers["Content-Security-Policy"]

    assert "style-src 'self' 'unsafe-inline'" in policy("/constellation")
    assert "script-src 'self';" in policy("/constellation")
    assert "unsafe-inline" not in policy("/constellation/table")


def test_plotly_is_told_to_send_nothing_anywhere() -> None:
    script = (Path(__file__).parents[2] / "static" / "constellation" / "sky.js").read_text()
    assert "showSendToCloud: false" in script
    assert 'plotlyServerURL: ""' in script
    assert "displayModeBar: false" in script


@pytest.mark.parametrize(
    "query",
    ["?page=999999", "?sort=nothing", "?worth_from=x&since=never&person=nobody", "?category=none&uses=-4"],
)
def test_nonsense_in_the_address_does_no_harm(client: FlaskClient, rated: dict[str, int], query: str) -> None:
    assert client.get(f"/constellation{query}").status_code == 200
    assert client.get(f"/constellation/table{query}").status_code == 200
    assert len(sent(client, query)["k"]) == 4


def test_a_search_finds_what_means_the_words_on_the_map_and_in_the_table(
    client: FlaskClient, wiring: Wiring, person: Person
) -> None:
    for text in ("Plays the violin in an orchestra", "The bin is emptied on Mondays"):
        with transaction(wiring.engine) as session:
            new = NewCard(category=Category.FACT, text=text)
            cards.remember(session, person, new, embedder=wiring.embedder, now=T0)
    asked = {"q": "which musical instrument"}
    assert json.loads(client.get("/constellation/find", query_string=asked).data)["total"] == 1
    assert json.loads(client.get("/constellation/data", query_string=asked).data)["total"] == 1
    table = client.get("/constellation/table", query_string=asked).text
    assert "violin" in table
    assert "Mondays" not in table


def test_a_persons_own_name_is_not_told_as_company(
    client: FlaskClient, wiring: Wiring, person: Person
) -> None:
    factories.card(
        wiring.engine,
        person,
        category=Category.PERSON,
        text="Claire is her sister",
        people=["Claire", "Bruno"],
    )
    page = client.get("/memories/").text
    assert re.search(r"With\s*<bdi[^>]*>Bruno", page)
    assert not re.search(r"With\s*<bdi[^>]*>Claire", page)


def test_worth_stands_once_in_the_panel(client: FlaskClient, rated: dict[str, int]) -> None:
    """Below the card with its counts; the card's own line is hidden there by the style sheet."""
    style = Path("static/css/constellation.css").read_text()
    assert re.search(r"\.sky-opened \.memory-worth \{\s*display: none", style)
