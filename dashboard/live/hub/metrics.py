"""Counters of the hub, as plain attributes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from dashboard.runtime.loop_delay import DELAY_SECONDS
from informerd.cache.counters import Distribution


@dataclass(slots=True)
class HubMetrics:
    """Counters since the process started."""

    sockets_opened: int = 0
    frames_rendered: int = 0
    """Frames, each for all sockets of its view."""
    messages: int = 0
    """Messages posted to sockets."""
    sent_bytes: int = 0
    windows_rendered: int = 0
    """Whole windows rendered."""
    heartbeats: int = 0
    socket_stops: int = 0
    """Times that a socket stopped getting frames because it did not keep up."""
    sockets_given_up: int = 0
    """Sockets closed because they stayed behind or stopped answering."""
    sockets_aborted: int = 0
    """Sockets given up whose browser did not even read what was sent, so that no close frame could be written."""
    sockets_turned_away: Counter[str] = field(default_factory=Counter)
    """Sockets that a limit of open sockets kept out, by limit."""
    browser_messages: int = 0
    """Messages from browsers that were handled."""
    sockets_refused: Counter[int] = field(default_factory=Counter)
    """Sockets closed because of what they requested, by close code."""
    render_seconds: float = 0.0
    full_turns: int = 0
    """Times that views had to wait because rendering other views had used up the time."""
    view_errors: int = 0
    """Views that failed and were dropped."""
    view_delays: Distribution = field(default_factory=lambda: Distribution(DELAY_SECONDS))
    """Seconds from the moment that a view had something to send until that was posted to its sockets."""
