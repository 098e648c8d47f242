"""Custom resources of fifteen projects, in the states in which their controllers write them, each with the health that
is expected.

They are written by hand after the projects' public APIs, in the parts that matter; nothing is copied.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def c(name: str, status: str, reason: str = "", message: str = "", **others: Any) -> Json:
    """A condition."""
    moment = "2026-01-01T00:00:00Z"
    return {
        "type": name,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": moment,
        **others,
    }


def conditions(*all_of_them: Json, **others: Any) -> Json:
    """A status with conditions."""
    return {"conditions": list(all_of_them), **others}


CERTIFICATE, REQUEST = "certificates.cert-manager.io", "certificaterequests.cert-manager.io"
ORDER = "orders.acme.cert-manager.io"
PROMETHEUS, MONITOR = "prometheuses.monitoring.coreos.com", "servicemonitors.monitoring.coreos.com"
APPLICATION, APPLICATION_SET = "applications.argoproj.io", "applicationsets.argoproj.io"
VIRTUAL_SERVICE = "virtualservices.networking.istio.io"
CLUSTER, BACKUP, POOLER = (f"{name}.postgresql.cnpg.io" for name in ("clusters", "backups", "poolers"))
DATABASE, PUBLICATION, SUBSCRIPTION, SCHEDULED_BACKUP = (
    f"{name}.postgresql.cnpg.io" for name in ("databases", "publications", "subscriptions", "scheduledbackups")
)
KAFKA, CONNECTOR, MIRROR_MAKER, REBALANCE = (
    f"{name}.kafka.strimzi.io" for name in ("kafkas", "kafkaconnectors", "kafkamirrormaker2s", "kafkarebalances")
)
PIPELINE_RUN, TASK_RUN = "pipelineruns.tekton.dev", "taskruns.tekton.dev"
EVENT_LISTENER = "eventlisteners.triggers.tekton.dev"
VALIDATING_POLICY = "validatingpolicies.policies.kyverno.io"
CONTROL_PLANE = "kubeadmcontrolplanes.controlplane.cluster.x-k8s.io"
DEPLOYMENT = "machinedeployments.cluster.x-k8s.io"
AUTOSCALER = "podautoscalers.autoscaling.internal.knative.dev"
GATEWAY, ROUTE = "gateways.gateway.networking.k8s.io", "httproutes.gateway.networking.k8s.io"
GATEWAY_CLASS, POLICY = (f"{name}.gateway.networking.k8s.io" for name in ("gatewayclasses", "backendtlspolicies"))
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
    (CERTIFICATE, conditions(c("Ready", "True", "Ready"), c("Issuing", "True", "Renewing")), "InProgress", "busy"),
    (CERTIFICATE, conditions(c("Ready", "False", "MissingData"), c("Issuing", "True")), "InProgress", "busy"),
    (CERTIFICATE, conditions(c("Ready", "True"), c("Issuing", "False", "Failed", "no order")), "IssuingFailed", "bad"),
    (REQUEST, conditions(c("Approved", "True"), c("Ready", "True", "Issued")), "Ready", "ok"),
    (REQUEST, conditions(c("Approved", "True"), c("Ready", "False", "Pending")), "Pending", "busy"),
    (REQUEST, conditions(c("Ready", "False", "Failed", "the order is invalid")), "NotReady", "bad"),
    (
        REQUEST,
        conditions(c("Denied", "True", "policy", "not this name"), c("Ready", "False", "Denied")),
        "Denied",
        "bad",
    ),
    (
        REQUEST,
        conditions(c("InvalidRequest", "True", "x", "no such issuer"), c("Ready", "False", "Pending")),
        "InvalidRequest",
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
    (PROMETHEUS, conditions(c("Available", "Unknown"), c("Reconciled", "Unknown")), "InProgress", "busy"),
    (MONITOR, {"bindings": [conditions(c("Accepted", "True"))]}, "Accepted", "ok"),
    (
        MONITOR,
        {"bindings": [conditions(c("Accepted", "True")), conditions(c("Accepted", "False", "x", "bad path"))]},
        "NotAccepted",
        "bad",
    ),
    (MONITOR, None, "Not reported", "idle"),
    (
        MONITOR,
        {"bindings": [conditions(c("Accepted", "True", observedGeneration=2))]},
        "InProgress",
        "busy",
    ),
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
    (APPLICATION, {"health": {"status": "Unknown"}, "sync": {"status": "Synced"}}, "Unknown", "warn"),
    (APPLICATION, {"health": {"status": "Healthy"}, "operationState": {"phase": "Running"}}, "Syncing", "busy"),
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
    (
        APPLICATION,
        {"health": {"status": "Healthy"}, "conditions": [{"type": "SharedResourceWarning", "message": "of two"}]},
        "SharedResourceWarning",
        "warn",
    ),
    (
        APPLICATION_SET,
        conditions(c("ResourcesUpToDate", "True"), c("RolloutProgressing", "True", "ApplicationSetModified")),
        "InProgress",
        "busy",
    ),
    (
        APPLICATION_SET,
        conditions(c("ResourcesUpToDate", "True"), applicationStatus=[{"status": "Healthy"}, {"status": "Pending"}]),
        "Pending",
        "busy",
    ),
    (APPLICATION_SET, conditions(c("ParametersGenerated", "False", "x", "no")), "ParametersNotGenerated", "bad"),
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
    (VIRTUAL_SERVICE, {"validationMessages": [{"level": 8, "type": {"name": "x"}}]}, "Invalid", "warn"),
    (VIRTUAL_SERVICE, {"validationMessages": [{"level": 12, "type": {"name": "x"}}]}, "No verdict", "idle"),
    (
        VIRTUAL_SERVICE,
        {"conditions": [{"type": "Reconciled", "status": "False", "message": "2/3 proxies up to date."}]},
        "InProgress",
        "busy",
    ),
    (VIRTUAL_SERVICE, None, "Not reported", "idle"),
    (VIRTUAL_SERVICE, conditions(c("Reconciled", "True"), observedGeneration="2"), "InProgress", "busy"),
    (VIRTUAL_SERVICE, conditions(c("Reconciled", "True"), observedGeneration="3"), "Reconciled", "ok"),
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
    *(
        (key, status, word, tone)
        for key in (PUBLICATION, SUBSCRIPTION)
        for status, word, tone in (
            ({"applied": True}, "Applied", "ok"),
            ({"applied": False, "message": "no such database"}, "NotApplied", "bad"),
            (None, "Not reported", "idle"),
        )
    ),
    (CLUSTER, {"phase": "Cluster is hibernated"}, "Cluster is hibernated", "idle"),
    (CLUSTER, {"phase": "Failing over"}, "Failing over", "warn"),
    (
        CLUSTER,
        conditions(c("Ready", "True"), c("LastBackupSucceeded", "False", "LastBackupFailed", "403")),
        "BackupFailed",
        "warn",
    ),
    (CLUSTER, conditions(c("Ready", "True"), c("LastBackupSucceeded", "False", "BackupStarted")), "Ready", "ok"),
    (CLUSTER, conditions(c("Ready", "True"), c("ConsistentSystemID", "False", "Mismatch")), "SystemIDMismatch", "bad"),
    (CLUSTER, {"phase": "Waiting for user action"}, "Waiting for user action", "warn"),
    (POOLER, {"instances": 3}, "No verdict", "idle"),
    # Strimzi
    (KAFKA, conditions(c("Ready", "True"), observedGeneration=3), "Ready", "ok"),
    (KAFKA, conditions(c("NotReady", "True", "FatalProblem", "no listener"), observedGeneration=3), "NotReady", "bad"),
    (KAFKA, conditions(c("NotReady", "True", "Creating", "is being deployed")), "Creating", "busy"),
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
    (CONNECTOR, {"connectorStatus": {"connector": {"state": "UNASSIGNED"}}}, "UNASSIGNED", "busy"),
    (CONNECTOR, {"connectorStatus": {"connector": {"state": "FAILED", "trace": "no topic"}}}, "FAILED", "bad"),
    (
        CONNECTOR,
        conditions(
            c("Ready", "True"),
            connectorStatus={"connector": {"state": "RUNNING"}, "tasks": [{"state": "RESTARTING"}]},
        ),
        "TaskRestarting",
        "busy",
    ),
    (CONNECTOR, conditions(c("Ready", "True"), c("Warning", "True", "x", "an unknown field")), "Warning", "warn"),
    (MIRROR_MAKER, conditions(c("Ready", "True"), connectors=[{"connector": {"state": "RUNNING"}}]), "RUNNING", "ok"),
    (MIRROR_MAKER, conditions(c("Ready", "True"), connectors=[{"connector": {"state": "STOPPED"}}]), "STOPPED", "idle"),
    (
        MIRROR_MAKER,
        conditions(
            c("Ready", "True"),
            connectors=[{"connector": {"state": "RUNNING"}}, {"connector": {"state": "FAILED", "trace": "no broker"}}],
        ),
        "FAILED",
        "bad",
    ),
    (
        MIRROR_MAKER,
        conditions(
            c("Ready", "True"),
            connectors=[{"connector": {"state": "RESTARTING"}, "tasks": [{"state": "UNASSIGNED"}]}],
        ),
        "RESTARTING",
        "busy",
    ),
    (
        MIRROR_MAKER,
        conditions(
            c("Ready", "True"),
            connectors=[{"connector": {"state": "RUNNING"}, "tasks": [{"state": "RUNNING"}, {"state": "FAILED"}]}],
        ),
        "TaskFailed",
        "bad",
    ),
    (REBALANCE, conditions(c("Rebalancing", "True")), "Rebalancing", "busy"),
    (REBALANCE, conditions(c("Ready", "True")), "Ready", "ok"),
    (REBALANCE, conditions(c("Stopped", "True")), "Stopped", "idle"),
    (REBALANCE, conditions(c("ReconciliationPaused", "True")), "Paused", "idle"),
    (REBALANCE, conditions(c("NotReady", "True", "CruiseControlRestException", "503")), "NotReady", "bad"),
    # Tekton
    (PIPELINE_RUN, conditions(c("Succeeded", "True", "Succeeded")), "Succeeded", "idle"),
    (PIPELINE_RUN, conditions(c("Succeeded", "Unknown", "Running", "Tasks Completed: 1")), "Running", "busy"),
    (PIPELINE_RUN, conditions(c("Succeeded", "False", "Failed", "Tasks Completed: 2 (Failed: 1)")), "Failed", "bad"),
    (PIPELINE_RUN, conditions(c("Succeeded", "False", "PipelineRunTimeout")), "Failed", "bad"),
    (TASK_RUN, conditions(c("Succeeded", "False", "TaskRunImagePullFailed")), "Failed", "bad"),
    (
        EVENT_LISTENER,
        conditions(c("Available", "True"), c("Progressing", "False", "ProgressDeadlineExceeded")),
        "ProgressDeadlineExceeded",
        "bad",
    ),
    (
        EVENT_LISTENER,
        conditions(c("Available", "True"), c("Progressing", "True", "NewReplicaSetAvailable")),
        "Available",
        "ok",
    ),
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
    (
        ROUTE,
        {"parents": [conditions(c("Accepted", "True"), c("PartiallyInvalid", "True", "x", "a rule is dropped"))]},
        "PartiallyInvalid",
        "bad",
    ),
    (ROUTE, {"parents": [conditions(c("Accepted", "True", observedGeneration=2))]}, "InProgress", "busy"),
    (ROUTE, {"parents": [conditions(c("Accepted", "Unknown", "Pending"))]}, "Pending", "busy"),
    *(
        (GATEWAY, conditions(c("Programmed", "True"), listeners=[conditions(listener)]), word, tone)
        for listener, word, tone in (
            (c("Programmed", "False", "Invalid", "no certificate"), "NotProgrammed", "bad"),
            (c("Programmed", "False", "Pending"), "Pending", "busy"),
            (c("Accepted", "False", "PortUnavailable", "in use"), "NotAccepted", "bad"),
            (c("Conflicted", "True", "HostnameConflict", "twice"), "Conflicted", "bad"),
        )
    ),
    (GATEWAY, conditions(c("Programmed", "True"), listeners=[conditions(c("Detached", "True"))]), "Detached", "bad"),
    (
        GATEWAY,
        conditions(c("Programmed", "True"), listeners=[conditions(c("OverlappingTLSConfig", "True"))]),
        "OverlappingTLSConfig",
        "warn",
    ),
    (GATEWAY_CLASS, conditions(c("Accepted", "True"), c("SupportedVersion", "False")), "UnsupportedVersion", "warn"),
    (ROUTE, {"parents": [conditions(c("Accepted", "True")), {"conditions": []}]}, "No verdict", "idle"),
    (ROUTE, {"parents": [conditions(c("Accepted", "True"), c("ResolvedRefs", "Unknown"))]}, "InProgress", "busy"),
    (POLICY, {"ancestors": [conditions(c("Accepted", "True"), c("ResolvedRefs", "True"))]}, "Accepted", "ok"),
    (POLICY, {"ancestors": [conditions(c("Accepted", "False", "TargetNotFound", "no"))]}, "NotAccepted", "bad"),
    (
        POLICY,
        {"ancestors": [conditions(c("Accepted", "True"), c("ResolvedRefs", "False", "InvalidKind", "no"))]},
        "RefsNotResolved",
        "bad",
    ),
    (GATEWAY_CLASS, conditions(c("Accepted", "True")), "Accepted", "ok"),
    (GATEWAY_CLASS, conditions(c("Accepted", "Unknown", "Waiting", "Waiting for controller")), "Waiting", "busy"),
    (GATEWAY_CLASS, conditions(c("Accepted", "False", "InvalidParameters")), "NotAccepted", "bad"),
    # Kyverno
    (CLUSTER_POLICY, conditions(c("Ready", "True", "Succeeded"), ready=True), "Ready", "ok"),
    (CLUSTER_POLICY, conditions(c("Ready", "False", "Failed", "no rule")), "NotReady", "bad"),
    (CLUSTER_POLICY, {"ready": False}, "NotReady", "warn"),
    (CLUSTER_POLICY, conditions(c("Ready", "True", "Succeeded"), ready=False), "NotReady", "warn"),
    (VALIDATING_POLICY, {"conditionStatus": {"ready": True}}, "Ready", "ok"),
    (VALIDATING_POLICY, {"autogen": {}}, "No verdict", "idle"),
    (VALIDATING_POLICY, {"conditionStatus": {"ready": False, "message": "no rule"}}, "NotReady", "warn"),
    (VALIDATING_POLICY, {"conditionStatus": conditions(c("Ready", "False", "x", "no rule"))}, "NotReady", "bad"),
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
    (CLUSTER_EXTERNAL_SECRET, conditions(c("Ready", "True"), provisionedNamespaces=["a"]), "Ready", "ok"),
    (CLUSTER_EXTERNAL_SECRET, conditions(c("Ready", "False", "x", "no namespace fits")), "NotReady", "bad"),
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
    (
        CAPI_CLUSTER,
        conditions(c("Available", "False", "NotAvailable", "no nodes yet"), phase="Provisioning"),
        "Provisioning",
        "busy",
    ),
    (CAPI_CLUSTER, conditions(c("Ready", "False", "x", severity="Error"), phase="Provisioning"), "NotReady", "bad"),
    (CAPI_CLUSTER, conditions(c("Available", "True"), c("RollingOut", "True")), "InProgress", "busy"),
    (
        CAPI_CLUSTER,
        {"phase": "Provisioned", "v1beta2": conditions(c("Available", "False", "NotAvailable", "no nodes"))},
        "NotAvailable",
        "bad",
    ),
    (CONTROL_PLANE, conditions(c("Available", "True"), c("MachinesReady", "False", "x")), "MachinesNotReady", "warn"),
    (DEPLOYMENT, conditions(c("Available", "True"), phase="ScalingUp"), "ScalingUp", "busy"),
    (MACHINE, conditions(c("Ready", "True"), c("HealthCheckSucceeded", "False")), "HealthCheckFailed", "warn"),
    (MACHINE, {"phase": "Running", "deprecated": {"v1beta1": {"failureMessage": "no quota"}}}, "Failed", "bad"),
    (MACHINE, {"phase": "Failed", "failureMessage": "no quota"}, "Failed", "bad"),
    (MACHINE, {"phase": "Running"}, "Running", "ok"),
    (AWS_MACHINE, {"ready": True, "failureReason": "UpdateError"}, "Failed", "bad"),
    (AWS_MACHINE, conditions(c("Ready", "False", "InstanceTerminated", severity="Error")), "NotReady", "bad"),
    (AWS_MACHINE, conditions(c("Ready", "False", "x", severity="Info"), ready=False), "InProgress", "busy"),
    # Knative
    (KNATIVE, conditions(c("Ready", "True"), c("RoutesReady", "True"), observedGeneration=3), "Ready", "ok"),
    (KNATIVE, conditions(c("Ready", "Unknown", "RevisionMissing"), observedGeneration=3), "InProgress", "busy"),
    (KNATIVE, conditions(c("Ready", "False", "RevisionFailed", "no image"), observedGeneration=3), "NotReady", "bad"),
    (REVISION, conditions(c("Active", "False", "NoTraffic", severity="Info"), c("Ready", "True")), "Ready", "ok"),
    (AUTOSCALER, conditions(c("Active", "False", "NoTraffic"), c("Ready", "False", "NoTraffic")), "NoTraffic", "idle"),
    (AUTOSCALER, conditions(c("Ready", "Unknown", "NoHealthyBackends")), "NoHealthyBackends", "idle"),
    (AUTOSCALER, conditions(c("Active", "True"), c("Ready", "True")), "Ready", "ok"),
    (VIRTUAL_SERVICE, conditions(c("Reconciled", "False", "Broken", "no")), "NotReconciled", "bad"),
    # Crossplane
    (CLAIM, conditions(c("Synced", "True", "ReconcileSuccess"), c("Ready", "True", "Available")), "Ready", "ok"),
    (CLAIM, conditions(c("Synced", "True", "ReconcileSuccess"), c("Ready", "False", "Creating")), "Creating", "busy"),
    (
        CLAIM,
        conditions(c("Synced", "False", "ReconcileError", "no rights"), c("Ready", "True", "Available")),
        "NotSynced",
        "bad",
    ),
    (
        CLAIM,
        conditions(c("Synced", "False", "ReconcilePaused", "by an annotation"), c("Ready", "True", "Available")),
        "ReconcilePaused",
        "idle",
    ),
    (CLAIM, conditions(c("Synced", "True", "ReconcileSuccess"), ready=False), "NotReady", "warn"),
    (
        CLAIM,
        conditions(c("Ready", "True"), c("LastAsyncOperation", "False", "AsyncUpdateFailure", "no rights")),
        "AsyncOperationFailed",
        "bad",
    ),
    (CLAIM, conditions(c("Ready", "True"), c("AsyncOperation", "False", "Ongoing")), "Ongoing", "busy"),
    (CLAIM, conditions(c("Ready", "True"), c("Responsive", "False", "WatchCircuitOpen")), "NotResponsive", "warn"),
    (PROVIDER, conditions(c("Installed", "True"), c("Healthy", "True")), "Healthy", "ok"),
    (
        PROVIDER,
        conditions(c("Installed", "True"), c("Healthy", "False", "UnhealthyPackageRevision")),
        "NotHealthy",
        "bad",
    ),
    (PROVIDER, conditions(c("Installed", "False", "UnpackingPackage", "no such image")), "NotInstalled", "bad"),
    # Flux
    (KUSTOMIZATION, {"observedGeneration": -1}, "Not reported", "idle"),
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


_READY = conditions(c("Ready", "True"), observedGeneration=3)
_READY_BEFORE = conditions(c("Ready", "True", observedGeneration=2), observedGeneration=2)
_FAILED_BEFORE = conditions(c("Ready", "False", "BuildFailed", "no file"), observedGeneration=2)
OBJECTS: list[tuple[str, Json, str, str]] = [
    *(
        (key, {"spec": {"suspend": suspend}, "status": status}, word, tone)
        for key in (KUSTOMIZATION, RELEASE, "gitrepositories.source.toolkit.fluxcd.io", SCHEDULED_BACKUP)
        for suspend, status, word, tone in (
            (True, _READY, "Suspended", "idle"),
            (True, _READY_BEFORE, "Suspended", "idle"),  # a suspended object's newest generation is not observed
            (True, conditions(c("Ready", "Unknown", "Progressing")), "Suspended", "idle"),
            (True, {}, "Suspended", "idle"),
            (False, _FAILED_BEFORE, "InProgress", "busy"),
            (False, _READY, "Ready", "ok"),
            (False, None, "Not reported", "idle"),
        )
    ),
    *(
        (key, {"status": None, "summary": summary}, word, tone)
        for key in (
            REPORT,
            "clusterpolicyreports.wgpolicyk8s.io",
            "reports.openreports.io",
            "clusterreports.openreports.io",
        )
        for summary, word, tone in (
            ({"fail": 2}, "Violations", "warn"),
            ({"error": 1}, "Errors", "bad"),
            ({"pass": 4, "warn": 1}, "Warnings", "warn"),
            ({"pass": 4, "fail": 0}, "Pass", "ok"),
            ({"pass": 0, "skip": 2}, "Not reported", "idle"),
        )
    ),
    (
        KUSTOMIZATION,
        {"spec": {"suspend": True}, "status": conditions(c("Ready", "False", "x", "no file"))},
        "NotReady",
        "bad",
    ),
    (PROMETHEUS, {"spec": {"paused": True}, "status": conditions(c("Available", "True"))}, "Paused", "idle"),
    *(
        (
            ROUTE,
            {
                "spec": {"parentRefs": [{"name": "a"}, {"name": "b"}]},
                "status": {
                    "parents": [{"parentRef": {"name": name}, **_HEALTHY_PARENT["parents"][0]} for name in names]
                },
            },
            word,
            tone,
        )
        for names, word, tone in (("a", "Pending", "busy"), ("aa", "Pending", "busy"), ("ab", "Accepted", "ok"))
    ),
    (CAPI_CLUSTER, {"spec": {"paused": True}, "status": {"phase": "Provisioned"}}, "Paused", "idle"),
    (CAPI_CLUSTER, {"spec": {"paused": False}, "status": {"phase": "Provisioned"}}, "Provisioned", "ok"),
]
"""States that are not in the status alone: all fields but the metadata."""
ALL = [*((key, {"status": status}, word, tone) for key, status, word, tone in STATES), *OBJECTS]
