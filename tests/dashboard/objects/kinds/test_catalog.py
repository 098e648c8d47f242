"""Tests of the catalogue, which finds a kind by any of its names."""

from __future__ import annotations

import pytest

from dashboard.objects.kinds.catalog import GROUP_TITLES, KINDS, find_kind, kind_of, parse_kinds
from dashboard.settings import DELTABOARD_KINDS
from informerd.resource import Resource


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("po", "pods"),
        ("Pod", "pods"),
        ("pods.v1", "pods"),
        (" PODS ", "pods"),
        ("deploy", "deployments.apps"),
        ("deployments", "deployments.apps"),
        ("deployment.apps", "deployments.apps"),
        ("deployments.v1.apps", "deployments.apps"),
        ("Mydemo", "mydemos.crddemo.k8s.io"),
        ("mydemos.v1.crddemo.k8s.io", "mydemos.crddemo.k8s.io"),
        ("ev", "events"),
        ("events.events.k8s.io", "events.events.k8s.io"),
        ("crd", "customresourcedefinitions.apiextensions.k8s.io"),
        ("rollouts.argoproj.io", "rollouts.argoproj.io"),
    ],
)
def test_a_kind_answers_to_every_name_that_kubectl_knows(name: str, key: str) -> None:
    kind = find_kind(name)
    assert kind is not None
    assert kind.key == key
    assert kind.path == f"/resources/{key}/"


@pytest.mark.parametrize(
    "name", ["", "nonsense", "pods.apps", "foo.bar", "a/b", "x.y.z.", "..", "<b>.example.org", "po d"]
)
def test_what_is_no_kind_is_none(name: str) -> None:
    assert find_kind(name) is None


def test_names_are_unambiguous() -> None:
    seen: dict[str, str] = {}
    for kind in KINDS.values():
        for name in kind.names:
            assert seen.setdefault(name, kind.key) == kind.key
        assert kind.group_title in GROUP_TITLES
        assert kind.resource.key == kind.key


def test_a_generic_kind_learns_its_name_from_discovery() -> None:
    kind = find_kind("networkpolicies.crd.example.org")
    assert kind is not None
    assert not kind.resolved
    found = kind.with_resource(
        Resource(
            group="crd.example.org",
            version="v2",
            plural="networkpolicies",
            kind="NetworkPolicy",
            singular="networkpolicy",
            short_names=("np",),
            namespaced=False,
        )
    )
    assert found.resolved
    assert (found.title, found.singular, found.namespaced) == ("NetworkPolicies", "NetworkPolicy", False)
    assert find_kind("np", [found]) is found
    assert find_kind("networkpolicies", [found]) is found


@pytest.mark.parametrize(
    ("resource", "allowed"),
    [
        (Resource(version="v1", plural="things", kind="Thing"), (True, True, True)),
        (Resource(version="v1", plural="componentstatuses", kind="ComponentStatus", verbs=frozenset({"get", "list"})),
         (False, False, False)),
        (Resource(version="v1", plural="bindings", kind="Binding", verbs=frozenset({"create"})), (True, False, False)),
        (KINDS["events"].resource, (False, False, True)),
        (Resource(group="events.k8s.io", version="v1", plural="events", kind="Event"), (False, False, True)),
        (Resource(group="party.example.com", version="v1", plural="events", kind="Event"), (True, True, True)),
    ],
)  # fmt: skip
def test_what_people_make_change_and_delete_is_what_the_api_server_lets_them_but_for_records(
    resource: Resource, allowed: tuple[bool, bool, bool]
) -> None:
    kind = kind_of(resource)
    assert (kind.creatable, kind.editable, kind.deletable) == allowed


def test_settings_name_kinds_once_each_and_say_what_means_nothing() -> None:
    assert [kind.key for kind in parse_kinds(["po", "pods", "deploy"])] == ["pods", "deployments.apps"]
    assert len(parse_kinds(DELTABOARD_KINDS)) == len(DELTABOARD_KINDS)
    with pytest.raises(ValueError, match="'nonsense' is no kind"):
        parse_kinds(["pods", "nonsense"])
