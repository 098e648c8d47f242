"""Tests of the projects' names: by the end of an API group, and Argo's by kind."""

from __future__ import annotations

import pytest

from dashboard.objects.kinds.api_group_projects import project_of
from informerd.resource import Resource


def of(key: str) -> str:
    plural, _, group = key.partition(".")
    return project_of(Resource(group=group, version="v1", plural=plural, kind=plural.capitalize()))


@pytest.mark.parametrize(
    ("key", "project"),
    [
        ("certificates.cert-manager.io", "cert-manager"),
        ("orders.acme.cert-manager.io", "cert-manager"),
        ("servicemonitors.monitoring.coreos.com", "Prometheus operator"),
        ("applications.argoproj.io", "Argo CD"),
        ("rollouts.argoproj.io", "Argo Rollouts"),
        ("workflows.argoproj.io", "Argo Workflows"),
        ("eventbuses.argoproj.io", "Argo"),
        ("gateways.networking.istio.io", "Istio"),
        ("clusters.postgresql.cnpg.io", "CloudNativePG"),
        ("kafkas.kafka.strimzi.io", "Strimzi"),
        ("pipelineruns.tekton.dev", "Tekton"),
        ("gateways.gateway.networking.k8s.io", "Gateway API"),
        ("clusterpolicies.kyverno.io", "Kyverno"),
        ("externalsecrets.external-secrets.io", "External Secrets"),
        ("scaledobjects.keda.sh", "KEDA"),
        ("awsclusters.infrastructure.cluster.x-k8s.io", "Cluster API"),
        ("services.serving.knative.dev", "Knative"),
        ("providers.pkg.crossplane.io", "Crossplane"),
        ("buckets.s3.aws.upbound.io", "Crossplane"),
        ("gitrepositories.source.toolkit.fluxcd.io", "Flux"),
    ],
)
def test_a_project_is_told_by_the_end_of_its_api_group(key: str, project: str) -> None:
    assert of(key) == project


@pytest.mark.parametrize("key", ["pods", "deployments.apps", "mydemos.crddemo.k8s.io", "gadgets.notistio.io"])
def test_other_groups_have_no_project(key: str) -> None:
    assert of(key) == ""
