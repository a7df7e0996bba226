"""Names for what is kept of an owner, in forms that servers and file systems take."""

import hashlib
import re


def slug(text: str) -> str:
    """Lower case letters, digits and hyphens; a text that had to be changed is kept apart by its hash."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60]
    return plain if plain == text else f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:8]}".strip("-")
