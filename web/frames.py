"""From events to the frames of a live page: each names the element that it fills, and says its number.

One message may fill several elements. Text goes out block by block: finished blocks are added once, the
open one is replaced. The form is measured in docs/architecture.md.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from app.events import Ended, TurnEvent
from app.measures import Rendered
from app.turnlog import Batch
from web.beat import Beat
from web.markdown import Frame
from web.render import Renderer
from web.view import Region, View
from web.words import Words

NOTHING = Frame("", "")


@dataclass(slots=True)
class Drawing:
    """What drawing cost so far, in milliseconds: the first text's frame, and all frames."""

    first: float = 0.0
    total: float = 0.0
    frames: int = 0

    def add(self, began: float, *, text: bool) -> None:
        took = (perf_counter() - began) * 1_000
        self.total += took
        self.frames += 1
        if text and not self.first:
            self.first = took

    def rendered(self) -> Rendered:
        return Rendered(round(self.first, 2), round(self.total, 2), self.frames)


@dataclass(frozen=True, slots=True)
class Frames:
    """One reader's frames of one turn. `after` is the last number that the reader has on the page."""

    view: View
    words: Words
    renderer: Renderer
    after: int = 0
    drawing: Drawing = field(default_factory=Drawing)

    async def stream(self, batches: AsyncIterable[Batch], beat: Beat) -> AsyncGenerator[bytes, None]:
        """SSE messages until the turn ends. `batches` starts at the turn's first event: what the page has
        already is applied in silence. Text is collected for a beat, but the first of it goes out at once."""
        async for _, batch in batches:
            known = max(0, self.after - self.view.seen)
            await self._catch_up(batch[:known])
            events = batch[known:]
            if changed := self.view.apply(events):
                yield await self._draw(changed)
                if isinstance(events[-1], Ended):
                    break
                if "answer" in changed:
                    await beat.next()
        yield b"event: done\ndata: \n\n"

    async def _draw(self, changed: set[Region]) -> bytes:
        began = perf_counter()
        frame = message(self.view.seen, self.render(changed, await self._take()))
        self.drawing.add(began, text="answer" in changed)
        return frame

    def render(self, changed: set[Region], text: Frame) -> str:
        """The partials for the regions that changed."""
        view, words, id_ = self.view, self.words, f"t-{self.view.id}"
        parts = []
        if view.cleared:
            parts.append(partial(f"{id_}-note", "innerHTML", self.renderer.turn.note(view, words)))
        if "steps" in changed or "end" in changed:
            parts.append(partial(f"{id_}-steps", "innerMorph", self.renderer.turn.steps(view, words)))
        if "sources" in changed or ("end" in changed and not view.cards):
            parts.append(partial(f"{id_}-sources", "innerHTML", self.renderer.turn.sources(view, words)))
        if "answer" in changed or "end" in changed:
            parts.extend(_text(id_, text, anew=view.cleared))
            view.cleared = False
        if "partial" in changed:
            parts.append(
                partial(f"{id_}-partial", "innerHTML", self.renderer.events.partial(view.partial, words))
            )
        if "end" in changed:
            parts.append(partial(f"{id_}-end", "innerHTML", self.renderer.turn.end(view, words)))
        return "".join(parts)

    async def _take(self) -> Frame:
        """Off the event loop when it may take long: highlighting a long listing, say."""
        if self.view.blocks is not None and self.view.blocks.heavy:
            return await asyncio.to_thread(take, self.view)
        return take(self.view)

    async def _catch_up(self, events: Sequence[TurnEvent]) -> None:
        if events:
            self.view.apply(events)
            self.view.cleared = False
            await self._take()


def _text(id_: str, frame: Frame, *, anew: bool = False) -> list[str]:
    """Behind a finished block the open one is a new element: the old one, moved down, would be a jump."""
    if anew:
        return [
            partial(f"{id_}-done", "innerHTML", frame.done),
            partial(f"{id_}-open", "innerHTML", frame.open),
        ]
    if not frame.done:
        return [partial(f"{id_}-open", "innerMorph", frame.open)]
    return [partial(f"{id_}-done", "beforeend", frame.done), partial(f"{id_}-open", "innerHTML", frame.open)]


def take(view: View) -> Frame:
    """What there is to show of the text since the last time."""
    if view.blocks is None:
        return NOTHING
    return view.blocks.take() if view.end is None else view.blocks.close()


def partial(target: str, swap: str, content: str) -> str:
    return f'<hx-partial hx-target="#{target}" hx-swap="{swap}">{content}</hx-partial>'


def message(n: int, html: str) -> bytes:
    """An unnamed SSE message, which the page swaps in."""
    lines = html.replace("\r", "").split("\n")
    return f"id: {n}\n{''.join(f'data: {line}' + chr(10) for line in lines)}\n".encode()
