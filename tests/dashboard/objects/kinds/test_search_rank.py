"""Tests of the ranking of kinds: names and short names, beginnings, parts, categories."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.objects.kinds.catalog import KINDS, KindInfo, kind_of
from dashboard.objects.kinds.search_rank import kind_rank
from informerd.resource import Resource


def custom(kind: str, plural: str, group: str, *short: str, categories: tuple[str, ...] = ()) -> KindInfo:
    return kind_of(
        Resource(
            group=group, version="v1", plural=plural, kind=kind, singular=kind.lower(), short_names=short,
            categories=categories,
        )
    )  # fmt: skip


CLUSTER = (
    *KINDS.values(),
    custom("Application", "applications", "argoproj.io", "app", "apps"),
    custom("PipelineRun", "pipelineruns", "tekton.dev", "pr", "prs", categories=("tekton", "tekton-pipelines")),
    custom("Prometheus", "prometheuses", "monitoring.coreos.com", "prom"),
    custom("Service", "services", "serving.knative.dev", "kservice", "ksvc", categories=("all", "knative")),
    custom("Gateway", "gateways", "networking.istio.io", "gw"),
    custom("Gateway", "gateways", "gateway.networking.k8s.io", "gtw"),
    custom("VirtualService", "virtualservices", "networking.istio.io", "vs"),
)


def found(text: str, kinds: Iterable[KindInfo] = CLUSTER) -> list[str]:
    ranked = sorted((rank, kind.key) for kind in kinds if (rank := kind_rank(kind, text)) is not None)
    return [key for _, key in ranked]


def test_a_short_name_comes_before_names_that_begin_with_it() -> None:
    assert found("app")[0] == "applications.argoproj.io"
    assert found("pr")[:3] == [
        "pipelineruns.tekton.dev",
        "priorityclasses.scheduling.k8s.io",
        "prometheuses.monitoring.coreos.com",
    ]
    assert found("ksvc") == ["services.serving.knative.dev"]
    assert found("po")[0] == "pods"


def test_of_one_name_the_built_in_kind_comes_first_as_with_kubectl() -> None:
    assert found("service")[:2] == ["services", "services.serving.knative.dev"]
    assert found("services.serving.knative.dev") == ["services.serving.knative.dev"]


def test_both_kinds_of_one_name_are_found_and_a_group_finds_its_own() -> None:
    assert found("gateway")[:2] == ["gateways.gateway.networking.k8s.io", "gateways.networking.istio.io"]
    assert found("networking.istio") == ["gateways.networking.istio.io", "virtualservices.networking.istio.io"]


def test_beginnings_come_before_parts_and_parts_before_categories() -> None:
    kinds = found("service")
    assert kinds.index("serviceaccounts") < kinds.index("virtualservices.networking.istio.io")
    assert found("all") == [
        "pods",
        "services.serving.knative.dev",
    ]  # the other built-in ones have none before discovery
    assert found("tekton-pipelines") == ["pipelineruns.tekton.dev"]


def test_the_projects_name_finds_its_kinds() -> None:
    assert found("istio") == ["gateways.networking.istio.io", "virtualservices.networking.istio.io"]
    assert found("prometheus op") == ["prometheuses.monitoring.coreos.com"]
    assert found("no such kind") == []
