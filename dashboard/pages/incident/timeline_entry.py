"""Entry of an incident's time line: when it was, which source tells it, what it is about, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal
from urllib.parse import quote

from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.kinds.row import Tone
from dashboard.objects.logs.log_message import LogMessage
from dashboard.pages.incident.family import PODS, Place
from dashboard.runtime.text_with_links import object_href

Source = Literal["change", "event", "log", "usage", "write", "gap"]


@dataclass(frozen=True, slots=True)
class Crash:
    """The end of a container that had failed."""

    restarts: int
    """How often the pod had been restarted before: that tells it from its other crashes."""
    exit_code: str = ""
    """``137 (OOMKilled)``; empty where nobody saw it."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Something that happened, or a moment from which on something is known."""

    is_fold: ClassVar[bool] = False
    at: float
    """Unix seconds."""
    source: Source
    words: str
    tone: Tone = "idle"
    place: Place | None = None
    """The object that it is about; None for the whole family."""
    subject: str = ""
    """The same for people, ``Pod shop/web-1``; empty until `with_subjects` sets it, as `href`."""
    href: str = ""
    """Its details, or, of one that is gone, its time line; empty where that is this one."""
    lines: tuple[LogMessage, ...] = ()
    """Lines of a log."""
    container: str = ""
    """The container whose log has the lines, or that has ended."""
    is_routine: bool = False
    """Whether it happens all the time: such entries are folded."""
    uid: str = ""
    """Of the object whose deletion it is; empty for what is no deletion."""
    crash: Crash | None = None
    parts: tuple[TimelineEntry, ...] = ()
    """Of a crash loop the lines about it, newest first."""

    @property
    def id(self) -> str:
        """Element id of a crash loop; the same while newer crashes come: it names the oldest."""
        return dom_id("/".join(("crashes", *(self.place or ()), f"{self.parts[-1].at * 1000:.0f}")))

    @property
    def logs_href(self) -> str:
        """Address of the log of its container."""
        if self.place is None or self.place[0] != PODS:
            return ""
        return f"{object_href(*self.place)}logs/?container={quote(self.container)}"

    @property
    def time(self) -> str:
        """RFC 3339."""
        return rfc3339(round(self.at, 3))

    @property
    def time_text(self) -> str:
        return utc_text(self.at)
