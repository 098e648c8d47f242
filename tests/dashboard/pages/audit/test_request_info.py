"""Tests of what a request to the API server is about, and whether it changes something."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.audit.request_info import RequestInfo, request_info
from informerd.rest.request import RestRequest, build_request, delete_options


def info(method: str, path: str, body: Any = None, headers: Any = None) -> RequestInfo:
    return request_info(build_request(method, path, body=body, headers=headers, user_agent="test"))


@pytest.mark.parametrize(
    ("method", "path", "about"),
    [
        ("POST", "/api/v1/namespaces/a/pods", ("create", "pods", "a", "", "")),
        ("PUT", "/api/v1/namespaces/a/pods/p/status", ("update", "pods", "a", "p", "status")),
        ("PATCH", "/apis/apps/v1/namespaces/a/deployments/d", ("patch", "deployments.apps", "a", "d", "")),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/a/deployments/d/scale?x=1",
            ("patch", "deployments.apps", "a", "d", "scale"),
        ),
        ("DELETE", "/api/v1/nodes/n", ("delete", "nodes", "", "n", "")),
        ("DELETE", "/api/v1/namespaces/a/pods", ("deletecollection", "pods", "a", "", "")),
        ("DELETE", "/api/v1/namespaces/a", ("delete", "namespaces", "", "a", "")),
        ("PUT", "/api/v1/namespaces/a/finalize", ("update", "namespaces", "", "a", "finalize")),
        ("POST", "/api/v1/namespaces", ("create", "namespaces", "", "", "")),
        ("GET", "/api/v1/secrets", ("list", "secrets", "", "", "")),
        ("GET", "/api/v1/namespaces/a/secrets/a%20b", ("get", "secrets", "a", "a b", "")),
        ("POST", "/api/v1/namespaces/a/serviceaccounts/s/token", ("create", "serviceaccounts", "a", "s", "token")),
        ("POST", "/elsewhere", ("create", "/elsewhere", "", "", "")),
    ],
)
def test_verb_and_object_are_those_of_the_api_server(method: str, path: str, about: tuple[str, ...]) -> None:
    found = info(method, path)
    assert (found.verb, found.key, found.namespace, found.name, found.subresource) == about


CONFIG_MAPS = "/api/v1/namespaces/a/configmaps"


@pytest.mark.parametrize(
    ("method", "path", "body", "is_write"),
    [
        ("POST", CONFIG_MAPS, {}, True),
        ("POST", f"{CONFIG_MAPS}?dryRun=All", {}, False),
        ("POST", CONFIG_MAPS, {"dryRun": ["All"]}, True),
        ("PATCH", f"{CONFIG_MAPS}/x?fieldManager=dryRun", {}, True),
        ("PATCH", f"{CONFIG_MAPS}/x?dryRun=", {}, True),
        ("DELETE", f"{CONFIG_MAPS}/x", delete_options(uid="1"), True),
        ("DELETE", f"{CONFIG_MAPS}/x", delete_options(uid="1", dry_run=True), False),
        ("DELETE", f"{CONFIG_MAPS}/x", {"dryRun": []}, True),
        ("DELETE", f"{CONFIG_MAPS}/x", None, True),
        ("POST", "/api/v1/namespaces/a/pods/p/eviction", {"deleteOptions": {"dryRun": ["All"]}}, False),
        ("POST", "/api/v1/namespaces/a/pods/p/eviction", {"dryRun": ["All"]}, True),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {}, False),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {}, False),
        ("POST", "/apis/example.com/v1/selfsubjectaccessreviews", {}, True),
        ("GET", CONFIG_MAPS, None, False),
        ("POST", "/anything", {}, True),
    ],
)
def test_dry_runs_and_questions_are_no_writes(method: str, path: str, body: Any, is_write: bool) -> None:
    assert info(method, path, body).is_write is is_write


def test_a_body_that_is_no_json_is_a_write() -> None:
    assert request_info(RestRequest("PATCH", f"{CONFIG_MAPS}/x", body=b"a: [")).is_write
    assert request_info(RestRequest("DELETE", f"{CONFIG_MAPS}/x", body=b"[" * 100_000)).is_write


@pytest.mark.parametrize(
    ("path", "accept", "reads"),
    [
        ("/api/v1/namespaces/a/secrets/s", "application/json", True),
        ("/api/v1/secrets?watch=true", "application/json", True),
        ("/api/v1/secrets", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json", False),
        ("/api/v1/secrets", "application/json,application/json;as=PartialObjectMetadataList;v=v1", True),
        ("/apis/example.com/v1/secrets", "application/json", False),
        (CONFIG_MAPS, "application/json", False),
    ],
)
def test_a_read_of_secrets_is_one_of_their_values(path: str, accept: str, reads: bool) -> None:
    assert info("GET", path, headers={"Accept": accept}).reads_secret is reads
