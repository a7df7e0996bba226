"""Servers that misbehave on purpose, on real sockets: each connection is one call of a function."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Answer = Callable[[socket.socket], None]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The address of a server that hands each connection to `answer`, in a thread of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, answer), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, answer: Answer) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, answer), daemon=True).start()


def _serve(connection: socket.socket, answer: Answer) -> None:
    with connection, suppress(OSError):
        answer(connection)


def request(connection: socket.socket) -> bytes:
    """Up to the end of its head; empty when there was none."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65_536)):
            return b""
        data += more
    return data


def always(response: bytes) -> Answer:
    """The same bytes to whoever asks, then the end."""

    def answer(connection: socket.socket) -> None:
        request(connection)
        connection.sendall(response)

    return answer
