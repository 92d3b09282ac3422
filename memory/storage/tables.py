"""All tables on one page. What must always hold is a constraint here, not a habit elsewhere."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from memory.storage.types import UnitVector, UtcDateTime, Vector


class Base(DeclarativeBase):
    """Base of all rows."""

    type_annotation_map = {datetime: UtcDateTime, dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012 (SQLAlchemy's form)


def new_public_id() -> str:
    """A random name for the outside: numbers would tell how much was kept in silence."""
    return secrets.token_urlsafe(12)


def _owner() -> Mapped[int]:
    return mapped_column(ForeignKey("people.id", ondelete="CASCADE"))


class PersonRow(Base):
    """An account."""

    __tablename__ = "people"
    __table_args__ = (CheckConstraint("role IN ('person', 'agent', 'operator')", name="ck_people_role"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    email: Mapped[str] = mapped_column(String(254), unique=True)  # folded
    name: Mapped[str] = mapped_column(String(120))
    password_hash: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(16))
    language: Mapped[str] = mapped_column(String(8))
    zone: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    session_epoch: Mapped[int] = mapped_column(default=0)
    cards_version: Mapped[int] = mapped_column(default=0)  # caches compare it
    frame_number: Mapped[int] = mapped_column(default=0)  # the last frame's number
    feed_token: Mapped[str | None] = mapped_column(String(64), unique=True)  # calendar feed, revocable
    demo: Mapped[bool] = mapped_column(default=False)


class InvitationRow(Base):
    """A link that makes one account, once, until it expires."""

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    created_by: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="SET NULL"))


class DeviceRow(Base):
    """One browser of a person."""

    __tablename__ = "devices"
    __table_args__ = (Index("ix_devices_person", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    person_id: Mapped[int] = _owner()
    label: Mapped[str] = mapped_column(String(120), default="")
    last_seen_at: Mapped[datetime]


class PushSubscriptionRow(Base):
    """Where a device can be reached when no page is open."""

    __tablename__ = "push_subscriptions"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    device_id: Mapped[int] = mapped_column(ForeignKey("devices.id", ondelete="CASCADE"))
    endpoint: Mapped[str] = mapped_column(Text, unique=True)
    p256dh: Mapped[str] = mapped_column(String(200))
    auth: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime]


class ConversationRow(Base):
    """One thread. The partial index is the rule "one open conversation a person"."""

    __tablename__ = "conversations"
    __table_args__ = (
        Index(
            "uq_conversations_open",
            "person_id",
            unique=True,
            sqlite_where=text("archived_at IS NULL"),
            postgresql_where=text("archived_at IS NULL"),
        ),
        Index("ix_conversations_person_opened", "person_id", "opened_at"),
        Index("ix_conversations_sweep", "archived_at", "last_exchange_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    person_id: Mapped[int] = _owner()
    opened_at: Mapped[datetime]
    last_exchange_at: Mapped[datetime]
    archived_at: Mapped[datetime | None]
    speaker: Mapped[str] = mapped_column(String(120), default="")
    speaker_relation: Mapped[str] = mapped_column(String(120), default="")
    private: Mapped[bool] = mapped_column(default=False)
    handled_by: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="SET NULL"))
    summary: Mapped[str] = mapped_column(Text, default="")
    summarised_at: Mapped[datetime | None]
    summary_terms: Mapped[str] = mapped_column(Text, default="", deferred=True)
    summary_vector: Mapped[Vector | None] = mapped_column(UnitVector, deferred=True)
    vector_version: Mapped[str] = mapped_column(String(32), default="")
    pending: Mapped[dict[str, Any]] = mapped_column(default=dict)
    failures: Mapped[int] = mapped_column(default=0)  # in a row; two ask for a human
    batch: Mapped[str] = mapped_column(String(24), default="")  # one import, so that it can be undone
    looks: Mapped[int] = mapped_column(default=0)  # of the sweep, since something last came of them
    next_look_at: Mapped[datetime | None]


class TurnRow(Base):
    """One exchange. Written before anything else happens with it."""

    __tablename__ = "turns"
    __table_args__ = (
        UniqueConstraint("person_id", "client_id", name="uq_turns_client"),
        CheckConstraint(
            "state IN ('waiting', 'running', 'answered', 'stopped', 'interrupted', 'failed', 'with_human')",
            name="ck_turns_state",
        ),
        Index("ix_turns_conversation", "conversation_id", "id"),
        Index("ix_turns_person_state", "person_id", "state"),
        Index("ix_turns_unverified", "verified_at", "id"),
        # Turns of one person run one after the other, in whatever process.
        Index(
            "uq_turns_running",
            "person_id",
            unique=True,
            sqlite_where=text("state = 'running'"),
            postgresql_where=text("state = 'running'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    person_id: Mapped[int] = _owner()
    client_id: Mapped[str] = mapped_column(String(64))
    device_id: Mapped[int | None] = mapped_column(ForeignKey("devices.id", ondelete="SET NULL"))
    screen: Mapped[str] = mapped_column(String(64), default="")
    zone: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(8))
    speaker: Mapped[str] = mapped_column(String(120), default="")
    said: Mapped[str] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text, default="")
    answered_by: Mapped[int | None] = mapped_column(
        ForeignKey("people.id", ondelete="SET NULL")
    )  # a human agent
    state: Mapped[str] = mapped_column(String(16))
    stop_asked: Mapped[bool] = mapped_column(default=False)
    cut_off: Mapped[bool] = mapped_column(default=False)  # a human claimed it mid-answer
    created_at: Mapped[datetime]
    answered_at: Mapped[datetime | None]
    claimed_by: Mapped[str] = mapped_column(String(80), default="")
    lease_until: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
    superseded: Mapped[bool] = mapped_column(default=False)  # edited or regenerated
    replaces_id: Mapped[int | None] = mapped_column(ForeignKey("turns.id", ondelete="SET NULL"))
    deleted_at: Mapped[datetime | None]  # hidden at once, removed when its undo runs out
    withheld: Mapped[bool] = mapped_column(
        default=False
    )  # something in it was forgotten: out of every excerpt
    verified_at: Mapped[datetime | None]
    warmed_at: Mapped[datetime | None]
    judged_at: Mapped[datetime | None]
    looks: Mapped[int] = mapped_column(default=0)  # of the sweep, since something last came of them
    next_look_at: Mapped[datetime | None]
    kept: Mapped[list[str]] = mapped_column(default=list)  # public ids of the visible cards it made
    trace: Mapped[dict[str, Any]] = mapped_column(default=dict, deferred=True)
    batch: Mapped[str] = mapped_column(String(24), default="")  # one import, so that it can be undone
    error: Mapped[str] = mapped_column(Text, default="")
    terms: Mapped[str] = mapped_column(Text, default="", deferred=True)
    vector: Mapped[Vector | None] = mapped_column(UnitVector, deferred=True)
    vector_version: Mapped[str] = mapped_column(String(32), default="")


class FrameRow(Base):
    """What a browser is told, numbered for each person without a gap."""

    __tablename__ = "frames"
    __table_args__ = (
        UniqueConstraint("person_id", "number", name="uq_frames_number"),
        Index("ix_frames_turn", "turn_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    number: Mapped[int]
    conversation_id: Mapped[int | None] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    turn_id: Mapped[int | None] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    screen: Mapped[str] = mapped_column(String(64), default="")  # "" is every screen
    kind: Mapped[str] = mapped_column(String(24))
    body: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]


class ToolCallRow(Base):
    """A tool call that happened. The key makes a repeated call give its first result."""

    __tablename__ = "tool_calls"
    __table_args__ = (UniqueConstraint("turn_id", "call_id", name="uq_tool_calls"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    call_id: Mapped[str] = mapped_column(String(80))
    name: Mapped[str] = mapped_column(String(40))
    result: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]


class CardRow(Base):
    """One remembered statement."""

    __tablename__ = "cards"
    __table_args__ = (
        CheckConstraint(
            "category IN ('fact', 'person', 'event', 'memo', 'task', 'reminder', 'theme')",
            name="ck_cards_category",
        ),
        CheckConstraint(
            "status IN ('active', 'superseded', 'done', 'cancelled', 'forgotten')", name="ck_cards_status"
        ),
        # What is known is never shown: silence is a property of the data, not of a prompt.
        CheckConstraint("NOT (visible AND category IN ('fact', 'person', 'theme'))", name="ck_cards_silence"),
        Index("ix_cards_person_status", "person_id", "status", "category", "mentioned_at"),
        Index("ix_cards_person_mentioned", "person_id", "mentioned_at"),
        Index("ix_cards_attribute", "person_id", "subject_key", "attribute"),
        Index("ix_cards_due", "status", "due_at"),
        Index("ix_cards_statement", "person_id", "statement_key"),
        Index("ix_cards_sample", "person_id", "id"),
        Index("ix_cards_pinned", "person_id", "pinned", "id"),
        Index("ix_cards_turn", "turn_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    person_id: Mapped[int] = _owner()
    category: Mapped[str] = mapped_column(String(16))
    text: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text, default="")
    subject: Mapped[str] = mapped_column(String(200), default="")
    subject_key: Mapped[str] = mapped_column(String(200), default="")  # folded, for comparing
    statement_key: Mapped[str] = mapped_column(String(64), default="")  # digest of the words, order apart
    relation: Mapped[str] = mapped_column(String(120), default="")
    attribute: Mapped[str] = mapped_column(String(120), default="")
    value: Mapped[str] = mapped_column(Text, default="")
    people: Mapped[list[str]] = mapped_column(default=list)
    language: Mapped[str] = mapped_column(String(8))
    author: Mapped[str] = mapped_column(String(16))
    speaker: Mapped[str] = mapped_column(String(120), default="")
    visible: Mapped[bool] = mapped_column(default=False)
    sensitive: Mapped[bool] = mapped_column(default=False)
    pinned: Mapped[bool] = mapped_column(default=False)
    status: Mapped[str] = mapped_column(String(16), default="active")
    supersedes_id: Mapped[int | None] = mapped_column(ForeignKey("cards.id", ondelete="SET NULL"))
    turn_id: Mapped[int | None] = mapped_column(ForeignKey("turns.id", ondelete="SET NULL"))
    conversation_id: Mapped[int | None] = mapped_column(ForeignKey("conversations.id", ondelete="SET NULL"))
    device_id: Mapped[int | None] = mapped_column(ForeignKey("devices.id", ondelete="SET NULL"))
    batch: Mapped[str] = mapped_column(String(24), default="")  # one import, so that it can be undone
    learned_at: Mapped[datetime]
    mentioned_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    forgotten_at: Mapped[datetime | None]  # the row goes when its undo runs out
    forgotten_from: Mapped[str] = mapped_column(String(16), default="")  # the status that the undo gives back
    valid_until: Mapped[datetime | None]
    starts_local: Mapped[str | None] = mapped_column(String(32))  # naive wall clock, ISO
    ends_local: Mapped[str | None] = mapped_column(String(32))
    zone: Mapped[str | None] = mapped_column(String(64))
    all_day: Mapped[bool] = mapped_column(default=False)
    rrule: Mapped[str | None] = mapped_column(String(300))
    exdates: Mapped[list[str]] = mapped_column(default=list)  # occurrences left out: naive wall clock, ISO
    due_at: Mapped[datetime | None]  # the next firing, UTC
    version: Mapped[int] = mapped_column(default=1)
    terms: Mapped[str] = mapped_column(Text, default="", deferred=True)  # folded and stemmed, by blanks
    surface_terms: Mapped[str] = mapped_column(Text, default="", deferred=True)  # folded only
    vector: Mapped[Vector | None] = mapped_column(UnitVector, deferred=True)
    vector_version: Mapped[str] = mapped_column(String(32), default="")
    x: Mapped[float | None]
    y: Mapped[float | None]


class LinkRow(Base):
    """A thread between two cards, stored once."""

    __tablename__ = "links"
    __table_args__ = (
        UniqueConstraint("a_id", "b_id", "kind", name="uq_links"),
        CheckConstraint("a_id < b_id", name="ck_links_order"),
        Index("ix_links_b", "b_id"),
        Index("ix_links_person", "person_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    a_id: Mapped[int] = mapped_column(ForeignKey("cards.id", ondelete="CASCADE"))
    b_id: Mapped[int] = mapped_column(ForeignKey("cards.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    weight: Mapped[float]
    reason: Mapped[str] = mapped_column(String(200), default="")
    created_at: Mapped[datetime]


class RetrievalRow(Base):
    """One card that one turn's search brought. Append-only; Memory Worth is recounted from it."""

    __tablename__ = "retrievals"
    __table_args__ = (
        UniqueConstraint("turn_id", "card_id", name="uq_retrievals"),
        Index("ix_retrievals_card", "card_id"),
        Index("ix_retrievals_person", "person_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    turn_id: Mapped[int] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    card_id: Mapped[int] = mapped_column(ForeignKey("cards.id", ondelete="CASCADE"))
    angle: Mapped[str] = mapped_column(String(24))
    score: Mapped[float]
    weight: Mapped[float] = mapped_column(default=1.0)
    propensity: Mapped[float] = mapped_column(default=1.0)
    context: Mapped[str] = mapped_column(String(40), default="")  # kind of request
    shown: Mapped[bool] = mapped_column(default=True)
    used: Mapped[bool | None]  # None: not known
    protected: Mapped[bool] = mapped_column(default=False)  # pinned, sensitive or about safety at that time
    created_at: Mapped[datetime]


class VoteRow(Base):
    """Helpful or not: one for a person and turn, over all devices."""

    __tablename__ = "votes"
    __table_args__ = (
        UniqueConstraint("person_id", "turn_id", name="uq_votes"),
        CheckConstraint("value IN (-1, 1)", name="ck_votes_value"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    turn_id: Mapped[int] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    value: Mapped[int]
    reason: Mapped[str] = mapped_column(String(500), default="")
    voted_at: Mapped[datetime]


class OutcomeRow(Base):
    """How a turn went, as the worth of its memories counts it. One for a turn."""

    __tablename__ = "outcomes"
    __table_args__ = (
        UniqueConstraint("turn_id", name="uq_outcomes_turn"),
        CheckConstraint("value IN (-1, 1)", name="ck_outcomes_value"),
        Index("ix_outcomes_person", "person_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    turn_id: Mapped[int] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    value: Mapped[int]
    source: Mapped[str] = mapped_column(String(16))  # vote, judged, still_right
    at: Mapped[datetime]


class WorthRow(Base):
    """A card's worth: a projection of retrievals and outcomes that a recount must equal."""

    __tablename__ = "worth"
    __table_args__ = (Index("ix_worth_person_status", "person_id", "status"),)

    card_id: Mapped[int] = mapped_column(ForeignKey("cards.id", ondelete="CASCADE"), primary_key=True)
    person_id: Mapped[int] = _owner()
    status: Mapped[str] = mapped_column(String(16), default="unproven")
    state: Mapped[dict[str, Any]] = mapped_column(default=dict)
    successes: Mapped[float] = mapped_column(default=0.0)
    uses: Mapped[float] = mapped_column(default=0.0)
    changed_at: Mapped[datetime]


class WorthActRow(Base):
    """What a person did with a card's worth: restored, confirmed, denied, pinned. Part of the log."""

    __tablename__ = "worth_acts"
    __table_args__ = (Index("ix_worth_acts_person", "person_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    card_id: Mapped[int] = mapped_column(ForeignKey("cards.id", ondelete="CASCADE"))
    move: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime]


class WorthLedgerRow(Base):
    """How far a person's log is folded, and what is counted for kinds of requests rather than cards."""

    __tablename__ = "worth_ledgers"

    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    state: Mapped[dict[str, Any]] = mapped_column(default=dict)
    changed_at: Mapped[datetime]


class RuleRow(Base):
    """A personal rule in the person's own words."""

    __tablename__ = "rules"
    __table_args__ = (Index("ix_rules_person", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    person_id: Mapped[int] = _owner()
    text: Mapped[str] = mapped_column(Text)
    turn_id: Mapped[int | None] = mapped_column(ForeignKey("turns.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    batch: Mapped[str] = mapped_column(String(24), default="")


class MatterRow(Base):
    """What decisions belong to: an order, an appointment, or a conversation when none is named."""

    __tablename__ = "matters"
    __table_args__ = (UniqueConstraint("person_id", "name", name="uq_matters_name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    name: Mapped[str] = mapped_column(String(120))
    conversation_id: Mapped[int | None] = mapped_column(ForeignKey("conversations.id", ondelete="SET NULL"))
    opened_at: Mapped[datetime]
    ends_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    batch: Mapped[str] = mapped_column(String(24), default="")


class DecisionRow(Base):
    """One entry of the decision log. Append-only; one current value for a person, matter and key."""

    __tablename__ = "decisions"
    __table_args__ = (
        Index(
            "uq_decisions_current",
            "person_id",
            "matter_id",
            "key",
            unique=True,
            sqlite_where=text("active"),
            postgresql_where=text("active"),
        ),
        Index("ix_decisions_person", "person_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = _owner()
    matter_id: Mapped[int] = mapped_column(ForeignKey("matters.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(60))
    value: Mapped[str] = mapped_column(Text)
    decided_at: Mapped[datetime]
    turn_id: Mapped[int | None] = mapped_column(ForeignKey("turns.id", ondelete="SET NULL"))
    decided_by: Mapped[str] = mapped_column(String(120))
    active: Mapped[bool] = mapped_column(default=True)
    supersedes_id: Mapped[int | None] = mapped_column(ForeignKey("decisions.id", ondelete="SET NULL"))
    withdrawn_at: Mapped[datetime | None]
    batch: Mapped[str] = mapped_column(String(24), default="")  # one import, so that it can be undone


class HandoverRow(Base):
    """A request for a human, its claim and its return. At most one is open for a conversation."""

    __tablename__ = "handovers"
    __table_args__ = (
        Index(
            "uq_handovers_open",
            "conversation_id",
            unique=True,
            sqlite_where=text("ended_at IS NULL"),
            postgresql_where=text("ended_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    person_id: Mapped[int] = _owner()
    reason: Mapped[str] = mapped_column(String(40))  # asked, failures
    requested_at: Mapped[datetime]
    claimed_by: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="SET NULL"))
    claimed_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    ended_how: Mapped[str] = mapped_column(String(16), default="")  # returned, expired, withdrawn
    announced_at: Mapped[datetime | None]  # agents' closed browsers were told; None: still to be done


class HandoverNoteRow(Base):
    """An internal note. No frame can carry it to the person: frames are made from turns only."""

    __tablename__ = "handover_notes"

    id: Mapped[int] = mapped_column(primary_key=True)
    handover_id: Mapped[int] = mapped_column(ForeignKey("handovers.id", ondelete="CASCADE"))
    author_id: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="SET NULL"))
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


class DeskAgentRow(Base):
    """An agent at the desk: when a page of theirs was last open, and whether they wish to be told."""

    __tablename__ = "desk_agents"

    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    seen_at: Mapped[datetime | None]
    told: Mapped[bool] = mapped_column(default=True)  # of new requests, while no page of theirs is open


class ReadyTextRow(Base):
    """A text that agents insert into what they write: somebody's own, or everybody's."""

    __tablename__ = "ready_texts"
    __table_args__ = (Index("ix_ready_texts_person", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    person_id: Mapped[int] = _owner()  # who wrote it
    shared: Mapped[bool] = mapped_column(default=False)
    name: Mapped[str] = mapped_column(String(60))
    text: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime]


class AuditRow(Base):
    """Who did what at the desk, and when. Without the person's words."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_at", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str] = mapped_column(String(120))
    action: Mapped[str] = mapped_column(String(40))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    handover_id: Mapped[int | None] = mapped_column(ForeignKey("handovers.id", ondelete="CASCADE"))
    detail: Mapped[str] = mapped_column(String(200), default="")


class DeliveryRow(Base):
    """One firing of a reminder. The unique key is the rule "exactly once"."""

    __tablename__ = "deliveries"
    __table_args__ = (
        UniqueConstraint("card_id", "due_at", name="uq_deliveries"),
        Index("ix_deliveries_unsent", "sent_at", "claimed_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(24), unique=True, default=new_public_id)
    card_id: Mapped[int] = mapped_column(ForeignKey("cards.id", ondelete="CASCADE"))
    person_id: Mapped[int] = _owner()
    device_id: Mapped[int | None] = mapped_column(ForeignKey("devices.id", ondelete="SET NULL"))
    due_at: Mapped[datetime]
    claimed_by: Mapped[str] = mapped_column(String(80), default="")
    claimed_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
    late: Mapped[bool] = mapped_column(default=False)
    acknowledged_at: Mapped[datetime | None]


class FigureRow(Base):
    """A running count for the operator, by day: numbers only."""

    __tablename__ = "figures"
    __table_args__ = (UniqueConstraint("day", "name", name="uq_figures"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    day: Mapped[str] = mapped_column(String(10))
    name: Mapped[str] = mapped_column(String(60))
    value: Mapped[int] = mapped_column(default=0)
