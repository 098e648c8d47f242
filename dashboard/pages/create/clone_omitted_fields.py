"""Fields that a clone leaves out, because they belong to the original object.

Sources: apimachinery's ObjectMeta (fields that are "populated by the system"), the strategies of
``kubernetes/pkg/registry`` (what PrepareForCreate resets or Validate refuses), and the controllers that write the
labels and annotations named here (``k8s.io/api/apps/v1``, ``batch/v1``, ``core/v1/annotation_key_constants.go``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from dashboard.objects.fields.server_set_fields import LAST_APPLIED, SET_BY_SERVER

FieldPattern = tuple[str, ...]
"""Field names from the object's root; ``*`` stands for every item of a list."""

METADATA: tuple[FieldPattern, ...] = tuple(
    ("metadata", name) for name in (*SET_BY_SERVER, "finalizers", "generateName", "ownerReferences")
)
ANNOTATIONS = (
    LAST_APPLIED,
    "autoscaling.alpha.kubernetes.io/conditions",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "batch.kubernetes.io/job-tracking",
    "control-plane.alpha.kubernetes.io/leader",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "endpoints.kubernetes.io/last-change-trigger-time",
    "kubernetes.io/config.hash",
    "kubernetes.io/config.mirror",
    "kubernetes.io/config.seen",
    "kubernetes.io/config.source",
    "kubernetes.io/service-account.uid",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volume.kubernetes.io/storage-provisioner",
)
TOOL_METADATA = (
    ("annotations", "argocd.argoproj.io/tracking-id"),
    ("annotations", "meta.helm.sh/release-name"),
    ("annotations", "meta.helm.sh/release-namespace"),
    ("annotations", "objectset.rio.cattle.io/id"),
    ("annotations", "objectset.rio.cattle.io/owner-name"),
    ("labels", "argocd.argoproj.io/instance"),
    ("labels", "helm.toolkit.fluxcd.io/name"),
    ("labels", "helm.toolkit.fluxcd.io/namespace"),
    ("labels", "kustomize.toolkit.fluxcd.io/name"),
    ("labels", "kustomize.toolkit.fluxcd.io/namespace"),
    ("labels", "objectset.rio.cattle.io/hash"),
)
"""Ownership metadata of Argo CD, Helm, Flux and Rancher: they would change or delete a copy that has it."""
_JOB_LABELS = (
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
)
_POD_LABELS = (
    *_JOB_LABELS,
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-completion-index",
    "controller-revision-hash",
    "pod-template-generation",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
)


def fields_below(parent: FieldPattern, names: tuple[str, ...]) -> tuple[FieldPattern, ...]:
    return tuple((*parent, name) for name in names)


FIELDS_BY_KIND: Mapping[str, tuple[FieldPattern, ...]] = MappingProxyType({
    "pods": (
        *fields_below(("metadata", "labels"), _POD_LABELS),
        ("spec", "nodeName"),
        ("spec", "ephemeralContainers"),  # may only be added to a pod that runs
        ("spec", "priority"),  # admission works both out, and refuses others
        ("spec", "preemptionPolicy"),
    ),
    "replicasets.apps": (
        ("metadata", "labels", "pod-template-hash"),
        ("spec", "selector", "matchLabels", "pod-template-hash"),
        ("spec", "template", "metadata", "labels", "pod-template-hash"),
    ),
    "jobs.batch": (
        *fields_below(("metadata", "labels"), _JOB_LABELS),
        *fields_below(("spec", "template", "metadata", "labels"), _JOB_LABELS),
    ),
    "services": (
        ("spec", "ports", "*", "nodePort"),
        ("spec", "healthCheckNodePort"),
    ),
    "persistentvolumeclaims": (("spec", "volumeName"),),
    "persistentvolumes": (("spec", "claimRef"),),
    "serviceaccounts": (("secrets",),),
    "namespaces": (("metadata", "labels", "kubernetes.io/metadata.name"), ("spec",)),
    "endpointslices.discovery.k8s.io": (
        ("metadata", "labels", "endpointslice.kubernetes.io/managed-by"),  # its controller would delete the copy
    ),
    "nodes": (("spec", "podCIDR"), ("spec", "podCIDRs"), ("spec", "providerID")),
    "certificatesigningrequests.certificates.k8s.io": (
        ("spec", "extra"),
        ("spec", "groups"),
        ("spec", "uid"),
        ("spec", "username"),
    ),
})  # fmt: skip
DEFAULT_MARKERS: Mapping[str, tuple[FieldPattern, ...]] = MappingProxyType({
    "storageclasses.storage.k8s.io": (
        ("metadata", "annotations", "storageclass.kubernetes.io/is-default-class"),
        ("metadata", "annotations", "storageclass.beta.kubernetes.io/is-default-class"),
    ),
    "ingressclasses.networking.k8s.io": (("metadata", "annotations", "ingressclass.kubernetes.io/is-default-class"),),
    "priorityclasses.scheduling.k8s.io": (("globalDefault",),),
})  # fmt: skip
"""Annotations that mark a kind's default in the cluster: of two the newest wins, or neither, or the
second is refused.
"""
RECREATED_UNCHANGED = frozenset({"replicasets.apps", "services"})
"""Kinds that keep, when created again, fields that a copy cannot have: leftover pods, and addresses."""
DELETION_FINALIZERS = frozenset({"customresourcecleanup.apiextensions.k8s.io", "foregroundDeletion", "orphan"})
"""Finalizers that the API server adds where a deletion requests them."""
TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
"""The volume that the ServiceAccount admission plugin mounts into each pod."""
