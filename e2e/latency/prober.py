"""Whether the server's event loop stood still: a trivial file is asked for at fixed times, open loop, from a
thread of its own. What such a request waits, everybody's frames waited too.
"""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

EVERY = 0.02  # seconds
PATH = "/static/icon.svg"
PATIENCE = 10.0


class Unreadable(Exception):
    """An answer of which one cannot tell where it ends."""


@dataclass
class Probes:
    """(scheduled, waited) pairs: `perf_counter` seconds and milliseconds."""

    waits: list[tuple[float, float]] = field(default_factory=list)

    def note(self, scheduled: float) -> float:
        """A probe is over; returns when."""
        now = time.perf_counter()
        self.waits.append((scheduled, (now - scheduled) * 1_000))
        return now

    def longest(self, began: float, ended: float) -> float | None:
        """The longest wait of a probe sent in that time; None when there was none."""
        found = [waited for at, waited in list(self.waits) if began <= at <= ended]
        return round(max(found), 1) if found else None


@contextmanager
def probing(url: str) -> Iterator[Probes]:
    """Only plain http: a deployment behind TLS is somebody else's, and not to be probed.

    A server that hangs up is asked again over another connection; one that answers nothing readable, no more.
    """
    probes, over = Probes(), threading.Event()
    address = urlsplit(url)
    if address.scheme != "http":
        yield probes
        return
    where = (address.hostname or "", address.port or 80)
    thread = threading.Thread(target=_probe, args=(where, probes, over), daemon=True)
    thread.start()
    try:
        yield probes
    finally:
        over.set()
        thread.join()


def _probe(where: tuple[str, int], probes: Probes, over: threading.Event) -> None:
    while not over.is_set():
        try:
            with socket.create_connection(where, PATIENCE) as connection:
                _probe_over(connection, f"{where[0]}:{where[1]}", probes, over)
        except OSError:
            over.wait(EVERY)
        except Unreadable:
            return


def _probe_over(connection: socket.socket, host: str, probes: Probes, over: threading.Event) -> None:
    request = f"GET {PATH} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    scheduled = time.perf_counter()
    while not over.is_set():
        try:
            _ask(connection, request)
        except TimeoutError:
            probes.note(scheduled)
            raise
        now = probes.note(scheduled)
        scheduled = max(scheduled + EVERY, now - EVERY)  # one that waited long stands for those behind it
        over.wait(max(0.0, scheduled - now))


def _ask(connection: socket.socket, request: bytes) -> None:
    connection.sendall(request)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _read(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    if length is None:
        raise Unreadable
    missing = int(length[1]) - len(body)
    while missing > 0:
        missing -= len(_read(connection))


def _read(connection: socket.socket) -> bytes:
    data = connection.recv(65_536)
    if not data:
        raise ConnectionError("the server closed the prober's connection")
    return data
