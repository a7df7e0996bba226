"""Whether there is a Prelude at an address that somebody names, before a browser is sent there."""

import http.client
import urllib.request
from urllib.parse import urlsplit

PATIENCE = 15.0  # seconds
MOST = 1_000_000  # bytes of a page
BOX = b'id="question"'


class NotThere(Exception):
    """One line: the address, what is wrong there, and what would be right."""


def origin_of(url: str) -> str:
    """Where Prelude really is, after redirects; NotThere when it is not."""
    if not _is_address(url):
        raise NotThere(f"URL is {url!r}, but it takes an address such as https://chat.example.org.")
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            page, found = answer.read(MOST), answer.geturl()
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = " ".join(str(getattr(error, "reason", None) or error).split())
        raise NotThere(f"{url} cannot be asked: {why}.") from None
    if BOX not in page:
        raise NotThere(f"{url} has no box for a question: it is no Prelude, or wants a login.")
    return "{0.scheme}://{0.netloc}".format(urlsplit(found))


def _is_address(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:  # of a port or a bracket
        return False
