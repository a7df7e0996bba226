"""A TCP proxy that a test can cut and restore: CDP's offline mode does not cut a stream that is open."""

import contextlib
import socket
import threading


class Proxy:
    """Listens on a free port and forwards to `target`, a (host, port)."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._pairs: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Ends every connection and refuses new ones."""
        # A blocked accept keeps a closed listener alive; shutting it down wakes and ends it.
        self._end(self._listener)
        with self._lock:
            open_now, self._pairs = self._pairs, set()
        for each in open_now:
            self._end(each)

    def restore(self) -> None:
        self._listener = self._listen(self.port)

    def _listen(self, port: int) -> socket.socket:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        threading.Thread(target=self._accept, args=[listener], daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(self._target)
                with self._lock:
                    self._pairs |= {client, server}
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pump, args=[source, sink], daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                sink.sendall(data)
        self._end(source)
        self._end(sink)

    @staticmethod
    def _end(each: socket.socket) -> None:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
