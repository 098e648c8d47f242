"""Health of objects of fifteen projects, in the states in which their controllers write them.

The objects are written by hand after the projects' public APIs, in the parts that matter; nothing is copied.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.objects.health import rules_of
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import printer_from_columns
from dashboard.objects.printers.default_printers import Custom
from informerd.objects import Blob

Json = dict[str, Any]


def c(name: str, status: str, reason: str = "", message: str = "", **others: Any) -> Json:
    """A condition."""
    return {"type": name, "status": status, "reason": reason, "message": message, **others}


def conditions(*all_of_them: Json, **others: Any) -> Json:
    """A status with conditions."""
    return {"conditions": list(all_of_them), **others}


def row_of(key: str, status: Any, spec: Any = None, generation: int = 3, **others: Any) -> Row:
    """The row of an object with this status, as the worker makes it."""
    obj = {"metadata": {"name": "web", "generation": generation}, "spec": spec or {}, "status": status, **others}
    projected = msgspec.convert(obj, Custom)
    whole = msgspec.structs.replace(projected, blob=Blob(zstandard.compress(msgspec.json.encode(obj))))
    return printer_from_columns(TableDefinition(True), rules_of(key)).row(whole)


CERTIFICATE, REQUEST = "certificates.cert-manager.io", "certificaterequests.cert-manager.io"
ORDER = "orders.acme.cert-manager.io"
PROMETHEUS, MONITOR = "prometheuses.monitoring.coreos.com", "servicemonitors.monitoring.coreos.com"
APPLICATION, APPLICATION_SET = "applications.argoproj.io", "applicationsets.argoproj.io"
VIRTUAL_SERVICE = "virtualservices.networking.istio.io"
CLUSTER, BACKUP, POOLER = (f"{name}.postgresql.cnpg.io" for name in ("clusters", "backups", "poolers"))
DATABASE, SCHEDULED_BACKUP = "databases.postgresql.cnpg.io", "scheduledbackups.postgresql.cnpg.io"
KAFKA, CONNECTOR, REBALANCE = (f"{name}.kafka.strimzi.io" for name in ("kafkas", "kafkaconnectors", "kafkarebalances"))
PIPELINE_RUN, TASK_RUN = "pipelineruns.tekton.dev", "taskruns.tekton.dev"
GATEWAY, ROUTE = "gateways.gateway.networking.k8s.io", "httproutes.gateway.networking.k8s.io"
GATEWAY_CLASS = "gatewayclasses.gateway.networking.k8s.io"
CLUSTER_POLICY, REPORT = "clusterpolicies.kyverno.io", "policyreports.wgpolicyk8s.io"
EXTERNAL_SECRET, CLUSTER_EXTERNAL_SECRET = (
    "externalsecrets.external-secrets.io",
    "clusterexternalsecrets.external-secrets.io",
)
SCALED_OBJECT = "scaledobjects.keda.sh"
CAPI_CLUSTER, MACHINE = "clusters.cluster.x-k8s.io", "machines.cluster.x-k8s.io"
AWS_MACHINE = "awsmachines.infrastructure.cluster.x-k8s.io"
KNATIVE, REVISION = "services.serving.knative.dev", "revisions.serving.knative.dev"
CLAIM, PROVIDER = "buckets.s3.aws.upbound.io", "providers.pkg.crossplane.io"
KUSTOMIZATION, RELEASE = "kustomizations.kustomize.toolkit.fluxcd.io", "helmreleases.helm.toolkit.fluxcd.io"

_HEALTHY_PARENT = {
    "parents": [conditions(c("Accepted", "True", "Accepted"), c("ResolvedRefs", "True", "ResolvedRefs"))]
}
_LISTENING = {"listeners": [conditions(c("Accepted", "True"), c("ResolvedRefs", "True"), c("Conflicted", "False"))]}

STATES: list[tuple[str, Any, str, str]] = [
    # cert-manager
    (CERTIFICATE, conditions(c("Ready", "True", "Ready")), "Ready", "ok"),
    (CERTIFICATE, conditions(c("Ready", "False", "DoesNotExist"), c("Issuing", "True")), "InProgress", "busy"),
    (CERTIFICATE, conditions(c("Ready", "False", "Expired", "expired on Monday")), "NotReady", "bad"),
    (REQUEST, conditions(c("Approved", "True"), c("Ready", "True", "Issued")), "Ready", "ok"),
    (REQUEST, conditions(c("Approved", "True"), c("Ready", "False", "Pending")), "Pending", "busy"),
    (REQUEST, conditions(c("Ready", "False", "Failed", "the order is invalid")), "NotReady", "bad"),
    (
        REQUEST,
        conditions(c("Denied", "True", "policy", "not this name"), c("Ready", "False", "Denied")),
        "Denied",
        "bad",
    ),
    (ORDER, {"state": "valid"}, "valid", "ok"),
    (ORDER, {"state": "pending"}, "pending", "busy"),
    (ORDER, {"state": "errored", "reason": "too many orders"}, "errored", "bad"),
    # Prometheus operator
    (PROMETHEUS, conditions(c("Available", "True"), c("Reconciled", "True")), "Available", "ok"),
    (
        PROMETHEUS,
        conditions(c("Available", "Degraded", "SomePodsNotReady"), c("Reconciled", "True")),
        "Degraded",
        "bad",
    ),
    (
        PROMETHEUS,
        conditions(c("Available", "True"), c("Reconciled", "False", "ReconciliationFailed")),
        "NotReconciled",
        "bad",
    ),
    (MONITOR, {"bindings": [conditions(c("Accepted", "True"))]}, "Accepted", "ok"),
    (
        MONITOR,
        {"bindings": [conditions(c("Accepted", "True")), conditions(c("Accepted", "False", "x", "bad path"))]},
        "NotAccepted",
        "bad",
    ),
    (MONITOR, None, "Not reported", "idle"),
    # Argo CD
    (APPLICATION, {"health": {"status": "Healthy"}, "sync": {"status": "Synced"}}, "Healthy", "ok"),
    (APPLICATION, {"health": {"status": "Progressing"}, "sync": {"status": "Synced"}}, "Progressing", "busy"),
    (
        APPLICATION,
        {"health": {"status": "Degraded", "message": "no pods"}, "sync": {"status": "OutOfSync"}},
        "Degraded",
        "bad",
    ),
    (APPLICATION, {"health": {"status": "Healthy"}, "sync": {"status": "OutOfSync"}}, "OutOfSync", "warn"),
    (APPLICATION, {"health": {"status": "Suspended"}, "sync": {"status": "Synced"}}, "Suspended", "idle"),
    (
        APPLICATION,
        {"health": {"status": "Healthy"}, "operationState": {"phase": "Failed", "message": "hook"}},
        "SyncFailed",
        "bad",
    ),
    (
        APPLICATION,
        {"health": {"status": "Healthy"}, "conditions": [{"type": "ComparisonError", "message": "no repo"}]},
        "ComparisonError",
        "bad",
    ),
    (APPLICATION_SET, conditions(c("ErrorOccurred", "False"), c("ResourcesUpToDate", "True")), "UpToDate", "ok"),
    (APPLICATION_SET, conditions(c("ErrorOccurred", "True", "x", "no such generator")), "ErrorOccurred", "bad"),
    (APPLICATION_SET, conditions(c("ErrorOccurred", "False"), c("ResourcesUpToDate", "False")), "NotUpToDate", "bad"),
    # Istio
    (VIRTUAL_SERVICE, conditions(c("Reconciled", "True")), "Reconciled", "ok"),
    (
        VIRTUAL_SERVICE,
        {"validationMessages": [{"level": "ERROR", "type": {"name": "ReferencedResourceNotFound"}}]},
        "Invalid",
        "bad",
    ),
    (VIRTUAL_SERVICE, {"validationMessages": [{"level": "WARNING", "type": {"name": "x"}}]}, "Invalid", "warn"),
    (VIRTUAL_SERVICE, None, "Not reported", "idle"),
    # CloudNativePG
    (CLUSTER, conditions(c("Ready", "True"), phase="Cluster in healthy state"), "Cluster in healthy state", "ok"),
    (
        CLUSTER,
        conditions(c("Ready", "False", "ClusterIsNotReady"), phase="Setting up primary"),
        "Setting up primary",
        "busy",
    ),
    (CLUSTER, conditions(c("Ready", "False", "x", "no primary"), phase="Cluster in healthy state"), "NotReady", "bad"),
    (CLUSTER, conditions(c("Ready", "True"), phase="Not enough disk space"), "Not enough disk space", "bad"),
    (CLUSTER, conditions(c("Ready", "True"), c("ContinuousArchiving", "False", "x", "403")), "NotArchiving", "warn"),
    (BACKUP, {"phase": "completed"}, "completed", "idle"),
    (BACKUP, {"phase": "running"}, "running", "busy"),
    (BACKUP, {"phase": "failed", "error": "no bucket"}, "failed", "bad"),
    (DATABASE, {"applied": True}, "Applied", "ok"),
    (DATABASE, {"applied": False, "message": "no such owner"}, "NotApplied", "bad"),
    (DATABASE, None, "Not reported", "idle"),
    (POOLER, {"instances": 3}, "No verdict", "idle"),
    # Strimzi
    (KAFKA, conditions(c("Ready", "True"), observedGeneration=3), "Ready", "ok"),
    (KAFKA, conditions(c("NotReady", "True", "FatalProblem", "no listener"), observedGeneration=3), "NotReady", "bad"),
    (KAFKA, conditions(c("Ready", "True"), observedGeneration=2), "InProgress", "busy"),
    (KAFKA, conditions(c("Ready", "True"), c("Warning", "True", "KafkaStorage", "ephemeral")), "Warning", "warn"),
    (KAFKA, conditions(c("ReconciliationPaused", "True")), "Paused", "idle"),
    (
        CONNECTOR,
        conditions(c("Ready", "True"), connectorStatus={"connector": {"state": "RUNNING"}, "tasks": []}),
        "RUNNING",
        "ok",
    ),
    (
        CONNECTOR,
        conditions(
            c("Ready", "True"),
            connectorStatus={"connector": {"state": "RUNNING"}, "tasks": [{"state": "FAILED", "trace": "x"}]},
        ),
        "TaskFailed",
        "bad",
    ),
    (CONNECTOR, conditions(c("Ready", "True"), connectorStatus={"connector": {"state": "PAUSED"}}), "PAUSED", "idle"),
    (REBALANCE, conditions(c("Rebalancing", "True")), "Rebalancing", "busy"),
    (REBALANCE, conditions(c("Ready", "True")), "Ready", "ok"),
    (REBALANCE, conditions(c("NotReady", "True", "CruiseControlRestException", "503")), "NotReady", "bad"),
    # Tekton
    (PIPELINE_RUN, conditions(c("Succeeded", "True", "Succeeded")), "Succeeded", "idle"),
    (PIPELINE_RUN, conditions(c("Succeeded", "Unknown", "Running", "Tasks Completed: 1")), "Running", "busy"),
    (PIPELINE_RUN, conditions(c("Succeeded", "False", "Failed", "Tasks Completed: 2 (Failed: 1)")), "Failed", "bad"),
    (PIPELINE_RUN, conditions(c("Succeeded", "False", "PipelineRunTimeout")), "Failed", "bad"),
    (TASK_RUN, conditions(c("Succeeded", "False", "TaskRunImagePullFailed")), "Failed", "bad"),
    # Gateway API
    (GATEWAY, conditions(c("Accepted", "True"), c("Programmed", "True"), **_LISTENING), "Programmed", "ok"),
    (
        GATEWAY,
        conditions(c("Accepted", "Unknown", "Pending"), c("Programmed", "Unknown", "Pending")),
        "Pending",
        "busy",
    ),
    (
        GATEWAY,
        conditions(c("Accepted", "True"), c("Programmed", "False", "AddressNotAssigned")),
        "NotProgrammed",
        "bad",
    ),
    (
        GATEWAY,
        conditions(
            c("Accepted", "True"),
            c("Programmed", "True"),
            listeners=[conditions(c("ResolvedRefs", "False", "x", "no secret"))],
        ),
        "RefsNotResolved",
        "bad",
    ),
    (ROUTE, _HEALTHY_PARENT, "Accepted", "ok"),
    (
        ROUTE,
        {"parents": [*_HEALTHY_PARENT["parents"], conditions(c("Accepted", "False", "NoMatchingParent", "no"))]},
        "NotAccepted",
        "bad",
    ),
    (
        ROUTE,
        {"parents": [conditions(c("Accepted", "True"), c("ResolvedRefs", "False", "BackendNotFound", "no"))]},
        "RefsNotResolved",
        "bad",
    ),
    (ROUTE, {"parents": []}, "No verdict", "idle"),
    (GATEWAY_CLASS, conditions(c("Accepted", "True")), "Accepted", "ok"),
    (GATEWAY_CLASS, conditions(c("Accepted", "Unknown", "Waiting", "Waiting for controller")), "Waiting", "busy"),
    (GATEWAY_CLASS, conditions(c("Accepted", "False", "InvalidParameters")), "NotAccepted", "bad"),
    # Kyverno
    (CLUSTER_POLICY, conditions(c("Ready", "True", "Succeeded"), ready=True), "Ready", "ok"),
    (CLUSTER_POLICY, conditions(c("Ready", "False", "Failed", "no rule")), "NotReady", "bad"),
    (CLUSTER_POLICY, {"ready": False}, "NotReady", "warn"),
    # External Secrets
    (EXTERNAL_SECRET, conditions(c("Ready", "True", "SecretSynced")), "Ready", "ok"),
    (EXTERNAL_SECRET, conditions(c("Ready", "False", "SecretSyncedError", "no such key")), "NotReady", "bad"),
    (EXTERNAL_SECRET, None, "Not reported", "idle"),
    (
        CLUSTER_EXTERNAL_SECRET,
        conditions(c("Ready", "True"), failedNamespaces=[{"namespace": "a", "reason": "taken"}]),
        "NamespaceFailed",
        "bad",
    ),
    # KEDA
    (
        SCALED_OBJECT,
        conditions(c("Ready", "True"), c("Active", "False"), c("Fallback", "False"), c("Paused", "Unknown")),
        "Ready",
        "ok",
    ),
    (SCALED_OBJECT, conditions(c("Ready", "False", "ScaledObjectCheckFailed", "no target")), "NotReady", "bad"),
    (SCALED_OBJECT, conditions(c("Ready", "True"), c("Fallback", "True", "x", "no metrics")), "Fallback", "warn"),
    (SCALED_OBJECT, conditions(c("Ready", "True"), c("Paused", "True")), "Paused", "idle"),
    (
        SCALED_OBJECT,
        conditions(c("Ready", "True"), health={"s0-cron": {"status": "Failing", "numberOfFailures": 3}}),
        "TriggerFailing",
        "warn",
    ),
    # Cluster API
    (CAPI_CLUSTER, conditions(c("Available", "True"), phase="Provisioned"), "Provisioned", "ok"),
    (
        CAPI_CLUSTER,
        conditions(c("Ready", "False", "WaitingForControlPlane", severity="Info"), phase="Provisioning"),
        "Provisioning",
        "busy",
    ),
    (CAPI_CLUSTER, conditions(c("Available", "False", "NotAvailable"), phase="Provisioned"), "NotAvailable", "bad"),
    (MACHINE, {"phase": "Failed", "failureMessage": "no quota"}, "Failed", "bad"),
    (MACHINE, {"phase": "Running"}, "Running", "ok"),
    (AWS_MACHINE, {"ready": True, "failureReason": "UpdateError"}, "Failed", "bad"),
    (AWS_MACHINE, conditions(c("Ready", "False", "InstanceTerminated", severity="Error")), "NotReady", "bad"),
    # Knative
    (KNATIVE, conditions(c("Ready", "True"), c("RoutesReady", "True"), observedGeneration=3), "Ready", "ok"),
    (KNATIVE, conditions(c("Ready", "Unknown", "RevisionMissing"), observedGeneration=3), "InProgress", "busy"),
    (KNATIVE, conditions(c("Ready", "False", "RevisionFailed", "no image"), observedGeneration=3), "NotReady", "bad"),
    (REVISION, conditions(c("Active", "False", "NoTraffic", severity="Info"), c("Ready", "True")), "Ready", "ok"),
    # Crossplane
    (CLAIM, conditions(c("Synced", "True", "ReconcileSuccess"), c("Ready", "True", "Available")), "Ready", "ok"),
    (CLAIM, conditions(c("Synced", "True", "ReconcileSuccess"), c("Ready", "False", "Creating")), "Creating", "busy"),
    (
        CLAIM,
        conditions(c("Synced", "False", "ReconcileError", "no rights"), c("Ready", "True", "Available")),
        "NotSynced",
        "bad",
    ),
    (PROVIDER, conditions(c("Installed", "True"), c("Healthy", "True")), "Healthy", "ok"),
    (
        PROVIDER,
        conditions(c("Installed", "True"), c("Healthy", "False", "UnhealthyPackageRevision")),
        "NotHealthy",
        "bad",
    ),
    (PROVIDER, conditions(c("Installed", "False", "UnpackingPackage", "no such image")), "NotInstalled", "bad"),
    # Flux
    (KUSTOMIZATION, conditions(c("Ready", "True", "ReconciliationSucceeded"), observedGeneration=3), "Ready", "ok"),
    (
        KUSTOMIZATION,
        conditions(c("Reconciling", "True", "Progressing"), c("Ready", "Unknown", "Progressing"), observedGeneration=3),
        "Progressing",
        "busy",
    ),
    (KUSTOMIZATION, conditions(c("Ready", "False", "DependencyNotReady"), observedGeneration=3), "InProgress", "busy"),
    (KUSTOMIZATION, conditions(c("Ready", "False", "BuildFailed", "no file"), observedGeneration=3), "NotReady", "bad"),
    (
        KUSTOMIZATION,
        conditions(c("Stalled", "True", "InvalidPath"), c("Ready", "False", "InvalidPath"), observedGeneration=3),
        "NotReady",
        "bad",
    ),
    (RELEASE, conditions(c("Ready", "True"), c("Released", "True"), observedGeneration=3), "Ready", "ok"),
    (
        RELEASE,
        conditions(c("Ready", "False", "InstallFailed"), c("Released", "False", "InstallFailed"), observedGeneration=3),
        "NotReleased",
        "bad",
    ),
    (
        RELEASE,
        conditions(c("Ready", "True"), c("TestSuccess", "False", "TestFailed", "x"), observedGeneration=3),
        "TestFailed",
        "warn",
    ),
]


@pytest.mark.parametrize(("key", "status", "word", "tone"), STATES)
def test_an_object_is_shown_as_its_controller_reports_it(key: str, status: Any, word: str, tone: str) -> None:
    row = row_of(key, status)
    assert (row.status, row.tone) == (word, tone), row.reason
    assert row.reason or tone not in ("bad", "warn"), "what is wrong is told in words"


@pytest.mark.parametrize("key", [KUSTOMIZATION, RELEASE, "gitrepositories.source.toolkit.fluxcd.io", SCHEDULED_BACKUP])
def test_what_is_suspended_is_grey_though_its_last_run_was_well(key: str) -> None:
    ready = conditions(c("Ready", "True"), observedGeneration=3)
    suspended = row_of(key, ready, {"suspend": True})
    assert (suspended.status, suspended.tone) == ("Suspended", "idle")
    assert row_of(key, ready, {"suspend": False}).status == "Ready"


@pytest.mark.parametrize(
    "tally",
    [({"fail": 2}, "Violations", "warn"), ({"error": 1}, "Errors", "bad"), ({"pass": 4, "fail": 0}, "Pass", "ok")],
)
def test_a_policy_report_is_judged_by_its_tally(tally: tuple[Json, str, str]) -> None:
    counts, word, tone = tally
    row = row_of(REPORT, None, summary=counts)
    assert (row.status, row.tone) == (word, tone)


def test_what_is_wrong_is_told_with_its_moment_and_message() -> None:
    wrong = c("Ready", "False", "InstallFailed", "the chart has no values", lastTransitionTime="2026-01-01T00:00:00Z")
    row = row_of("things.example.com", conditions(wrong))
    assert (row.reason, row.since) == ("not ready: the chart has no values", 1767225600.0)
    degraded = row_of(APPLICATION, {"health": {"status": "Degraded", "message": "2 pods crash"}})
    assert degraded.reason == "degraded: 2 pods crash"
