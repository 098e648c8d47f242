"""Tests of which PodDisruptionBudgets a pod has, and of what they say."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.evictions.budgets import budgets_of

LABELS = {"app": "web", "tier": "front"}


def budget(selector: Any, **status: int) -> dict[str, Any]:
    spec = {"minAvailable": 2} if selector is None else {"minAvailable": 2, "selector": selector}
    return {"metadata": {"namespace": "shop", "name": "web"}, "spec": spec, "status": status}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": [*values]}]}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ({}, True),
        (None, False),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "tier": "back"}}, False),
        (expression("app", "In", "web", "api"), True),
        (expression("app", "In", "api"), False),
        (expression("app", "NotIn", "api"), True),
        (expression("zone", "NotIn", "api"), True),
        (expression("app", "Exists"), True),
        (expression("zone", "Exists"), False),
        (expression("zone", "DoesNotExist"), True),
        (expression("app", "DoesNotExist"), False),
        ({"matchLabels": {"app": "web"}} | expression("tier", "In", "back"), False),
        ({"matchLabels": {"app": "not a value"}}, False),
    ],
)
def test_a_pod_has_the_budgets_whose_selectors_match_its_labels(selector: Any, matches: bool) -> None:
    assert bool(budgets_of(LABELS, [budget(selector)])) is matches


@pytest.mark.parametrize(("allowed", "words"), [(0, "no disruption"), (1, "1 disruption"), (2, "2 disruptions")])
def test_a_budget_says_its_numbers(allowed: int, words: str) -> None:
    status = {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 4}
    (found,) = budgets_of(LABELS, [budget({}, **status)])
    assert found.words == (
        f"The PodDisruptionBudget web (at least 2 available) allows {words} now: "
        "3 of its 4 pods are healthy, and 2 must be."
    )
