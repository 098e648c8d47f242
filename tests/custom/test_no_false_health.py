"""Property tests of health: what says wrong is never green, and nothing is green that does not say it is well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dashboard.objects.health
from dashboard.objects.health import KindRules, custom_health, read_rules, rules_of

SHIPPED = Path(dashboard.objects.health.__file__).with_name("project_rules.yaml")

POSITIVE = (
    "Ready", "Available", "Healthy", "Succeeded", "Synced", "Established", "Programmed", "Accepted", "Reconciled",
)  # fmt: skip
REQUIRED = ("ResolvedRefs", "LastAsyncOperation", "AsyncOperation", "HealthCheckSucceeded", "Offered", "Responsive",
            "SupportedVersion", "MachinesReady", "EtcdClusterHealthy")  # fmt: skip
NEGATIVE = ("NotReady", "Stalled", "Degraded", "Failed", "Unhealthy", "Unavailable", "Conflicted", "Detached",
            "PartiallyInvalid", "DiskPressure", "MemoryPressure", "SyncFailed", "ReplicaFailure", "SyncError",
            "OverlappingTLSConfig", "Warning", "SharedResourceWarning")  # fmt: skip
IN_PROGRESS = ("Reconciling", "Progressing", "Issuing", "Remediating", "RollingOut", "RolloutProgressing",
               "ScalingDown", "ScalingUp", "Updating")  # fmt: skip
PARTS = ("listeners", "parents", "ancestors", "bindings")
KINDS = ("things.example.com", "httproutes.gateway.networking.k8s.io", "pipelineruns.tekton.dev",
         *(key.replace("*", "things") for key in read_rules(SHIPPED)))  # fmt: skip

texts = st.sampled_from(["", "Failed", "Running", "Progressing", "Pending", "Healthy", "Frobnicating", "Unknown"])
leaves = st.none() | st.booleans() | st.integers(-5, 5) | texts | st.lists(st.integers(), max_size=2)
condition = st.fixed_dictionaries(
    {"type": st.sampled_from((*POSITIVE, *NEGATIVE, "Issuing", "Odd")) | leaves},
    optional={
        "status": st.sampled_from(["True", "False", "Unknown", "No", "Yes"]) | leaves,
        "reason": texts | leaves,
        "message": texts | leaves,
        "severity": st.sampled_from(["", "Info", "Warning", "Error"]),
        "observedGeneration": st.integers(0, 5) | st.integers(0, 5).map(str) | leaves,
        "lastTransitionTime": st.sampled_from(["2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "soon"]) | leaves,
    },
)
status_fields = st.fixed_dictionaries(
    {},
    optional={
        "conditions": st.lists(condition, max_size=5) | leaves,
        "phase": texts | leaves,
        "state": texts | leaves,
        "health": texts | leaves | st.fixed_dictionaries({"status": texts | leaves}),
        "ready": leaves,
        "observedGeneration": st.integers(0, 5) | st.integers(0, 5).map(str) | leaves,
        "message": leaves,
        **{
            name: leaves
            | st.lists(leaves | st.fixed_dictionaries({"conditions": st.lists(condition, max_size=2)}), max_size=2)
            for name in PARTS
        },
    },
)
rules = st.sampled_from(KINDS).map(rules_of)


def health(status: Any, generation: int, of: KindRules) -> Any:
    return custom_health({"spec": {}, "status": status}, generation, of)


wrong = st.builds(
    lambda name, reason: {
        "type": name,
        "status": "True" if name in (*NEGATIVE, *IN_PROGRESS) else "False",
        "reason": reason,
    },
    st.sampled_from((*POSITIVE, *REQUIRED, *NEGATIVE, *IN_PROGRESS)),
    texts,
)


@pytest.mark.slow
@given(
    status=status_fields,
    wrong=wrong,
    generation=st.integers(1, 4),
    of=rules,
    first=st.booleans(),
    place=st.sampled_from(("", *PARTS)),
)
def test_an_object_with_a_condition_that_says_wrong_is_never_green(
    status: dict[str, Any], wrong: dict[str, Any], generation: int, of: KindRules, first: bool, place: str
) -> None:
    """Be it the object's own, or that of one of its parts (`place`)."""
    name, added = (place, {"conditions": [wrong]}) if place else ("conditions", wrong)
    others = status.get(name)
    others = others if isinstance(others, list) else []
    found = health({**status, name: [added, *others] if first else [*others, added]}, generation, of)
    assert found.tone in ("busy", "warn", "bad")
    assert found.reason


@given(status=st.none() | st.just({}) | leaves, generation=st.integers(0, 4), of=rules)
def test_an_object_without_a_status_is_never_green(status: Any, generation: int, of: KindRules) -> None:
    assert health(status, generation, of)[:2] == ("Not reported", "idle")


@pytest.mark.long
@given(word=st.text(min_size=1, max_size=80), of=rules, field=st.sampled_from(["phase", "state", "health"]))
def test_a_word_that_nobody_knows_is_never_green(word: str, of: KindRules, field: str) -> None:
    found = health({field: f"{word} flux"}, 1, of)
    assert found.tone == "idle" or (field == "phase" and found.tone in ("busy", "warn", "bad"))


@given(
    name=st.sampled_from(POSITIVE),
    word=st.none() | st.sampled_from(["", "No", "Nope", "Maybe"]),
    generation=st.integers(1, 4),
    of=rules,
    status=status_fields,
)
def test_an_object_with_a_condition_that_nobody_understands_is_never_green(
    name: str, word: str | None, generation: int, of: KindRules, status: dict[str, Any]
) -> None:
    odd = {"type": name} if word is None else {"type": name, "status": word}
    assert health({**status, "conditions": [{"type": "Available", "status": "True"}, odd]}, generation, of).tone != "ok"


@given(generation=st.integers(1, 4), of=rules, status=status_fields)
def test_an_object_that_says_it_is_not_ready_is_never_green(
    generation: int, of: KindRules, status: dict[str, Any]
) -> None:
    assert health({**status, "ready": False}, generation, of).tone != "ok"


@given(status=status_fields, generation=st.integers(2, 4), of=rules, text=st.booleans())
def test_an_object_whose_newest_generation_is_not_observed_is_never_green(
    status: dict[str, Any], generation: int, of: KindRules, text: bool
) -> None:
    """Whether it is written as a number or, as Istio does, as a text."""
    observed = str(generation - 1) if text else generation - 1
    found = health({**status, "observedGeneration": observed}, generation, of)
    assert found[:2] == ("InProgress", "busy")


@given(status=status_fields, generation=st.integers(1, 4), of=rules)
def test_green_has_a_field_that_says_well(status: dict[str, Any], generation: int, of: KindRules) -> None:
    if health(status, generation, of).tone == "ok":
        conditions = status.get("conditions")
        lists = [conditions] + [
            part.get("conditions")
            for name in PARTS
            if isinstance(parts := status.get(name), list)
            for part in parts
            if isinstance(part, dict)
        ]
        listed = [each for one in lists if isinstance(one, list) for each in one if isinstance(each, dict)]
        nested = status.get("health")
        words = [status.get("phase"), status.get("state"), nested.get("status") if isinstance(nested, dict) else nested]
        assert (
            any(str(each.get("status")).lower() == "true" and each.get("type") in POSITIVE for each in listed)
            or {"Running", "Healthy"} & {word for word in words if isinstance(word, str)}
            or status.get("ready") is True
        )
