"""`python -m dev` runs the whole application with nothing installed; `python -m dev ingest FROM…` feeds it.

Ends with status 0 when it was told to stop (Ctrl-C or SIGTERM), and with another one when it could not go on.
"""

import sys

from app.settings import load_settings
from dev import ingest, stack
from dev.lock import Taken


def main(arguments: list[str]) -> int:
    match arguments:
        case []:
            command = stack.run
        case ["ingest", *sources]:
            return ingest.run(load_settings(), sources)
        case _:
            raise SystemExit("python -m dev takes nothing, or: ingest FROM…")
    settings = load_settings()
    try:
        return command(settings)
    except Taken as taken:
        raise SystemExit(f"Another stack is already running on DATA_DIR {settings.data_dir} "
                         f"(pid {taken.pid}): stop it, or set DATA_DIR to another folder.") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
