"""Routine entries of a time line: they are folded, so that crashes, rollouts and edits stand out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dashboard.objects.fields.managed_fields import FieldManager
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Tone
from dashboard.pages.causes.last_change import is_of_spec
from dashboard.pages.incident.family import PODS
from dashboard.pages.incident.timeline_entry import TimelineEntry

WRONG: frozenset[Tone] = frozenset({"bad", "warn"})
BOOKKEEPING = frozenset({
    "observedGeneration", "resourceVersion", "generation", "renewTime", "acquireTime", "leaseTransitions",
    "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime", "lastTransitionTime", "lastScheduleTime",
    "terminatingReplicas",
})  # fmt: skip
"""Last steps of the paths of fields that say when something was looked at, not what was found, and of a count."""
COUNTS = frozenset({"ready", "up-to-date", "available", "current", "active", "completions", "allowed disruptions"})
"""Columns of what owns pods that count them: each pod says the same of itself."""
TOLD_REASONS = frozenset({
    "BackOff", "ScalingReplicaSet", "DeploymentRollback", "SuccessfulRescale", "ScaleDown", "Preempted",
    "TaintManagerEviction", "NodeNotReady", "NodeNotSchedulable", "NodeHasDiskPressure", "NodeHasInsufficientMemory",
    "NodeHasInsufficientPID", "Rebooted",
})  # fmt: skip
"""Reasons of Events that are no warnings, and that somebody on call looks for."""
ENDED_WELL = frozenset({"Completed", "Complete", "Succeeded"})
ROLLED_OUT = frozenset({"replicasets.apps"})
"""Kinds of which a new object is a rollout."""
CONTROL_PLANE = frozenset({
    "kube-controller-manager", "kube-scheduler", "kube-apiserver", "kubelet", "cloud-controller-manager",
    "cluster-autoscaler", "nodeadm", "coredns", "calico-node", "cilium-agent",
})  # fmt: skip
"""Field managers that write without anybody asking for it."""
_BOOKKEEPING_WORDS = re.compile(
    rf"(?:^|, )[^\s,]+\.(?:{'|'.join(sorted(BOOKKEEPING))})(?: added:)? [^\s,]+(?: → [^\s,]+)?(?=,|$)"
)
COMPARED = 190
"""Characters by which two entries are told apart: the feed cuts the text of an Event after 200."""
_PROBE = re.compile(r"\bprobe\b")
_COUNT = re.compile(r" \(×\d+\)$")


def is_routine_change(key: str, entry: Entry, *, is_subject: bool) -> bool:
    """Whether a line of the feed about an object of the kind `key` is routine; `is_subject`: about that of the page."""
    is_wrong = entry.tone in WRONG
    if entry.op != "modified":
        is_expected = entry.op == "added" or entry.status in ENDED_WELL
        return bool(entry.owner) and key not in ROLLED_OUT and not is_subject and entry.tone != "bad" and is_expected
    names = [name for name, _ in entry.fields]
    if names and all(_is_bookkeeping(name) for name in names):
        return True
    if not names or "deletion asked for" in entry.words or is_of_spec(key, entry):
        return False
    if "restarts" in names:
        return not is_wrong and "status" in names  # it runs again: the line before tells the crash
    if not entry.owner and any(name.startswith(("data", "metadata.labels", "metadata.annotations")) for name in names):
        return False
    if key != PODS and entry.tone != "bad" and all(name in COUNTS or _is_bookkeeping(name) for name in names):
        return True
    return not is_wrong


def without_bookkeeping(words: str) -> str:
    """The words of a change without its times of bookkeeping, where it says something else, too."""
    return _BOOKKEEPING_WORDS.sub("", words).removeprefix(", ") or words


def _is_bookkeeping(path: str) -> bool:
    is_of_cluster = path.startswith("metadata.annotations") and "kubernetes.io/" in path and "kubectl." not in path
    return is_of_cluster or path.rpartition(".")[2] in BOOKKEEPING


def is_routine_event(words: str, tone: Tone) -> bool:
    """Whether a Kubernetes Event is routine: no warning, no failed probe, nothing of an image or a rollout."""
    reason, _, message = words.partition(":")
    return tone not in WRONG and reason not in TOLD_REASONS and not _PROBE.search(message)


def is_routine_writer(manager: FieldManager) -> bool:
    """Whether a field manager is a part of Kubernetes."""
    return manager.name in CONTROL_PLANE


def fold_repeated(entries: Iterable[TimelineEntry]) -> list[TimelineEntry]:
    """The entries, newest first; of those that say the same of the same object all but the newest are routine."""
    seen: set[tuple[object, str]] = set()
    found = []
    for entry in sorted(entries, key=lambda entry: -entry.at):
        if entry.source in ("change", "event") and not entry.is_routine and not (entry.container or entry.crash):
            said = entry.place, _COUNT.sub("", entry.words)[:COMPARED]
            found.append(replace(entry, is_routine=said in seen))
            seen.add(said)
        else:
            found.append(entry)
    return found


@dataclass(frozen=True, slots=True)
class Fold:
    """Routine entries between two that stand out, newest first."""

    is_fold: ClassVar[bool] = True
    entries: tuple[TimelineEntry, ...]

    @property
    def id(self) -> str:
        """The same while newer entries come: it names the oldest."""
        return f"fold-{round(self.entries[-1].at * 1000)}"

    @property
    def words(self) -> str:
        return routine_words(len(self.entries))

    @property
    def newest(self) -> TimelineEntry:
        return self.entries[0]


def routine_words(count: int) -> str:
    """``14 routine changes``."""
    return f"{count:,} routine change{'' if count == 1 else 's'}"


def folded(entries: Iterable[TimelineEntry]) -> list[TimelineEntry | Fold]:
    """The entries in their order, with routine ones that follow one another as one fold."""
    found: list[TimelineEntry | Fold] = []
    routine: list[TimelineEntry] = []

    def close() -> None:
        if routine:
            found.append(Fold(tuple(routine)))
            routine.clear()

    for entry in entries:
        if entry.is_routine:
            routine.append(entry)
        else:
            close()
            found.append(entry)
    close()
    return found


def newest(entries: Sequence[TimelineEntry], most: int) -> tuple[list[TimelineEntry], bool]:
    """The newest `most` entries that stand out, and as many routine ones; whether some are left out."""
    left = {True: most, False: most}
    found = []
    for entry in sorted(entries, key=lambda entry: -entry.at):
        left[entry.is_routine] -= 1
        if left[entry.is_routine] >= 0:
            found.append(entry)
    return found, min(left.values()) < 0
