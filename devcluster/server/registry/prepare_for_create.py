"""Status, labels and finalizers that the server sets when a built-in object is created.

Source: PrepareForCreate of each kind's strategy, pkg/registry.
"""

from __future__ import annotations

from devcluster.server.defaulting.builtin_kinds import _BUDGET_COUNTS
from devcluster.server.defaulting.pods import qos_class
from devcluster.server.defaulting.workloads import (
    DAEMON_COUNTS,
    TEMPLATE_GENERATION_ANNOTATION,
)
from devcluster.server.kinds import BUDGETS, Kind
from devcluster.server.names_and_labels import MAX_LABEL_LENGTH
from devcluster.server.storage.object_codec import Object


def fill_status_for_create(obj: Object, kind: Kind) -> None:
    """Set the status of a new object, in place, and the fields that are set at creation only."""
    metadata = obj["metadata"]
    if kind.key == "namespaces":
        metadata["labels"] = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata.get("name", "")}
        given = (obj.get("spec") or {}).get("finalizers") or []
        obj["spec"] = {"finalizers": given if "kubernetes" in given else [*given, "kubernetes"]}
        obj["status"] = {"phase": "Active"}
    elif kind.key == "pods":
        obj["status"] = {"phase": "Pending", "qosClass": qos_class(obj.get("spec") or {})}
    elif kind.key == "jobs.batch":
        _label_job(obj)
    elif kind.key == "services":
        obj["status"] = {"loadBalancer": {}}
    elif kind.key == "replicasets.apps":
        obj["status"] = {"replicas": 0}
    elif kind.key == "statefulsets.apps":
        obj["status"] = {"replicas": 0, "availableReplicas": 0}
    elif kind.key == "daemonsets.apps":
        obj["status"] = dict.fromkeys(DAEMON_COUNTS, 0)
        metadata["annotations"] = {**(metadata.get("annotations") or {}), TEMPLATE_GENERATION_ANNOTATION: "1"}
    elif kind is BUDGETS:
        obj["status"] = dict.fromkeys(_BUDGET_COUNTS, 0)
    elif kind.has_status and not kind.custom and kind.key != "nodes":
        obj["status"] = {}


def _label_job(obj: Object) -> None:
    metadata, spec = obj["metadata"], obj["spec"]
    uid, name = metadata["uid"], metadata.get("name", "")
    obj["status"] = {}
    if spec.get("manualSelector"):
        return
    labels = {
        "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name,
        "controller-uid": uid, "job-name": name,
    }  # fmt: skip
    template = spec["template"].setdefault("metadata", {})
    template["labels"] = {**labels, **(template.get("labels") or {})}
    if len(name) <= MAX_LABEL_LENGTH:  # a longer one is refused, and the real server copies them after that
        metadata["labels"] = metadata.get("labels") or dict(template["labels"])
    selector = spec.setdefault("selector", {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), "batch.kubernetes.io/controller-uid": uid}
