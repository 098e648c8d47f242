"""Names of well-known projects by the API groups of their custom resources."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from informerd.resource import Resource

_BY_GROUP: Mapping[str, str] = MappingProxyType({
    "argoproj.io": "Argo",
    "cert-manager.io": "cert-manager",
    "cilium.io": "Cilium",
    "cluster.x-k8s.io": "Cluster API",
    "cnpg.io": "CloudNativePG",
    "crossplane.io": "Crossplane",
    "external-secrets.io": "External Secrets",
    "fluxcd.io": "Flux",
    "gateway.networking.k8s.io": "Gateway API",
    "gateway.networking.x-k8s.io": "Gateway API",
    "istio.io": "Istio",
    "keda.sh": "KEDA",
    "knative.dev": "Knative",
    "kyverno.io": "Kyverno",
    "longhorn.io": "Longhorn",
    "monitoring.coreos.com": "Prometheus operator",
    "projectcalico.org": "Calico",
    "rook.io": "Rook",
    "strimzi.io": "Strimzi",
    "tekton.dev": "Tekton",
    "traefik.io": "Traefik",
    "upbound.io": "Crossplane",
    "velero.io": "Velero",
})  # fmt: skip
"""Projects by the end of their API groups: Istio's are ``networking.istio.io``, ``security.istio.io``, and so on."""

_OF_ARGO: Mapping[str, str] = MappingProxyType({
    "applications": "Argo CD", "applicationsets": "Argo CD", "appprojects": "Argo CD",
    "analysisruns": "Argo Rollouts", "analysistemplates": "Argo Rollouts", "clusteranalysistemplates": "Argo Rollouts",
    "experiments": "Argo Rollouts", "rollouts": "Argo Rollouts",
    "clusterworkflowtemplates": "Argo Workflows", "cronworkflows": "Argo Workflows", "workflows": "Argo Workflows",
    "workflowartifactgctasks": "Argo Workflows", "workfloweventbindings": "Argo Workflows",
    "workflowtaskresults": "Argo Workflows", "workflowtasksets": "Argo Workflows",
    "workflowtemplates": "Argo Workflows",
})  # fmt: skip
"""Projects by plural: the Argo projects share one API group."""


def project_of(resource: Resource) -> str:
    """The project that a kind belongs to, for people; empty where it is not known."""
    group = resource.group
    while group:
        if (name := _BY_GROUP.get(group)) is not None:
            return _OF_ARGO.get(resource.plural, name) if group == "argoproj.io" else name
        group = group.partition(".")[2]
    return ""
