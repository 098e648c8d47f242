"""What the hub counts, as plain attributes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Metrics:
    """Counters since the process began."""

    sockets_opened: int = 0
    frames: int = 0
    """Frames rendered."""
    messages: int = 0
    """Messages posted to sockets."""
    units: int = 0
    """Their length, characters or bytes."""
    windows: int = 0
    """Whole windows rendered."""
    beats: int = 0
    stops: int = 0
    """Times that a socket stopped getting frames because it did not keep up."""
    given_up: int = 0
    """Sockets closed because they stayed behind, or were not heard any more."""
    refused: Counter[int] = field(default_factory=Counter)
    """Sockets closed for what they asked, by close code."""
    render_seconds: float = 0.0
    full_turns: int = 0
    """Times that views had to wait for others, because rendering those had taken long enough."""
    view_errors: int = 0
    """Views that failed and were dropped."""
