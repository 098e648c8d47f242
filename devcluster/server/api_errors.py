"""Failures as metav1.Status with reason, details and causes, in the real API server's words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from devcluster.server.kinds import Kind


@dataclass(frozen=True)
class FieldError:
    """Error of one field. `reason` is the cause's, such as FieldValueInvalid."""

    field: str
    reason: str
    message: str

    def cause(self) -> dict[str, str]:
        return {"reason": self.reason, "message": self.message, "field": self.field}


class Failure(Exception):
    """A request that fails; `status()` is the answer's body."""

    def __init__(
        self, code: int, reason: str, message: str, details: dict[str, Any] | None = None, *, retry_after: int = 0
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.retry_after = retry_after
        """Seconds, for the Retry-After header; 0 for none."""
        self.continue_token = ""
        """With an expired continue token: one that goes on at the newest version."""
        self.warnings: tuple[str, ...] = ()
        """Warnings to the client in addition to the refusal."""

    def status(self) -> dict[str, Any]:
        """The metav1.Status."""
        metadata = {"continue": self.continue_token} if self.continue_token else {}
        body: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": metadata, "status": "Failure"}
        body["message"] = self.message
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        body["code"] = self.code
        return body


def go_value(value: Any) -> str:
    """A value as field errors print it: compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def invalid_value(field: str, value: Any, why: str) -> FieldError:
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {go_value(value)}: {why}")


def required(field: str, why: str = "") -> FieldError:
    return FieldError(field, "FieldValueRequired", f"Required value: {why}" if why else "Required value")


def duplicate(field: str, value: Any) -> FieldError:
    return FieldError(field, "FieldValueDuplicate", f"Duplicate value: {go_value(value)}")


def not_found_value(field: str, value: Any) -> FieldError:
    return FieldError(field, "FieldValueNotFound", f"Not found: {go_value(value)}")


def not_supported(field: str, value: Any, supported: tuple[str, ...]) -> FieldError:
    words = ", ".join(f'"{word}"' for word in supported)
    return FieldError(
        field, "FieldValueNotSupported", f"Unsupported value: {go_value(value)}: supported values: {words}"
    )


def forbidden_field(field: str, why: str) -> FieldError:
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {why}")


def _details(kind: Kind, name: str = "", *, by_kind: bool = False) -> dict[str, Any]:
    details = {"name": name, "group": kind.group, "kind": kind.kind if by_kind else kind.plural}
    return {key: value for key, value in details.items() if value}


def not_found(kind: Kind, name: str) -> Failure:
    return Failure(404, "NotFound", f'{kind.key} "{name}" not found', _details(kind, name))


def no_such_resource() -> Failure:
    return Failure(404, "NotFound", "the server could not find the requested resource", {})


def no_containers(name: str, why: str) -> Failure:
    """The 501 for requests that only a really running pod could answer."""
    message = (
        f'no containers run in the demo cluster: pod "{name}" {why}; kubectl describe pod {name} says what it does'
    )
    return Failure(501, "NotImplemented", message, {"name": name, "kind": "pods"})


def method_not_allowed() -> Failure:
    return Failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {})


def verb_not_allowed(kind: Kind, verb: str) -> Failure:
    """The 405 of a custom resource, which names the verb."""
    message = f'{verb} is not supported on resources of kind "{kind.key}"'
    return Failure(405, "MethodNotAllowed", message, _details(kind))


def already_exists(kind: Kind, name: str, *, is_going: bool = False) -> Failure:
    message = f'{"object is being deleted: " if is_going else ""}{kind.key} "{name}" already exists'
    return Failure(409, "AlreadyExists", message, _details(kind, name))


def conflict(kind: Kind, name: str, why: str, *, by_kind: bool = False) -> Failure:
    """A 409. Deletion preconditions name the kind (`by_kind`), everything else the resource."""
    label = kind.qualified_name if by_kind else kind.key
    message = f'Operation cannot be fulfilled on {label} "{name}": {why}'
    return Failure(409, "Conflict", message, _details(kind, name, by_kind=by_kind))


def object_modified(kind: Kind, name: str) -> Failure:
    why = "the object has been modified; please apply your changes to the latest version and try again"
    return conflict(kind, name, why)


def invalid(kind: Kind, name: str, errors: list[FieldError], *, label: str = "") -> Failure:
    """A 422 that names the fields; `label` replaces the kind's name where the real server uses another."""
    details: dict[str, Any] = _details(kind, name, by_kind=True)
    if label:
        details["kind"] = label.split(".", 1)[0]
    return invalid_as(label or kind.qualified_name, name, errors, details)


def invalid_options(options: str, errors: list[FieldError]) -> Failure:
    """A 422 about query parameters or delete options: `options` is CreateOptions, ListOptions, …"""
    return invalid_as(f"{options}.meta.k8s.io", "", errors, {"group": "meta.k8s.io", "kind": options})


def invalid_as(label: str, name: str, errors: list[FieldError], details: dict[str, Any]) -> Failure:
    """A 422 whose kind is worded by the caller. A repeated error is printed once, as by the real server."""
    texts = list(dict.fromkeys(f"{error.field}: {error.message}" for error in errors))
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = {**details, "causes": [error.cause() for error in errors]}
    return Failure(422, "Invalid", f'{label} "{name}" is invalid: {text}', details)


def unprocessable() -> Failure:
    """Failure of a JSON patch that cannot be applied; the real server gives no further details."""
    return Failure(422, "Invalid", "the server rejected our request due to an error in our request", {})


def bad_request(message: str) -> Failure:
    return Failure(400, "BadRequest", message)


def forbidden(kind: Kind, name: str, why: str, causes: list[FieldError] | None = None) -> Failure:
    details = _details(kind, name)
    if causes:
        details["causes"] = [cause.cause() for cause in causes]
    return Failure(403, "Forbidden", f'{kind.key} "{name}" is forbidden: {why}', details)


def unauthorized() -> Failure:
    return Failure(401, "Unauthorized", "Unauthorized")


def unsupported_media_type(accepted: str) -> Failure:
    message = f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    return Failure(415, "UnsupportedMediaType", message)


def too_large_version(wanted: int, current: int) -> Failure:
    """A 504: the version asked for lies in the future."""
    causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
    message = f"Timeout: Too large resource version: {wanted}, current: {current}"
    return Failure(504, "Timeout", message, {"causes": causes, "retryAfterSeconds": 1}, retry_after=1)


def expired(message: str = "The resourceVersion for the provided list is too old.") -> Failure:
    return Failure(410, "Expired", message)


def expired_continue(fresh_token: str) -> Failure:
    """A 410 for a continue token, with the token that goes on inconsistently."""
    failure = expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    failure.continue_token = fresh_token
    return failure


def too_many_requests(seconds: int = 1) -> Failure:
    message = "Too many requests, please try again later."
    return Failure(429, "TooManyRequests", message, {"retryAfterSeconds": seconds}, retry_after=seconds)


def budget_holds(why: str, seconds: int = 0) -> Failure:
    """The 429 of an eviction that a PodDisruptionBudget does not allow; `why` is the cause's message."""
    details: dict[str, Any] = {"causes": [{"reason": "DisruptionBudget", "message": why}]}
    details |= {"retryAfterSeconds": seconds} if seconds else {}
    message = "Cannot evict pod as it would violate the pod's disruption budget."
    return Failure(429, "TooManyRequests", message, details, retry_after=seconds)


def internal_error(message: str) -> Failure:
    details = {"causes": [{"message": message}]}
    return Failure(500, "InternalError", f"Internal error occurred: {message}", details)


def plain_error(message: str) -> Failure:
    """A 500 without a reason, as the real server answers a resourceVersion that is no number."""
    return Failure(500, "", message)


def strict_failure(kind: Kind, problems: list[str]) -> Exception:
    """The 400 of strict field validation; `problems` such as ``unknown field "spec.x"``."""
    return undecodable_object(kind, f"strict decoding error: {', '.join(problems)}")


def undecodable_object(kind: Kind, why: str) -> Failure:
    """The 400 for a body that is no object of this kind."""
    return bad_request(f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {why}')
