"""Present problems sorted by cause: the objects of each, and what it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE, KindSummary
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.pages.causes.rules import (
    EVENT_KINDS,
    NODE_GRACE,
    NODES,
    CauseKey,
    Rules,
    cause_of_node,
    is_lost,
    subject_of_node,
)
from dashboard.pages.causes.top_owner import Subject, TopOwners
from dashboard.pages.causes.unhealthy_object import PODS, FirstRestart, UnhealthyObject, restarts_again, shown_tone

MAX_EXAMINED = 1_000
"""Most unhealthy objects whose causes are looked for, the worst first; others are counted by kind and status."""
NOT_YET = 3
"""Rank of objects that do not count as unhealthy yet."""
GroupKey = tuple[str, str, Tone]
"""Kind's key, status and tone."""


@dataclass(frozen=True, slots=True)
class GroupedProblems:
    """The problems of some kinds by cause; the worst causes come first, of these the oldest."""

    kinds: dict[str, KindInfo]
    """By key."""
    counts: Counter[GroupKey]
    """Number of all problems."""
    members: dict[CauseKey, list[UnhealthyObject]]
    """The objects of each cause, the worst first, Events last."""
    subjects: dict[CauseKey, Subject]
    """What each is about; warnings without a cause have none."""
    looked_up: frozenset[str]
    """Names of objects. Changes of healthy objects with other names change nothing here, unless they are pods of nodes
    with these names.
    """

    @property
    def is_cut(self) -> bool:
        """Whether there may be more unhealthy objects than were examined."""
        return sum(map(len, self.members.values())) >= MAX_EXAMINED

    def begin_of(self, key: CauseKey) -> float:
        """Unix seconds of the earliest problem or warning; UNKNOWN_SINCE where it is unknown, as it is where one of the
        pods is in a crash loop of unknown age.
        """
        lines = self.members[key]
        is_unknown = any(line.since_seconds == UNKNOWN_SINCE and restarts_again(line) for line in lines)
        return UNKNOWN_SINCE if is_unknown else min(line.since_seconds for line in lines)

    def has_change(self, key: CauseKey) -> bool:
        """Whether it may be said what changed before it: it is about an owner, and began at a known time."""
        is_own = any(line.kind.key not in EVENT_KINDS for line in self.members[key])
        return key.rule == "owner" and is_own and self.begin_of(key) != UNKNOWN_SINCE


def group_problems(
    followed: Iterable[tuple[KindInfo, ReadableReplica]],
    summaries: Mapping[str, KindSummary],
    namespaces: tuple[str, ...] = (),
    first_restart: Callable[[str], FirstRestart | None] = lambda _: None,
) -> GroupedProblems:
    """Problems of these kinds in `namespaces` (empty: everywhere, cluster-scoped objects included). `first_restart` is
    that of a pod in a crash loop, by its uid, where it is known.

    The cost depends on the MAX_EXAMINED worst objects, not on the number of objects.
    """
    followed = list(followed)
    kinds = {kind.key: kind for kind, _ in followed}
    worst = merge(*(_worst(kind, summaries[key], namespaces) for key, kind in kinds.items()), key=_order)
    owners = TopOwners(followed)
    nodes = _worst(kinds[NODES], summaries[NODES], ()) if NODES in kinds else iter(())
    lost_nodes = {node.row.name: node for node in nodes if is_lost(node)}
    rules = Rules(owners, lost_nodes)
    members: dict[CauseKey, list[UnhealthyObject]] = {}
    subjects: dict[CauseKey, Subject] = {}
    warnings: list[UnhealthyObject] = []
    examined = (_since_first_restart(line, first_restart) for line in islice(worst, MAX_EXAMINED))
    for line in sorted(examined, key=_order):
        if line.kind.key in EVENT_KINDS:
            warnings.append(line)
            continue
        key, subject = rules.of_object(line)
        members.setdefault(key, []).append(line)
        subjects.setdefault(key, subject)
    counts = _count(kinds, summaries, namespaces)
    room = MAX_EXAMINED - sum(map(len, members.values())) - len(warnings)
    for node, pod in islice(_other_pods(followed, summaries, lost_nodes, namespaces), room):
        key = cause_of_node(node)
        members.setdefault(key, []).append(pod)
        subjects.setdefault(key, subject_of_node(node))
        counts[PODS, pod.row.status, pod.tone] += 1
    _fold_into_nodes(members, subjects, owners, lost_nodes)
    known = {key.place: key for key in members}
    known |= {
        (line.kind.key, line.row.namespace, line.row.name): key for key, lines in members.items() for line in lines
    }
    for event in warnings:
        told = replace(event, is_gone=owners.is_gone(event.row))
        members.setdefault(rules.of_event(told, known), []).append(told)
    return GroupedProblems(kinds, counts, members, subjects, frozenset(owners.looked_up | lost_nodes.keys()))


def _other_pods(
    followed: Iterable[tuple[KindInfo, ReadableReplica]],
    summaries: Mapping[str, KindSummary],
    lost_nodes: Mapping[str, UnhealthyObject],
    namespaces: tuple[str, ...],
) -> Iterator[tuple[UnhealthyObject, UnhealthyObject]]:
    """The pods of lost nodes that do not count as unhealthy yet, each with its node; none that has ended, and none
    that has a problem from before.
    """
    for kind, replica in followed:
        for node in lost_nodes.values() if kind.key == PODS else ():
            known, begin = summaries[PODS].unhealthy_rows, node.since_seconds - NODE_GRACE
            for uid in sorted(replica.by_node.uids_of(node.row.name)):
                row = replica.rows[uid]
                if uid in known or row.tone == "idle" or (namespaces and row.namespace not in namespaces):
                    continue
                if row.since is None or row.since >= begin:
                    yield (
                        node,
                        UnhealthyObject(kind, row, NOT_YET, row.since if row.since is not None else UNKNOWN_SINCE),
                    )


def _fold_into_nodes(
    members: dict[CauseKey, list[UnhealthyObject]],
    subjects: dict[CauseKey, Subject],
    owners: TopOwners,
    lost_nodes: Mapping[str, UnhealthyObject],
) -> None:
    """Give a lost node the owners of its pods that have no other unhealthy pod, and no problem from before."""
    of_node: dict[CauseKey, CauseKey] = {}
    for key in [key for key in members if key.rule == "node"]:
        pods = (line for line in members[key] if line.kind.key == PODS)
        of_node |= {CauseKey("owner", owners.of_row(pod.kind, pod.row).place): key for pod in pods}
    for owner, node in of_node.items():
        since = lost_nodes[node.place[2]].since_seconds - NODE_GRACE
        lines = members.get(owner, ())
        if lines and all(line.kind.key != PODS and since <= line.since_seconds < UNKNOWN_SINCE for line in lines):
            members[node] += members.pop(owner)
            subjects.pop(owner)


def _count(
    kinds: Iterable[str], summaries: Mapping[str, KindSummary], namespaces: tuple[str, ...]
) -> Counter[GroupKey]:
    counts: Counter[GroupKey] = Counter()
    for key in kinds:
        for (namespace, status, tone), count in summaries[key].group_counts.items():
            if not namespaces or namespace in namespaces:
                counts[key, status, shown_tone(tone)] += count
    return counts


def _worst(kind: KindInfo, summary: KindSummary, namespaces: tuple[str, ...]) -> Iterator[UnhealthyObject]:
    for rank, since, uid in summary.worst_first:
        row = summary.unhealthy_rows[uid]
        if not namespaces or row.namespace in namespaces:
            yield UnhealthyObject(kind, row, rank, since)


def _since_first_restart(line: UnhealthyObject, first_restart: Callable[[str], FirstRestart | None]) -> UnhealthyObject:
    first = first_restart(line.row.uid) if restarts_again(line) else None
    if first is None:
        return line
    return replace(line, first_restart=first, since_seconds=min(first.at, line.since_seconds))


def _order(line: UnhealthyObject) -> tuple[int, float, str]:
    """By rank and age; a crash loop of unknown age stands where its pod would."""
    is_young = line.since_seconds == UNKNOWN_SINCE and restarts_again(line) and line.row.created is not None
    return line.rank, line.row.created or 0.0 if is_young else line.since_seconds, line.row.uid
