"""Health that the conditions of an object say, by the polarity of their types.

The rules are those of Kubernetes' API conventions (typical status properties) and of kstatus, the library that kpt and
Flux take for it: a positive type says wrong where it is False, a negative one where it is True, Unknown says in
progress, and what was observed of an older generation is in progress, whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeGuard

from dashboard.objects.health.health import NO_VERDICT, Health, unix_seconds
from dashboard.objects.health.status_words import WORD, spaced, tone_of_word
from dashboard.objects.kinds.row import Tone

_POSITIVE = (
    "Ready", "Available", "Healthy", "Succeeded", "Synced", "Established", "Programmed", "Accepted", "Reconciled",
)  # fmt: skip
"""Types that say wrong where they are False, in the order in which they are told."""
_DONE = frozenset({"Succeeded", "Complete", "Completed", "Finished"})
"""Types that say the work is done where they are True."""
_REQUIRED = {"ResolvedRefs": "RefsNotResolved", "LastAsyncOperation": "AsyncOperationFailed"}
"""Types that say wrong where they are False, with the word for that, and nothing where they are True."""
_PARTS = {
    "AsyncOperation": "AsyncOperationFailed", "HealthCheckSucceeded": "HealthCheckFailed", "Offered": "NotOffered",
    "Responsive": "NotResponsive", "SupportedVersion": "UnsupportedVersion",
}  # fmt: skip
"""Types that are about a part: they need a look where they are False, with the word for that, and say nothing where
they are True.
"""
_PARTS_ENDINGS = ("Ready", "Healthy")
"""Endings of more such types, such as ``MachinesReady``."""
_NEGATIVE = frozenset({
    "Stalled", "Degraded", "Unavailable", "Conflicted", "Detached", "PartiallyInvalid",
})  # fmt: skip
_NEGATIVE_ENDINGS = ("NotReady", "NotHealthy", "Unhealthy", "Pressure", "Failed", "Failure", "Error")
_WARNING = frozenset({"OverlappingTLSConfig"})
"""Types that need a look where they are True."""
_WARNING_ENDING = "Warning"
_PAUSED = frozenset({"Paused", "ReconciliationPaused", "Suspended"})
"""Types that say that somebody wants no work done where they are True."""
_IN_PROGRESS = frozenset({
    "Reconciling", "Progressing", "Issuing", "Remediating", "RollingOut", "RolloutProgressing", "ScalingDown",
    "ScalingUp", "Updating",
})  # fmt: skip
_NO_MORE_PROGRESS = ("Available", "Complete", "Completed", "AsExpected", "UpToDate")
"""Endings of reasons with which a Progressing that is True says that it has arrived, as Deployments write it."""
_NO_PROGRESS = "ProgressDeadlineExceeded"
"""Reason with which a Progressing that is False says that it has failed, as Deployments write it."""

_PROGRESS = """
attaching bootstrapping building cloning configuring connecting creating deleting deploying draining downloading
fetching initializing installing issuing joining migrating ongoing pending preparing processing progressing provisioning
pulling queued reconciling resizing restarting restoring rolling running scaling scheduled scheduling started starting
stopping switching syncing terminating uninstalling updating upgrading waiting
"""
_FAILURE = """
abort aborted cancelled canceled cannot denied error errors exceeded fail failed failing failure fatal invalid no not
refused rejected timeout timed unable
"""
_PROGRESS_WORDS, _FAILURE_WORDS = frozenset(_PROGRESS.split()), frozenset(_FAILURE.split())
_PAUSED_WORDS = frozenset({"hibernated", "paused", "suspended"})

_MAX_WORD_LENGTH = 40
_MAX_DIGITS = 19
"""Of a 64-bit number."""

ReasonTone = Literal["busy", "idle"]
JudgeReason = Callable[[str], ReasonTone | None]
"""What the reason of a condition that is not True says: in progress, wanted so, or nothing, which is wrong."""


def judge_reason(reason: str) -> ReasonTone | None:
    """Busy for a reason such as ``WaitingForControlPlane``, idle for one such as ``ReconcilePaused``; None where no
    word says so, or one says that it failed.
    """
    words = {word.lower() for word in WORD.findall(reason[:200])}
    if words & _FAILURE_WORDS:
        return None
    if words & _PAUSED_WORDS:
        return "idle"
    return "busy" if words & _PROGRESS_WORDS or "inprogress" in reason.lower() else None


def judge_conditions(conditions: Any, generation: int, of_reason: JudgeReason) -> list[Health]:
    """What each condition says that is judged at all; whatever is no list of maps says nothing. `of_reason` judges
    reasons.
    """
    if not isinstance(conditions, list):
        return []
    mappings = [each for each in conditions if isinstance(each, dict) and isinstance(each.get("type"), str)]
    return [
        _of_generation(health, condition, generation)
        for condition in sorted(mappings, key=_place)
        for health in _judge(condition, of_reason(_text(condition, "reason")))
    ]


def _since(condition: Mapping[str, Any]) -> float | None:
    return unix_seconds(condition.get("lastTransitionTime"))


def _place(condition: Mapping[str, Any]) -> int:
    return _POSITIVE.index(condition["type"]) if condition["type"] in _POSITIVE else len(_POSITIVE)


def _judge(condition: Mapping[str, Any], reason_tone: ReasonTone | None) -> Iterator[Health]:
    name, status = condition["type"], _status(condition)
    if name in _NEGATIVE or name.endswith(_NEGATIVE_ENDINGS):
        yield from _judge_negative(condition, name, status, reason_tone)
    elif name in _POSITIVE or name in _DONE:
        yield from _judge_positive(condition, name, status, reason_tone)
    elif name in _REQUIRED or name in _PARTS or name.endswith(_PARTS_ENDINGS):
        if status != "true":
            yield from _judge_positive(condition, name, status, reason_tone)
    elif name in _WARNING or name.endswith(_WARNING_ENDING):
        if status in ("true", ""):
            yield Health(name, "warn", _words(spaced(name), condition), _since(condition))
    elif name in _PAUSED and status == "true":
        yield Health("Suspended" if name == "Suspended" else "Paused", "idle")
    elif name in _IN_PROGRESS and status == "true" and not _text(condition, "reason").endswith(_NO_MORE_PROGRESS):
        yield _progress(condition, name)
    elif name == "Progressing" and status == "false" and _text(condition, "reason") == _NO_PROGRESS:
        yield Health(_NO_PROGRESS, "bad", _words(spaced(_NO_PROGRESS), condition), _since(condition))


def _judge_negative(
    condition: Mapping[str, Any], name: str, status: str, reason_tone: ReasonTone | None
) -> Iterator[Health]:
    # a list of errors, as Argo CD writes it, has conditions without a status
    if status == "true" or (status == "" and name.endswith("Error")):
        if name == "NotReady" and reason_tone == "busy":
            yield _progress(condition, "Ready")
        else:
            yield Health(name, "bad", _words(spaced(name), condition), _since(condition))
    elif status not in ("", "false", "unknown"):
        yield NO_VERDICT


def _judge_positive(
    condition: Mapping[str, Any], name: str, status: str, reason_tone: ReasonTone | None
) -> Iterator[Health]:
    if status == "true":
        yield Health(name, "idle" if name in _DONE else "ok")
    elif name in _DONE and name != "Succeeded":
        return  # it is not done yet, which is not wrong
    elif status in ("false", "unknown") and reason_tone == "idle":
        reason = _text(condition, "reason")
        yield Health(reason if len(reason) <= _MAX_WORD_LENGTH else "Paused", "idle")
    elif status == "unknown":
        yield _progress(condition, name)
    elif status == "false":
        severity = _text(condition, "severity")  # of Cluster API's first conditions and of Knative's
        if severity == "Info" or (severity != "Error" and reason_tone == "busy"):
            yield _progress(condition, name)
            return
        word = "Failed" if name == "Succeeded" else _REQUIRED.get(name) or _PARTS.get(name) or _negated(name, "Not")
        is_part = name not in _POSITIVE and name not in _REQUIRED
        tone: Tone = "warn" if severity == "Warning" or is_part else "bad"
        yield Health(word, tone, _words(spaced(word), condition), _since(condition))
    elif (tone_of := tone_of_word(status)) is None or tone_of in ("ok", "idle"):
        yield NO_VERDICT
    else:  # Prometheus: Available is Degraded
        word = _text(condition, "status")
        yield Health(word, tone_of, _words(word.lower(), condition), _since(condition))


def _negated(name: str, word: str) -> str:
    """``MachinesNotReady`` for MachinesReady, ``NotAccepted`` for Accepted."""
    ending = next((each for each in _PARTS_ENDINGS if name.endswith(each)), name)
    return f"{name.removesuffix(ending)}{word}{ending}"


def _progress(condition: Mapping[str, Any], name: str) -> Health:
    reason = _text(condition, "reason")
    word = (
        reason
        if len(reason) <= _MAX_WORD_LENGTH and reason.isalnum() and judge_reason(reason) == "busy"
        else "InProgress"
    )
    head = spaced(name if name in _IN_PROGRESS else _negated(name, "NotYet"))
    return Health(word, "busy", _words(head, condition), _since(condition))


def _of_generation(health: Health, condition: Mapping[str, Any], generation: int) -> Health:
    observed = condition.get("observedGeneration")
    # 0 is what a controller writes that does not fill the field
    return (
        in_progress_of(health, observed, generation)
        if observed not in (0, "0") and is_behind(observed, generation)
        else health
    )


def is_behind(observed: Any, generation: int) -> TypeGuard[int | str]:
    """Whether the observed generation, a number or its text as Istio has it, is one before `generation`; anything else
    is not.
    """
    if isinstance(observed, str):
        return observed.isascii() and observed.isdigit() and len(observed) <= _MAX_DIGITS and int(observed) < generation
    return isinstance(observed, int) and not isinstance(observed, bool) and observed < generation


def in_progress_of(health: Health | None, observed: int | str, generation: int) -> Health:
    """In progress, for the newest generation is not observed yet; what was wrong before is told."""
    before = f"; before: {health.reason}" if health is not None and health.tone in ("warn", "bad") else ""
    words = f"in progress: generation {generation} is not observed yet, {observed} is{before}"
    return Health("InProgress", "busy", words, health.since if health is not None else None)


def _status(condition: Mapping[str, Any]) -> str:
    status = condition.get("status")
    return str(status).lower() if isinstance(status, str | bool) else ""


def _text(condition: Mapping[str, Any], name: str) -> str:
    value = condition.get(name)
    return value if isinstance(value, str) else ""


def _words(head: str, condition: Mapping[str, Any]) -> str:
    detail = _text(condition, "message") or _text(condition, "reason")
    return f"{head}: {detail}" if detail else head
