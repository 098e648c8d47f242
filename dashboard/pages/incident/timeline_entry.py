"""One entry of a time line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.kinds.row import Tone
from dashboard.objects.logs.log_message import LogMessage
from dashboard.pages.incident.family import Place
from dashboard.runtime.text_with_links import object_href

Source = Literal["change", "event", "log", "usage", "write", "gap"]


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Something that happened, or a moment from which on something is known."""

    at: float
    """Unix seconds."""
    source: Source
    words: str
    tone: Tone = "idle"
    place: Place | None = None
    """The object that it is about; None for the whole family."""
    subject: str = ""
    """The same for people, ``Pod shop/web-1``; empty until `with_subjects` sets it."""
    lines: tuple[LogMessage, ...] = ()
    """Lines of a log."""
    container: str = ""
    """The container whose log has the lines, or that has ended."""
    is_routine: bool = False
    """Whether it happens all the time: such entries are folded."""
    uid: str = ""
    """Of the object whose deletion it is; empty for what is no deletion."""

    @property
    def time(self) -> str:
        """RFC 3339."""
        return rfc3339(round(self.at, 3))

    @property
    def time_text(self) -> str:
        return utc_text(self.at)

    @property
    def href(self) -> str:
        return object_href(*self.place) if self.place is not None else ""
