"""One object with a problem, as a line."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.events import row_subject
from dashboard.runtime.text_with_links import object_href

LONG_REASON = 160
"""Longest reason that is shown unfolded, in characters."""
MAX_REASON = 1_000
"""Most characters of a reason that are shown."""


@dataclass(frozen=True, slots=True)
class UnhealthyObject:
    """An object with a problem."""

    kind: KindInfo
    row: Row
    rank: int
    """Of its tone; 0 is the worst."""
    since_seconds: float
    """Unix seconds since when; UNKNOWN_SINCE where it is unknown."""

    @property
    def id(self) -> str:
        """Part of its element id."""
        return f"{self.kind.resource.plural}-{dom_id(self.row.uid)}"

    @property
    def href(self) -> str:
        return object_href(self.kind.key, self.row.namespace, self.row.name)

    @property
    def title(self) -> str:
        """Its namespace and name; of an Event those of the object that it is about."""
        about = row_subject(self.row) if self.kind.is_event_kind else None
        if about is None:
            return self.row.key
        return f"{self.row.namespace}/{about.name} ({about.kind})" if self.row.namespace else about.name

    @property
    def words(self) -> str:
        """The reason in words; the status where there is none."""
        return limit_text(self.row.reason or self.row.status, MAX_REASON)

    @property
    def since(self) -> str:
        """RFC 3339 start of the problem; empty where it is unknown."""
        return rfc3339(self.since_seconds) if self.since_seconds != UNKNOWN_SINCE else ""

    @property
    def since_text(self) -> str:
        """The same in UTC words."""
        return utc_text(self.since_seconds) if self.since_seconds != UNKNOWN_SINCE else ""

    @property
    def is_long(self) -> bool:
        """Whether the reason is too long for one glance."""
        return len(self.words) > LONG_REASON
