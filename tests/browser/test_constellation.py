"""The sky in a real browser: shapes, threads, one filter, the card in place, keyboard, nothing sent away."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from memory.records import Category, Person
from memory.storage.engine import transaction
from memory.storage.tables import CardRow, LinkRow, WorthRow
from memory.worth.evidence import bounds
from tests import factories
from tests.browser import keyboard
from tests.fakes import T0
from tests.stage import Stage

reach = partial(keyboard.reach, within=90)

Open = Callable[..., BrowserContext]


@pytest.fixture
def window(stage: Stage, browser: Browser) -> Iterator[Open]:
    """A browser that someone is signed in on; faults of the page and requests to elsewhere fail the test."""
    opened: list[BrowserContext] = []
    faults: list[str] = []

    def make(person: Person, **options: Any) -> BrowserContext:
        context = browser.new_context(**{"locale": "en-GB", "base_url": stage.url, **options})
        name, _, value = stage.cookie(person).partition("=")
        context.add_cookies([{"name": name, "value": value, "url": stage.url}])
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on(
            "console", lambda said: faults.append(said.text) if "Security Policy" in said.text else None
        )
        context.on(
            "request",
            lambda asked: (
                None if asked.url.startswith((stage.url, "data:", "blob:")) else faults.append(asked.url)
            ),
        )
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()
    assert not faults


@pytest.fixture
def owner(stage: Stage) -> Person:
    """One memory of each kind, eight threads, two of them rated."""
    person = stage.person(name="Clara")
    engine = stage.parts.engine
    made = {
        each: factories.card(
            engine, person, category=each, text=f"The {each.value}", surface_terms=f"the {each.value}"
        )
        for each in Category
    }
    ids = list(made.values())
    pairs = [*itertools.pairwise(ids), (ids[0], ids[6]), (ids[1], ids[5])]
    with transaction(engine) as session:
        for a, b in pairs:
            session.add(
                LinkRow(person_id=person.id, a_id=a, b_id=b, kind="similar", weight=1.0, created_at=T0)
            )
        for card, good in ((ids[0], 9), (ids[2], 2)):
            session.add(
                WorthRow(
                    card_id=card,
                    person_id=person.id,
                    state={"uses": 10, "good": good},
                    successes=good,
                    uses=10,
                    changed_at=T0,
                )
            )
    return person


def sky(context: BrowserContext, query: str = "") -> Page:
    page = context.new_page()
    page.goto(f"/constellation{query}")
    expect(page.locator("#sky[data-drawn]")).to_be_attached(timeout=30_000)
    return page


def shown(page: Page) -> dict[str, int]:
    """How many centres of each kind are to be seen, with halos and threads."""
    found: dict[str, int] = page.evaluate(
        """() => {
          const count = (name) => [...document.querySelectorAll(`.tracesky-${name} .points > path`)]
            .filter((node) => node.style.display !== "none").length;
          const told = Object.fromEntries(asterismSky.categories.map((name) => [name, count(name)]));
          const own = document.querySelector(".tracesky-threads");
          const some = document.querySelector(".sky-some").getAttribute("d");
          const threads = own.style.display === "none"
            ? (some.match(/M/g) ?? []).length : own.querySelectorAll(".js-line").length;
          return { ...told, halo: count("halo"), threads };
        }"""
    )
    return found


def place_of(page: Page, kind: Category) -> tuple[float, float]:
    box = page.locator("#plot").bounding_box()
    assert box is not None
    x, y = page.evaluate(
        "(kind) => { const page = asterismSky; return page.sky.position(page.data.kind.indexOf(kind)); }",
        list(Category).index(kind),
    )
    return box["x"] + x, box["y"] + y


ALL = {**{each.value: 1 for each in Category}, "halo": 7, "threads": 8}


def test_seven_shapes_and_all_threads_after_every_switch(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    assert shown(page) == ALL
    events = page.locator('[data-kind="event"]')
    events.click()
    expect(events).to_have_attribute("aria-pressed", "false")
    assert shown(page) == {**ALL, "event": 0, "halo": 6, "threads": 6}
    events.click()
    page.get_by_role("button", name="Closer").click()
    page.get_by_role("button", name="Show everything").click()
    assert shown(page) == ALL
    page.get_by_role("link", name="Table").click()
    expect(page.locator("tbody tr")).to_have_count(7)
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.locator("#sky[data-drawn]")).to_be_attached(timeout=30_000)
    assert shown(page) == ALL
    legend = page.locator(".sky-legend [data-kind]")
    expect(legend).to_have_count(7)
    assert [each.strip().split()[0] for each in legend.all_inner_texts()] == [
        "Fact", "Person", "Event", "Memo", "Task", "Reminder", "Theme",
    ]  # fmt: skip


def test_what_is_filtered_and_lit_holds_over_another_scheme_and_size(window: Open, owner: Person) -> None:
    page = sky(window(owner, color_scheme="dark", reduced_motion="reduce"))
    page.locator('[data-kind="event"]').click()
    page.evaluate("asterismSky.open(asterismSky.data.handles[0])")
    expect(page.locator(".sky-ring")).to_be_visible()
    lit = ".tracesky-halo .points > path[style*='opacity: 0.13']"
    expect(page.locator(lit)).to_have_count(4)  # all but the fact, its two neighbours and what is hidden
    changes: tuple[tuple[Literal["dark", "light"], int], ...] = (
        ("light", 1280),
        ("light", 400),
        ("dark", 1200),
    )
    for scheme, width in changes:
        page.set_viewport_size({"width": width, "height": 760})
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(  # drawn anew
            """([scheme, width]) => { const { box, skeletons } = asterismSky.sky;
              return box._fullLayout.width === box.clientWidth && innerWidth === width
                && box.layout.meta.lit === skeletons[scheme].layout.meta.lit; }""",
            arg=[scheme, width],
        )
        expect(page.locator(lit)).to_have_count(4)
        told = shown(page)
        assert (told["event"], told["halo"], told["fact"], told["theme"]) == (0, 6, 1, 1)
        expect(page.locator(".sky-ring")).to_be_visible()


def test_only_and_all(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    page.get_by_role("button", name="Only this kind: Task").click()
    assert shown(page) == {**dict.fromkeys(ALL, 0), "task": 1, "halo": 1}
    expect(page.get_by_text("1 of 7 memories")).to_be_visible()
    page.get_by_role("button", name="all", exact=True).click()
    assert shown(page) == ALL


def test_one_mask_for_the_map_and_the_same_in_the_table(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    page.locator("#sky-filter summary").click()
    page.get_by_label("Also those not rated yet").uncheck()
    page.get_by_label("From").first.fill("50")
    assert shown(page) == {**dict.fromkeys(ALL, 0), "fact": 1, "halo": 1}
    page.get_by_role("link", name="Table").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("0.64–0.97")


def test_a_random_filter_leaves_the_same_on_both_sides(stage: Stage, window: Open) -> None:
    """The mask in the browser and the filter in the database are two writings of one rule."""
    person, lots = stage.person(name="Many"), random.Random(5)
    kinds = list(Category)
    for number in range(60):
        card = factories.card(
            stage.parts.engine, person, category=lots.choice(kinds), text=f"Memory {number}"
        )
        if uses := lots.choice((0, 0, 2, 5, 10)):
            with transaction(stage.parts.engine) as session:
                good = lots.randint(0, uses)
                session.add(
                    WorthRow(card_id=card, person_id=person.id, successes=good, uses=uses, changed_at=T0)
                )
    page = sky(window(person))
    for _ in range(12):
        told = {
            "worth_from": lots.choice(("0", "20", "50")),
            "worth_to": lots.choice(("100", "80", "50")),
            "uses": lots.choice(("0", "3", "10")),
            "unrated": lots.random() < 0.5,
        }
        on = lots.sample([each.value for each in kinds], lots.randint(1, 7))
        here, there = page.evaluate(
            """async ([told, on]) => {
              const page = asterismSky;
              for (const [name, value] of Object.entries(told)) {
                if (name === "unrated") page.form.elements.unrated.checked = value;
                else page.form.elements[name].value = value;
              }
              page.press((button) => on.includes(button.dataset.kind));
              const here = [...page.sky.shown].filter((each) => each).length;
              const answer = await fetch(`${page.root.dataset.source}?${page.parameters()}`);
              return [here, (await answer.json()).total];
            }""",
            [told, on],
        )
        assert here == there, (told, on)


def test_a_card_opens_in_place_and_its_neighbours_are_a_click_away(window: Open, owner: Person) -> None:
    context, names = window(owner), list[Route]()
    context.route("**/constellation/labels*", lambda route: names.append(route))
    page = sky(context)
    page.mouse.move(*place_of(page, Category.FACT))
    expect(page.locator("#sky-hover")).to_contain_text("…")
    names[0].continue_()
    context.unroute("**/constellation/labels*")
    expect(page.locator("#sky-hover")).to_contain_text("The fact")  # though the pointer rests
    expect(page.locator("#sky-hover")).to_contain_text("9 of 10 went well, 0.64–0.97")
    for good, uses in ((0, 1), (1, 1), (7, 9), (3, 400), (400, 400)):  # the same range as everywhere else
        told = page.evaluate("([good, uses]) => asterismSky.served(good, uses)", [good, uses])
        assert told == "{} of {} went well, {:.2f}–{:.2f}".format(good, uses, *bounds(good, uses))
    page.mouse.click(*place_of(page, Category.FACT))
    panel = page.locator("#sky-panel")
    expect(panel.locator(".memory-text")).to_have_text("The fact")
    expect(panel).to_contain_text("need not be the cause")
    expect(page.locator(".sky-ring")).to_be_visible()
    assert "card=" in page.url
    points = list[Route]()
    context.route("**/constellation/data*", lambda route: points.append(route))
    page.reload()
    expect(panel.locator(".memory-text")).to_have_text("The fact")
    panel.get_by_role("link", name="The person").click()  # before there is a sky to light it in
    page.get_by_role("button", name="Closer").click()
    expect(panel.locator(".memory-text")).to_have_text("The person")
    points[0].continue_()
    context.unroute("**/constellation/data*")
    expect(page.locator(".sky-ring")).to_be_visible()
    expect(panel.locator(".memory-text")).to_have_text("The person")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_forgetting_from_the_map_and_taking_it_back(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    page.mouse.click(*place_of(page, Category.PERSON))
    page.locator("#sky-panel").get_by_role("button", name="Forget").click()
    expect(page.locator('[data-kind="person"] [data-number]')).to_have_text("0")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator('[data-kind="person"] [data-number]')).to_have_text("1")
    expect(page.locator("#sky[data-drawn='7']")).to_be_attached()
    assert shown(page)["person"] == 1


def test_a_card_deleted_in_another_window_is_a_plain_message(
    stage: Stage, window: Open, owner: Person
) -> None:
    page = sky(window(owner))
    place = place_of(page, Category.PERSON)
    with transaction(stage.parts.engine) as session:
        session.query(CardRow).filter_by(person_id=owner.id, category="person").delete()
    page.mouse.click(*place)
    expect(page.get_by_text("This memory is no longer there. The map is up to date again.")).to_be_visible()
    assert shown(page) == {**ALL, "person": 0, "halo": 6, "threads": 5}


def test_what_was_forgotten_in_another_window_can_no_longer_be_changed_in_this_one(
    stage: Stage, window: Open, owner: Person
) -> None:
    page = sky(window(owner))
    for kind, press in ((Category.MEMO, "Pin"), (Category.TASK, "Edit"), (Category.EVENT, "Forget")):
        page.evaluate("(at) => asterismSky.open(asterismSky.data.handles[at])", index_of(page, kind))
        panel = page.locator("#sky-panel")
        expect(panel.locator(".memory-text")).to_have_text(f"The {kind.value}")
        with transaction(stage.parts.engine) as session:
            session.query(CardRow).filter_by(person_id=owner.id, category=kind.value).delete()
        panel.locator(".memory-do").get_by_text(press, exact=True).click()
        expect(
            page.get_by_text("This memory is no longer there. The map is up to date again.")
        ).to_be_visible()
        expect(panel).to_be_hidden()
        expect(page.locator(f'[data-kind="{kind.value}"] [data-number]')).to_have_text("0")
        expect(page.get_by_role("alert")).to_have_count(0)  # said once
        assert shown(page)[kind.value] == 0


def index_of(page: Page, kind: Category) -> int:
    return int(page.evaluate("(kind) => asterismSky.data.kind.indexOf(kind)", list(Category).index(kind)))


def test_searching_fades_the_rest_and_goes_there(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    page.get_by_role("searchbox").fill("memo")
    expect(page.get_by_text("1 found")).to_be_visible(timeout=20_000)  # the first one loads the weights
    faded = page.locator(".tracesky-halo .points > path[style*='opacity: 0.13']")
    expect(faded).to_have_count(6)
    low, high = page.evaluate("asterismSky.sky.range.x")
    assert high - low < 0.5
    page.get_by_role("searchbox").fill("")
    expect(faded).to_have_count(0)


def test_the_keyboard_reaches_every_memory(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    page.locator("#plot").focus()
    seen = set()
    for key in [*["ArrowLeft"] * 4, *["ArrowRight"] * 8, *["ArrowUp"] * 4, *["ArrowDown"] * 6]:
        page.keyboard.press(key)
        seen.add(page.locator("#sky-hover strong").inner_text())
    assert len(seen) >= 3
    page.keyboard.press("Enter")
    expect(page.locator("#sky-panel .memory-text")).to_be_visible()
    expect(page.locator("#sky-panel")).to_be_focused()


def test_every_action_by_keyboard_alone(window: Open, owner: Person) -> None:
    page = sky(window(owner))
    press, panel = page.keyboard.press, page.locator("#sky-panel")
    reach(page, page.get_by_role("searchbox"))
    page.keyboard.type("memo")
    expect(page.get_by_text("1 found")).to_be_visible(timeout=20_000)  # the first one loads the weights
    press("Control+a")
    press("Delete")
    reach(page, page.locator("#sky-filter summary"))
    press("Enter")
    reach(page, page.get_by_label("Also those not rated yet"))
    press("Space")
    expect(page.get_by_text("2 of 7 memories")).to_be_visible()
    press("Space")
    press("Escape")
    expect(page.locator("#sky-filter summary")).to_be_focused()
    reach(page, page.locator("#plot"))
    for way in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "ArrowLeft"):
        press(way)
        expect(page.locator("#sky-hover")).to_be_visible()
        name = page.locator("#sky-hover strong").inner_text()
        if name not in ("The person", "The theme", "The fact"):
            break
    kind = name.split()[1]
    number = page.locator(f'[data-kind="{kind}"] [data-number]')
    press("Enter")
    expect(panel.locator(".memory-text")).to_have_text(name)
    reach(page, panel.get_by_role("link", name="Edit"))
    press("Enter")
    expect(panel.get_by_label("What I remember", exact=True)).to_be_focused()
    press("Control+a")
    page.keyboard.type("The other one")
    reach(page, panel.get_by_role("button", name="Save"))
    press("Enter")
    expect(panel.locator(".memory-text")).to_have_text("The other one")
    reach(page, panel.get_by_role("button", name="Pin"))
    press("Enter")
    expect(panel.get_by_role("button", name="Unpin")).to_be_visible()
    reach(page, panel.get_by_role("button", name="Forget"))
    press("Enter")
    expect(number).to_have_text("0")
    reach(page, panel.get_by_role("button", name="Undo"))
    press("Enter")
    expect(number).to_have_text("1")
    near = panel.locator(".sky-near a").first
    reach(page, near)
    press("Enter")
    expect(panel.locator(".memory-text")).not_to_have_text("The other one")
    press("Escape")
    expect(page.locator("#plot")).to_be_focused()
    reach(page, page.get_by_role("button", name="Closer"))
    press("Enter")
    reach(page, page.get_by_role("button", name="Show everything"))
    press("Enter")
    reach(page, page.get_by_role("button", name="Only this kind: Task"))
    press("Enter")
    expect(page.get_by_text("1 of 7 memories")).to_be_visible()
    reach(page, page.get_by_role("button", name="all", exact=True))
    press("Enter")
    reach(page, page.get_by_role("link", name="Table"))
    press("Enter")
    reach(page, page.get_by_role("link", name="Outcomes"))
    press("Enter")
    reach(page, page.get_by_role("link", name="The fact"))
    press("Enter")
    expect(page.get_by_text("need not be the cause")).to_be_visible()


def test_on_a_phone_one_button_stands_for_only(window: Open, owner: Person) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = sky(window(owner, **phone))
    solo = page.get_by_role("button", name="only one")
    solo.tap()
    expect(solo).to_have_attribute("aria-pressed", "true")
    for kind in ("task", "memo"):
        page.locator(f'[data-kind="{kind}"]').tap()
        assert shown(page) == {**dict.fromkeys(ALL, 0), kind: 1, "halo": 1}
    page.get_by_role("button", name="all", exact=True).tap()
    expect(solo).to_have_attribute("aria-pressed", "false")
    assert shown(page) == ALL
    hidden = page.evaluate(
        """() => [...document.querySelectorAll(".sky-legend button")]
          .filter((each) => each.checkVisibility())
          .filter((each) => { const box = each.getBoundingClientRect();
            return box.right > innerWidth || box.bottom > innerHeight || box.height < 43.5; })
          .map((each) => each.textContent)"""
    )
    assert hidden == []


def test_a_chosen_star_is_not_under_its_own_card(window: Open, owner: Person) -> None:
    for size in ((1280, 800), (390, 844)):
        page = sky(window(owner, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"))
        for kind in (Category.FACT, Category.MEMO, Category.THEME):
            page.evaluate(
                "(at) => asterismSky.open(asterismSky.data.handles[at])", list(Category).index(kind)
            )
            expect(page.locator("#sky-panel .memory-text")).to_have_text(f"The {kind.value}")
            expect(page.locator(".sky-ring")).to_be_visible()
            x, y = place_of(page, kind)
            panel = page.locator("#sky-panel").bounding_box()
            assert panel is not None
            assert x < panel["x"] or y < panel["y"], (size, kind)


def test_the_whole_sky_stands_beside_the_buttons_and_not_under_them(window: Open, owner: Person) -> None:
    for size in ((1280, 800), (360, 740)):
        page = sky(window(owner, viewport={"width": size[0], "height": size[1]}))
        under = page.evaluate(
            """() => { const page = asterismSky, frame = page.sky.box.getBoundingClientRect();
              const boxes = [...document.querySelectorAll(".sky-zoom button, .sky-count")]
                .map((each) => each.getBoundingClientRect());
              return [...page.data.kind.keys()].map((at) => page.sky.position(at))
                .map(([x, y]) => [x + frame.left, y + frame.top])
                .filter(([x, y]) => x < frame.left + 8 || x > frame.right - 8 ||
                  y < frame.top + 8 || y > frame.bottom - 8 || boxes.some((b) =>
                    x > b.left && x < b.right && y > b.top && y < b.bottom));
            }"""
        )
        assert under == []


def test_the_table_works_without_a_script(window: Open, owner: Person) -> None:
    page = window(owner, java_script_enabled=False).new_page()
    page.goto("/constellation")
    page.get_by_role("link", name="The table shows the same.").click()
    page.locator("#sky-filter summary").click()
    page.get_by_role("checkbox", name="Event").uncheck()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("tbody tr")).to_have_count(6)
    page.get_by_role("link", name="Memory Worth").click()
    expect(page.locator("tbody tr")).to_have_count(6)
    page.get_by_role("link", name="The fact").click()
    expect(page.get_by_role("link", name="The person")).to_be_visible()
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("What I remember", exact=True)).to_be_visible()


def test_nothing_is_wider_than_a_narrow_phone(window: Open, owner: Person) -> None:
    phone = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
    page = sky(window(owner, **phone))
    for _ in range(2):
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0
        page.goto("/constellation/table")
