"""Finds a Chromium that really starts here, and installs one if there is none.

    python -m dev.browser       prints which one it is

Each candidate is tried by a launch; what worked is remembered in .cache/chromium. Knows nothing of tests.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from dev import apt

REMEMBERED = Path(__file__).resolve().parent.parent / ".cache" / "chromium"
PLAYWRIGHTS_OWN = ""  # no path: Playwright knows where its own is
ON_MACHINES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
               "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
DOWNLOAD_CAP_S = 60
HELP = ("No Chromium starts here. Install one (Debian: apt-get install chromium-headless-shell) "
        "or set CHROMIUM to the path of one.")


def executable() -> str | None:
    """The path for Playwright's `executable_path`; None stands for Playwright's own."""
    if not REMEMBERED.exists():
        remember(find())
    return os.environ.get("CHROMIUM") or REMEMBERED.read_text() or None


def find() -> str:
    """The first candidate that starts; SystemExit if none does."""
    for path in candidates():
        if starts(path):
            return path
    raise SystemExit(HELP)


def candidates() -> Iterator[str]:
    """Lazily: a later one is downloaded only when the earlier ones did not start."""
    if chosen := os.environ.get("CHROMIUM"):
        if starts(chosen):
            yield chosen
        raise SystemExit(f"CHROMIUM is {chosen!r}, but it takes the path of a Chromium that starts here.")
    yield PLAYWRIGHTS_OWN
    yield from filter(None, map(shutil.which, ON_MACHINES))
    if download():
        yield PLAYWRIGHTS_OWN
    if apt.install("chromium-headless-shell") or apt.install("chromium"):
        yield from filter(None, map(shutil.which, ON_MACHINES))


def starts(path: str) -> bool:
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path or None)
            answer = browser.new_page().evaluate("6 * 7")
            browser.close()
            return bool(answer == 42)
    except Error:
        return False


def download() -> bool:
    print("Fetching a Chromium (playwright install) …", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium", "--only-shell"]
    try:
        done = subprocess.run(command, timeout=DOWNLOAD_CAP_S, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def remember(path: str) -> None:
    REMEMBERED.parent.mkdir(exist_ok=True)
    REMEMBERED.write_text(path)


if __name__ == "__main__":
    found = find()
    remember(found)
    print(found or "Playwright's own")
