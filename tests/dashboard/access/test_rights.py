"""Tests of rights: which objects the rules of RBAC let somebody see, and when two people have the same ones."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dashboard.access.rights import EVENT_KINDS, EVERYTHING, NOTHING, KindScope, Rights, Rule
from dashboard.objects.printers.events import SUBJECT_OF


def rule(verbs: str, resources: str = "pods", groups: str = "", names: str = "") -> Rule:
    """A rule of words; `groups` are separated by commas, so that "" is the core group."""
    return Rule(
        frozenset(verbs.split()), frozenset(groups.split(",")), frozenset(resources.split()), frozenset(names.split())
    )


def shop(*rules: Rule) -> Mapping[str, tuple[Rule, ...]]:
    return {"shop": rules}


@pytest.mark.parametrize(
    ("everywhere", "own", "scope"),
    [
        pytest.param((), {}, NOTHING, id="no rule"),
        pytest.param((rule("list"),), {}, EVERYTHING, id="list everywhere"),
        pytest.param((rule("watch"),), {}, EVERYTHING, id="a watch begins with all objects"),
        pytest.param((rule("*", "*", "*"),), {}, EVERYTHING, id="an administrator"),
        pytest.param((rule("list", "*"),), {}, EVERYTHING, id="all resources of the group"),
        pytest.param((rule("create delete patch"),), {}, NOTHING, id="write only"),
        pytest.param((rule("list", groups="apps"),), {}, NOTHING, id="another group"),
        pytest.param((rule("list", "pods/log"),), {}, NOTHING, id="a subresource alone"),
        pytest.param((rule("list", "*/status"),), {}, NOTHING, id="a subresource of all"),
        pytest.param((rule("get"),), {}, NOTHING, id="get by a name that one knows"),
        pytest.param((rule("get list", names="web"),), {}, KindScope(names_anywhere=frozenset({"web"})), id="a name"),
        pytest.param((), shop(rule("list")), KindScope(namespaces=frozenset({"shop"})), id="one namespace"),
        pytest.param(
            (), shop(rule("get", names="web db")), KindScope(names=frozenset({("shop", "web"), ("shop", "db")})),
            id="names in a namespace",
        ),
        pytest.param(
            (rule("list", names="web"),), shop(rule("list")),
            KindScope(namespaces=frozenset({"shop"}), names_anywhere=frozenset({"web"})), id="both",
        ),
    ],
)  # fmt: skip
def test_the_scope_of_pods(everywhere: tuple[Rule, ...], own: Mapping[str, tuple[Rule, ...]], scope: KindScope) -> None:
    assert Rights(everywhere, own).scope_of("pods") == scope


def test_a_kind_of_a_group_is_found_by_both() -> None:
    rights = Rights([rule("list", "deployments", "apps"), rule("list", "gateways", "gateway.networking.k8s.io")])
    assert rights.scope_of("deployments.apps") == EVERYTHING
    assert rights.scope_of("gateways.gateway.networking.k8s.io") == EVERYTHING
    assert rights.scope_of("gateways.networking.istio.io") == NOTHING


def test_rules_of_a_namespace_are_not_about_what_has_none() -> None:
    scope = Rights([rule("get", "nodes", names="node-1")], shop(rule("list", "nodes"))).scope_of("nodes")
    assert [name for name in ("node-1", "node-2") if scope.includes("", name)] == ["node-1"]


@pytest.mark.parametrize(
    ("own", "names"),
    [
        (rule("get", "namespaces"), {"shop"}),
        (rule("get", "namespaces", names="shop bank"), {"shop"}),
        (rule("get", "namespaces", names="bank"), set()),
        (rule("get", "namespaces/status"), set()),
        (rule("delete", "namespaces"), set()),
        (rule("list", "namespaces"), set()),  # a list is asked for in no namespace
    ],
)
def test_a_rule_within_a_namespace_may_show_the_namespace_itself(own: Rule, names: set[str]) -> None:
    scope = Rights([], shop(own)).scope_of("namespaces")
    assert scope == KindScope(names=frozenset(("", name) for name in names))


def test_all_of_a_group_needs_a_rule_about_every_resource_and_object() -> None:
    every = [rule("list", "*", "apps"), rule("list", "pods"), rule("get", "*"), rule("list", "*", "batch", names="one")]
    rights = Rights(every, shop(rule("list", "*")))
    assert [group for group in ("", "apps", "batch", "*") if rights.lists_all_of(group)] == ["apps"]
    assert Rights([rule("watch", "*", "*")]).lists_all_of("*")


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        (NOTHING, ""),
        (EVERYTHING, "shop/web shop/db bank/web bank/db"),
        (KindScope(namespaces=frozenset({"shop"})), "shop/web shop/db"),
        (KindScope(names=frozenset({("bank", "db")})), "bank/db"),
        (KindScope(names_anywhere=frozenset({"db"})), "shop/db bank/db"),
        (KindScope(namespaces=frozenset({"shop"}), names=frozenset({("bank", "web")})), "shop/web shop/db bank/web"),
    ],
)
def test_what_a_scope_includes(scope: KindScope, seen: str) -> None:
    objects = ("shop/web", "shop/db", "bank/web", "bank/db")
    assert [each for each in objects if scope.includes(*each.split("/"))] == seen.split()
    assert scope.is_empty == (not seen)


def test_a_right_to_get_shows_an_object_whose_name_one_knows_and_names_none() -> None:
    rights = Rights([], shop(rule("get"), rule("get", "secrets", names="key")))
    assert rights.may_see("pods", "shop", "web")
    assert not rights.may_list("pods", "shop", "web")
    assert rights.may_list("secrets", "shop", "key")


@pytest.mark.parametrize("key", ["events", "events.events.k8s.io"])
def test_an_event_of_which_only_the_name_is_known_needs_the_right_to_everything(key: str) -> None:
    events = rule("get list", "events", ",events.k8s.io")
    assert not Rights([events, rule("list", "*", "")], shop(events)).may_see(key, "shop", "web.18a0")
    assert Rights([rule("list", "*", "*")]).may_see(key, "shop", "web.18a0")


def test_the_same_rules_have_the_same_fingerprint_in_any_order() -> None:
    several = [rule("list get", "pods services"), rule("list", "deployments", "apps")]
    turned = [rule("list", "deployments", "apps"), rule("get list", "services pods"), rule("list get", "pods services")]
    own = {"shop": several, "bank": several[:1], "empty": []}
    assert Rights(several, own).fingerprint == Rights(turned, {"bank": several[:1], "shop": turned}).fingerprint


def test_other_rules_have_another_fingerprint() -> None:
    read, write = rule("list"), rule("list delete")
    every = [
        Rights([]),
        Rights([read]),
        Rights([write]),
        Rights([read], owner="ada"),
        Rights([], {"shop": [read]}),
        Rights([], {"bank": [read]}),
        Rights([], {"shop": [rule("list", names="web")]}),
        Rights([read], {"shop": [write]}),
    ]
    assert len({rights.fingerprint for rights in every}) == len(every)


@pytest.mark.parametrize(
    ("scope", "namespaces", "is_all_there"),
    [
        (EVERYTHING, None, True),
        (NOTHING, set(), True),
        (KindScope(namespaces=frozenset({"shop"})), {"shop"}, True),
        (KindScope(namespaces=frozenset({"shop"}), names=frozenset({("bank", "web")})), {"shop", "bank"}, False),
        (KindScope(names=frozenset({("", "node-1")})), {""}, False),
        (KindScope(namespaces=frozenset({"shop"}), names_anywhere=frozenset({"web"})), None, False),
    ],
)
def test_the_namespaces_in_which_a_scope_has_objects(
    scope: KindScope, namespaces: set[str] | None, is_all_there: bool
) -> None:
    assert (scope.possible_namespaces, scope.is_all_there) == (namespaces, is_all_there)


def test_the_kinds_of_events_are_those_that_have_a_subject() -> None:
    assert SUBJECT_OF.keys() == EVENT_KINDS


@pytest.mark.parametrize(("namespace", "other"), [("shop", "bank"), ("", "shop")])
def test_the_right_to_one_object_is_added_to_the_others(namespace: str, other: str) -> None:
    before = Rights([rule("list", "nodes")], shop(rule("list", "services")), owner="anna")
    rights = before.with_name("deployments.apps", namespace, "web")
    assert rights.may_see("deployments.apps", namespace, "web")
    assert not rights.may_see("deployments.apps", namespace, "db")
    assert rights.may_see("deployments.apps", other, "web") is (namespace == "")
    assert rights.scope_of("nodes") == EVERYTHING
    assert rights.scope_of("services").namespaces == {"shop"}
    assert rights.owner == "anna"
    assert not before.may_see("deployments.apps", namespace, "web")
