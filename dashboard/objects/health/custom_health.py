"""Health of an object of any kind that has no printer of its own: the worst of what is known, and else no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from dashboard.objects.health.conditions import in_progress_of, is_behind, judge_conditions
from dashboard.objects.health.health import NO_VERDICT, NOT_REPORTED, Health, worst
from dashboard.objects.health.rules import NO_RULES, KindRules
from dashboard.objects.health.status_words import judge_word

_PARTS = ("listeners", "parents", "ancestors", "bindings")
"""Lists in a status whose items have conditions: those of Gateway API's gateways, routes and policies (GEP-713), and of
Prometheus operator's monitors.
"""
_NESTED = ("v1beta2", "conditionStatus")
"""Fields of a status with conditions of the whole object: of Cluster API and of Kyverno."""
_UNTOUCHED = {"observedGeneration": -1}
"""The status that Flux's definitions give an object before its controller has seen it."""
_MAX_WORD_LENGTH = 60


def custom_health(document: Mapping[str, Any], generation: int, rules: KindRules = NO_RULES) -> Health:
    """The health of an object that is not being deleted. Never raises, whatever the document has.

    `document` has the object's spec and status, and the other fields that the rules of its kind read. The worst of the
    rules, the conditions, the phase, the state and the health it reports counts. Ok needs one of them that says so.
    An object that is to rest is at rest, unless something is wrong: no controller observes its newest generation.
    """
    found = rules.judge(document)
    status = document.get("status")
    if not isinstance(status, dict) or not status or status == _UNTOUCHED:
        return found or NOT_REPORTED
    at_rest = rules.wanted_rest(document)
    newest = generation if at_rest is None else 0
    findings = [found] if found is not None else []
    if rules.generic:
        findings += _judge_status(document, status, newest, rules)
    health = worst(findings)
    if rules.generic and status.get("ready") is False and (health is None or health.tone == "ok"):
        message = _text(status.get("message"))
        health = Health("NotReady", "warn", f"not ready: {message}" if message else "not ready")
    observed = status.get("observedGeneration")
    if is_behind(observed, newest):
        health = in_progress_of(health, observed, newest)
    if at_rest is not None and (health is None or health.tone in ("ok", "busy")):
        return at_rest
    return health or _unknown(status)


def _judge_status(
    document: Mapping[str, Any], status: Mapping[str, Any], generation: int, rules: KindRules
) -> list[Health]:
    phase = _text(status.get("phase"))

    conditions = [
        health
        for listed in (status.get("conditions"), *_conditions_of_parts(status))
        for health in judge_conditions(listed, generation, partial(rules.judge_reason, phase=phase))
    ]
    wrong = worst(conditions)
    reason = wrong.reason if wrong is not None else ""
    since = wrong.since if wrong is not None else None
    message = _text(status.get("message")) or reason.partition(": ")[2]
    words = [judge_word(word, detail or message, since) for word, detail in _reported_words(status)]
    if status.get("ready") is True:
        words.append(Health("Ready", "ok"))
    return [*(each for each in (*words, *_judge_parts(document, status)) if each is not None), *conditions]


def _judge_parts(document: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[Health]:
    """What is not reported of a part, or by one of the parents that a route names."""
    for part in _parts(status):
        if part.get("conditions") == []:
            yield NO_VERDICT
    spec = document.get("spec")
    wanted = spec.get("parentRefs") if isinstance(spec, dict) else None
    parents = status.get("parents")
    if isinstance(wanted, list) and isinstance(parents, list):
        answered = len({repr(each.get("parentRef")) for each in parents if isinstance(each, dict)})
        if 0 < answered < len(wanted):
            yield Health("Pending", "busy", f"{answered} of {len(wanted)} parents have answered")


def _conditions_of_parts(status: Mapping[str, Any]) -> list[Any]:
    """The conditions of each part of the object, or of each other object that it is attached to."""
    nested = [each for name in _NESTED if isinstance(each := status.get(name), dict)]
    return [part.get("conditions") for part in (*nested, *_parts(status))]


def _parts(status: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    lists = [parts for name in _PARTS if isinstance(parts := status.get(name), list)]
    return [part for parts in lists for part in parts if isinstance(part, dict)]


def _reported_words(status: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The words with which an object reports how it is, each with its own message."""
    health = status.get("health")
    nested = health if isinstance(health, dict) else {"status": health}
    reported = [
        (_text(nested.get("status")), _text(nested.get("message"))),
        (_text(status.get("phase")), ""),
        (_text(status.get("state")), ""),
    ]
    return [(word, message) for word, message in reported if word]


def _unknown(status: Mapping[str, Any]) -> Health:
    """Grey, with the object's own word where it has one."""
    word = next((word for word, _ in _reported_words(status) if len(word) <= _MAX_WORD_LENGTH), "")
    return Health(word, "idle") if word else NO_VERDICT


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
