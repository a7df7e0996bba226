"""`python -m dev` runs the whole application with nothing installed; `python -m dev ingest FROM…` feeds it.

`python -m dev --model local` runs it on a real small model, which is for measuring.

Ends with status 0 when it was told to stop (Ctrl-C or SIGTERM), and with another one when it could not go on.
"""

import sys

from app.settings import load_settings
from dev import ingest, stack
from dev.local.weights import weights
from dev.lock import Taken


def main(arguments: list[str]) -> int:
    local = False
    match arguments:
        case []:
            pass
        case ["--model", "local"]:
            weights()  # without them nothing need start
            local = True
        case ["--model", name]:
            raise SystemExit(f"MODEL is {name!r}, but it takes local, or nothing. OPENAI_BASE_URL and "
                             "CHAT_MODEL connect other models.")
        case ["ingest", *sources]:
            return ingest.run(load_settings(), sources)
        case _:
            raise SystemExit("python -m dev takes nothing, or: --model local, or: ingest FROM…")
    settings = load_settings()
    try:
        return stack.run(settings, local)
    except Taken as taken:
        raise SystemExit(f"Another stack is already running on DATA_DIR {settings.data_dir} "
                         f"(pid {taken.pid}): stop it, or set DATA_DIR to another folder.") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
