"""Validation of pods and pod templates.

Source: Kubernetes' pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from devcluster.server import names_and_labels as names
from devcluster.server import quantity
from devcluster.server.api_errors import FieldError, duplicate, invalid_value, not_found_value, required
from devcluster.server.names_and_labels import check_labels
from devcluster.server.validation.field_values import check_range, check_supported

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
PROTOCOLS = ("SCTP", "TCP", "UDP")
_BAD_VARIABLE = "a valid environment variable name must consist only of printable ASCII characters other than '='"


def check_pod_spec(spec: dict[str, Any], path: str) -> list[FieldError]:
    """The errors in the spec of a pod, which is at `path`."""
    errors: list[FieldError] = []
    if not spec.get("containers"):
        errors.append(required(f"{path}.containers"))
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    seen: set[str] = set()
    for group in ("containers", "initContainers"):
        for position, container in enumerate(spec.get(group) or ()):
            where = f"{path}.{group}[{position}]"
            errors += _check_name(container.get("name", ""), where, seen) + _check_container(container, where, volumes)
    errors += check_supported(spec.get("restartPolicy"), _RESTART_POLICIES, f"{path}.restartPolicy")
    errors += check_supported(spec.get("dnsPolicy"), _DNS_POLICIES, f"{path}.dnsPolicy")
    errors += check_range(spec.get("activeDeadlineSeconds"), 1, 2**31 - 1, f"{path}.activeDeadlineSeconds")
    errors += check_labels(spec.get("nodeSelector") or {}, f"{path}.nodeSelector")
    for field, problems in (
        ("nodeName", names.dns_subdomain_problems),
        ("hostname", names.dns_label_problems),
    ):
        if spec.get(field):
            errors += [invalid_value(f"{path}.{field}", spec[field], why) for why in problems(spec[field])]
    return errors


def _check_name(name: str, path: str, seen: set[str]) -> list[FieldError]:
    if not name:
        return [required(f"{path}.name")]
    errors = [invalid_value(f"{path}.name", name, why) for why in names.dns_label_problems(name)]
    if name in seen:
        errors.append(duplicate(f"{path}.name", name))
    seen.add(name)
    return errors


def _check_container(container: dict[str, Any], path: str, volumes: set[Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    image = container.get("image", "")
    if not image:
        errors.append(required(f"{path}.image"))
    elif image != image.strip():
        errors.append(invalid_value(f"{path}.image", image, "must not have leading or trailing whitespace"))
    errors += check_supported(container.get("imagePullPolicy"), _PULL_POLICIES, f"{path}.imagePullPolicy")
    for position, variable in enumerate(container.get("env") or ()):
        errors += _check_variable(variable.get("name", ""), f"{path}.env[{position}].name")
    for position, mount in enumerate(container.get("volumeMounts") or ()):
        if mount.get("name") not in volumes:
            errors.append(not_found_value(f"{path}.volumeMounts[{position}].name", mount.get("name")))
    return errors + _check_ports(container, path) + _check_resources(container.get("resources") or {}, path)


def _check_variable(name: str, path: str) -> list[FieldError]:
    if not name:
        return [required(path)]
    return [] if re.fullmatch(r"[ -<>-~]+", name) else [invalid_value(path, name, _BAD_VARIABLE)]


def _check_ports(container: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for position, port in enumerate(container.get("ports") or ()):
        where, number, name = f"{path}.ports[{position}]", port.get("containerPort", 0), port.get("name")
        errors += (
            check_range(number, 1, 65535, f"{where}.containerPort") if number else [required(f"{where}.containerPort")]
        )
        errors += check_supported(port.get("protocol"), PROTOCOLS, f"{where}.protocol")
        if name and name in seen:
            errors.append(duplicate(f"{where}.name", name))
        seen.add(name)
    return errors


def _check_resources(resources: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    amounts: dict[tuple[str, str], Fraction] = {}
    for group in ("limits", "requests"):
        for name, text in (resources.get(group) or {}).items():
            amounts[group, name] = amount = quantity.amount(text)
            if amount < 0:
                where = f"{path}.resources.{group}[{name}]"
                errors.append(invalid_value(where, text, "must be greater than or equal to 0"))
    for (group, name), amount in amounts.items():
        limit = amounts.get(("limits", name))
        if group == "requests" and limit is not None and amount > limit:
            why = f"must be less than or equal to {name} limit of {resources['limits'][name]}"
            errors.append(invalid_value(f"{path}.resources.requests", resources["requests"][name], why))
    return errors
