"""Definitions of thirty kinds of well-known projects, with one object each, as far as lists show them.

They are written by hand after the projects' public APIs: the printed columns with their paths and types, and the fields
that these read. The schemas keep every field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
MOMENT = "2026-11-01T08:00:00Z"


def condition(name: str, status: str, reason: str = "", message: str = "") -> Json:
    """A condition that changed at MOMENT."""
    return {"type": name, "status": status, "reason": reason, "message": message, "lastTransitionTime": MOMENT}


def _condition_path(name: str, field: str = "status") -> str:
    return f'.status.conditions[?(@.type=="{name}")].{field}'


@dataclass(frozen=True)
class CustomKind:
    """One kind: its definition's printed columns, and an object."""

    key: str
    kind: str
    columns: tuple[str, ...]
    """Each ``title | type | path``, and `` | 1`` where it is a wide one."""
    spec: Json
    status: Json | None
    version: str = "v1"
    namespaced: bool = True

    @property
    def plural(self) -> str:
        return self.key.partition(".")[0]

    @property
    def group(self) -> str:
        return self.key.partition(".")[2]

    def definition(self, **schema: Any) -> Json:
        """Its CustomResourceDefinition; `schema` are properties of the object's schema."""
        any_object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        version = {
            "name": self.version,
            "served": True,
            "storage": True,
            "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {**any_object, "properties": schema}},
            "additionalPrinterColumns": [_column(text) for text in self.columns],
        }
        names = {
            "plural": self.plural,
            "singular": self.kind.lower(),
            "kind": self.kind,
            "listKind": f"{self.kind}List",
        }
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.key, "annotations": {"api-approved.kubernetes.io": "unapproved, test"}},
            "spec": {
                "group": self.group,
                "names": names,
                "scope": "Namespaced" if self.namespaced else "Cluster",
                "versions": [version],
            },
        }

    def obj(self, name: str = "web") -> Json:
        """An object, without its status."""
        metadata = {"name": name, "labels": {"app": "web"}}
        return {
            "apiVersion": f"{self.group}/{self.version}",
            "kind": self.kind,
            "metadata": metadata,
            "spec": self.spec,
        }


def _column(text: str) -> Json:
    name, column_type, path, *wide = (part.strip() for part in text.split(" | "))
    return {"name": name, "type": column_type, "jsonPath": path, "priority": int(wide[0]) if wide else 0}


AGE = "Age | date | .metadata.creationTimestamp"
READY = f"Ready | string | {_condition_path('Ready')}"
STATUS = f"Status | string | {_condition_path('Ready', 'message')}"
_IS_READY = {"conditions": [condition("Ready", "True", "Ready", "it is up to date")]}
_FAILED = {"conditions": [condition("Ready", "False", "Failed", "no route to host")]}
_FLUX = ("URL | string | .spec.url", AGE, READY, STATUS)

KINDS = (
    CustomKind(
        "certificates.cert-manager.io", "Certificate",
        (READY, "Secret | string | .spec.secretName", "Issuer | string | .spec.issuerRef.name | 1",
         f"Status | string | {_condition_path('Ready', 'message')} | 1", AGE),
        {"secretName": "web-tls", "issuerRef": {"name": "letsencrypt"}}, _FAILED,
    ),
    CustomKind(
        "certificaterequests.cert-manager.io", "CertificateRequest",
        (f"Approved | string | {_condition_path('Approved')}", f"Denied | string | {_condition_path('Denied')}", READY,
         "Issuer | string | .spec.issuerRef.name", "Requester | string | .spec.username", AGE),
        {"issuerRef": {"name": "ca"}, "username": "system:serviceaccount:cert-manager:cert-manager"},
        {"conditions": [condition("Approved", "True"), condition("Ready", "False", "Pending")]},
    ),
    CustomKind(
        "orders.acme.cert-manager.io", "Order",
        ("State | string | .status.state", "Issuer | string | .spec.issuerRef.name | 1",
         "Reason | string | .status.reason | 1", AGE),
        {"issuerRef": {"name": "le"}}, {"state": "errored", "reason": "429 too many orders"},
    ),
    CustomKind(
        "prometheuses.monitoring.coreos.com", "Prometheus",
        ("Version | string | .spec.version", "Desired | integer | .spec.replicas",
         "Ready | integer | .status.availableReplicas", f"Reconciled | string | {_condition_path('Reconciled')}",
         f"Available | string | {_condition_path('Available')}", AGE, "Paused | boolean | .status.paused | 1"),
        {"version": "v3.1.0", "replicas": 2},
        {"availableReplicas": 1, "paused": False,
         "conditions": [condition("Available", "Degraded"), condition("Reconciled", "True")]},
    ),
    CustomKind("servicemonitors.monitoring.coreos.com", "ServiceMonitor", (), {"endpoints": []}, None),
    CustomKind(
        "applications.argoproj.io", "Application",
        ("Sync Status | string | .status.sync.status", "Health Status | string | .status.health.status",
         "Revision | string | .status.sync.revision | 10", "Project | string | .spec.project | 10"),
        {"project": "default"},
        {"sync": {"status": "OutOfSync", "revision": "3f6c2a"}, "health": {"status": "Degraded"}}, "v1alpha1",
    ),
    CustomKind("appprojects.argoproj.io", "AppProject", (), {"description": "all"}, None, "v1alpha1"),
    CustomKind(
        "virtualservices.networking.istio.io", "VirtualService",
        ("Gateways | string | .spec.gateways", "Hosts | string | .spec.hosts", AGE),
        {"gateways": ["public", "mesh"], "hosts": ["web.example.com"]}, None,
    ),
    CustomKind(
        "destinationrules.networking.istio.io", "DestinationRule", ("Host | string | .spec.host", AGE),
        {"host": "web"}, None,
    ),
    CustomKind(
        "clusters.postgresql.cnpg.io", "Cluster",
        (AGE, "Instances | integer | .status.instances", "Ready | integer | .status.readyInstances",
         "Status | string | .status.phase", "Primary | string | .status.currentPrimary"),
        {"instances": 3},
        {"instances": 3, "readyInstances": 2, "phase": "Failing over", "currentPrimary": "pg-2",
         "conditions": [condition("Ready", "False", "ClusterIsNotReady")]},
    ),
    CustomKind(
        "backups.postgresql.cnpg.io", "Backup",
        (AGE, "Cluster | string | .spec.cluster.name", "Method | string | .spec.method",
         "Phase | string | .status.phase", "Error | string | .status.error"),
        {"cluster": {"name": "pg"}, "method": "barmanObjectStore"}, None,
    ),
    CustomKind(
        "poolers.postgresql.cnpg.io", "Pooler",
        (AGE, "Cluster | string | .spec.cluster.name", "Type | string | .spec.type"),
        {"cluster": {"name": "pg"}, "type": "rw"}, {"instances": 2},
    ),
    CustomKind(
        "kafkas.kafka.strimzi.io", "Kafka",
        (READY, "Kafka Version | string | .status.kafkaVersion", "Metadata State | string | .status.kafkaMetadataState",
         f"Warnings | string | {_condition_path('Warning')}"),
        {"kafka": {}},
        {"kafkaVersion": "4.0.0", "kafkaMetadataState": "KRaft", "observedGeneration": 1,
         "conditions": [condition("NotReady", "True", "FatalProblem", "no listeners")]},
    ),
    CustomKind(
        "kafkatopics.kafka.strimzi.io", "KafkaTopic",
        ("Cluster | string | .metadata.labels.strimzi\\.io/cluster", "Partitions | integer | .spec.partitions",
         "Replication factor | integer | .spec.replicas", READY),
        {"partitions": 12, "replicas": 3}, _IS_READY,
    ),
    CustomKind(
        "pipelineruns.tekton.dev", "PipelineRun",
        (f"Succeeded | string | {_condition_path('Succeeded')}",
         f"Reason | string | {_condition_path('Succeeded', 'reason')}", "StartTime | date | .status.startTime",
         "CompletionTime | date | .status.completionTime"),
        {"pipelineRef": {"name": "build"}},
        {"startTime": MOMENT, "completionTime": "2026-11-01T08:07:30Z",
         "conditions": [condition("Succeeded", "False", "Failed")]},
    ),
    CustomKind(
        "taskruns.tekton.dev", "TaskRun",
        (f"Succeeded | string | {_condition_path('Succeeded')}",
         f"Reason | string | {_condition_path('Succeeded', 'reason')}", "StartTime | date | .status.startTime",
         "CompletionTime | date | .status.completionTime"),
        {"taskRef": {"name": "test"}},
        {"startTime": MOMENT, "conditions": [condition("Succeeded", "Unknown", "Running")]},
    ),
    CustomKind(
        "gatewayclasses.gateway.networking.k8s.io", "GatewayClass",
        ("Controller | string | .spec.controllerName", f"Accepted | string | {_condition_path('Accepted')}", AGE,
         "Description | string | .spec.description | 1"),
        {"controllerName": "example.com/gateway", "description": "public"},
        {"conditions": [condition("Accepted", "Unknown", "Pending")]}, namespaced=False,
    ),
    CustomKind(
        "gateways.gateway.networking.k8s.io", "Gateway",
        ("Class | string | .spec.gatewayClassName", "Address | string | .status.addresses[*].value",
         f"Programmed | string | {_condition_path('Programmed')}", AGE),
        {"gatewayClassName": "public"},
        {"addresses": [{"value": "10.0.0.1"}, {"value": "10.0.0.2"}], "conditions": [condition("Programmed", "True")]},
    ),
    CustomKind(
        "httproutes.gateway.networking.k8s.io", "HTTPRoute", ("Hostnames | string | .spec.hostnames", AGE),
        {"hostnames": ["a.example.com", "b.example.com"]},
        {"parents": [{"conditions": [condition("Accepted", "False", "NoMatchingParent")]}]},
    ),
    CustomKind(
        "clusterpolicies.kyverno.io", "ClusterPolicy",
        ("ADMISSION | boolean | .spec.admission", "BACKGROUND | boolean | .spec.background", READY, AGE,
         "FAILURE POLICY | string | .spec.failurePolicy | 1", "VALIDATE | integer | .status.rulecount.validate | 1",
         f"MESSAGE | string | {_condition_path('Ready', 'message')}"),
        {"admission": True, "background": False, "failurePolicy": "Fail"},
        {"rulecount": {"validate": 4}, **_IS_READY}, namespaced=False,
    ),
    CustomKind(
        "policyreports.wgpolicyk8s.io", "PolicyReport",
        ("Kind | string | .scope.kind", "Pass | integer | .summary.pass", "Fail | integer | .summary.fail", AGE),
        {}, None, "v1alpha2",
    ),
    CustomKind(
        "externalsecrets.external-secrets.io", "ExternalSecret",
        ("StoreType | string | .spec.secretStoreRef.kind", "Store | string | .spec.secretStoreRef.name",
         "Refresh Interval | string | .spec.refreshInterval", f"Status | string | {_condition_path('Ready', 'reason')}",
         READY, "Last Sync | date | .status.refreshTime"),
        {"secretStoreRef": {"kind": "SecretStore", "name": "vault"}, "refreshInterval": "1h0m0s"},
        {"refreshTime": MOMENT, "conditions": [condition("Ready", "False", "SecretSyncedError")]},
    ),
    CustomKind(
        "scaledobjects.keda.sh", "ScaledObject",
        ("ScaleTargetKind | string | .status.scaleTargetKind", "Min | integer | .spec.minReplicaCount",
         "Max | integer | .spec.maxReplicaCount", READY, f"Active | string | {_condition_path('Active')}",
         f"Fallback | string | {_condition_path('Fallback')}", AGE),
        {"minReplicaCount": 0, "maxReplicaCount": 10},
        {"scaleTargetKind": "apps/v1.Deployment",
         "conditions": [condition("Ready", "True"), condition("Active", "False")]}, "v1alpha1",
    ),
    CustomKind(
        "clusters.cluster.x-k8s.io", "Cluster",
        ("ClusterClass | string | .spec.topology.class", "Phase | string | .status.phase", AGE,
         "Version | string | .spec.topology.version"),
        {"topology": {"class": "quick", "version": "v1.37.1"}}, {"phase": "Provisioning"}, "v1beta1",
    ),
    CustomKind(
        "machines.cluster.x-k8s.io", "Machine",
        ("Cluster | string | .spec.clusterName", "NodeName | string | .status.nodeRef.name",
         "ProviderID | string | .spec.providerID", "Phase | string | .status.phase", AGE,
         "Version | string | .spec.version"),
        {"clusterName": "one", "providerID": "aws:///eu/i-1", "version": "v1.37.1"},
        {"phase": "Failed", "failureMessage": "no quota", "nodeRef": {"name": "node-1"}}, "v1beta1",
    ),
    CustomKind(
        "services.serving.knative.dev", "Service",
        ("URL | string | .status.url", "LatestCreated | string | .status.latestCreatedRevisionName", READY,
         f"Reason | string | {_condition_path('Ready', 'reason')}"),
        {"template": {}},
        {"url": "http://web.example.com", "observedGeneration": 1, "latestCreatedRevisionName": "web-00001",
         "conditions": [condition("Ready", "Unknown", "RevisionMissing")]},
    ),
    CustomKind(
        "buckets.s3.aws.upbound.io", "Bucket",
        (f"SYNCED | string | {_condition_path('Synced')}", READY,
         "EXTERNAL-NAME | string | .metadata.annotations.crossplane\\.io/external-name", AGE),
        {"forProvider": {"region": "eu-central-1"}},
        {"conditions": [condition("Synced", "True"), condition("Ready", "False", "Creating")]}, "v1beta1",
        namespaced=False,
    ),
    CustomKind(
        "providers.pkg.crossplane.io", "Provider",
        (f"INSTALLED | string | {_condition_path('Installed')}", f"HEALTHY | string | {_condition_path('Healthy')}",
         "PACKAGE | string | .spec.package", AGE),
        {"package": "example.com/provider:v1"},
        {"conditions": [condition("Installed", "True"), condition("Healthy", "True")]}, namespaced=False,
    ),
    CustomKind(
        "gitrepositories.source.toolkit.fluxcd.io", "GitRepository", _FLUX,
        {"url": "https://git.example.com/a"}, _IS_READY,
    ),
    CustomKind("kustomizations.kustomize.toolkit.fluxcd.io", "Kustomization", (AGE, READY, STATUS), {}, _FAILED),
    CustomKind(
        "oddities.example.com", "Oddity",
        ("Number | number | .spec.number", "Whole | integer | .spec.number", "Big | integer | .spec.big",
         "Truth | boolean | .spec.truth", "Text | string | .spec.truth", "Map | string | .spec.map",
         "List | string | .spec.list", "Soon | date | .spec.soon", "When | date | .spec.when",
         "Later | date | .spec.later", "Negative | number | .spec.negative", "Float | string | .spec.number",
         "Kind of text | string | .kind"),
        {"number": 2.5, "big": 9007199254740993, "truth": True, "map": {"b": 1, "a": "x"}, "list": [1, "a", True],
         "soon": "tomorrow", "when": MOMENT, "later": "2999-01-01T00:00:00Z", "negative": -0.5}, None,
    ),
)  # fmt: skip
"""Thirty kinds, and one whose columns have every type with values that fit and that do not."""
