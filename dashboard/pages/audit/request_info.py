"""Verb and object of a request to the API server, read from its address as the API server reads it.

Source: pkg/endpoints/request/requestinfo.go of Kubernetes' apiserver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec

from informerd.rest.request import RestRequest

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_QUESTIONS = frozenset({
    ("authorization.k8s.io", "selfsubjectaccessreviews"), ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"), ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authentication.k8s.io", "selfsubjectreviews"), ("authentication.k8s.io", "tokenreviews"),
})  # fmt: skip
"""Resources to which one posts a question: the API server stores nothing."""

_METADATA_ONLY = "application/json;as=PartialObjectMetadata"
"""Beginning of an Accept header by which an object comes without its content."""


@dataclass(frozen=True)
class RequestInfo:
    """What a request is about."""

    call: RestRequest
    group: str = ""
    plural: str = ""
    """Empty for an address that is about no resource."""
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def path(self) -> str:
        return self.call.path.partition("?")[0]

    @property
    def object_path(self) -> str:
        """The path without the subresource."""
        return self.path.removesuffix(f"/{self.subresource}") if self.subresource else self.path

    @property
    def key(self) -> str:
        """The kind's key; the path for an address that is about no resource."""
        return (f"{self.plural}.{self.group}" if self.group else self.plural) or self.path

    @property
    def verb(self) -> str:
        if self.call.method == "GET":
            return "get" if self.name else "list"
        verb = _VERBS.get(self.call.method, self.call.method.lower())
        return "deletecollection" if verb == "delete" and not self.name else verb

    @property
    def is_secret(self) -> bool:
        return (self.group, self.plural) == ("", "secrets")

    @property
    def is_write(self) -> bool:
        """Whether it changes something: no read, no dry run, no question about rights."""
        if self.call.method in ("GET", "HEAD", "OPTIONS") or (self.group, self.plural) in _QUESTIONS:
            return False
        query = parse_qs(self.call.path.partition("?")[2])
        body = self.body if isinstance(self.body, Mapping) else {}
        options = body.get("deleteOptions") if self.subresource == "eviction" else body
        in_body = options.get("dryRun") if isinstance(options, Mapping) and self._has_options_in_body else None
        return not (query.get("dryRun") or in_body)

    @property
    def reads_secret(self) -> bool:
        """Whether the answer has values of Secrets: not where only metadata are asked for."""
        accepted = next((value for name, value in self.call.headers if name.lower() == "accept"), "")
        return self.call.method == "GET" and self.is_secret and not accepted.startswith(_METADATA_ONLY)

    @property
    def has_version(self) -> bool:
        """Whether it changes an object on top of a resourceVersion that it names."""
        body = self.body if self.call.method in ("PUT", "PATCH") and isinstance(self.body, Mapping) else {}
        metadata = body.get("metadata")
        return isinstance(metadata, Mapping) and bool(metadata.get("resourceVersion"))

    @cached_property
    def body(self) -> Any:
        """The body as JSON; None where there is none, or it is no JSON."""
        try:
            return msgspec.json.decode(self.call.body) if self.call.body else None
        except (msgspec.DecodeError, RecursionError):
            return None

    @property
    def _has_options_in_body(self) -> bool:
        """Whether the body is DeleteOptions: of an object, ``dryRun`` would be a field of its own."""
        return self.call.method == "DELETE" or self.subresource == "eviction"


def request_info(call: RestRequest) -> RequestInfo:
    """What the request is about."""
    parts = [unquote(part) for part in call.path.partition("?")[0].strip("/").split("/")]
    if parts[0] == "api" and len(parts) > 2:
        group, parts = "", parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, parts = parts[1], parts[3:]
    else:
        return RequestInfo(call)
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 2 and (parts[2] not in ("status", "finalize") or len(parts) > 3):
        namespace, parts = parts[1], parts[2:]
    parts += [""] * (3 - len(parts))
    return RequestInfo(call, group, parts[0], namespace, parts[1], "/".join(parts[2:]))
