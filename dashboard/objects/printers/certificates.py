"""Requests for certificates and the bundles that they are checked with."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.resources.rows.column import Column
from dashboard.resources.rows.declared import AGE_SHOWN, Shown, Standing, condition, declare, said, shown, since
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape, age
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
    """kubectl's word: what was decided, and what came of it."""
    types = {found.type for found in request.status.conditions}
    decided = "Approved" if "Approved" in types else "Denied" if "Denied" in types else "Pending"
    ended = ",Failed" if "Failed" in types else ",Issued" if request.status.certificate else ""
    return decided + ended


def _standing(request: Request) -> Standing:
    words, conditions = _words(request), request.status.conditions
    for name in ("Failed", "Denied"):
        if (found := condition(conditions, name)) is not None:
            return Standing(words, "bad", f"{name.lower()}: {said(found)}", since(found))
    if request.status.certificate:
        return Standing(words, "ok")
    if (approved := condition(conditions, "Approved")) is not None:
        waits = f"approved, waiting for {request.spec.signer_name} to sign"
        return Standing(words, "busy", waits, since(approved))
    return Standing(words, "warn", "waiting for somebody to approve or deny it", age(request))


def _pod_request_word(request: PodRequest) -> str:
    return next((name for name in ("Denied", "Failed", "Issued") if condition(request.status.conditions, name, "True")),
                "Pending")  # fmt: skip


def _pod_request_standing(request: PodRequest) -> Standing:
    word = _pod_request_word(request)
    found = condition(request.status.conditions, word)
    if word in ("Denied", "Failed") and found is not None:
        return Standing(word, "bad", f"{word.lower()}: {said(found)}", since(found))
    return Standing(word, "ok") if word == "Issued" else Standing(word, "busy", "", age(request))


def _annotations(request: PodRequest) -> Any:
    return ",".join(f"{name}={value}" for name, value in sorted(request.spec.unverified_user_annotations.items()))


REQUESTS = declare(
    Request,
    AGE_SHOWN,
    shown("signer", "Signer name", "spec.signer_name", "mono"),
    shown("requestor", "Requestor", "spec.username", "mono"),
    shown("requested-duration", "Requested duration", "spec.expiration_seconds", "duration"),
    Shown(Column("condition", "Condition", "status", words="condition"), _words),
    judge=_standing,
    namespaced=False,
)
BUNDLES = declare(Bundle, shown("signer", "Signer name", "spec.signer_name", "mono"), AGE_SHOWN, namespaced=False)
POD_REQUESTS = declare(
    PodRequest,
    shown("pod", "Pod name", "spec.pod_name", "mono"),
    shown("service-account", "Service account name", "spec.service_account_name", "mono"),
    shown("node", "Node name", "spec.node_name", "mono"),
    shown("signer", "Signer name", "spec.signer_name", "mono"),
    Shown(Column("state", "State", "status", words="state"), _pod_request_word),
    shown("annotations", "Unverified user annotations", _annotations, "mono"),
    AGE_SHOWN,
    judge=_pod_request_standing,
)
SHAPES: dict[str, Shape] = {
    "certificatesigningrequests.certificates.k8s.io": REQUESTS,
    "clustertrustbundles.certificates.k8s.io": BUNDLES,
    "podcertificaterequests.certificates.k8s.io": POD_REQUESTS,
}
