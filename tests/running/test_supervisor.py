from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from memory.running import supervisor as room
from memory.running.supervisor import PARENT, Child, ChildFailed, Supervisor, follow_parent


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.fixture
def supervisor(tmp_path: Path) -> Supervisor:
    return Supervisor(tmp_path, os.environ)


def _mark(path: Path) -> str:
    return f"open({str(path)!r}, 'a').write('.'); import time; time.sleep(60)"


def test_it_waits_until_a_child_is_ready(supervisor: Supervisor, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    supervisor.start(Child(name="child", command=_python(_mark(mark)), is_ready=mark.exists))
    supervisor.wait_ready(20)
    assert mark.exists()
    supervisor.stop()


def test_a_child_that_dies_while_starting_is_told_with_the_end_of_its_log(supervisor: Supervisor) -> None:
    supervisor.start(
        Child(name="child", command=_python("raise SystemExit('no spoon')"), is_ready=lambda: False)
    )
    with pytest.raises(ChildFailed, match="no spoon"):
        supervisor.wait_ready(20)


def test_a_child_that_is_never_ready_is_told(supervisor: Supervisor) -> None:
    supervisor.start(
        Child(name="slow", command=_python("import time; time.sleep(60)"), is_ready=lambda: False)
    )
    with pytest.raises(ChildFailed, match="slow process was not ready after 0 s"):
        supervisor.wait_ready(0.2)
    supervisor.stop()


def test_a_child_that_ends_is_started_again(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_LOOK_S", 0.01)
    mark = tmp_path / "mark"
    once = (
        f"import os, time; mark = {str(mark)!r}; again = os.path.exists(mark)\n"
        "with open(mark, 'a') as file: file.write('.')\n"
        "time.sleep(60 * again)"
    )
    supervisor.start(Child(name="child", command=_python(once)))
    seen = threading.Event()

    def stop_after_two_starts() -> None:
        while not (mark.exists() and len(mark.read_text()) == 2):
            seen.wait(0.02)
        supervisor.stopping = True

    watcher = threading.Thread(target=stop_after_two_starts)
    watcher.start()
    supervisor.watch()
    watcher.join()
    supervisor.stop()
    assert mark.read_text() == ".."


def test_a_child_that_cannot_live_ends_the_watch(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_LOOK_S", 0.01)
    monkeypatch.setattr(room, "_TRIES", 1)
    supervisor.start(Child(name="child", command=_python("raise SystemExit('broken')")))
    with pytest.raises(ChildFailed, match="broken"):
        supervisor.watch()


def test_people_are_served_on_while_one_that_can_wait_is_tried_again(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_LOOK_S", 0.01)
    monkeypatch.setattr(room, "_TRIES", 0)
    monkeypatch.setattr(room, "_LONGEST_PAUSE_S", 0.01)
    mark = tmp_path / "mark"
    supervisor.start(
        Child(name="child", command=_python(f"open({str(mark)!r}, 'a').write('.')"), can_wait=True)
    )
    pause = threading.Event()

    def stop_after_three_lives() -> None:
        while not (mark.exists() and len(mark.read_text()) >= 3):
            pause.wait(0.02)
        supervisor.stopping = True

    watcher = threading.Thread(target=stop_after_three_lives)
    watcher.start()
    supervisor.watch()
    watcher.join()
    supervisor.stop()


def test_a_child_that_does_not_listen_is_killed(supervisor: Supervisor, tmp_path: Path) -> None:
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {_mark(tmp_path / 'mark')}"
    supervisor.start(
        Child(name="deaf", command=_python(deaf), is_ready=(tmp_path / "mark").exists, stop_s=0.1)
    )
    supervisor.wait_ready(20)
    process = supervisor._running[0].process
    supervisor.stop()
    assert process.returncode == -signal.SIGKILL


def test_later_stages_end_first(supervisor: Supervisor, tmp_path: Path) -> None:
    order = tmp_path / "order"
    for stage, name in ((0, "first"), (1, "second")):
        ready = tmp_path / name
        code = (
            "import signal, sys, time\n"
            f"def end(*_): open({str(order)!r}, 'a').write({name!r} + ' '); sys.exit()\n"
            f"signal.signal(signal.SIGTERM, end); open({str(ready)!r}, 'w').close(); time.sleep(60)"
        )
        supervisor.start(Child(name=name, command=_python(code), stage=stage, is_ready=ready.exists))
    supervisor.wait_ready(20)
    supervisor.stop()
    assert order.read_text().split() == ["second", "first"]


def test_a_log_that_has_grown_large_is_put_aside(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_LOG_BYTES", 10)
    (tmp_path / "child.log").write_text("more than ten bytes")
    supervisor.start(Child(name="child", command=_python("import time; time.sleep(60)")))
    supervisor.stop()
    assert (tmp_path / "child.log.1").read_text() == "more than ten bytes"


def test_a_child_whose_parent_is_gone_ends() -> None:
    with pytest.raises(SystemExit):
        follow_parent({PARENT: str(os.getppid() + 1)})


def test_a_command_started_by_hand_follows_nobody() -> None:
    follow_parent({})
    follow_parent({PARENT: str(os.getppid())})
