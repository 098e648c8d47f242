"""Options of requests: what the query string and DeleteOptions say, checked as the real server checks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from devcluster.server.status import (
    FieldError,
    bad_request,
    forbidden_field,
    invalid_options,
    invalid_value,
    not_supported,
)

_VALIDATIONS = ("", "Ignore", "Strict", "Warn")
_POLICIES = ("Foreground", "Background", "Orphan")


@dataclass(frozen=True)
class WriteOptions:
    """Options of create, update and patch."""

    dry_run: bool = False
    field_validation: str = "Warn"
    field_manager: str = "demo"


def write_options(kind_of_options: str, query: Mapping[str, str]) -> WriteOptions:
    """Raises Failure (422). `kind_of_options` is CreateOptions, UpdateOptions or PatchOptions."""
    validation = query.get("fieldValidation", "")
    errors = _check_dry_run(query.get("dryRun", ""))
    if validation not in _VALIDATIONS:
        errors.append(not_supported("fieldValidation", validation, _VALIDATIONS))
    if errors:
        raise invalid_options(kind_of_options, errors)
    return WriteOptions(bool(query.get("dryRun")), validation or "Warn", query.get("fieldManager") or "unknown")


def _check_dry_run(value: str) -> list[FieldError]:
    return [not_supported("dryRun", [value], ("All",))] if value not in ("", "All") else []


@dataclass(frozen=True)
class DeleteOptions:
    """metav1.DeleteOptions. `grace_seconds` is None where the kind's default counts."""

    dry_run: bool = False
    grace_seconds: int | None = None
    policy: str = ""
    uid: str = ""
    version: str = ""


def delete_options(query: Mapping[str, str], body: Mapping[str, Any]) -> DeleteOptions:
    """From the body where there is one, else from the query. Raises Failure (422, 400)."""
    dry_run = "".join(body.get("dryRun") or ()) or query.get("dryRun", "")
    policy = body.get("propagationPolicy") or query.get("propagationPolicy", "")
    orphan = body.get("orphanDependents")
    errors = _check_dry_run(dry_run) + _check_policy(policy, orphan)
    if errors:
        raise invalid_options("DeleteOptions", errors)
    if orphan is not None:
        policy = "Orphan" if orphan else "Background"
    grace = body.get("gracePeriodSeconds")
    if grace is None and query.get("gracePeriodSeconds"):
        grace = integer(query, "gracePeriodSeconds")
    conditions = body.get("preconditions") or {}
    uid, version = conditions.get("uid") or "", conditions.get("resourceVersion") or ""
    return DeleteOptions(bool(dry_run), grace, policy, uid, version)


def _check_policy(policy: str, orphan: bool | None) -> list[FieldError]:
    field = "propagationPolicy"
    if policy and policy not in _POLICIES:
        return [not_supported(field, policy, (*_POLICIES, "nil"))]
    if policy and orphan is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        return [invalid_value(field, policy, why)]
    return []


def integer(query: Mapping[str, str], name: str) -> int:
    """A number in the query; 0 where it is absent. Raises Failure (400)."""
    text = query.get(name, "")
    try:
        return int(text) if text else 0
    except ValueError:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def boolean(query: Mapping[str, str], name: str) -> bool:
    """A flag in the query, as Go's apimachinery reads it: anything but 0 and false is true."""
    return name in query and query[name].lower() not in ("0", "false")


def check_watch_options(query: Mapping[str, str]) -> None:
    """Raises Failure (422) for combinations of sendInitialEvents and resourceVersionMatch that are refused."""
    match, field = query.get("resourceVersionMatch", ""), "resourceVersionMatch"
    errors: list[FieldError] = []
    if "sendInitialEvents" not in query:
        if match:
            why = f"{field} is forbidden for watch unless sendInitialEvents is provided"
            errors.append(forbidden_field(field, why))
    elif match != "NotOlderThan":
        errors.append(forbidden_field(field, f"sendInitialEvents requires setting {field} to NotOlderThan"))
        if match:
            errors.append(not_supported(field, match, ("NotOlderThan",)))
    if errors:
        raise invalid_options("ListOptions", errors)


def check_list_options(query: Mapping[str, str]) -> None:
    """Raises Failure (422) where a list asks for initial events."""
    if "sendInitialEvents" in query:
        field = "sendInitialEvents"
        raise invalid_options("ListOptions", [forbidden_field(field, f"{field} is forbidden for list")])
