"""Label selectors as text, and links to the objects that they select."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.text_with_links import TextPiece

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")


def requirement_text(entry: Mapping[str, Any]) -> str:
    """``disk in ssd, nvme``, ``no old``: one of matchExpressions."""
    key, operator, values = (
        as_text(entry.get("key")),
        as_text(entry.get("operator")),
        ", ".join(as_texts(entry.get("values"))),
    )
    return {
        "In": f"{key} in {values}",
        "NotIn": f"{key} not in {values}",
        "Exists": f"any {key}",
        "DoesNotExist": f"no {key}",
        "Gt": f"{key} above {values}",
        "Lt": f"{key} below {values}",
    }.get(operator, f"{key} {operator} {values}".strip())


def labels_text(labels: Any) -> str:
    """``app=web, tier=a``."""
    return ", ".join(f"{name}={as_text(value)}" for name, value in as_map(labels).items())


def selector_text(selector: Any, everything: str = "everything") -> str:
    """A label selector as text, `everything` for the empty one; empty where there is none."""
    if not isinstance(selector, Mapping):
        return ""
    parts = [
        labels_text(selector.get("matchLabels")),
        *map(requirement_text, as_maps(selector.get("matchExpressions"))),
    ]
    return ", ".join(part for part in parts if part) or everything


def selected_pods_piece(namespace: str, labels: Any, link_text: str) -> TextPiece:
    """`link_text` as a link to the pods with these labels; without a link where no filter can select them."""
    pairs = [f"{name}={as_text(value)}" for name, value in as_map(labels).items()]
    if not pairs or not all(set(pair) <= _PLAIN | {"="} for pair in pairs):
        return TextPiece(link_text)
    query = " ".join(f"label:{pair}" for pair in pairs)
    return TextPiece(link_text, href=list_href("pods", namespace, query))


def list_href(key: str, namespace: str, query: str) -> str:
    """Address of a kind's list with a filter; of all namespaces where `namespace` is empty."""
    return f"/resources/{key}/?" + urlencode({**({"namespace": namespace} if namespace else {}), "q": query})
