"""Composition root: the web application, and every command.

`python app.py` runs the whole product. Each command imports only what it needs,
so that the small ones answer at once and the processes start fast.
"""

from __future__ import annotations

import argparse
import dataclasses
import getpass
import importlib
import importlib.util
import os
import sys
import zoneinfo
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory.config import LANGUAGES, Settings, misspelt
from memory.errors import AppError, ConfigError

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy import Engine

ROOT = Path(__file__).parent


def create_app(settings: Settings | None = None, **parts: Any) -> Flask:
    """The web application on real parts; nothing is contacted before the first request.

    Args:
        settings: read from the environment when none are handed in.
        parts: fields of `Wiring` to put in place of the real ones.

    Raises:
        ConfigError: a setting cannot be used.
    """
    from memory.web import build_web
    from memory.wiring import build

    settings = settings or Settings.from_env(os.environ, root=ROOT)
    return build_web(dataclasses.replace(build(settings), **parts))


def run(settings: Settings, _args: argparse.Namespace) -> None:
    """Run the whole product until Ctrl-C."""
    from memory.running import product

    product.run(settings, program=ROOT / "app.py", env=os.environ, prepare=_prepare_database)


def _prepare_database(settings: Settings) -> str | None:
    """Migrate, and give the link that makes the first account while there is none."""
    from memory import accounts
    from memory.clock import choose_clock
    from memory.running import address

    engine = _current_engine(settings)
    try:
        base = address.reachable(settings) or address.home(settings)
        return accounts.ensure_first_link(engine, settings, choose_clock(settings.clock_file)(), base=base)
    finally:
        engine.dispose()


def web(settings: Settings, args: argparse.Namespace) -> None:
    """Serve the pages and the socket."""
    from memory.running import serving
    from memory.web.current import EXTENSION

    def make_app() -> Flask:
        app = create_app(settings)
        app.extensions[EXTENSION].conductor.start()
        return app

    serving.serve(
        make_app,
        settings,
        workers=args.processes,
        at_end=lambda app: app.extensions[EXTENSION].conductor.close(),
    )


def worker(settings: Settings, args: argparse.Namespace) -> None:
    """Work on one queue, or on both."""
    from jobs import wiring as of_jobs
    from memory import listening
    from memory.llm.choose import preload_connected
    from memory.queue import BACKGROUND, QUEUE_OF, JobName
    from memory.running.worker import QUEUES, make_worker
    from memory.wiring import build

    parts = build(settings)
    of_jobs.use(parts)
    names = (args.queue,) if args.queue else QUEUES
    # Before the worker forks for its first job: every job would load all of this anew, for seconds.
    for job in JobName:
        if QUEUE_OF[job] in names:
            importlib.import_module(job.rpartition(".")[0])
    listening.preload()
    if BACKGROUND in names:
        parts.embedder.preload()
        preload_connected(settings)
    make_worker(parts.redis, names).work(logging_level="WARNING")


def scheduler(settings: Settings, _args: argparse.Namespace) -> None:
    """Queue what happens at intervals, and wake what is due."""
    from memory.cards.firing import Dispatcher, Firing
    from memory.queue import JobName
    from memory.running.scheduler import Scheduler
    from memory.running.scheduler import run as run_scheduler
    from memory.wiring import build

    parts = build(settings)
    every = {JobName.SWEEP: settings.sweep_s, JobName.ANNOUNCE: 60.0, JobName.TIDY: 86_400.0}
    firing = Firing(
        engine=parts.engine, frames=parts.frames, queue=parts.queue, clock=parts.clock, redis=parts.redis
    )
    run_scheduler(Scheduler(parts.redis, parts.queue, parts.clock, every), [Dispatcher(firing)])


def _current_engine(settings: Settings) -> Engine:
    """An engine on the database, brought to the newest schema.

    Raises:
        ConfigError: the database does not answer, or does not let itself be migrated.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from memory.storage.engine import make_engine
    from memory.storage.migrate import upgrade

    engine = make_engine(settings.database_url)
    try:
        upgrade(engine)
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        raise ConfigError([f"DATABASE_URL: the database cannot be used: {reason}"]) from error
    return engine


def migrate(settings: Settings, _args: argparse.Namespace) -> None:
    """Bring the database to the newest schema."""
    _current_engine(settings).dispose()
    print("The database has the newest schema.")


def create_user(settings: Settings, args: argparse.Namespace) -> None:
    """Make an account; the password is asked for, or read from standard input."""
    from memory import accounts
    from memory.clock import choose_clock
    from memory.records import Role

    form = accounts.SignUp(
        email=args.email,
        name=args.name or args.email.partition("@")[0],
        password=_read_password(),
        language=args.language,
        zone=args.zone,
    )
    engine = _current_engine(settings)
    person = accounts.create_user(engine, form, role=Role(args.role), now=choose_clock(settings.clock_file)())
    print(f"{person.email} can sign in now ({person.role}).")


def reset_password(settings: Settings, args: argparse.Namespace) -> None:
    """Give an account a new password, and sign it out everywhere."""
    from memory import accounts

    person = accounts.reset_password(_current_engine(settings), args.email, _read_password())
    print(f"{person.email} has a new password and is signed out everywhere.")


def _zone(name: str) -> str:
    if name not in zoneinfo.available_timezones():
        raise argparse.ArgumentTypeError(f"{name!r} is no time zone; one such as Europe/Lisbon was expected")
    return name


def _read_password() -> str:
    """From the terminal without showing it, or the first line of what is piped in."""
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\n")


def chat(settings: Settings, args: argparse.Namespace) -> None:
    """Talk in the terminal as an account, or play a file of messages, one a line."""
    from jobs import verify
    from jobs import wiring as of_jobs
    from memory.errors import NotFound
    from memory.running import logs, terminal
    from memory.storage import people
    from memory.storage.engine import reading
    from memory.wiring import build

    logs.configure("ERROR")  # the terminal is for the talk
    parts = build(settings)
    of_jobs.use(parts)
    _current_engine(settings).dispose()
    with reading(parts.engine) as session:
        found = people.by_email(session, args.email.strip().casefold())
    if found is None:
        raise NotFound("account", args.email)
    try:
        messages = _typed() if args.file is None else args.file.read_text(encoding="utf-8").splitlines()
        terminal.talk(
            parts,
            found[0],
            messages,
            say=print,
            verify=lambda turn_id: verify.run(turn_id=turn_id),
            echo=args.file is not None,
            show_kept=args.kept or args.file is not None,
        )
    finally:
        parts.conductor.close()


def _typed() -> Iterator[str]:
    """What is typed, until the input ends."""
    while True:
        try:
            yield input("> " if sys.stdin.isatty() else "")
        except EOFError:
            return


def doctor(settings: Settings, _args: argparse.Namespace) -> None:
    """Say what works and what does not; ends with 1 when something needed does not."""
    from memory.running import doctor as examination
    from memory.wiring import build

    verdicts = examination.examine(build(settings), try_model=lambda: _try_model(settings))
    print(examination.report(verdicts))
    if not examination.is_well(verdicts):
        raise SystemExit(1)


def _try_model(settings: Settings) -> tuple[str, str | None]:
    from memory.llm import choose

    connection = choose.load_connection(settings)
    if connection is None:
        return "the built-in model", None
    fault = choose.try_connection(connection)
    return f"{connection.provider}:{connection.model}", None if fault is None else fault.message


def demo(settings: Settings, args: argparse.Namespace) -> None:
    """Make a throw-away account with three hundred memories to look at."""
    from memory.clock import choose_clock
    from memory.embedding import Embedder
    from memory.portability import demo as demonstration
    from memory.storage import demo as rows
    from memory.storage.engine import transaction

    engine = _current_engine(settings)
    if args.remove:
        with transaction(engine) as session:
            print(f"Demo accounts removed: {rows.remove_all(session)}")
        return
    made = demonstration.make(
        engine, Embedder(), language=args.language, zone=args.zone, now=choose_clock(settings.clock_file)()
    )
    print(f"{made.memories} memories. Sign in and open the constellation:")
    print(f"  {made.person.email}")
    print(f"  {made.password}")
    print("python app.py demo --remove deletes all demo accounts.")


def worth(settings: Settings, args: argparse.Namespace) -> None:
    """Repeat an experiment on Memory Worth, or count its counters anew."""
    from memory.worth.experiments.main import main as experiment

    if args.what == "recount":
        _recount(settings)
        return

    code = experiment(args.rest, var=settings.var)
    if code:
        raise SystemExit(code)


def _recount(settings: Settings) -> None:
    """Count every person's counters anew from the log, compare and store; ends with 1 where they differed."""
    from memory import judge
    from memory.clock import choose_clock
    from memory.storage import outcomes
    from memory.storage.engine import reading, transaction

    engine, now = _current_engine(settings), choose_clock(settings.clock_file)()
    with reading(engine) as session:
        people = outcomes.people_counted(session)
    episodes = cards = differing = 0
    for person_id in people:
        with transaction(engine) as session:
            found = judge.recount(session, person_id, now=now)
        episodes, cards = episodes + found.episodes, cards + found.cards
        differing += len(found.differing)
    print(
        f"{episodes} judged turns of {len(people)} people, {cards} memories: {differing} counters differed."
    )
    if differing:
        print("They are mended now.")
        raise SystemExit(1)


def keys(_settings: Settings, args: argparse.Namespace) -> None:
    """Check a file of decision keys before it is used."""
    from memory.decisions.schema import load

    found = load(args.file)
    retired = len(found.by_name) - len(found.open())
    print(f"{args.file.name}: {len(found.open())} keys can be decided, {retired} are retired.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python app.py",
        description="Asterism: a chat assistant that remembers. Settings: docs/configuration.md",
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    parser.set_defaults(command=run)

    def add(name: str, command: Any) -> argparse.ArgumentParser:
        summary = (command.__doc__ or "").partition("\n")[0]
        made = commands.add_parser(name, help=summary, description=summary)
        made.set_defaults(command=command)
        return made

    add("run", run)
    add("web", web).add_argument("--processes", type=int, default=1, help="web processes on this machine")
    add("worker", worker).add_argument(
        "queue", nargs="?", choices=("prompt", "background"), help="both by default"
    )
    add("scheduler", scheduler)
    add("migrate", migrate)
    new = add("create-user", create_user)
    new.add_argument("email")
    new.add_argument("--name", default="", help="how the assistant addresses this person")
    new.add_argument("--role", choices=("person", "agent", "operator"), default="person")
    new.add_argument("--language", choices=LANGUAGES, default="en")
    new.add_argument("--zone", default="UTC", type=_zone, help="IANA time zone, such as Europe/Lisbon")
    add("reset-password", reset_password).add_argument("email")
    talk = add("chat", chat)
    talk.add_argument("email", help="the account's address")
    talk.add_argument("--file", type=Path, help="messages to play, one a line")
    talk.add_argument("--kept", action="store_true", help="show what each turn kept, as --file does")
    add("doctor", doctor)
    show = add("demo", demo)
    show.add_argument("--language", choices=LANGUAGES, default="en")
    show.add_argument("--zone", default="UTC", type=_zone, help="IANA time zone, such as Europe/Lisbon")
    show.add_argument("--remove", action="store_true", help="delete all demo accounts instead")
    check = add("keys", keys)
    check.add_argument("what", choices=("check",))
    check.add_argument("file", type=Path, help="a TOML file, as docs/decision-keys.md describes")
    trial = add("worth", worth)
    trial.add_argument("what", choices=("experiment", "recount"))
    trial.add_argument("rest", nargs=argparse.REMAINDER, help="an experiment's name, --seeds N, --out FOLDER")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 well, 1 not well, 2 settings that cannot be used."""
    from memory.running import logs
    from memory.running.lock import AlreadyRunning
    from memory.running.supervisor import ChildFailed, follow_parent

    os.umask(0o077)  # whatever a command writes is for this user only
    args = _parser().parse_args(argv)
    follow_parent(os.environ)
    try:
        settings = Settings.from_env(os.environ, root=ROOT)
        logs.configure(settings.log_level)
        if args.command in (run, doctor) and (strange := misspelt(os.environ)):
            print("Not used:", *(f"  {line}" for line in strange), sep="\n", file=sys.stderr)
        args.command(settings, args)
    except ConfigError as error:
        print(
            "These settings cannot be used:",
            *(f"  {line}" for line in error.problems),
            sep="\n",
            file=sys.stderr,
        )
        return 2
    except (AppError, AlreadyRunning, ChildFailed) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _enter_environment() -> None:
    """Start anew in the environment that `make run` made, when another Python was taken.

    So that `python app.py doctor` works from any shell.
    """
    made = ROOT / ".venv"
    if importlib.util.find_spec("sqlalchemy") is not None:
        return
    if Path(sys.prefix) == made or not (made / "bin" / "python").exists():
        sys.exit("What Asterism needs is not installed yet: make run sets it up.")
    os.execv(made / "bin" / "python", [str(made / "bin" / "python"), *sys.argv])  # noqa: S606 (our own program)


if __name__ == "__main__":
    _enter_environment()
    sys.exit(main())
