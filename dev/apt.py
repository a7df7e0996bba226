"""Installs Debian's packages, where that is ours to do: as root on a machine that has apt.

Knows nothing of why; the standard library only, because set-up runs it before anything is installed.
"""

import os
import shutil
import subprocess


def install(*packages: str) -> bool:
    """Whether the packages are there now; refreshes apt's lists only when they do not know them."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    print(f"Installing {' '.join(packages)} (apt) …", flush=True)
    if _apt("install", *packages):
        return True
    return _apt("update") and _apt("install", *packages)


def _apt(verb: str, *packages: str) -> bool:
    options = ["--yes", "--no-install-recommends"] if verb == "install" else []
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive",
                   "RUNLEVEL": "1"}  # an installed server must not start by itself
    command = ["apt-get", "-qq", verb, *options, *packages]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return done.returncode == 0
