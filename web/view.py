"""A turn as it stands: what its events so far add up to, whoever draws it. Knows no templates and no SSE."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from app.events import (
    Card,
    Delta,
    Failed,
    Finished,
    Partial,
    Prompted,
    Retracted,
    Routed,
    Sources,
    Started,
    Step,
    ToolFinished,
    ToolStarted,
    TurnEvent,
)
from app.measures import Paint
from web.facts import Facts, facts
from web.markdown import Blocks

Region = Literal["steps", "sources", "answer", "partial", "end"]


@dataclass(slots=True)
class View:
    """Regions are the parts of the page that change together; `apply` says which did."""

    id: str
    question: str
    steps: dict[str, Step | ToolStarted | ToolFinished] = field(default_factory=dict)
    routed: Routed | None = None
    cards: tuple[Card, ...] | None = None  # None until they are known
    partial: Partial | None = None
    end: Finished | Failed | None = None
    blocks: Blocks | None = None  # None until there is text
    seen: int = 0  # the number of the last event that was applied
    cleared: bool = False  # whether text that is on a page has been withdrawn since the last frame
    retracted: Retracted | None = None
    replaced: bool = False  # whether another turn has been asked in its place
    paint: Paint | None = None  # what a browser saw of it, when that is known

    @property
    def told(self) -> list[Step | ToolStarted | ToolFinished]:
        """The steps that readers see, in one line: of what runs beside the search only what matters."""
        warm = self._is_done("warm")
        hidden = {"warm"} | ({"history"} if self._is_done("rewrite") else set())
        told: list[Step | ToolStarted | ToolFinished] = []
        for name, step in self.steps.items():
            if not isinstance(step, Step):
                told.append(step)
            elif _is_told(step) and name not in hidden:
                told.append(replace(step, name="search-warm") if warm and _is_found(step) else step)
        return told

    def _is_done(self, name: str) -> bool:
        step = self.steps.get(name)
        return isinstance(step, Step) and step.state == "done"

    @property
    def search_failed(self) -> bool:
        """No sources then says nothing about the documents."""
        search = self.steps.get("search")
        return isinstance(search, Step) and search.state == "failed"

    @property
    def facts(self) -> Facts | None:
        """The line under the answer, once the turn has ended."""
        return None if self.end is None else facts(self.end, self.routed, self.paint)

    def apply(self, events: Sequence[TurnEvent]) -> set[Region]:
        changed = {region for event in events if (region := self._apply(event))}
        self.seen += len(events)
        return changed

    def _apply(self, event: TurnEvent) -> Region | None:
        match event:
            case Delta():
                self._write(event.text)
                return "answer"
            case Retracted():
                self.blocks = None
                self.cleared = True
                self.retracted = event
                return "answer"
            case Started():
                self.question = event.question
                return "steps"
            case Step():
                self.steps[event.name] = event
                return "steps" if _is_told(event) else None
            case ToolStarted() | ToolFinished():
                self.steps[f"tool-{event.id}"] = event
                return "steps"
            case Routed():
                self.routed = event
                return "steps"
            case Sources():
                self.cards = event.cards
                return "sources"
            case Prompted():
                return "end"  # where the waterfall opens, which reads it from the turn's record
            case Partial():
                self.partial = event
                return "partial"
            case Finished() | Failed():
                self._finish(event)
                return "end"
            case _:
                assert_never(event)

    def _write(self, text: str) -> None:
        if self.blocks is None:
            self.blocks = Blocks({card.n for card in self.cards or ()}, f"t-{self.id}")
        self.blocks.feed(text)

    def _finish(self, event: Finished | Failed) -> None:
        """A turn that ended early leaves no step running."""
        self.end = event
        if isinstance(event, Failed):
            for name, step in self.steps.items():
                if isinstance(step, Step) and step.state == "running":
                    self.steps[name] = Step(name, "skipped", step.detail)


def _is_found(step: Step) -> bool:
    return (step.name, step.state) == ("search", "done")


def _is_told(step: Step) -> bool:
    match step.name, step.state:
        case _, "failed":
            return True
        case "dense" | "lexical" | "earlier" | "meant", _:
            return False
        case "history", _:
            return step.detail not in ("", "0")
        case "search", "done":
            return step.detail != "0"  # the place of the cards says it
        case "warm", state:
            return state == "done"
    return True
