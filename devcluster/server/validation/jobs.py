"""Validation of Jobs."""

from __future__ import annotations

from typing import Any

from devcluster.server import names_and_labels as names
from devcluster.server.api_errors import FieldError, invalid_value
from devcluster.server.names_and_labels import check_labels
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation.field_values import check_not_negative, check_supported
from devcluster.server.validation.label_selectors import UNSELECTED, selects
from devcluster.server.validation.pods import check_pod_spec


def check_job(obj: Object) -> list[FieldError]:
    """The errors in a Job."""
    whole, template = obj["spec"], obj["spec"]["template"]
    numbers = ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
    errors = check_not_negative(whole, "spec", *numbers)
    errors += check_supported(whole["completionMode"], ("NonIndexed", "Indexed"), "spec.completionMode")
    selector, labels = whole.get("selector") or {}, (template.get("metadata") or {}).get("labels")
    if not whole["manualSelector"] and len(selector.get("matchLabels") or {}) > 1:
        errors.append(invalid_value("spec.selector", selector, "`selector` not auto-generated"))
    if not selects(selector, labels or {}):
        errors.append(invalid_value("spec.template.metadata.labels", labels, UNSELECTED))
    errors += dict.fromkeys(check_labels(labels or {}, "spec.template.labels"))
    errors += _check_host(obj["metadata"].get("name", ""), whole)
    errors += check_pod_spec(template["spec"], "spec.template.spec")
    if template["spec"].get("restartPolicy") == "Always":
        known = ("OnFailure", "Never")
        why = f'Required value: valid values: "{known[0]}", "{known[1]}"'
        errors.append(FieldError("spec.template.spec.restartPolicy", "FieldValueRequired", why))
    return errors


def _check_host(name: str, spec: dict[str, Any]) -> list[FieldError]:
    """An indexed Job's name, which begins the names of its pods' hosts."""
    if spec["completionMode"] != "Indexed" or not spec.get("completions"):
        return []
    host = f"{name}-{spec['completions'] - 1}"
    why = f"will not able to create pod with invalid DNS label: {host}"
    return [invalid_value("metadata.name", name, why)] if names.dns_label_problems(host) else []
