"""Comparison of the demo cluster's responses with those of the real API server, for the same requests.

Compared are the status code, reason, message, details, causes and warnings of failures, and whole objects of successes,
without what must differ: uids, versions, times, addresses, random name suffixes, managedFields, and the order in which
Go's maps yield causes. `ON_PURPOSE` gives the reasons for intended differences.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.devcluster.gadget_crd import COLLECTION, GADGETS
from tests.support.devcluster.http_client import MERGE, Api, Json, Reply
from tests.support.devcluster.parity.all_cases import CASES, SETUP
from tests.support.devcluster.parity.case import Case
from tests.support.devcluster.parity.eviction_cases import EVICTION_STATUSES
from tests.support.wait import until

ON_PURPOSE: dict[str, str] = {}
"""Cases by name, and why the demo cluster answers otherwise."""

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_CHANGING = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"(UP)[a-z0-9]{5}", r"\1XXXXX"),
)


class Side:
    """One of the two servers, with a namespace prepared for the cases."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.api = api
        self.namespace = namespace
        api.post(CRDS, GADGETS)
        until(lambda: api.get(self.path(COLLECTION)).code == 200, what="the gadgets are served")
        assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
        for path, body in SETUP:
            reply = api.post(self.path(path), body)
            assert reply.code == 201, reply.text
        for path, body in EVICTION_STATUSES:
            reply = api.call("PATCH", self.path(path), body, MERGE)
            assert reply.code == 200, reply.text

    def path(self, path: str) -> str:
        return path.replace("{ns}", self.namespace)

    def answer(self, case: Case) -> Reply:
        body = case.body
        if callable(body):
            obj = self.api.get(self.path(COLLECTION) + "/a1").json
            obj["metadata"].pop("managedFields", None)
            body = body(obj)
        return self.api.call(case.method, self.path(case.path), body, case.content_type)

    def comparable(self, case: Case) -> Any:
        """What is compared of the answer."""
        reply = self.answer(case)
        if not reply.json:
            return reply.code, reply.text
        if reply.json["kind"] == "Status":
            return self.failure(reply, exact=case.exact)
        return self.plain([reply.code, _object(reply.json), reply.warnings])

    def failure(self, reply: Reply, *, exact: bool) -> list[Any]:
        """Causes come in the order of a Go map, so that the message is compared as the words that it has."""
        status = self.plain(reply.json)
        details = {key: value for key, value in status.get("details", {}).items() if key not in ("causes", "uid")}
        causes = self.plain(reply.causes) if exact else [cause[:2] for cause in reply.causes]
        said = re.sub(r"current: \d+|in record \(\d+\)", "N", status.get("message", ""))
        message = sorted(re.split(r"[\s\[\],]+", said)) if exact else ""
        known = {key: status.get(key) for key in ("status", "reason", "code")}
        return [reply.code, known, message, details, causes, reply.warnings]

    def plain(self, value: Any) -> Any:
        """The value without what differs between two servers or two calls."""
        if isinstance(value, dict):
            return {key: self.plain(below) for key, below in value.items() if key not in ("managedFields", "selfLink")}
        if isinstance(value, list | tuple):
            return [self.plain(below) for below in value]
        if isinstance(value, str):
            value = value.replace(self.namespace, "NAMESPACE")
            for pattern, word in _CHANGING:
                value = re.sub(pattern, word, value)
        return value


def _object(obj: Json) -> Json:
    meta = obj.get("metadata", {})
    for key in ("resourceVersion", "continue"):
        meta.pop(key, None)
    for item in obj.get("items") or ():
        item.get("metadata", {}).pop("resourceVersion", None)
    obj.get("spec", {}).pop("clusterIP", None)
    obj.get("spec", {}).pop("clusterIPs", None)
    for port in obj.get("spec", {}).get("ports") or ():
        port.pop("nodePort", None)
    return obj


@pytest.fixture(scope="module")
def real(controlplane: ControlPlane) -> Side:
    return Side(Api.of(controlplane.kubeconfig), f"parity-{uuid4().hex[:8]}")


@pytest.fixture(scope="module")
def ours(process: Path) -> Side:
    return Side(Api.of(process), f"parity-{uuid4().hex[:8]}")


def test_names_of_cases_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert len(names) >= 120


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name[:70]) for case in CASES])
def test_the_demo_cluster_answers_as_the_real_one(real: Side, ours: Side, case: Case) -> None:
    expected, found = real.comparable(case), ours.comparable(case)
    if case.name in ON_PURPOSE:
        assert found != expected, f"no longer differs: {ON_PURPOSE[case.name]}"
    else:
        assert found == expected
