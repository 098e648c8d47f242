"""PodDisruptionBudgets, and evictions that they allow or refuse, compared with the real API server's responses.

No controller writes the budgets' status on either server: the setup does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.http_client import MERGE, STRATEGIC, Json
from tests.support.devcluster.parity.case import DRY, PODS, Case, pod

BUDGETS = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
_READY: Json = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
_UNREADY: Json = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
_HELD: Json = {"observedGeneration": 1, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2}
_SHORT: Json = {**_HELD, "currentHealthy": 1}


def _condition(status: str, reason: str, message: str = "") -> Json:
    times = {"lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1}
    return {"type": "DisruptionAllowed", "status": status, "reason": reason, "message": message, **times}


def budget(app: str, name: str = "", **spec: Any) -> Json:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}, **spec}
    return {"metadata": {"name": name or app}, "spec": spec}


def eviction(name: str, **more: Any) -> Json:
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **more}


_GUARDED: tuple[tuple[str, Json, Json, Json | None], ...] = (
    ("free", {}, _READY, None),
    ("held", {}, _READY, _HELD),
    ("let", {}, _READY, {**_HELD, "disruptionsAllowed": 1}),
    ("unseen", {}, _READY, {}),
    ("stale", {}, _READY, {**_HELD, "observedGeneration": 0, "disruptionsAllowed": 1}),
    ("unready", {}, _UNREADY, _HELD),
    ("short", {}, _UNREADY, _SHORT),
    ("always", {"unhealthyPodEvictionPolicy": "AlwaysAllow"}, _UNREADY, _SHORT),
    ("always-ready", {"unhealthyPodEvictionPolicy": "AlwaysAllow"}, _READY, _HELD),
    ("ended", {}, {"phase": "Succeeded"}, _HELD),
    ("pending", {}, {"phase": "Pending"}, _HELD),
    ("twice", {}, _READY, _HELD),
    ("spare", {}, _READY, {**_HELD, "currentHealthy": 3}),
    ("unsynced", {}, _READY, {**_HELD, "conditions": [_condition("False", "SyncFailed", "no scale")]}),
    ("enough", {}, _READY, {**_HELD, "conditions": [_condition("True", "SufficientPods")]}),
    ("any", {"selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["any"]}]}}, _READY, _HELD),
)
"""Pods by name, more of their budget's spec, their status, and the budget's; None for no budget."""


def _setup() -> Iterator[tuple[str, Json]]:
    for name, spec, _, said in _GUARDED:
        guarded = pod(name)
        yield PODS, {**guarded, "metadata": {"name": name, "labels": {"app": name}}}
        if said is not None:
            yield BUDGETS, budget(name, **spec)
    yield BUDGETS, budget("twice", "twice-too", minAvailable="50%")
    yield BUDGETS, budget("nobody", "nothing", selector=None)


def _statuses() -> Iterator[tuple[str, Json]]:
    for name, _, status, said in _GUARDED:
        yield f"{PODS}/{name}/status", {"status": status}
        if said:
            yield f"{BUDGETS}/{name}/status", {"status": said}


EVICTION_SETUP = tuple(_setup())
EVICTION_STATUSES = tuple(_statuses())
"""What the setup merges into the status of what it made."""


def _evictions() -> Iterator[Case]:
    for name, *_ in _GUARDED:
        yield Case(f"evict {name}", "POST", f"{PODS}/{name}/eviction{DRY}", eviction(name))
    yield Case("evict nobody", "POST", f"{PODS}/none/eviction{DRY}", eviction("none"))
    for word, body in (
        ("with another name", eviction("held")), ("without a name", eviction("")), ("by nothing", {}),
        ("without a body", ""), ("by a list", []),
        ("by the old version", {**eviction("free"), "apiVersion": "policy/v1beta1"}),
        ("by no kind", {"metadata": {"name": "free"}}),
        ("of another namespace", {**eviction("free"), "metadata": {"name": "free", "namespace": "default"}}),
        ("with an unknown field", eviction("free", more=1)), ("with odd options", eviction("free", deleteOptions="x")),
        ("on top of another pod", eviction("free", deleteOptions={"preconditions": {"uid": "u"}})),
        ("on top of another version", eviction("free", deleteOptions={"preconditions": {"resourceVersion": "1"}})),
        ("with a policy", eviction("free", deleteOptions={"propagationPolicy": "Now"})),
        ("at once", eviction("free", deleteOptions={"gracePeriodSeconds": 0})),
        ("twice dry", eviction("free", deleteOptions={"dryRun": ["All"]})),
        ("oddly dry", eviction("free", deleteOptions={"dryRun": ["Some"]})),
    ):  # fmt: skip
        yield Case(f"evict {word}", "POST", f"{PODS}/free/eviction{DRY}", body)
    for word, other in (("a pod", pod("free")), ("another kind", {**eviction("free"), "kind": "Other"})):
        yield Case(f"evict by {word}", "POST", f"{PODS}/free/eviction{DRY}", other, exact=False)
    dry = eviction("free", deleteOptions={"dryRun": ["All"]})
    yield Case("evict dry by its own options", "POST", f"{PODS}/free/eviction", dry)
    yield Case("evict with odd dry run", "POST", f"{PODS}/free/eviction?dryRun=Some", eviction("free"))
    strict = f"{PODS}/free/eviction{DRY}&fieldValidation=Strict"
    yield Case("evict strictly", "POST", strict, eviction("free", more=1))
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        media = MERGE if method == "PATCH" else "application/json"
        given: Json | None = None if method == "GET" else {}
        yield Case(f"{method} an eviction", method, f"{PODS}/free/eviction", given, media)


def _budgets() -> Iterator[Case]:
    for word, spec in (
        ("nothing", {}), ("a share", {"minAvailable": "50%"}), ("both", {"minAvailable": 1, "maxUnavailable": 1}),
        ("less than nothing", {"minAvailable": -1}), ("text", {"minAvailable": "x"}), ("more than all",
        {"maxUnavailable": "150%"}), ("another policy", {"unhealthyPodEvictionPolicy": "Q"}), ("a flag",
        {"minAvailable": True}), ("a bad selector", {"selector": {"matchLabels": {"a b": "c"}}}), ("a bad operator",
        {"selector": {"matchExpressions": [{"key": "a", "operator": "Foo"}]}}), ("no values",
        {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}), ("values of nothing",
        {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}),
        ("everything", {"selector": {}}),
        ("what nobody knows", {"minAvailable": 1, "more": 2}),
    ):  # fmt: skip
        yield Case(f"budget of {word}", "POST", BUDGETS + DRY, {"metadata": {"name": "x"}, "spec": spec})
    yield Case("budget without spec", "POST", BUDGETS + DRY, {"metadata": {"name": "x"}})
    yield Case("budget as it is", "GET", f"{BUDGETS}/held")
    yield Case("budgets by name", "GET", f"{BUDGETS}?fieldSelector=metadata.name%3Dheld")
    yield Case("budget over another", "POST", BUDGETS + DRY, budget("held"))
    yield Case("budget replaced without a version", "PUT", f"{BUDGETS}/held{DRY}", budget("held"))
    for media in (MERGE, STRATEGIC):
        change = {"spec": {"minAvailable": None, "maxUnavailable": "20%"}, "status": {"disruptionsAllowed": 9}}
        yield Case(f"budget changed by {media}", "PATCH", f"{BUDGETS}/held{DRY}", change, media)
    negative = {"status": {"disruptionsAllowed": -1}}
    yield Case("budget's status below nothing", "PATCH", f"{BUDGETS}/held/status{DRY}", negative, MERGE)
    yield Case("budget deleted", "DELETE", f"{BUDGETS}/nothing{DRY}")


EVICTION_CASES: tuple[Case, ...] = (*_evictions(), *_budgets())
