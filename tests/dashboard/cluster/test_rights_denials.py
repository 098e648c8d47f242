"""Tests of denials by known rules."""

from __future__ import annotations

import pytest

from dashboard.access.rights import Rights, Rule
from dashboard.cluster.access_reviews import AccessReviews, ResourceAttributes
from dashboard.cluster.rights_denials import RightsDenials
from informerd.resource import PODS
from tests.support.clock import FakeClock

ANYWHERE = ResourceAttributes("create", PODS, is_anywhere=True)


def rule(verb: str, *names: str) -> Rule:
    return Rule(frozenset({verb}), frozenset({""}), frozenset({"pods"}), frozenset(names))


@pytest.mark.parametrize(
    ("rights", "is_denied"),
    [
        (Rights([rule("create")]), False),
        (Rights([], {"shop": [rule("create")]}), False),
        (Rights([], {"shop": [rule("list")]}), True),
        (Rights([], {"shop": [rule("create", "web")]}), True),
        (Rights([]), True),
    ],
)
async def test_what_may_be_done_in_one_namespace_may_be_done_somewhere(rights: Rights, is_denied: bool) -> None:
    words = await RightsDenials(rights).denial(ANYWHERE)
    assert ("do not let you create pods in any namespace" in words) == is_denied
    assert bool(words) == is_denied


async def test_where_rules_are_not_known_it_is_offered_and_nobody_is_asked() -> None:
    asked: list[str] = []
    reviews = AccessReviews(FakeClock(), lambda: asked.append("asked"))
    assert await reviews.denial(ANYWHERE) == ""
    assert asked == []
