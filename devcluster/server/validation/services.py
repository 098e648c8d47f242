"""Validation of Services.

Source: Kubernetes' pkg/apis/core/validation/validation.go (ValidateService).
"""

from __future__ import annotations

import re
from typing import Any

from devcluster.server import names_and_labels as names
from devcluster.server.api_errors import FieldError, duplicate, forbidden_field, invalid_value, not_supported, required
from devcluster.server.schema.formats import is_ip
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.field_values import check_range, check_supported
from devcluster.server.validation.pods import PROTOCOLS

BAD_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_LONGEST_PORT = 15


def check_service(obj: Object) -> list[FieldError]:
    """The errors in a Service."""
    spec = obj["spec"]
    if spec["type"] not in _TYPES:
        return [not_supported("spec.type", spec["type"], _TYPES)]
    if spec["type"] == "ExternalName":
        return [] if spec.get("externalName") else [required("spec.externalName")]
    address, ports, errors = spec.get("clusterIP"), spec.get("ports") or [], list[FieldError]()
    if address not in ("", "None", None) and not is_ip(address):
        errors.append(invalid_value("spec.clusterIPs[0]", address, BAD_ADDRESS))
    if not ports and address != "None":
        errors.append(required("spec.ports"))
    for position, port in enumerate(ports):
        errors += _check_port(port, f"spec.ports[{position}]", alone=len(ports) == 1)
        if port.get("nodePort") and spec["type"] == "ClusterIP":
            where = f"spec.ports[{position}].nodePort"
            errors.append(forbidden_field(where, "may not be used when `type` is 'ClusterIP'"))
    return errors + _doubles(ports)


def _check_port(port: dict[str, Any], path: str, *, alone: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if port.get("name"):
        errors += [invalid_value(f"{path}.name", port["name"], why) for why in names.dns_label_problems(port["name"])]
    elif not alone:
        errors.append(required(f"{path}.name"))
    errors += check_range(port.get("port", 0), 1, 65535, f"{path}.port")
    errors += check_supported(port.get("protocol"), PROTOCOLS, f"{path}.protocol")
    target, where = port.get("targetPort"), f"{path}.targetPort"
    if isinstance(target, str):
        return errors + [invalid_value(where, target, why) for why in _port_name_problems(target)]
    return errors + check_range(target, 1, 65535, where)


def _port_name_problems(name: str) -> list[str]:
    """The reasons why `name` is not a port's name (apimachinery's IsValidPortName)."""
    problems = {
        f"must be no more than {_LONGEST_PORT} characters": len(name) > _LONGEST_PORT,
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)": not re.fullmatch("[-a-z0-9]+", name),
        "must contain at least one letter (a-z)": not re.search("[a-z]", name),
        "must not contain consecutive hyphens": "--" in name,
        "must not begin or end with a hyphen": name.startswith("-") or name.endswith("-"),
    }
    return [why for why, holds in problems.items() if holds]


def _doubles(ports: list[dict[str, Any]]) -> list[FieldError]:
    """Names, numbers and nodes' ports that come twice."""
    errors: list[FieldError] = []
    seen: set[tuple[str, object]] = set()
    for position, port in enumerate(ports):
        protocol, number, node = port.get("protocol", ""), port.get("port", 0), port.get("nodePort")
        shown = {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": number, "TargetPort": 0, "NodePort": 0}
        values = [("name", port.get("name"), ".name", port.get("name"))]
        values += [("port", (protocol, number), "", shown)]
        values += [("node", (protocol, node) if node else None, ".nodePort", node)]
        for what, value, field, message in values:
            if value and (what, value) in seen:
                errors.append(duplicate(f"spec.ports[{position}]{field}", message))
            seen.add((what, value))
    return errors
