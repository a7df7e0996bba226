"""Runs one part of the stack, starts it again when it dies, and never lets it outlive the stack.

    python -S -I dev/lifeline.py --name web --lock FILE [options] -- COMMAND

The stack holds a POSIX record lock on FILE. Such a lock is not inherited by a fork and goes away with its
process, however that ends: so getting the lock means that the stack is gone. Knows nothing of which parts
there are; it imports the standard library only, because one of these runs beside every part.
"""

import argparse
import collections
import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

KEPT_LINES = 20
GRACE_S = 3.5  # between SIGTERM and SIGKILL; with the next, within honcho's patience of 5 s
LAST_GRACE_S = 1  # for what had to outlive others
ORPHANED_GRACE_S = 1
WINDOW_S = 60  # restarts are counted within this
PR_SET_PDEATHSIG = 1


class Lifeline:
    """One part: its process group, its last lines and when it died."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.name, self.command, self.quiet = given.name, given.command, given.quiet
        self.restarts, self.outlive = given.restarts, given.outlive
        self.child: subprocess.Popen[bytes] | None = None
        self.last_lines: collections.deque[bytes] = collections.deque(maxlen=KEPT_LINES)
        self.deaths: collections.deque[float] = collections.deque()
        self.stopping = self.orphaned = False

    def run(self, after: list[str]) -> int:
        while True:
            for address in after:
                wait_for(address)
            status = self.run_once()
            if self.stopping or (status == 0 and self.restarts == 0):
                return 0
            delay = self.delay_before_restart()
            self.report(status, delay)
            if delay is None:
                return status or 1
            time.sleep(delay)

    def run_once(self) -> int:
        self.last_lines.clear()
        try:
            self.child = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True, preexec_fn=die_with_parent)
        except OSError as error:
            self.last_lines.append(str(error).encode())
            return 127
        reader = threading.Thread(target=self.relay, args=(self.child,), daemon=True)
        reader.start()
        code = self.child.wait()
        self.kill(signal.SIGKILL)  # what it started and left behind
        reader.join(1)
        return code if code >= 0 else 128 - code

    def relay(self, child: subprocess.Popen[bytes]) -> None:
        for line in child.stdout or ():
            self.last_lines.append(line)
            if not self.quiet:
                self.say(line)

    def delay_before_restart(self) -> float | None:
        now = time.monotonic()
        self.deaths.append(now)
        while now - self.deaths[0] > WINDOW_S:
            self.deaths.popleft()
        deaths = len(self.deaths)
        return None if deaths > self.restarts else 0.5 * 2 ** (deaths - 1)

    def report(self, status: int, delay: float | None) -> None:
        then = "giving up" if delay is None else f"starting it again in {delay:g} s"
        told = f"{self.name} ended with status {status}; {then}."
        last = b"".join(b"    " + line.rstrip() + b"\n" for line in self.last_lines)
        if not last:
            told += " It said nothing."
        elif self.quiet or delay is None:
            told += " Its last lines:"
        else:
            last = b""  # they stand right above
        self.say(told.encode() + b"\n" + last)

    def say(self, line: bytes) -> None:
        if self.orphaned:
            return  # nobody reads any more, and a full pipe would hold us back
        try:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except OSError:
            self.orphaned = True

    def stop(self, *_: object) -> None:
        if self.stopping:
            return
        self.stopping = True
        if self.outlive and not self.orphaned:
            wait_until_free(self.outlive, GRACE_S)
        if self.child is None or self.child.returncode is not None:
            raise SystemExit(0)
        signal.signal(signal.SIGALRM, lambda *_: self.kill(signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, self.grace())
        self.kill(signal.SIGTERM)

    def grace(self) -> float:
        return ORPHANED_GRACE_S if self.orphaned else LAST_GRACE_S if self.outlive else GRACE_S

    def kill(self, signum: int) -> None:
        if self.child is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: a group of zombies
                os.killpg(self.child.pid, signum)

    def watch(self, lock: Path) -> None:
        with lock.open("rb") as file:
            fcntl.lockf(file, fcntl.LOCK_SH)  # blocks for as long as the stack lives
            self.orphaned = True
            os.kill(os.getpid(), signal.SIGTERM)
            threading.Event().wait()  # keep the lock until the part is gone: a new stack waits for that


def wait_for(address: str) -> None:
    """Returns once something accepts at HOST:PORT or at the path of a socket."""
    while not accepts(address):
        time.sleep(0.02)


def wait_until_free(file: Path, patience_s: float) -> None:
    """Returns once no other lifeline holds the file, or patience ends."""
    deadline = time.monotonic() + patience_s
    with file.open("ab") as held:
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(0.02)


def accepts(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        if address.startswith("/"):
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(address)
        else:
            socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


def die_with_parent() -> None:
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before the fork


def main() -> int:
    parser = argparse.ArgumentParser(description="Run one part of the stack.")
    parser.add_argument("--name", required=True)
    parser.add_argument("--lock", required=True, type=Path)
    parser.add_argument("--quiet", action="store_true", help="show its lines only when it dies")
    parser.add_argument("--hold", type=Path, help="a file to hold for as long as the part lives")
    parser.add_argument("--outlive", type=Path, help="end only after those that hold this file")
    parser.add_argument("--after", action="append", default=[], help="an address that must accept first")
    parser.add_argument("--restarts", type=int, default=3, help="within a minute; 0: it may end by itself")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    part = Lifeline(given)
    signal.signal(signal.SIGTERM, part.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=part.watch, args=(given.lock,), daemon=True).start()
    with contextlib.ExitStack() as stack:
        if given.hold:
            fcntl.lockf(stack.enter_context(given.hold.open("a+b")), fcntl.LOCK_SH)
        return part.run(given.after)


if __name__ == "__main__":
    sys.exit(main())
