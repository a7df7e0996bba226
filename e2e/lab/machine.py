"""What a figure was measured on. Names no host and no folder."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

BUSY = 0.5  # of its cores, before anything is measured


def machine() -> dict[str, Any]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "cpu": _cpu(), "cores": cores, "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(), "xllamacpp": version("xllamacpp"),
        "load": round(os.getloadavg()[0], 2), "day": datetime.now(UTC).date().isoformat(),
    }


def is_busy(found: dict[str, Any]) -> bool:
    return bool(found["load"] > BUSY * found["cores"])


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
