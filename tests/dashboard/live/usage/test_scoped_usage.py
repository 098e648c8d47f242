"""Tests of usage as somebody may see it: rights to the metrics API, as for ``kubectl top``."""

from __future__ import annotations

import pytest

from dashboard.access.rights import Rights, Rule
from dashboard.live.usage.scoped_usage import ScopedUsage
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from tests.support.live.fake_usage import FakeUsage, usage
from tests.support.live.replica_feeder import pod


def rule(verb: str, plural: str, *names: str) -> Rule:
    return Rule(frozenset({verb}), frozenset({"metrics.k8s.io"}), frozenset({plural}), frozenset(names))


NOWHERE = Rights([])
SHOP = Rights([], {"shop": [rule("list", "pods")]})


def seen(rights: Rights, key: str, row: Row) -> bool:
    base = FakeUsage()
    base.state(usage(row.key, 0.1, 1), kind=key)
    base.pasts[row.key] = PastUsage("1", key, row.key, 0.0)
    scoped = ScopedUsage(base, rights)
    is_seen = scoped.get(key, row) is not None
    assert (scoped.known_past(key, row, lambda: None) is not None) == is_seen
    return is_seen


@pytest.mark.parametrize(
    ("key", "row", "in_shop", "nowhere"),
    [
        ("pods", pod("web", namespace="shop"), True, False),
        ("pods", pod("web", namespace="search"), False, False),
        ("deployments.apps", pod("web", namespace="shop"), True, False),
        ("deployments.apps", pod("web", namespace="search"), False, False),
        ("namespaces", pod("shop", namespace=""), True, False),
        ("namespaces", pod("search", namespace=""), False, False),
        ("nodes", pod("n1", namespace=""), False, False),
    ],
)
def test_what_pods_use_is_seen_where_their_metrics_may_be_listed(
    key: str, row: Row, in_shop: bool, nowhere: bool
) -> None:
    assert seen(SHOP, key, row) is in_shop
    assert seen(NOWHERE, key, row) is nowhere
    assert seen(Rights([rule("list", "pods"), rule("list", "nodes")]), key, row)
    assert seen(Rights([rule("list", "nodes")]), key, row) is (key == "nodes")


def test_a_pod_that_may_be_read_by_its_name_alone_is_in_no_sum() -> None:
    by_name = Rights([], {"shop": [rule("get", "pods", "web")]})
    assert seen(by_name, "pods", pod("web", namespace="shop"))
    assert not seen(by_name, "pods", pod("other", namespace="shop"))
    assert not seen(by_name, "deployments.apps", pod("web", namespace="shop"))


PODS = "that needs the right to list pods in API group metrics.k8s.io"
OF_PODS = f"You may not read the usage of pods: {PODS}."
OF_BANK = f"You may not read the usage of pods in namespace bank: {PODS} there."
OF_SOME = f"You may not read the usage of pods in some namespaces: {PODS} there."
OF_NODES = "You may not read the usage of nodes: that needs the right to list nodes in API group metrics.k8s.io."


def view(*plurals: str) -> Rule:
    """The right to list these kinds, as the role ``view`` gives it where nothing adds metrics to it."""
    return Rule(frozenset({"list"}), frozenset({"", "apps"}), frozenset(plurals))


SEES_ALL = view("pods", "nodes", "namespaces", "deployments")
IN_SHOP = {"shop": [rule("list", "pods"), view("pods", "deployments")]}
IN_BOTH = {**IN_SHOP, "bank": [view("pods", "deployments")]}


@pytest.mark.parametrize(
    ("rights", "key", "namespaces", "name", "sentence"),
    [
        (Rights([SEES_ALL, rule("list", "pods")]), "pods", (), "", ""),
        (Rights([SEES_ALL, rule("list", "pods")]), "nodes", (), "", OF_NODES),
        (Rights([SEES_ALL, rule("list", "pods")]), "nodes", (), "n1", OF_NODES),
        (Rights([SEES_ALL, rule("list", "nodes")]), "nodes", (), "", ""),
        (Rights([SEES_ALL, rule("list", "nodes")]), "pods", (), "", OF_PODS),
        (Rights([SEES_ALL, rule("list", "nodes")]), "deployments.apps", ("shop",), "web", OF_PODS),
        (Rights([SEES_ALL], IN_SHOP), "pods", (), "", OF_SOME),
        (Rights([SEES_ALL], IN_SHOP), "pods", ("shop",), "", ""),
        (Rights([SEES_ALL], IN_SHOP), "pods", ("bank",), "web", OF_BANK),
        (Rights([SEES_ALL], IN_SHOP), "namespaces", (), "", OF_SOME),
        (Rights([SEES_ALL], IN_SHOP), "namespaces", (), "shop", ""),
        (Rights([SEES_ALL], IN_SHOP), "namespaces", (), "bank", OF_BANK),
        (Rights([], IN_SHOP), "pods", (), "", ""),
        (Rights([], IN_SHOP), "nodes", (), "", ""),
        (Rights([], IN_SHOP), "pods", ("bank",), "", ""),
        (Rights([], IN_SHOP), "namespaces", (), "bank", ""),
        (Rights([], IN_BOTH), "deployments.apps", (), "", OF_BANK),
        (Rights([], IN_BOTH), "pods", ("shop",), "web", ""),
        (Rights([SEES_ALL], {"shop": [rule("get", "pods", "web")]}), "pods", ("shop",), "web", ""),
        (NOWHERE, "pods", (), "", ""),
    ],
)
def test_a_missing_right_is_named_where_somebody_sees_objects_of_which_it_hides_the_usage(
    rights: Rights, key: str, namespaces: tuple[str, ...], name: str, sentence: str
) -> None:
    assert ScopedUsage(FakeUsage(), rights).missing_right(key, namespaces, name) == sentence


def test_what_the_account_may_not_read_is_told_to_those_who_may_read_it() -> None:
    base = FakeUsage()
    base.missing["pods"] = "Deltaboard's account may not."
    may_read = Rights([SEES_ALL, rule("list", "pods")])
    assert ScopedUsage(base, may_read).missing_right("pods") == "Deltaboard's account may not."
    assert ScopedUsage(base, Rights([SEES_ALL])).missing_right("pods").startswith("You may not")
    assert ScopedUsage(base, NOWHERE).missing_right("pods") == ""


def test_where_nothing_serves_the_metrics_api_no_right_to_it_is_missing() -> None:
    base = FakeUsage()
    base.is_served, base.problem = False, "Nothing serves it."
    scoped = ScopedUsage(base, Rights([SEES_ALL]))
    assert (scoped.missing_right("pods"), scoped.missing_right("nodes"), scoped.problem) == ("", "", base.problem)
