"""Causes of the present problems: a stalled rollout with its pods and their Events is one, not a dozen lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE, KindSummary
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.describers.selector_text import list_href
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.objects.query.list_query import Query
from dashboard.pages.causes.last_change import LastChange, last_change
from dashboard.pages.causes.rules import EVENT_KINDS, NODES, OTHER_WARNINGS, PODS, CauseKey, Rule, Rules, is_lost
from dashboard.pages.causes.summary_text import summary_text
from dashboard.pages.causes.top_owner import Subject, TopOwners
from dashboard.pages.causes.unhealthy_object import UnhealthyObject
from dashboard.runtime.text_with_links import incident_href, object_href

MAX_CAUSES = 20
"""Most causes that are shown."""
MAX_LINES = 10
"""Most objects of a cause that are shown."""
MAX_EXAMINED = 1_000
"""Most unhealthy objects whose causes are looked for, the worst first; others are counted by kind and status."""
MAX_GROUPS = 8
"""Most groups of further problems that are listed."""
GroupKey = tuple[str, str, Tone]
"""Kind's key, status and tone."""
BASIS: Mapping[Rule, str] = {
    "node": "They are the pods on this node that became unhealthy less than a minute before it did, or later.",
    "quota": "The API server names the quota in its refusals.",
    "owner": "Its pods and ReplicaSets are known by their owner references, warnings by what they are about.",
    "other": "",
}
"""What makes it sure that the objects of a cause belong together."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Objects whose problems have one cause, the worst first, Events last."""

    key: CauseKey
    subject: Subject | None
    """What they are about; None for other warnings."""
    lines: tuple[UnhealthyObject, ...]
    """MAX_LINES at most."""
    count: int
    """Number of objects, with those that are not in `lines`."""
    words: str
    begin: float
    """Unix seconds of the earliest problem, of those that are no Events where there are some; UNKNOWN_SINCE where it
    is unknown.
    """
    change: LastChange | None = None
    """The newest change to what somebody asks for, shortly before."""

    @property
    def id(self) -> str:
        """Part of its element id."""
        return dom_id("/".join((self.key.rule, *self.key.place)))

    @property
    def worst(self) -> UnhealthyObject:
        return self.lines[0]

    @property
    def is_single(self) -> bool:
        """Whether it is one object that is about itself."""
        return self.count == 1 and (
            self.subject is None or self.subject.row is None or self.subject.row.uid == self.worst.row.uid
        )

    @property
    def href(self) -> str:
        """Address of what they are about; empty where that is nothing."""
        return object_href(*self.subject.place) if self.subject is not None else ""

    @property
    def incident_href(self) -> str:
        """Address of the time line of what they are about; empty where that is nothing that can be seen."""
        if self.subject is None or self.subject.row is None:
            return ""
        return incident_href(*self.subject.place)

    @property
    def more_count(self) -> int:
        return self.count - len(self.lines)

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
    """The worst causes first, of these the oldest, MAX_CAUSES at most; other warnings last."""
    total: int
    """Number of unhealthy objects and warnings."""
    cause_count: int
    """Number of causes of those that were examined, with those that are not shown."""
    is_cut: bool
    """Whether there are more unhealthy objects than are examined, and so perhaps more causes."""
    groups: tuple[UnhealthyGroup, ...]
    """Those of no cause that is shown, the largest groups first."""
    more_count: int
    """Number of objects that are neither in `shown` nor in `groups`."""

    @property
    def lines(self) -> tuple[UnhealthyObject, ...]:
        """All objects that are shown."""
        return tuple(line for cause in self.shown for line in cause.lines)


def find_causes(
    kinds: Iterable[tuple[KindInfo, KindSummary]],
    replicas: Mapping[str, ReadableReplica],
    namespaces: tuple[str, ...] = (),
    *,
    wanted: Callable[[Subject | None, Sequence[UnhealthyObject]], bool] = lambda *_: True,
) -> Causes:
    """Causes of the problems of these kinds, in `namespaces` (empty: everywhere, cluster-scoped objects included).

    `replicas` are those of all kinds that are followed, by key: owners are looked up in them. The cost depends on the
    MAX_EXAMINED worst objects, not on the number of objects. Of causes that are not `wanted`, none is shown.
    """
    by_key = {kind.key: (kind, summary) for kind, summary in kinds}
    worst = merge(*(_worst(kind, summary, namespaces) for kind, summary in by_key.values()), key=_order)
    members, subjects = _group(islice(worst, MAX_EXAMINED), by_key, replicas)
    chosen = [key for key, lines in members.items() if wanted(subjects.get(key), lines)]
    shown = [key for key in chosen if key != OTHER_WARNINGS][: MAX_CAUSES - (OTHER_WARNINGS in chosen)]
    shown += [OTHER_WARNINGS] if OTHER_WARNINGS in chosen else []
    left: Counter[GroupKey] = Counter()
    for key, (_, summary) in by_key.items():
        for (namespace, status, tone), count in summary.group_counts.items():
            if not namespaces or namespace in namespaces:
                left[key, status, tone] += count
    total = left.total()
    left.subtract((line.kind.key, line.row.status, line.row.tone) for key in shown for line in members[key])
    named = [(group, count) for group, count in left.most_common(MAX_GROUPS) if count > 0]
    return Causes(
        shown=tuple(_cause(key, subjects.get(key), members[key], replicas) for key in shown),
        total=total,
        cause_count=len(members),
        is_cut=sum(map(len, members.values())) >= MAX_EXAMINED,
        groups=tuple(_group_of(by_key[group[0]][0], group, count, namespaces) for group, count in named),
        more_count=left.total() - sum(count for _, count in named),
    )


def _group(
    worst: Iterable[UnhealthyObject],
    by_key: Mapping[str, tuple[KindInfo, KindSummary]],
    replicas: Mapping[str, ReadableReplica],
) -> tuple[dict[CauseKey, list[UnhealthyObject]], dict[CauseKey, Subject]]:
    """The objects of each cause, the worst first, Events last; and what each is about. The worst causes come first."""
    owners = TopOwners((kind, replicas[key]) for key, (kind, _) in by_key.items())
    nodes = by_key.get(NODES)
    unhealthy_nodes = _worst(*nodes, ()) if nodes is not None else iter(())
    rules = Rules(owners, {node.row.name: node for node in unhealthy_nodes if is_lost(node)})
    members: dict[CauseKey, list[UnhealthyObject]] = {}
    subjects: dict[CauseKey, Subject] = {}
    warnings: list[UnhealthyObject] = []
    for line in worst:
        if line.kind.key in EVENT_KINDS:
            warnings.append(line)
            continue
        key, subject = rules.of_object(line)
        members.setdefault(key, []).append(line)
        subjects.setdefault(key, subject)
    _fold_into_nodes(members, subjects, owners)
    known = {key.place: key for key in members}
    known |= {
        (line.kind.key, line.row.namespace, line.row.name): key for key, lines in members.items() for line in lines
    }
    for event in warnings:
        members.setdefault(rules.of_event(event, known), []).append(event)
    return members, subjects


def _fold_into_nodes(
    members: dict[CauseKey, list[UnhealthyObject]], subjects: dict[CauseKey, Subject], owners: TopOwners
) -> None:
    """Give a lost node the owners of its pods that have no other unhealthy pod."""
    of_node: dict[CauseKey, CauseKey] = {}
    for key in [key for key in members if key.rule == "node"]:
        pods = (line for line in members[key] if line.kind.key == PODS)
        of_node |= {CauseKey("owner", owners.of_row(pod.kind, pod.row).place): key for pod in pods}
    for owner, node in of_node.items():
        if owner in members and not any(line.kind.key == PODS for line in members[owner]):
            members[node] += members.pop(owner)
            subjects.pop(owner)


def _cause(
    key: CauseKey, subject: Subject | None, lines: list[UnhealthyObject], replicas: Mapping[str, ReadableReplica]
) -> Cause:
    own = [line.since_seconds for line in lines if line.kind.key not in EVENT_KINDS]
    begin = min(own or [line.since_seconds for line in lines])
    change = None
    is_known = bool(own) and begin != UNKNOWN_SINCE
    if key.rule == "owner" and is_known and subject is not None and subject.kind.key in replicas:
        change = last_change(replicas[subject.kind.key], subject.namespace, subject.name, begin)
    return Cause(key, subject, tuple(lines[:MAX_LINES]), len(lines), summary_text(key, lines), begin, change)


def _worst(kind: KindInfo, summary: KindSummary, namespaces: tuple[str, ...]) -> Iterator[UnhealthyObject]:
    for rank, since, uid in summary.worst_first:
        row = summary.unhealthy_rows[uid]
        if not namespaces or row.namespace in namespaces:
            yield UnhealthyObject(kind, row, rank, since)


def _order(line: UnhealthyObject) -> tuple[int, float, str]:
    return line.rank, line.since_seconds, line.row.uid


def _group_of(kind: KindInfo, group: GroupKey, count: int, namespaces: tuple[str, ...]) -> UnhealthyGroup:
    _, status, tone = group
    query = Query(key=kind.key).with_(namespaces=namespaces).with_status(status)
    return UnhealthyGroup(kind, status, tone, count, query.href())
