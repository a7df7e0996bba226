"""Compiles requirements/ from pyproject.toml: every package, with hashes, for all platforms and Pythons.

Layers share their versions: the largest is resolved first and the others start from its pins. No file says
where a package was downloaded from.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "requirements"
LAYERS = {
    "test": ("pyproject.toml", "--extra", "dev", "--extra", "test"),
    "dev": ("pyproject.toml", "--extra", "dev"),
    "runtime": ("pyproject.toml",),
    "setup": ("--group", "setup"),
    "lab": ("--group", "lab", "--no-deps"),  # beside a layer: its packages alone, for they need no others
}
OPTIONS = ("--quiet", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header",
           "--no-annotate", "--no-emit-index-url", "--no-emit-find-links")


def main(arguments: list[str]) -> int:
    for layer, sources in LAYERS.items():
        target = PINS / f"{layer}.txt"
        if layer in ("dev", "runtime"):
            shutil.copyfile(PINS / "test.txt", target)
        extra = arguments if layer in ("test", "setup", "lab") else []
        uv = Path(sys.executable).with_name("uv")
        command = [str(uv), "pip", "compile", *OPTIONS, *sources, *extra, "--output-file", str(target)]
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
