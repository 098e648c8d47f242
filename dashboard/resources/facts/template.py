"""Where an object says what pods are like: a pod itself, a workload in its template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.resources.loose import mapping


def pod_spec_of(obj: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The pod's spec, and whether it is the object's own: a template's, a CronJob's jobs' too, is of pods to come.

    An empty one for other objects.
    """
    spec = mapping(obj.get("spec"))
    if "containers" in spec:
        return spec, True
    owner = mapping(mapping(spec.get("jobTemplate")).get("spec")) if "jobTemplate" in spec else spec
    return mapping(mapping(owner.get("template")).get("spec")), False


def namespace_of(obj: Mapping[str, Any]) -> str:
    return str(mapping(obj.get("metadata")).get("namespace") or "")


def name_of(obj: Mapping[str, Any]) -> str:
    return str(mapping(obj.get("metadata")).get("name") or "")
