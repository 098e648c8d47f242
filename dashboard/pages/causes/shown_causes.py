"""Causes as pages show them: a stalled rollout with its pods and their Events is one, not a dozen lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.describers.selector_text import list_href
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.objects.query.list_query import Query
from dashboard.pages.causes.grouped_problems import GroupedProblems, GroupKey
from dashboard.pages.causes.last_change import LastChange, LastChanges
from dashboard.pages.causes.reason_order import best_reason
from dashboard.pages.causes.rules import WARNING_KEYS, CauseKey, Rule
from dashboard.pages.causes.summary_text import summary_text
from dashboard.pages.causes.top_owner import Subject
from dashboard.pages.causes.unhealthy_object import PODS, UnhealthyObject, fold_events
from dashboard.runtime.text_with_links import incident_href, object_href

MAX_CAUSES = 20
"""Most causes that are shown."""
MAX_LINES = 10
"""Most objects of a cause that are shown."""
MAX_GROUPS = 8
"""Most groups of further problems that are listed."""
BASIS: Mapping[Rule, str] = {
    "node": (
        "These pods are on this node, and none has a problem from more than a minute before. Their owners are here"
        " where these have no other unhealthy pod."
    ),
    "quota": "The API server names the quota in its refusals.",
    "owner": (
        "Its pods and ReplicaSets are known by their owner references, warnings by the name of what they are about, and"
        " the owner of what is gone by the feed."
    ),
    "other": "",
    "gone": "A Warning ends here 10 minutes after it came last.",
}
"""What makes it sure that the objects of a cause belong together."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Objects whose problems have one cause, the worst first, Events last."""

    key: CauseKey
    subject: Subject | None
    """What they are about; None for warnings without a cause."""
    lead: UnhealthyObject
    """The object whose reason says most."""
    lines: tuple[UnhealthyObject, ...]
    """MAX_LINES at most, of Events that say the same of the same object one."""
    count: int
    """Number of objects, with those that are not in `lines`."""
    words: str
    begin: float
    """Unix seconds of the earliest problem or warning; UNKNOWN_SINCE where it is unknown."""
    change: LastChange | None = None
    """The newest change to what somebody asks for, shortly before."""
    change_doubt: str = ""
    """Why there may have been another change, as a sentence; empty where that is known."""

    @property
    def id(self) -> str:
        """Part of its element id."""
        return dom_id("/".join((self.key.rule, *self.key.place)))

    @property
    def status(self) -> str:
        """What is wrong, in a word or two."""
        return "Quota exceeded" if self.key.rule == "quota" else self.lead.status

    @property
    def title(self) -> str:
        """Its title where it is about nothing that has a name."""
        return "Warnings of what is gone" if self.key.rule == "gone" else "Warnings"

    @property
    def is_single(self) -> bool:
        """Whether it is one object that is about itself."""
        return self.count == 1 and (
            self.subject is None or self.subject.row is None or self.subject.row.uid == self.lead.row.uid
        )

    @property
    def href(self) -> str:
        """Address of what they are about; empty where that is nothing."""
        return object_href(*self.subject.place) if self.subject is not None else ""

    @property
    def incident_href(self) -> str:
        """Address of the time line of what they are about, of a quota that of what cannot be created; empty where that
        is nothing that can be seen.
        """
        if self.key.rule == "quota":
            return self.lead.incident_href
        if self.subject is None or self.subject.row is None:
            return ""
        return incident_href(*self.subject.place)

    @property
    def logs_href(self) -> str:
        """Address of the logs of the first pod; empty where there is none."""
        pods = [self.lead, *self.lines]
        return next((line.logs_href for line in pods if line.logs_href), "") if self.key.rule != "node" else ""

    @property
    def members(self) -> list[UnhealthyObject]:
        """Those of `lines` that are neither an Event nor what they are about."""
        place = self.subject.place if self.subject is not None else None
        return [line for line in self.lines if not line.kind.is_event_kind and line.place != place]

    @property
    def more_count(self) -> int:
        return self.count - sum(line.count for line in self.lines)

    @property
    def more_href(self) -> str:
        """Address of all pods of a node; else of what they are about."""
        if self.key.rule == "node":
            return list_href(PODS, "", f"node={self.key.place[2]}")
        return self.href

    @property
    def basis(self) -> str:
        """What makes it sure that they belong together."""
        return BASIS[self.key.rule]

    @property
    def since(self) -> str:
        """RFC 3339 begin of the earliest problem; empty where it is unknown."""
        return rfc3339(self.begin) if self.begin != UNKNOWN_SINCE else ""

    @property
    def since_text(self) -> str:
        """The same in UTC words."""
        return utc_text(self.begin) if self.begin != UNKNOWN_SINCE else ""


@dataclass(frozen=True, slots=True)
class UnhealthyGroup:
    """Objects of one kind and status that have a problem and belong to no cause that is shown."""

    kind: KindInfo
    status: str
    tone: Tone
    count: int
    href: str
    """The list of the kind's objects with that status."""


@dataclass(frozen=True, slots=True)
class Causes:
    """The present problems."""

    shown: tuple[Cause, ...]
    """The worst causes first, of these the oldest, MAX_CAUSES at most; warnings without a cause last."""
    total: int
    """Number of unhealthy objects and warnings."""
    cause_count: int
    """Number of causes of those that were examined, with those that are not shown."""
    is_cut: bool
    """Whether there may be more unhealthy objects than are examined, and so more causes, and more of each."""
    groups: tuple[UnhealthyGroup, ...]
    """Those of no cause that is shown, the largest groups first."""
    more_count: int
    """Number of objects that are neither in `shown` nor in `groups`."""

    @property
    def lines(self) -> tuple[UnhealthyObject, ...]:
        """All objects that are shown."""
        return tuple(line for cause in self.shown for line in cause.lines)


def shown_causes(
    problems: GroupedProblems, chosen: Iterable[CauseKey], changes: LastChanges, namespaces: tuple[str, ...] = ()
) -> Causes:
    """The first of the `chosen` causes, with what changed before each; what belongs to none of them is counted.

    `problems` are those in `namespaces` (empty: everywhere).
    """
    chosen = list(chosen)
    warnings = [key for key in WARNING_KEYS if key in chosen]
    shown = [key for key in chosen if key not in warnings][: MAX_CAUSES - len(warnings)] + warnings
    changes.search({problems.subjects[key].place: problems.begin_of(key) for key in shown if problems.has_change(key)})
    left = problems.counts.copy()
    left.subtract((line.kind.key, line.row.status, line.tone) for key in shown for line in problems.members[key])
    named = [(group, count) for group, count in left.most_common(MAX_GROUPS) if count > 0]
    return Causes(
        shown=tuple(_cause(key, problems, changes) for key in shown),
        total=problems.counts.total(),
        cause_count=len(problems.members),
        is_cut=problems.is_cut,
        groups=tuple(_group_of(problems.kinds[group[0]], group, count, namespaces) for group, count in named),
        more_count=left.total() - sum(count for _, count in named),
    )


def _cause(key: CauseKey, problems: GroupedProblems, changes: LastChanges) -> Cause:
    lines, subject = problems.members[key], problems.subjects.get(key)
    lead, words = best_reason(key.rule, lines, with_events=False), summary_text(key, lines)
    shown = tuple(fold_events(lines)[:MAX_LINES])
    cause = Cause(key, subject, lead, shown, len(lines), words, problems.begin_of(key))
    if subject is None or not problems.has_change(key):
        return cause
    return replace(cause, change=changes.get(subject), change_doubt=changes.doubt(subject))


def _group_of(kind: KindInfo, group: GroupKey, count: int, namespaces: tuple[str, ...]) -> UnhealthyGroup:
    _, status, tone = group
    query = Query(key=kind.key).with_(namespaces=namespaces).with_status(status)
    return UnhealthyGroup(kind, status, tone, count, query.href())
