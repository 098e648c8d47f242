"""Registry of the fact functions by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.objects.describers.admission import policy_binding_facts, webhook_facts
from dashboard.objects.describers.admission import policy_facts as admission_policy_facts
from dashboard.objects.describers.autoscaling import autoscaler_facts
from dashboard.objects.describers.crds import definition_facts
from dashboard.objects.describers.disruption_budgets import budget_facts
from dashboard.objects.describers.fact import Section
from dashboard.objects.describers.jobs import cronjob_facts, job_facts
from dashboard.objects.describers.network import SLICES, endpointslice_facts, ingress_facts, policy_facts, service_facts
from dashboard.objects.describers.nodes import node_facts
from dashboard.objects.describers.quotas import limit_range_facts, quota_facts
from dashboard.objects.describers.rbac import account_facts, binding_facts, role_facts
from dashboard.objects.describers.storage import claim_facts, volume_facts
from dashboard.objects.describers.workloads import (
    daemonset_facts,
    deployment_facts,
    replicaset_facts,
    statefulset_facts,
)

_RBAC, _ADMISSION = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"

_OF: Mapping[str, Callable[[Mapping[str, Any]], tuple[Section, ...]]] = MappingProxyType({
    "deployments.apps": deployment_facts,
    "replicasets.apps": replicaset_facts,
    "replicationcontrollers": replicaset_facts,
    "statefulsets.apps": statefulset_facts,
    "daemonsets.apps": daemonset_facts,
    "jobs.batch": job_facts,
    "cronjobs.batch": cronjob_facts,
    "nodes": node_facts,
    "services": service_facts,
    SLICES: endpointslice_facts,
    "ingresses.networking.k8s.io": ingress_facts,
    "networkpolicies.networking.k8s.io": policy_facts,
    "persistentvolumeclaims": claim_facts,
    "persistentvolumes": volume_facts,
    "poddisruptionbudgets.policy": budget_facts,
    "horizontalpodautoscalers.autoscaling": autoscaler_facts,
    "resourcequotas": quota_facts,
    "limitranges": limit_range_facts,
    "serviceaccounts": account_facts,
    f"roles.{_RBAC}": role_facts,
    f"clusterroles.{_RBAC}": role_facts,
    f"rolebindings.{_RBAC}": binding_facts,
    f"clusterrolebindings.{_RBAC}": binding_facts,
    f"mutatingwebhookconfigurations.{_ADMISSION}": webhook_facts,
    f"validatingwebhookconfigurations.{_ADMISSION}": webhook_facts,
    f"validatingadmissionpolicies.{_ADMISSION}": admission_policy_facts,
    f"mutatingadmissionpolicies.{_ADMISSION}": admission_policy_facts,
    f"validatingadmissionpolicybindings.{_ADMISSION}": policy_binding_facts,
    f"mutatingadmissionpolicybindings.{_ADMISSION}": policy_binding_facts,
    "customresourcedefinitions.apiextensions.k8s.io": definition_facts,
})  # fmt: skip


def describe_facts(key: str, obj: Mapping[str, Any]) -> tuple[Section, ...]:
    """The facts of an object of kind `key` beside its columns. Never raises, whatever the object holds."""
    teller = _OF.get(key)
    return teller(obj) if teller is not None else ()
