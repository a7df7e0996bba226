"""The browser's own trace of a page: when what had changed by some moment was committed, and presented."""

from collections.abc import Callable
from types import TracebackType
from typing import Any

from playwright.sync_api import Page

CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]


class Trace:
    """Records while it is entered. Moments are milliseconds of the page's own `performance.now`."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._events: list[dict[str, Any]] = []
        self._whole = False
        self._origin = 0.0

    def __enter__(self) -> "Trace":
        self._devtools.on("Tracing.dataCollected", lambda part: self._events.extend(part["value"]))
        self._devtools.on("Tracing.tracingComplete", self._completed)
        config = {"includedCategories": CATEGORIES, "excludedCategories": ["*"]}
        self._devtools.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
        self._marked = self._page.evaluate("() => performance.mark('trace').startTime")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._devtools.send("Tracing.end")
        while not self._whole:
            self._page.evaluate("() => new Promise(requestAnimationFrame)")
        (mark,) = [event for event in self._events if event["name"] == "trace"]
        self._events = [event for event in self._events if event["pid"] == mark["pid"]]  # the page's process
        self._origin = mark["ts"] / 1_000 - self._marked

    def committed(self, changed: float) -> float:
        """When the first frame that was painted after `changed` had been handed over to be shown."""
        painted = self._painted(changed)
        commit = min(self._named("Commit", lambda at: at >= painted), key=self._at)
        return self._at(commit) + float(commit.get("dur", 0.0)) / 1_000

    def presented(self, changed: float) -> float:
        """When the browser says that this frame was on the screen."""
        painted = self._painted(changed)
        frame = max(self._named("AnimationFrame::Render", lambda at: at <= painted), key=self._at)["id2"]
        later = self._named("AnimationFrame::Presentation", lambda at: at >= painted)
        return min(self._at(each) for each in later if each["id2"] == frame)  # an id is used again

    def _painted(self, changed: float) -> float:
        return min(map(self._at, self._named("Paint", lambda at: at >= changed)))

    def _named(self, name: str, holds: Callable[[float], bool]) -> list[dict[str, Any]]:
        return [event for event in self._events if event["name"] == name and holds(self._at(event))]

    def _at(self, event: dict[str, Any]) -> float:
        return float(event["ts"]) / 1_000 - self._origin

    def _completed(self, _: object) -> None:
        self._whole = True
