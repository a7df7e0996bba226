"""Figures as the page writes them: as short as they can be read. Units are the same in both languages."""

from web.charts.scales import tidy


def milliseconds(value: float) -> str:
    """0.4 ms · 34 ms · 1.25 s."""
    if abs(value) < 1_000:
        return f"{tidy(round(value, 1))} ms"
    return f"{tidy(round(value / 1_000, 2))} s"


def percent(part: int, whole: int) -> str:
    """Never rounded up to a whole that it is not."""
    share = 100 * part / whole
    return f"{share:.0f}%" if share in (0, 100) else f"{min(max(share, 0.1), 99.9):.1f}%"
