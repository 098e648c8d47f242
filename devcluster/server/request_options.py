"""Options of writes, deletions, lists and watches, from the query string or DeleteOptions, validated as the real server
does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from devcluster.server.api_errors import (
    FieldError,
    bad_request,
    forbidden_field,
    go_value,
    invalid_options,
    invalid_value,
    not_supported,
)

_VALIDATIONS = ("", "Ignore", "Strict", "Warn")
_POLICIES = ("Foreground", "Background", "Orphan")
_MATCHES = ("Exact", "NotOlderThan")
_MATCH = "resourceVersionMatch"
MAX_MANAGER_LENGTH = 128
"""Bytes of a fieldManager's name."""


@dataclass(frozen=True)
class WriteOptions:
    """Options of create, update and patch."""

    dry_run: bool = False
    field_validation: str = "Warn"
    field_manager: str = "demo"


def write_options(options_kind: str, query: Mapping[str, str]) -> WriteOptions:
    """The options of a write. `options_kind` is CreateOptions, UpdateOptions or PatchOptions. Raises Failure (422)."""
    validation = query.get("fieldValidation", "")
    errors = _check_dry_run(query["dryRun"]) if "dryRun" in query else []
    errors += _check_manager(query.get("fieldManager", ""))
    if "force" in query and options_kind == "PatchOptions":
        errors.append(forbidden_field("force", "may not be specified for non-apply patch"))
    if validation not in _VALIDATIONS:
        errors.append(not_supported("fieldValidation", validation, _VALIDATIONS))
    if errors:
        raise invalid_options(options_kind, errors)
    return WriteOptions(bool(query.get("dryRun")), validation or "Warn", query.get("fieldManager") or "unknown")


def _check_dry_run(value: str) -> list[FieldError]:
    return [not_supported("dryRun", [value], ("All",))] if value != "All" else []


def _check_manager(name: str) -> list[FieldError]:
    if len(name.encode()) > MAX_MANAGER_LENGTH:
        why = f"Too long: may not be more than {MAX_MANAGER_LENGTH} bytes"
        return [FieldError("fieldManager", "FieldValueTooLong", why)]
    if name.isprintable():
        return []
    return [
        invalid_value("fieldManager", name, f"invalid character U+{ord(letter):04X} (at position {position})")
        for position, letter in enumerate(name)
        if not letter.isprintable()
    ]


@dataclass(frozen=True)
class DeleteOptions:
    """metav1.DeleteOptions. `grace_seconds` is None where the kind's default counts."""

    dry_run: bool = False
    grace_seconds: int | None = None
    propagation_policy: str = ""
    uid: str = ""
    version: str = ""


def delete_options(query: Mapping[str, str], body: Mapping[str, Any]) -> DeleteOptions:
    """The options from the body where there is one, else from the query. Raises Failure (422, 400)."""
    dry_run = "".join(body.get("dryRun") or ()) or query.get("dryRun", "")
    policy = body.get("propagationPolicy") or query.get("propagationPolicy", "")
    orphan = body.get("orphanDependents")
    errors = (_check_dry_run(dry_run) if dry_run or "dryRun" in query else []) + _check_policy(policy, orphan)
    if errors:
        raise invalid_options("DeleteOptions", errors)
    if orphan is not None:
        policy = "Orphan" if orphan else "Background"
    grace = body.get("gracePeriodSeconds")
    if grace is None and query.get("gracePeriodSeconds"):
        grace = parse_integer(query, "gracePeriodSeconds")
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


def parse_integer(query: Mapping[str, str], name: str) -> int:
    """A number in the query; 0 where it is absent. Raises Failure (400)."""
    text = query.get(name, "")
    if not text:
        return 0
    if not re.fullmatch(r"[+-]?[0-9]{1,100}", text):
        raise bad_request(f"strconv.ParseInt: parsing {go_value(text)}: invalid syntax")
    if not -(2**63) <= int(text) < 2**63:
        raise bad_request(f"strconv.ParseInt: parsing {go_value(text)}: value out of range")
    return int(text)


def parse_boolean(query: Mapping[str, str], name: str) -> bool:
    """A flag in the query, as Go's apimachinery reads it: anything but 0 and false is true."""
    return name in query and query[name].lower() not in ("0", "false")


def check_watch_options(query: Mapping[str, str]) -> None:
    """Raises Failure (422) for combinations of a watch's parameters that are refused.

    Source: apimachinery's apis/meta/internalversion/{defaults,validation}.
    """
    match, field = query.get("resourceVersionMatch", ""), _MATCH
    is_requested, anything = "sendInitialEvents" in query, query.get("resourceVersion", "") in ("", "0")
    errors: list[FieldError] = []
    if match and not is_requested:
        why = f"{field} is forbidden for watch unless sendInitialEvents is provided"
        errors.append(forbidden_field(field, why))
    elif is_requested and match != "NotOlderThan":
        errors.append(forbidden_field(field, f"sendInitialEvents requires setting {field} to NotOlderThan"))
    if match not in ("", "NotOlderThan"):
        errors.append(not_supported(field, match, ("NotOlderThan",)))
    if query.get("continue") and (match or (not is_requested and anything)):
        errors.append(forbidden_field(field, f"{field} is forbidden when continue is provided"))
    if errors:
        raise invalid_options("ListOptions", errors)


def check_list_options(query: Mapping[str, str]) -> None:
    """Raises Failure (422) for combinations of a list's parameters that are refused. Source: as above."""
    version, match, field = query.get("resourceVersion", ""), query.get("resourceVersionMatch", ""), _MATCH
    errors: list[FieldError] = []
    if match and not version:
        errors.append(forbidden_field(field, f"{field} is forbidden unless resourceVersion is provided"))
    if match and query.get("continue"):
        errors.append(forbidden_field(field, f"{field} is forbidden when continue is provided"))
    if match and match not in _MATCHES:
        errors.append(not_supported(field, match, (*_MATCHES, "")))
    if match == "Exact" and version == "0":
        errors.append(forbidden_field(field, f'{field} "exact" is forbidden for resourceVersion "0"'))
    if "sendInitialEvents" in query:
        errors.append(forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    if errors:
        raise invalid_options("ListOptions", errors)
