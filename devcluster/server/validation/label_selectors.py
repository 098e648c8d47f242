"""Validation of label selectors."""

from __future__ import annotations

from typing import Any

from devcluster.server.api_errors import FieldError, forbidden_field, invalid_value, required
from devcluster.server.names_and_labels import check_labels
from devcluster.server.storage.selectors import parse_labels, selector_text

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
UNSELECTED = "`selector` does not match template `labels`"


def selector_problems(selector: dict[str, Any]) -> list[FieldError]:
    """The errors in a LabelSelector at ``spec.selector``."""
    errors = check_labels(selector.get("matchLabels") or {}, "spec.selector.matchLabels")
    for position, term in enumerate(selector.get("matchExpressions") or ()):
        if term.get("operator") not in _OPERATORS:
            where = f"spec.selector.matchExpressions[{position}].operator"
            errors.append(invalid_value(where, term.get("operator", ""), "not a valid selector operator"))
        elif bool(term.get("values")) is not (term["operator"] in _OPERATORS[:2]):
            errors.append(_wrong_values(term, f"spec.selector.matchExpressions[{position}].values"))
    return errors


def _wrong_values(term: dict[str, Any], where: str) -> FieldError:
    if term["operator"] in _OPERATORS[:2]:
        return required(where, "must be specified when `operator` is 'In' or 'NotIn'")
    return forbidden_field(where, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")


def selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    terms = [*parse_labels(selector_text(selector))]
    return all(term.matches(labels) for term in terms)
