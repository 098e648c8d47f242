"""Pod spec of an object: its own or that of its template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.fields.unstructured import as_map


def pod_spec_of(obj: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The pod's spec, and whether it is the object's own rather than that of a template (a CronJob's jobs' too).

    Empty for other objects.
    """
    spec = as_map(obj.get("spec"))
    if "containers" in spec:
        return spec, True
    owner = as_map(as_map(spec.get("jobTemplate")).get("spec")) if "jobTemplate" in spec else spec
    return as_map(as_map(owner.get("template")).get("spec")), False
