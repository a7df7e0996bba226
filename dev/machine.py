"""What the tests need of the machine beyond Python packages: a Chromium, nginx, a font that knows Chinese.

`python -m dev.machine` installs what is missing, as root on Debian, or ends with a line that names it.
"""

import os
import shutil
import subprocess
import sys

from dev import apt, browser


def main() -> int:
    if browser.REMEMBERED.exists() and not browser.starts(browser.executable() or browser.PLAYWRIGHTS_OWN):
        browser.REMEMBERED.unlink()
    browser.executable()
    if not has_nginx() and not (apt.install("nginx") and has_nginx()):
        raise SystemExit("The tests need nginx: install it (Debian: apt-get install nginx) and try again.")
    if not knows_chinese() and not apt.install("fontconfig", "fonts-wqy-microhei"):
        print("No font here knows Chinese: screenshots will show boxes (Debian: fonts-wqy-microhei).")
    return 0


def has_nginx() -> bool:
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") is not None


def knows_chinese() -> bool:
    if sys.platform == "darwin":
        return True
    if shutil.which("fc-list") is None:
        return False
    return bool(subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False).stdout)


if __name__ == "__main__":
    sys.exit(main())
