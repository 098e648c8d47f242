"""Status of CustomResourceDefinitions: accepted names, stored versions and conditions.

Source: pkg/controller/{status,establish,apiapproval} of apiextensions-apiserver."""

from __future__ import annotations

from devcluster.server.kinds import API_APPROVED_ANNOTATION, is_protected_group
from devcluster.server.storage.object_codec import Object
from devcluster.server.times import timestamp

_CONFORMANT = "KubernetesAPIApprovalPolicyConformant"


def fill_crd_status(obj: Object, now: float) -> None:
    """Set, in place, accepted names and the conditions NamesAccepted and Established. `now` is in Unix seconds."""
    spec = obj["spec"]
    status = obj.get("status") or {}
    stored = next((v["name"] for v in spec["versions"] if v.get("storage")), "")
    conditions = status.get("conditions") or [
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
        _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now),
    ]
    approval = (obj["metadata"].get("annotations") or {}).get(API_APPROVED_ANNOTATION, "")
    if is_protected_group(spec["group"]) and not any(c["type"] == _CONFORMANT for c in conditions):
        conditions = [*conditions, _conformance(approval, now)]
    versions = list(dict.fromkeys([*(status.get("storedVersions") or ()), stored]))
    obj["status"] = {"conditions": conditions, "acceptedNames": spec["names"], "storedVersions": versions}


def _condition(name: str, reason: str, message: str, now: float) -> dict[str, str]:
    since = timestamp(now)
    return {"type": name, "status": "True", "lastTransitionTime": since, "reason": reason, "message": message}


def _conformance(approval: str, now: float) -> dict[str, str]:
    """The condition of a definition in one of Kubernetes' own groups."""
    if approval.startswith("https://"):
        return _condition(_CONFORMANT, "ApprovedAnnotation", f"approved in {approval}", now)
    why = _condition(_CONFORMANT, "UnapprovedAnnotation", f'not approved: "{approval}"', now)
    return why | {"status": "False"}
