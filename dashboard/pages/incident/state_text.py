"""State of an incident page's object in sentences: as it is, or, of one that is gone, as it was."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.kinds.row import Tone
from dashboard.pages.details.live_detail import LiveDetail
from dashboard.pages.incident.family import Family
from dashboard.pages.incident.timeline import LastState
from dashboard.runtime.counts_and_times import parse_timestamp
from dashboard.runtime.text_with_links import Link, incident_href, plain_text

_AGE = re.compile(r" for (?=\d{4}-\d\d-\d\d )")


@dataclass(frozen=True, slots=True)
class PastState:
    """Value of `past` in incident/_incident.html: how an object was that is gone."""

    deleted_at: str
    """RFC 3339; empty where nobody saw it go."""
    deleted_text: str
    """The same in UTC."""
    what: str
    """What became of it, where it was not seen to be deleted."""
    last: str
    """Its last known state, as a sentence; empty where none is known."""
    tone: Tone
    owner: Link | None
    """The time line of what it belonged to."""

    @property
    def text(self) -> str:
        """All of it, with the time in UTC."""
        gone = f"It was deleted at {self.deleted_text}." if self.deleted_at else self.what
        owner = f"It belonged to {self.owner.words}." if self.owner is not None else ""
        return " ".join(filter(None, (gone, self.last, owner)))


def past_state(view: LiveDetail, family: Family, last: LastState) -> PastState:
    """The state of an object that is gone, as the feed and the view know it."""
    at = last.deleted_at or (parse_timestamp(view.gone_since) if not view.unserved else None)
    kind, _, name = last.owner.partition("/")
    info = family.kind_named(kind, last.owner_group) if name else None
    namespace = family.namespace if info is not None and info.namespaced else ""
    reason = f": {last.reason.rstrip('.')}" if last.reason and last.reason != last.status else ""
    return PastState(
        rfc3339(round(at)) if at is not None else "",
        utc_text(at) if at is not None else "",
        f"The API server no longer serves {family.kind.title}: what became of this one is not known."
        if view.unserved
        else "It does not exist any more. When it was deleted is not known here.",
        f"Its last known state was {last.status}{reason}." if last.status else "",
        last.tone,
        Link(f"{kind} {name}", incident_href(info.key, namespace, name) if info is not None else "") if name else None,
    )


def present_state(view: LiveDetail) -> str:
    """The state of an object that is there, or of which it is not known whether it is, in a sentence."""
    if view.row is None or view.details is None:
        return "It has not been read yet, so it is not known whether it exists."
    said = _AGE.sub(" since ", plain_text(view.details.summary).replace(" UTC ago", " UTC"))
    return f"{said} {view.details.reason}".strip()
