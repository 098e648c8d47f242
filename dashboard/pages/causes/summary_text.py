"""Summary of a cause in one sentence: how many pods have which symptom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.row_owners import owner_uids
from dashboard.pages.causes.rules import NODES, PODS, CauseKey
from dashboard.pages.causes.unhealthy_object import UnhealthyObject

MAX_WORDS = 200
_IMAGE = re.compile(r'image "([^"]+)"')
_NO_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff"})


def summary_text(key: CauseKey, lines: Sequence[UnhealthyObject]) -> str:
    """What is wrong; `lines` are those of one cause, the worst first, Events last."""
    if key.rule == "other":
        return "about other objects, and about what is gone"
    if key.rule == "quota":
        return f"the quota would be exceeded: {_of(lines)} cannot create what they want"
    pods = [line for line in lines if line.kind.key == PODS]
    if key.rule == "node":
        own = next((line.words for line in lines if line.kind.key == NODES), "not ready")
        return f"{own.removesuffix('.')}; {_count(len(pods), 'pod')} of it unhealthy since" if pods else own
    if not pods:
        return limit_text(lines[0].words, MAX_WORDS)
    symptoms = Counter(map(_symptom, pods))
    parts = [f"{_count(number, 'pod')} {words}" for words, number in symptoms.most_common(3)]
    more = len(pods) - sum(number for _, number in symptoms.most_common(3))
    return "; ".join([*parts, *([f"{_count(more, 'more pod')} unhealthy"] if more else [])])


def _symptom(pod: UnhealthyObject) -> str:
    """What a pod does, as the end of a sentence: ``cannot pull image …``."""
    status, reason = pod.row.status.removeprefix("Init:"), pod.row.reason
    if status in _NO_IMAGE:
        image = _IMAGE.search(reason)
        return f"cannot pull image {image[1]}" if image else "cannot pull the image"
    if status == "CrashLoopBackOff":
        return f"in a crash loop: {_without_count(reason.removeprefix('crash loop: '))}"
    return limit_text(_without_count(reason.removeprefix("container ")), 100) if reason else status


def _without_count(reason: str) -> str:
    """Without how often it was restarted, which differs from pod to pod."""
    return re.sub(r", restarted (once|\d+ times)$", "", reason)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _of(lines: Sequence[UnhealthyObject]) -> str:
    """``2 Deployments, 1 Job``: of what is no Event, and is owned by none of the others."""
    uids = {line.row.uid for line in lines}
    own = [line for line in lines if not line.kind.is_event_kind and uids.isdisjoint(owner_uids(line.row))]
    kinds = Counter(line.kind.singular for line in own)
    return ", ".join(f"{_count(number, singular)}" for singular, number in kinds.most_common()) or "controllers"
