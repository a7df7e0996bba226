"""The prober: it sees how long a server stands still, and outlives a server that behaves badly."""

import socket
import threading
import time

from e2e.latency.prober import Probes, probing
from e2e.stack import wait_for
from tests.e2e_latency.servers import request, serving

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def test_a_server_that_stands_still_is_seen_to() -> None:
    still = threading.Event()

    def answer(connection: socket.socket) -> None:
        while request(connection):
            if still.is_set():
                still.clear()
                time.sleep(0.3)  # what is measured
            connection.sendall(ANSWER)

    with serving(answer) as url, probing(url) as probes:
        began = time.perf_counter()
        wait_for(lambda: len(probes.waits) >= 5, "probes")
        still.set()
        wait_for(lambda: (probes.longest(began, time.perf_counter()) or 0) >= 250, "the pause to be seen")
        counted = len(probes.waits)
        wait_for(lambda: len(probes.waits) > counted, "it to go on")


def test_a_server_that_hangs_up_is_asked_again() -> None:
    connections = []

    def answer(connection: socket.socket) -> None:
        connections.append(request(connection))
        connection.sendall(ANSWER)

    with serving(answer) as url, probing(url) as probes:
        wait_for(lambda: len(connections) >= 3 and len(probes.waits) >= 3, "it to come back")
    assert connections[0].startswith(b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1:")


def test_answers_that_nobody_can_read_and_tls_are_let_be() -> None:
    asked = []

    def answer(connection: socket.socket) -> None:
        asked.append(request(connection))
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n?")

    with serving(answer) as url:
        with probing(url) as probes:
            wait_for(lambda: asked, "a probe")
        assert probes.waits == []
        with probing(url.replace("http:", "https:")) as probes:
            pass
        assert len(asked) == 1


def test_only_probes_of_that_time_count() -> None:
    probes = Probes([(1.0, 5.0), (2.0, 300.0), (3.0, 7.04)])
    assert probes.longest(0.5, 1.5) == 5
    assert probes.longest(2.5, 9.0) == 7
    assert probes.longest(1.5, 9.0) == 300
    assert probes.longest(4.0, 9.0) is None
