"""Summary of a cause in one sentence: how many pods have which symptom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row_owners import owner_uids
from dashboard.objects.printers.pods import restarts_of_pod
from dashboard.pages.causes.reason_order import NO_IMAGE, Reason, best_reason, reason_of
from dashboard.pages.causes.rules import NODES, CauseKey
from dashboard.pages.causes.unhealthy_object import PODS, UnhealthyObject, restarts_again, restarts_text, span_text

MAX_WORDS = 200
MAX_NAMES = 2
"""Most objects that a summary names."""
_IMAGE = re.compile(r'image "([^"]+)"')


def summary_text(key: CauseKey, lines: Sequence[UnhealthyObject]) -> str:
    """What is wrong; `lines` are those of one cause, the worst first, Events last."""
    if key.rule == "other":
        return "about what is part of no other card"
    if key.rule == "gone":
        subjects = {(line.row.namespace, line.title) for line in lines}
        return f"about {_count(len(subjects), 'object')} that no longer exist{'s' if len(subjects) == 1 else ''}"
    if key.rule == "quota":
        creators = own_lines(lines)
        wants = "it wants" if len(creators) == 1 else "they want"
        return f"the quota would be exceeded: {_names(creators) or 'controllers'} cannot create what {wants}"
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
    looping: dict[tuple[Reason, str], list[UnhealthyObject]] = {}
    for pod in filter(restarts_again, pods):
        looping.setdefault((reason_of(pod), _symptom(pod)), []).append(pod)
    order = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return [(number, words + _restarts(looping.get((reason, words), ()))) for (reason, words), number in order]


def _restarts(pods: Sequence[UnhealthyObject]) -> str:
    """``, 22 restarts in 6 min``; empty where it is not known in which time."""
    span = span_text(pods)
    before = (pod.first_restart.count - 1 if pod.first_restart is not None else 0 for pod in pods)
    number = sum(restarts_of_pod(pod.row)[0] for pod in pods) - sum(before)
    return f", {_count(number, 'restart')}{span}" if span else ""


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


def own_lines(lines: Sequence[UnhealthyObject]) -> list[UnhealthyObject]:
    """What is no Event, and is owned by none of the others."""
    uids = {line.row.uid for line in lines}
    return [line for line in lines if not line.kind.is_event_kind and uids.isdisjoint(owner_uids(line.row))]


def _names(lines: Sequence[UnhealthyObject]) -> str:
    """The first MAX_NAMES objects, each kind once: ``Deployments api and web``; the others are counted by kind."""
    named: dict[KindInfo, list[str]] = {}
    for line in lines[:MAX_NAMES]:
        named.setdefault(line.kind, []).append(line.row.name)
    parts = [
        f"{kind.singular if len(names) == 1 else kind.title} {' and '.join(names)}" for kind, names in named.items()
    ]
    more = Counter(line.kind.singular for line in lines[MAX_NAMES:])
    return ", ".join([*parts, *(f"{_count(number, singular)} more" for singular, number in more.most_common())])
