"""What an operator can read of a running process: so far, its log lines. They hold no question's text."""

import logging

OURS = ("app", "web", "worker")


def log_to_stderr() -> None:
    """Our own news, and only the warnings of the libraries, which tell of every request otherwise."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    for name in OURS:
        logging.getLogger(name).setLevel(logging.INFO)
