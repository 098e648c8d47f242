"""Tests of the catalogue, which finds a kind by any of its names."""

from __future__ import annotations

import pytest

from dashboard.objects.kinds.catalog import GROUP_TITLES, KINDS, find_kind, kind_of, kinds_told_apart, parse_kinds
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
    assert find_kind("networkpolicy.crd.example.org", [found]) is found


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


def of(kind: str, plural: str, group: str) -> Resource:
    return Resource(group=group, version="v1", plural=plural, kind=kind)


def test_kinds_of_one_name_are_told_apart_by_their_api_group_and_built_in_ones_keep_theirs() -> None:
    gateways = [
        of("Gateway", "gateways", "networking.istio.io"),
        of("Gateway", "gateways", "gateway.networking.k8s.io"),
    ]
    service, metrics = of("Service", "services", "serving.knative.dev"), of("PodMetrics", "pods", "metrics.k8s.io")
    alone = of("Rollout", "rollouts", "argoproj.io")
    keys = kinds_told_apart([*gateways, service, metrics, alone, KINDS["services"].resource])
    assert keys == {each.key for each in [*gateways, service, metrics]}
    assert kinds_told_apart([*gateways[:1], alone]) == set()


def test_the_names_of_a_kind_say_the_api_group_while_another_has_the_same() -> None:
    kind = kind_of(of("Gateway", "gateways", "networking.istio.io"))
    apart = kind.with_shared_names(frozenset({kind.key}))
    assert (apart.title, apart.singular) == ("Gateways (networking.istio.io)", "Gateway (networking.istio.io)")
    assert apart.plain_title == "Gateways"
    assert apart.with_shared_names(frozenset({kind.key})) is apart
    assert apart.with_shared_names(frozenset()) == kind
    guessed = find_kind("httproutes.gateway.networking.k8s.io")
    assert guessed is not None
    told = guessed.with_shared_names(frozenset({guessed.key}))
    described = told.with_resource(of("HTTPRoute", "httproutes", "gateway.networking.k8s.io"))
    assert described.title == "HTTPRoutes (gateway.networking.k8s.io)"


def test_a_built_in_name_means_the_built_in_kind_even_where_only_another_one_of_that_name_is_followed() -> None:
    knative = kind_of(of("Service", "services", "serving.knative.dev"))
    assert find_kind("services", [knative]) == KINDS["services"]
    assert find_kind("Service", [knative]) == KINDS["services"]
    assert find_kind("services.serving.knative.dev", [knative]) is knative
    resolved = KINDS["services"].with_resource(of("Service", "services", ""))
    assert find_kind("svc", [knative, resolved]) is resolved
