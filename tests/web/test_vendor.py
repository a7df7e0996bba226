"""What was taken from others is what they published, and its licence came with it."""

import hashlib
from pathlib import Path

import web

VENDOR = Path(web.__path__[0]) / "static" / "vendor"
PUBLISHED = {  # sha256 of the files in the npm package htmx.org 4.0.1
    "LICENSE": "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
    "htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "hx-sse.min.js": "18ef2761356ec1fe0bb6d92612315b37517a7c1e9856b661c5ae81fef239d103",
}


def test_every_file_is_as_it_was_published() -> None:
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in VENDOR.iterdir()}
    assert found == PUBLISHED


def test_the_licence_and_the_version_are_there() -> None:
    assert "Zero-Clause BSD" in (VENDOR / "LICENSE").read_text()
    assert "4.0.1" in (VENDOR / "htmx.min.js").read_text()
