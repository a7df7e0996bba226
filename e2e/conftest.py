"""One stack for the whole run, with the handbook and a hostile document; a fresh browser context a test."""

import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, expect

from dev import browser, parts
from dev.parts import Part
from e2e.pages import MEASURE, PATIENCE_MS, Chat
from e2e.stack import ROOT, Stack, running
from e2e.upstream import Upstream

pytest_plugins = ["e2e.latency.plugin"]

HOSTILE = """\
# <img src=x onerror="window.pwned=1"> "><script>window.pwned=2</script>

The zanzibar protocol says <img src="https://remote.invalid/document.png" onerror="alert(1)"> and
[press here](javascript:window.pwned=3) and ![pixel](https://remote.invalid/pixel.png).
<script>window.pwned = 4</script> <svg onload="window.pwned=5"> The zanzibar protocol is hostile.
"""


def pytest_configure(config: pytest.Config) -> None:
    """Pictures of what failed go where CI and people look for them."""
    if config.option.screenshot == "off":
        config.option.screenshot = "only-on-failure"
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return browser_type_launch_args | {"executable_path": browser.executable()}


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stack, None, None]:
    folder = tmp_path_factory.mktemp("stack")
    hostile = folder / "hostile" / "hostile.md"
    hostile.parent.mkdir()
    hostile.write_text(HOSTILE)
    with running(folder / "data") as running_stack:
        running_stack.ingest(ROOT / "dev" / "handbook", hostile.parent)
        yield running_stack


@pytest.fixture(scope="session")
def upstream(stack: Stack) -> Upstream:
    return Upstream(stack)


@pytest.fixture
def make_context(new_context: Callable[..., BrowserContext], stack: Stack) -> Callable[..., BrowserContext]:
    """Another browser profile, measured: `make_context(locale="zh-CN")`."""

    def make(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.add_init_script(path=MEASURE)
        return context

    return make


@pytest.fixture
def open_chat(make_context: Callable[..., BrowserContext], stack: Stack) -> Callable[..., Chat]:
    """A chat in a profile of its own, opened; `open_chat(url, **context options)`."""

    def open_(url: str = "", **options: Any) -> Chat:
        return Chat(make_context(**options), url or stack.url).open()

    return open_


@pytest.fixture
def chat(open_chat: Callable[..., Chat]) -> Generator[Chat, None, None]:
    """A chat whose page must have been without a fault."""
    opened = open_chat()
    yield opened
    if not opened.page.is_closed():
        assert opened.faults() == []


@pytest.fixture(scope="session")
def part_of(stack: Stack) -> Callable[[str], Part]:
    """How a part that a test killed is started again."""
    data = Path(stack.environment["DATA_DIR"])
    known = {
        "web": Part("web", (sys.executable, "-m", "web")),
        "chroma": parts.chroma(data / "chroma", urlsplit(stack.environment["CHROMA_URL"]).netloc),
        "valkey": parts.valkey(data / "valkey", parts.socket_path(data)),
    }
    return known.__getitem__
