"""Markdown, as a model streams it, to HTML that is safe to put into the page.

`render` does a whole answer, `Blocks` a growing one. Pure: it knows no HTTP, no events, no templates.
"""

from .blocks import Blocks, Frame, render

__all__ = ["Blocks", "Frame", "render"]
