"""Summary of a cause in one sentence: how many pods have which symptom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.row_owners import owner_uids
from dashboard.pages.causes.reason_order import NO_IMAGE, Reason, best_reason, reason_of
from dashboard.pages.causes.rules import NODES, PODS, CauseKey
from dashboard.pages.causes.unhealthy_object import UnhealthyObject, restarts_text

MAX_WORDS = 200
_IMAGE = re.compile(r'image "([^"]+)"')


def summary_text(key: CauseKey, lines: Sequence[UnhealthyObject]) -> str:
    """What is wrong; `lines` are those of one cause, the worst first, Events last."""
    if key.rule == "other":
        return "about what is part of no other card"
    if key.rule == "gone":
        subjects = {(line.row.namespace, line.title) for line in lines}
        return f"about {_count(len(subjects), 'object')} that no longer exist{'s' if len(subjects) == 1 else ''}"
    if key.rule == "quota":
        kinds = _kinds_of(lines)
        wants = "it wants" if kinds.total() == 1 else "they want"
        who = ", ".join(_count(number, singular) for singular, number in kinds.most_common()) or "controllers"
        return f"the quota would be exceeded: {who} cannot create what {wants}"
    pods = [line for line in lines if line.kind.key == PODS]
    if key.rule == "node":
        own = next((line.words for line in lines if line.kind.key == NODES), "not ready")
        return "; ".join([own.removesuffix("."), *([_pods_of_node(pods)] if pods else [])])
    best = best_reason(key.rule, lines)
    reason = reason_of(best)
    if reason == Reason.WARNING:
        warnings = sorted(_warning(line) for line in lines if reason_of(line) == Reason.WARNING)
        return limit_text(f"a warning says: {warnings[0][1]}", MAX_WORDS)
    if reason == Reason.CREATION or not pods:
        return limit_text(best.words, MAX_WORDS)
    symptoms = _symptoms(pods)
    more = len(pods) - sum(number for number, _ in symptoms[:3])
    parts = [f"{_count(number, 'pod')} {words}" for number, words in symptoms[:3]]
    return "; ".join([*parts, *([f"{_count(more, 'more pod')} unhealthy"] if more else [])])


def _symptoms(pods: Sequence[UnhealthyObject]) -> list[tuple[int, str]]:
    """What pods do, as the end of a sentence, each with their number: ``cannot pull image …``. What says most is first,
    of that what most do.
    """
    again = [pod for pod in pods if reason_of(pod) == Reason.RUNS_AGAIN]
    counts = Counter((reason_of(pod), _symptom(pod)) for pod in pods if reason_of(pod) != Reason.RUNS_AGAIN)
    if again:
        counts[Reason.RUNS_AGAIN, restarts_text(again)] = len(again)
    order = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return [(number, words) for (_, words), number in order]


def _pods_of_node(pods: Sequence[UnhealthyObject]) -> str:
    unhealthy = sum(pod.row.tone != "ok" for pod in pods)
    if unhealthy == len(pods):
        return f"{_count(unhealthy, 'pod')} of it unhealthy since"
    return f"{_count(len(pods), 'pod')} on it" + (f", {unhealthy} of them unhealthy since" if unhealthy else "")


def _symptom(pod: UnhealthyObject) -> str:
    status, reason = pod.row.status.removeprefix("Init:"), pod.row.reason
    if status in NO_IMAGE:
        image = _IMAGE.search(reason)
        return f"cannot pull image {image[1]}" if image else "cannot pull the image"
    if status == "CrashLoopBackOff":
        return f"in a crash loop: {_without_count(reason.removeprefix('crash loop: '))}"
    return limit_text(_without_count(reason.removeprefix("container ")), 100) if reason else status


def _warning(event: UnhealthyObject) -> tuple[bool, str]:
    """The words of a Warning without the pod and how often it came; those about an image sort first."""
    words = re.sub(r"( in pod \S+\(\S+\))?( \(×\d+\))?$", "", event.words)
    image = _IMAGE.search(words) if "pull" in words else None
    return image is None, f"cannot pull image {image[1]}" if image else words


def _without_count(reason: str) -> str:
    """Without how often it was restarted, which differs from pod to pod."""
    return re.sub(r", restarted (once|\d+ times)$", "", reason)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _kinds_of(lines: Sequence[UnhealthyObject]) -> Counter[str]:
    """How many there are of each kind: of what is no Event, and is owned by none of the others."""
    uids = {line.row.uid for line in lines}
    own = [line for line in lines if not line.kind.is_event_kind and uids.isdisjoint(owner_uids(line.row))]
    return Counter(line.kind.singular for line in own)
