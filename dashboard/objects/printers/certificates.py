"""Printers of CertificateSigningRequests and ClusterTrustBundles."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Column, Printer, created_at
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    TableColumn,
    condition_since,
    condition_text,
    find_condition,
    table_column,
    table_printer,
)
from informerd.objects import Object


class RequestSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    signer_name: str = ""
    username: str = ""
    expiration_seconds: int | None = None


class RequestStatus(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()
    certificate: str = ""


class Request(Object, frozen=True, kw_only=True):
    spec: RequestSpec = RequestSpec()
    status: RequestStatus = RequestStatus()


class BundleSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    signer_name: str = ""


class Bundle(Object, frozen=True, kw_only=True):
    spec: BundleSpec = BundleSpec()


class PodRequestSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    pod_name: str = ""
    service_account_name: str = ""
    node_name: str = ""
    signer_name: str = ""
    unverified_user_annotations: dict[str, str] = {}


class PodRequestStatus(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()


class PodRequest(Object, frozen=True, kw_only=True):
    spec: PodRequestSpec = PodRequestSpec()
    status: PodRequestStatus = PodRequestStatus()


def _words(request: Request) -> str:
    """kubectl's words for the decision and the result."""
    types = {condition.type for condition in request.status.conditions}
    decided = "Approved" if "Approved" in types else "Denied" if "Denied" in types else "Pending"
    ended = ",Failed" if "Failed" in types else ",Issued" if request.status.certificate else ""
    return decided + ended


def _health(request: Request) -> Health:
    words, conditions = _words(request), request.status.conditions
    for name in ("Failed", "Denied"):
        if (condition := find_condition(conditions, name)) is not None:
            return Health(words, "bad", f"{name.lower()}: {condition_text(condition)}", condition_since(condition))
    if request.status.certificate:
        return Health(words, "ok")
    if (approved := find_condition(conditions, "Approved")) is not None:
        waits = f"approved, waiting for {request.spec.signer_name} to sign"
        return Health(words, "busy", waits, condition_since(approved))
    return Health(words, "warn", "waiting for somebody to approve or deny it", created_at(request))


def _pod_request_word(request: PodRequest) -> str:
    return next((name for name in ("Denied", "Failed", "Issued") if find_condition(request.status.conditions, name,
        "True")),
                "Pending")  # fmt: skip


def _pod_request_standing(request: PodRequest) -> Health:
    word = _pod_request_word(request)
    condition = find_condition(request.status.conditions, word)
    if word in ("Denied", "Failed") and condition is not None:
        return Health(word, "bad", f"{word.lower()}: {condition_text(condition)}", condition_since(condition))
    return Health(word, "ok") if word == "Issued" else Health(word, "busy", "", created_at(request))


def _annotations(request: PodRequest) -> Any:
    return ",".join(f"{name}={value}" for name, value in sorted(request.spec.unverified_user_annotations.items()))


REQUESTS = table_printer(
    Request,
    AGE_CELL,
    table_column("signer", "Signer name", "spec.signer_name", "mono"),
    table_column("requestor", "Requestor", "spec.username", "mono"),
    table_column("requested-duration", "Requested duration", "spec.expiration_seconds", "duration"),
    TableColumn(Column("condition", "Condition", "status", words="condition"), _words),
    health_of=_health,
    namespaced=False,
)
BUNDLES = table_printer(
    Bundle, table_column("signer", "Signer name", "spec.signer_name", "mono"), AGE_CELL, namespaced=False
)
POD_REQUESTS = table_printer(
    PodRequest,
    table_column("pod", "Pod name", "spec.pod_name", "mono"),
    table_column("service-account", "Service account name", "spec.service_account_name", "mono"),
    table_column("node", "Node name", "spec.node_name", "mono"),
    table_column("signer", "Signer name", "spec.signer_name", "mono"),
    TableColumn(Column("state", "State", "status", words="state"), _pod_request_word),
    table_column("annotations", "Unverified user annotations", _annotations, "mono"),
    AGE_CELL,
    health_of=_pod_request_standing,
)
PRINTERS: dict[str, Printer] = {
    "certificatesigningrequests.certificates.k8s.io": REQUESTS,
    "clustertrustbundles.certificates.k8s.io": BUNDLES,
    "podcertificaterequests.certificates.k8s.io": POD_REQUESTS,
}
