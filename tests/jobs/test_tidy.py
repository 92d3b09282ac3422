"""The tidying as a job: for everybody one job each, for one person the work, for nobody nothing."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine

from jobs import archive
from jobs import tidy as job
from memory import cards
from memory.queue import JobName
from memory.records import Category
from memory.storage import cards as card_rows
from memory.storage import tidying
from memory.storage.engine import reading, transaction
from tests.cards.test_tidy import BALCONY, keep
from tests.conductor.playing import EMBEDDER, stage
from tests.fakes import FakeClock
from tests.jobs.test_archive import working


def test_everybody_with_memories_gets_a_job_and_each_is_done_once(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        assert job.run() == 0
        keep(sqlite_engine, play.person, *BALCONY)
        assert job.run() == 1
        (told,) = play.queue.of(JobName.TIDY)
        assert told == {"person_id": play.person.id}
        assert job.run(**told) > 0
        assert job.run(**told) == 0
        assert job.run(person_id=987_654) == 0


def test_what_is_forgotten_for_good_has_the_themes_looked_at(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        held = keep(sqlite_engine, play.person, *BALCONY, "The tomatoes on the balcony are called Zinnober")
        job.run(person_id=play.person.id)
        with transaction(sqlite_engine) as session:
            cards.forget(session, held[:2], now=clock())
        archive.sweep()
        assert play.queue.of(JobName.TIDY) == []
        clock.tick(seconds=play.parts.settings.undo_s + 1)
        archive.sweep()
        assert play.queue.of(JobName.TIDY) == [{"person_id": play.person.id}]


def test_a_theme_is_renamed_when_a_word_of_its_name_is_forgotten(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        keep(sqlite_engine, play.person, *BALCONY)
        job.run(person_id=play.person.id)
        with transaction(sqlite_engine) as session:
            (theme,) = card_rows.active(session, play.person.id, categories=[Category.THEME])
            name = "Balcony · Zinnober"
            vector = EMBEDDER.encode_one(name)
            tidying.rename(session, play.person.id, theme.id, text=name, vector=vector)
        job.run(person_id=play.person.id)
        with reading(sqlite_engine) as session:
            (theme,) = card_rows.active(session, play.person.id, categories=[Category.THEME])
    assert "Zinnober" not in theme.text
