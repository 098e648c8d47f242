"""One HTTP request to the API server, ready to send; a request that cannot be sent raises InvalidCall."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

import msgspec

from informerd.errors import InvalidCall
from informerd.resource import Resource, check_path_segment
from informerd.unstructured import Json

Params = Mapping[str, str | int | bool | None]
Headers = Mapping[str, str] | Iterable[tuple[str, str]]
PatchType = Literal["merge", "json", "strategic", "apply"]
"""RFC 7396, RFC 6902, Kubernetes' own merge by keys, and server-side apply."""

JSON = "application/json"
_PATCH_TYPES: dict[PatchType, str] = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
_PATH = re.compile(r"/(?!/)[!-~]*")
"""Printable ASCII without blanks; a path that did not begin with one slash could name another host."""

_METHOD = re.compile(r"[A-Z]+")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True)
class RestRequest:
    """One request, which can be sent and sent again."""

    method: str
    path: str
    """Path and query, percent-encoded."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    timeout: float = 30.0
    """Seconds for the whole answer of a write; for a GET, seconds without a byte."""

    @property
    def is_conditional(self) -> bool:
        """Whether 304 (not changed) is an answer to it."""
        return any(name.lower() == "if-none-match" for name, _ in self.headers)


def build_request(
    method: str,
    path: str,
    params: Params | None = None,
    body: bytes | Json | Sequence[Any] | None = None,
    content_type: str = JSON,
    headers: Headers | None = None,
    timeout: float = 30.0,
    *,
    user_agent: str,
) -> RestRequest:
    """The call with its body encoded. Parameters that are None or empty are left out; `headers` win over the usual.

    Raises InvalidCall.
    """
    if not _PATH.fullmatch(path) or not _METHOD.fullmatch(method):
        raise InvalidCall(f"{method} {path!r} is not a request: a path begins with / and is percent-encoded")
    own = [("Accept", JSON), ("User-Agent", user_agent)]
    if body is not None:
        own.append(("Content-Type", content_type))
        body = body if isinstance(body, bytes) else _encode(body)
    given = tuple(headers.items() if isinstance(headers, Mapping) else headers or ())
    names = {name.lower() for name, _ in given}
    merged = (*(pair for pair in own if pair[0].lower() not in names), *given)
    for name, value in merged:
        check_header(name, value)
    return RestRequest(method, _with_query(path, params), merged, body, timeout)


def check_header(name: str, value: str) -> None:
    """Raises InvalidCall for a header that would say something else than was meant (RFC 9110, 5.5)."""
    if not _HEADER_NAME.fullmatch(name) or not value.replace("\t", "").isprintable():
        raise InvalidCall(f"the header {name!r} holds line breaks or other characters that a header cannot have")


def patch_content_type(patch_type: PatchType) -> str:
    """The content type of a PATCH. Raises InvalidCall for an unknown patch type."""
    if patch_type not in _PATCH_TYPES:
        raise InvalidCall(f"{patch_type!r} is not a patch type: use one of {', '.join(_PATCH_TYPES)}")
    return _PATCH_TYPES[patch_type]


def write_params(dry_run: bool, field_manager: str, field_validation: str) -> dict[str, str | int | bool | None]:
    """The query of a create, update or patch."""
    return {
        "dryRun": "All" if dry_run else None,
        "fieldManager": field_manager,
        "fieldValidation": field_validation,
    }


def delete_options(
    *,
    uid: str | None = None,
    resource_version: str | None = None,
    propagation_policy: str | None = None,
    grace_period: int | None = None,
    dry_run: bool = False,
) -> Json:
    """metav1.DeleteOptions, with what is given. Raises InvalidCall for a precondition that would be none."""
    conditions = {"uid": uid, "resourceVersion": resource_version}
    if "" in conditions.values():
        raise InvalidCall("an empty uid or resource version is not a precondition: leave it out, or give a value")
    options: Json = {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "preconditions": {key: value for key, value in conditions.items() if value} or None,
        "propagationPolicy": propagation_policy,
        "gracePeriodSeconds": grace_period,
        "dryRun": ["All"] if dry_run else None,
    }
    return {key: value for key, value in options.items() if value is not None}


def object_path(resource: Resource, name: str, namespace: str, subresource: str = "") -> str:
    """One object's path. Raises InvalidCall where it would be another's: without a name, the whole collection's."""
    check_path_segment("name", name, f"in namespace {namespace!r} is not a valid name for {resource.key}")
    return resource.path(namespace, name, subresource)


def _encode(body: Json | Sequence[Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidCall(f"the body cannot be written as JSON: {error}") from error


def _with_query(path: str, params: Params | None) -> str:
    pairs = [(name, _text(value)) for name, value in (params or {}).items() if value is not None and value != ""]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
