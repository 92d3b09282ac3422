from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, update
from sqlalchemy.orm import Session

from memory import cards
from memory import language as lang
from memory.cards.indexing import indexed
from memory.cards.recall import Angle, CardCache, Recalled, recall
from memory.embedding import Embedder
from memory.records import Card, Category, NewCard, Person, When
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import ConversationRow, WorthRow
from memory.worth import Status, WorthState
from tests import factories
from tests.fakes import T0


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def cache() -> CardCache:
    return CardCache(64)


@pytest.fixture
def owner(engine: Engine) -> Person:
    return factories.person(engine, name="Nadia")


class Store:
    """One person's store, filled and asked in short."""

    def __init__(self, engine: Engine, owner: Person, embedder: Embedder, cache: CardCache) -> None:
        self.engine, self.owner, self.embedder, self.cache = engine, owner, embedder, cache

    def keep(self, text: str, category: Category = Category.FACT, **more: object) -> Card:
        new = NewCard(category=category, text=text, **more)  # type: ignore[arg-type]
        with transaction(self.engine) as session:
            return cards.remember(session, self.owner, new, embedder=self.embedder, now=T0).card

    def say(self, conversation_id: int, said: str, *, speaker: str = "", at: datetime = T0) -> int:
        turn_id = factories.turn(
            self.engine, self.owner, conversation_id, said=said, answer="", speaker=speaker, created_at=at
        )
        kept = indexed(said=said, speaker=speaker, language="en", embedder=self.embedder)
        with transaction(self.engine) as session:
            turn_rows.index(
                session, turn_id, terms=kept.terms, vector=kept.vector, vector_version=kept.vector_version
            )
        return turn_id

    def ask(self, *queries: str | Angle, guest: bool = False, **more: object) -> Recalled:
        angles = [each if isinstance(each, Angle) else Angle(kind="meaning", query=each) for each in queries]
        with reading(self.engine) as session:
            return self.ask_in(session, angles, guest=guest, **more)

    def ask_in(self, session: Session, angles: list[Angle], **more: object) -> Recalled:
        return recall(
            session,
            person=self.owner,
            angles=angles,
            now=T0 + timedelta(days=1),
            embedder=self.embedder,
            cache=self.cache,
            language=self.owner.language,
            **more,  # type: ignore[arg-type]
        )

    def answers(self, *queries: str | Angle, **more: object) -> list[str]:
        return [hit.card.text for hit in self.ask(*queries, **more).found if hit.relevant]  # type: ignore[arg-type]


@pytest.fixture
def store(engine: Engine, owner: Person, embedder: Embedder, cache: CardCache) -> Store:
    return Store(engine, owner, embedder, cache)


def test_a_fact_in_one_language_answers_a_question_in_another(store: Store) -> None:
    store.keep("Der Ersatzschlüssel liegt in der blauen Dose im Keller", language="de")
    store.keep("Meine Schwester spielt Cello", language="de")
    store.keep("Ich bin gegen Haselnüsse allergisch", language="de")
    assert store.answers("¿Dónde dejé la llave de repuesto?") == [
        "Der Ersatzschlüssel liegt in der blauen Dose im Keller"
    ]
    assert store.answers("Que instrumento toca a minha irmã?")[0] == "Meine Schwester spielt Cello"


def test_one_digit_makes_another_fact(store: Store) -> None:
    store.keep("The shed padlock is 4471.")
    store.keep("The bike padlock is 4417.")
    assert store.answers("What's the bike padlock?")[0] == "The bike padlock is 4417."
    assert store.answers("Which padlock is 4471?")[0] == "The shed padlock is 4471."


@pytest.mark.parametrize("spelling", ["José Muñoz", "Jose\u0301 Mun\u0303oz", "Jose Munoz"])
def test_a_name_is_found_in_every_spelling(store: Store, spelling: str) -> None:
    store.keep("José Muñoz, vecino", Category.PERSON, people=("José Muñoz",), language="es")
    store.keep("El coche está en el taller", language="es")
    assert store.answers(f"¿Quién es {spelling}?") == ["José Muñoz, vecino"]


def test_nothing_relevant_is_an_answer(store: Store) -> None:
    store.keep("My sister plays the cello.")
    store.keep("The spare key is in the blue tin.")
    conversation = factories.conversation(store.engine, store.owner)
    store.say(conversation, "We painted the fence green.")
    for question in ("What's the capital of Mongolia?", "Tell me a joke.", "What is my passport number?"):
        recalled = store.ask(question)
        assert [hit.card.text for hit in recalled.found if hit.relevant] == []
        assert recalled.talks == ()


def test_an_empty_store_and_empty_angles_give_nothing(store: Store) -> None:
    assert store.ask("where is the key?") == Recalled()
    store.keep("The spare key is in the blue tin.")
    assert store.ask("") == Recalled()
    assert store.ask("key", k=0) == Recalled()


def test_superseded_forgotten_and_other_peoples_cards_never_come(store: Store) -> None:
    old = store.keep("The alarm code is 1111.", attribute="code:alarm", value="1111")
    gone = store.keep("The alarm code of the old flat was 2222.")
    with transaction(store.engine) as session:
        cards.forget(session, [gone], now=T0)
        cards.remember(
            session,
            store.owner,
            NewCard(
                category=Category.FACT, text="The alarm code is 3333.", attribute="code:alarm", value="3333"
            ),
            embedder=store.embedder,
            now=T0,
            replaces=[old],
        )
    stranger = Store(store.engine, factories.person(store.engine, name="Bob"), store.embedder, store.cache)
    stranger.keep("The alarm code is 9999.")
    assert [hit.card.text for hit in store.ask("What is the alarm code?").found] == [
        "The alarm code is 3333."
    ]


def test_a_guest_gets_no_sensitive_card_and_no_talk_of_the_owner(store: Store) -> None:
    store.keep("The gate code is 0042.", sensitive=True)
    store.keep("The gate squeaks.")
    conversation = factories.conversation(store.engine, store.owner)
    store.say(conversation, "I hid the gate key under the stone.")
    theirs = store.say(conversation, "The gate at my place is broken.", speaker="Tobias")
    assert "The gate code is 0042." in store.answers("What is the gate code?")
    recalled = store.ask("What is the gate code?", guest=True)
    assert [hit.card.text for hit in recalled.found] == ["The gate squeaks."]
    assert {hit.turn.id for hit in recalled.talks} <= {theirs}


def test_past_talks_are_found_with_their_conversation_but_not_the_asking_turn(store: Store) -> None:
    conversation = factories.conversation(store.engine, store.owner)
    table = store.say(conversation, "For the kitchen we take the oak table.")
    store.say(conversation, "The weather was awful.")
    asking = store.say(conversation, "What did we say about the kitchen table?")
    recalled = store.ask("What did we say about the kitchen table?", turn_id=asking)
    assert recalled.talks[0].turn.id == table
    assert recalled.talks[0].conversation.id == conversation
    assert asking not in {hit.turn.id for hit in recalled.talks}


def test_a_talk_is_found_by_its_summary_when_no_turn_says_it(store: Store) -> None:
    talk = factories.conversation(store.engine, store.owner, archived_at=T0)
    store.say(talk, "Shall we take this one or that one?")
    summary = "The oak table was chosen for the kitchen."
    other = factories.conversation(store.engine, store.owner)
    for number in range(4):
        store.say(other, f"Bread number {number} is in the oven.")
    assert talk not in {hit.conversation.id for hit in store.ask("Which kitchen table was it?", k=2).talks}
    with transaction(store.engine) as session:
        written = conversation_rows.write_summary(
            session,
            talk,
            summary=summary,
            terms=" ".join(lang.terms(summary, "en")),
            vector=store.embedder.encode_one(summary),
            vector_version=store.embedder.version,
            now=T0,
        )
    assert written
    assert talk in {hit.conversation.id for hit in store.ask("Which kitchen table was it?", k=2).talks}
    assert store.ask("Which kitchen table was it?", k=2, guest=True).talks == ()


def test_withheld_deleted_superseded_and_private_turns_are_not_found(store: Store) -> None:
    conversation = factories.conversation(store.engine, store.owner)
    said = [store.say(conversation, f"The oak table number {n} is for the kitchen.") for n in range(4)]
    assert len(store.ask("oak table for the kitchen").talks) == 4
    with transaction(store.engine) as session:
        turn_rows.withhold(session, [said[0]], withheld=True)
        turn_rows.supersede(session, said[1])
        turn_rows.mark_deleted(session, said[2], at=T0)
    assert {hit.turn.id for hit in store.ask("oak table for the kitchen").talks} == {said[3]}
    with transaction(store.engine) as session:
        session.execute(update(ConversationRow).values(private=True))
        card_rows.touch_owner(session, store.owner.id)
    assert store.ask("oak table for the kitchen").talks == ()


def test_an_event_brings_its_people_and_a_person_the_next_event(store: Store) -> None:
    zoe = store.keep("Zoe, niece, loves chess", Category.PERSON, people=("Zoe",), relation="niece")
    later = When(start=datetime.fromisoformat("2026-06-13T16:00"), zone="Europe/Berlin")
    sooner = When(start=datetime.fromisoformat("2026-04-01T10:00"), zone="Europe/Berlin")
    recital = store.keep("Recital in the town hall", Category.EVENT, people=("Zoe",), when=later)
    dentist = store.keep("Checkup at the dentist", Category.EVENT, people=("Zoe",), when=sooner)
    for number in range(12):
        store.keep(f"The {number}th shelf in the workshop holds screws.")
    found = store.ask("the concert in the town hall").found
    assert found[0].card.id == recital.id
    assert zoe.id in {hit.card.id for hit in found}
    linked = next(hit for hit in found if hit.card.id == zoe.id)
    assert "link" in linked.angles or linked.because
    about = store.ask(Angle(kind="person", query="What do I know?", names=("Zoe",))).found
    assert {zoe.id, recital.id, dentist.id} <= {hit.card.id for hit in about}
    assert "next_event" in next(hit for hit in about if hit.card.id == dentist.id).because


def test_three_angles_are_fused_and_say_who_found_what(store: Store) -> None:
    store.keep("My sister Lena plays the cello.", people=("Lena",), subject="Lena")
    store.keep("The car is in the workshop.")
    found = store.ask(
        Angle(kind="person", query="Lena", names=("Lena",)),
        Angle(kind="theme", query="music instrument"),
        Angle(kind="meaning", query="What does my sister play?"),
    ).found
    assert found[0].card.text == "My sister Lena plays the cello."
    assert set(found[0].angles) == {"person", "theme", "meaning"}
    assert "name" in found[0].because


def test_a_silenced_card_comes_only_when_it_alone_can_answer(store: Store) -> None:
    stale = store.keep("Bus 12 goes to the clinic.")
    _set_worth(store, stale, Status.SUPPRESSED)
    only = store.ask("Which bus goes to the clinic?").found
    assert [hit.card.id for hit in only if hit.relevant] == [stale.id]
    assert only[0].suspect
    store.keep("Bus 14 goes to the clinic now.")
    found = store.ask("Which bus goes to the clinic?").found
    assert [hit.card.text for hit in found] == ["Bus 14 goes to the clinic now."]


def test_a_suspect_is_found_and_marked(store: Store) -> None:
    doubted = store.keep("Bus 12 goes to the clinic.")
    store.keep("The clinic opens at eight.")
    _set_worth(store, doubted, Status.SUSPECT)
    found = store.ask("Which bus goes to the clinic?").found
    assert {hit.card.id: hit.suspect for hit in found}[doubted.id] is True
    assert sum(hit.suspect for hit in found) == 1


def _set_worth(store: Store, card: Card, status: Status) -> None:
    state = replace(WorthState(), status=status)
    with transaction(store.engine) as session:
        session.add(
            WorthRow(
                card_id=card.id,
                person_id=store.owner.id,
                status=status.value,
                state=state.to_dict(),
                changed_at=T0,
            )
        )


def test_a_change_of_another_process_is_seen_at_the_next_search(store: Store, embedder: Embedder) -> None:
    other = Store(store.engine, store.owner, embedder, CardCache(64))
    assert store.answers("Where is the ladder?") == []
    card = other.keep("The ladder stands behind the shed.")
    assert store.answers("Where is the ladder?") == ["The ladder stands behind the shed."]
    with transaction(store.engine) as session:
        cards.edit(
            session, store.owner, card, embedder=embedder, now=T0, text="The ladder hangs in the garage."
        )
    assert store.answers("Where is the ladder?") == ["The ladder hangs in the garage."]
    with transaction(store.engine) as session:
        cards.forget(session, [card], now=T0)
    assert store.answers("Where is the ladder?") == []


def test_the_cache_keeps_within_its_bound_and_still_serves_the_one_who_asks(
    engine: Engine, embedder: Embedder
) -> None:
    cache = CardCache(64)
    cache.most_bytes = 1
    for name in ("Ann", "Ben", "Cat"):
        store = Store(engine, factories.person(engine, name=name), embedder, cache)
        store.keep(f"The drill belongs to {name}.")
        assert store.answers("Whose drill is it?") == [f"The drill belongs to {name}."]
        assert len(cache) == 1


def test_many_may_search_at_once(store: Store) -> None:
    for number in range(20):
        store.keep(f"Locker {number} in the hall is for coat number {number + 100}.")
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: store.answers("Locker 7 in the hall"), range(12)))
    assert all(result == results[0] for result in results)
    assert results[0][0].startswith("Locker 7 ")


def test_an_old_version_of_the_embedding_is_found_by_words_only(store: Store) -> None:
    card = store.keep("The ladder stands behind the shed.")
    with transaction(store.engine) as session:
        card_rows.change(session, card.id, now=T0, vector_version="other-v0")
    assert store.answers("ladder shed") == ["The ladder stands behind the shed."]
