"""The web process under real gunicorn."""

from __future__ import annotations

import http.client
import socket
import time

from memory.clock import choose_clock
from tests.servers import LiveServer, StartServer


def _status(server: LiveServer, path: str) -> int:
    line = http.client.HTTPConnection("127.0.0.1", int(server.env["ASTERISM_PORT"]), timeout=10)
    try:
        line.request("GET", path)
        return line.getresponse().status
    finally:
        line.close()


def test_it_is_healthy(live_server: LiveServer) -> None:
    assert _status(live_server, "/health") == 200


def test_its_clock_can_be_moved(live_server: LiveServer) -> None:
    before = choose_clock(live_server.settings.clock_file)()
    live_server.move_clock(days=1)
    after = choose_clock(live_server.settings.clock_file)()
    live_server.move_clock(days=-1)  # others share this server
    assert 86_390 < (after - before).total_seconds() < 86_460


def test_it_survives_a_kill_and_open_connections_do_not_delay_its_end(
    start_server: StartServer,
) -> None:
    server = start_server(workers=2)
    server.kill()
    server.start()
    assert _status(server, "/health") == 200
    with socket.create_connection(("127.0.0.1", int(server.env["ASTERISM_PORT"]))) as idle:
        idle.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")  # and never ends its request
        started = time.monotonic()
        server.stop()
        assert time.monotonic() - started < 8
