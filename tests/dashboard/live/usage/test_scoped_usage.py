"""Tests of usage as somebody may see it: rights to the metrics API, as for ``kubectl top``."""

from __future__ import annotations

import pytest

from dashboard.access.rights import Rights, Rule
from dashboard.live.usage.scoped_usage import NOT_ALLOWED, ScopedUsage
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


def test_who_may_read_nothing_is_told_so() -> None:
    base = FakeUsage()
    base.problem = "The metrics API does not answer."
    assert ScopedUsage(base, NOWHERE).problem == NOT_ALLOWED
    assert ScopedUsage(base, SHOP).problem == base.problem
