"""The page /latency: what people waited for, whose budget it broke, and what to do about it."""

from web.latency.page import latency

__all__ = ["latency"]
