"""Tests of status words, tones and reasons of kinds for which kubectl prints none, with sentences, orders and files."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.rendering.cells import all_columns
from dashboard.objects.describers.state_sentence import summarize
from dashboard.objects.printers import is_unhealthy
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.export import export
from dashboard.runtime.text_with_links import plain_text
from tests.support.objects.rows import Json, made, row_of

THEN = "2026-11-01T09:00:00Z"
NOW = 1_795_000_000.0
CLAIM = "persistentvolumeclaims"
SCALER = "horizontalpodautoscalers.autoscaling"
BUDGET = "poddisruptionbudgets.policy"
REQUEST = "certificatesigningrequests.certificates.k8s.io"
DEFINITION = "customresourcedefinitions.apiextensions.k8s.io"


def said(name: str, status: str, message: str = "", reason: str = "") -> Json:
    return {"type": name, "status": status, "message": message, "reason": reason, "lastTransitionTime": THEN}


def with_status(*conditions: Json, **status: Any) -> Json:
    return {"status": {**status, "conditions": list(conditions)}}


SCALING = {"currentReplicas": 3, "desiredReplicas": 3}
HEALTHY = {"expectedPods": 2, "currentHealthy": 2, "desiredHealthy": 2, "disruptionsAllowed": 0}


@pytest.mark.parametrize(
    ("key", "parts", "status", "tone", "reason"),
    [
        (CLAIM, {"status": {"phase": "Bound"}}, "Bound", "ok", ""),
        (
            CLAIM,
            {"spec": {"storageClassName": "fast"}, "status": {"phase": "Pending"}},
            "Pending",
            "warn",
            "waiting for a volume of class fast",
        ),
        (CLAIM, {"spec": {"volumeName": "v"}, "status": {"phase": "Lost"}}, "Lost", "bad", "its volume v is gone"),
        (CLAIM, {"metadata": {"deletionTimestamp": THEN, "finalizers": ["kubernetes.io/pvc-protection"]}},
         "Terminating", "busy", "being deleted, held by finalizers: kubernetes.io/pvc-protection"),
        ("persistentvolumes", {"status": {"phase": "Failed", "message": "in use"}}, "Failed", "bad", "failed: in use"),
        (SCALER, {"spec": {"maxReplicas": 3}, **with_status(said("AbleToScale", "True"), **SCALING)},
         "Active", "ok", ""),
        (
            SCALER,
            with_status(said("ScalingActive", "False", "no metrics known"), **SCALING),
            "NoMetrics",
            "bad",
            "has no metrics to go by: no metrics known",
        ),
        (
            SCALER,
            {"spec": {"maxReplicas": 3}, **with_status(said("ScalingLimited", "True", "too many"), **SCALING)},
            "AtMax",
            "warn",
            "wants more pods than its maximum, 3: too many",
        ),
        (BUDGET, {"status": {**HEALTHY, "disruptionsAllowed": 1}}, "Allowing", "ok", ""),
        (BUDGET, {"status": HEALTHY}, "Blocking", "warn", "no pod may be evicted: 2 of 2 pods healthy, 2 needed"),
        (
            BUDGET,
            {"status": {**HEALTHY, "currentHealthy": 1}},
            "Unhealthy",
            "warn",
            "no pod may be evicted: 1 of 2 pods healthy, 2 needed",
        ),
        (REQUEST, with_status(said("Denied", "True", "not you")), "Denied", "bad", "denied: not you"),
        (
            "resourcequotas",
            {"status": {"hard": {"memory": "1Gi", "pods": "9"}, "used": {"memory": "1024Mi", "pods": "3"}}},
            "Exhausted",
            "warn",
            "memory: 1024Mi of 1Gi used",
        ),
        ("resourcequotas", {"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}}, "Available", "ok", ""),
        (DEFINITION, with_status(said("NamesAccepted", "True"), said("Established", "True")), "Established", "ok", ""),
        (
            DEFINITION,
            with_status(said("NamesAccepted", "False", "taken"), said("Established", "False")),
            "NamesRefused",
            "bad",
            "its names are not accepted: taken",
        ),
        (
            "apiservices.apiregistration.k8s.io",
            with_status(said("Available", "False", "no endpoints")),
            "NotAvailable",
            "bad",
            "not available: no endpoints",
        ),
    ],
)  # fmt: skip
def test_an_object_says_how_it_is(key: str, parts: Json, status: str, tone: str, reason: str) -> None:
    row = row_of(key, made("X", "x", **parts))
    assert (row.status, row.tone, row.reason) == (status, tone, reason)
    assert is_unhealthy(key, row, NOW) == (tone == "bad" or (tone in ("warn", "busy") and row.since is not None))


def test_a_waiting_claim_counts_as_wrong_after_five_minutes_and_a_blocking_budget_never() -> None:
    claim = row_of(CLAIM, made("PersistentVolumeClaim", "x"))
    assert claim.created is not None
    assert not is_unhealthy(CLAIM, claim, claim.created + 299)
    assert is_unhealthy(CLAIM, claim, claim.created + 301)
    assert not is_unhealthy(BUDGET, row_of(BUDGET, made("PodDisruptionBudget", "x", status=HEALTHY)), NOW)


@pytest.mark.parametrize(
    ("key", "parts", "sentence"),
    [
        (
            CLAIM,
            {
                "spec": {"volumeName": "v", "storageClassName": "fast"},
                "status": {"phase": "Bound", "capacity": {"storage": "10Gi"}},
            },
            "Bound to v, 10Gi, class fast, created ",
        ),
        ("ingresses.networking.k8s.io", {"spec": {"rules": [{"host": "a"}]}}, "Serves a, at no address yet, created "),
        (
            SCALER,
            {
                "spec": {"maxReplicas": 9, "scaleTargetRef": {"kind": "Deployment", "name": "web"}},
                **with_status(said("AbleToScale", "True"), **SCALING),
            },
            "Active: Deployment/web has 3 pods of 1 to 9, no metrics",
        ),
        (
            BUDGET,
            {"status": HEALTHY},
            "Blocking: 0 pods may be evicted now, 2 of 2 pods healthy, 2 needed, created ",
        ),
        (
            DEFINITION,
            {"spec": {"group": "g.io", "names": {"kind": "Thing"}, "versions": [{"name": "v1", "storage": True}]}},
            "NotEstablished: Thing of g.io, v1(storage), created ",
        ),
    ],
)
def test_a_sentence_tells_it(key: str, parts: Json, sentence: str) -> None:
    obj = made("X", "x", **parts)
    assert plain_text(summarize(key, row_of(key, obj), obj, NOW)).startswith(sentence)


def query(q: str = "", sort: str = "") -> Query:
    return Query.parse({"q": [q], "sort": [sort]}, CLAIM)


def claim(name: str, capacity: str) -> Json:
    return made("C", name, spec={"volumeName": "v"}, status={"phase": "Bound", "capacity": {"storage": capacity}})


def test_capacities_sort_and_compare_by_value() -> None:
    rows = [row_of(CLAIM, claim(name, room)) for name, room in (("a", "10Gi"), ("b", "900Mi"), ("c", "1Ti"))]
    assert [r.name for r in sorted(rows, key=query(sort="capacity").sort_key)] == ["b", "a", "c"]
    assert [r.name for r in sorted(rows, key=query(sort="-capacity").sort_key)] == ["c", "a", "b"]
    assert [r.name for r in rows if query("capacity>1Gi").matches(r, NOW)] == ["a", "c"]


async def test_a_file_has_the_kinds_columns() -> None:
    pieces = [piece async for piece in export("csv", [row_of(CLAIM, claim("data", "10Gi"))], all_columns(CLAIM))]
    head, line = b"".join(pieces).decode().split("\r\n")[:2]
    assert head.startswith("Namespace,Name,Status,Volume,Capacity,Access modes,Storage class,")
    assert line.startswith("shop,data,Bound,v,10Gi,,")
