"""Selectors in words, and the list of what they select."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")


def requirement(entry: Mapping[str, Any]) -> str:
    """``disk in ssd, nvme``, ``no old``: one of matchExpressions."""
    key, operator, values = text(entry.get("key")), text(entry.get("operator")), ", ".join(texts(entry.get("values")))
    return {
        "In": f"{key} in {values}",
        "NotIn": f"{key} not in {values}",
        "Exists": f"any {key}",
        "DoesNotExist": f"no {key}",
        "Gt": f"{key} above {values}",
        "Lt": f"{key} below {values}",
    }.get(operator, f"{key} {operator} {values}".strip())


def labels(found: Any) -> str:
    """``app=web, tier=a``."""
    return ", ".join(f"{name}={text(value)}" for name, value in mapping(found).items())


def selector_words(selector: Any, everything: str = "everything") -> str:
    """A label selector, `everything` for the empty one; nothing where there is none."""
    if not isinstance(selector, Mapping):
        return ""
    parts = [labels(selector.get("matchLabels")), *map(requirement, mappings(selector.get("matchExpressions")))]
    return ", ".join(part for part in parts if part) or everything


def selected(namespace: str, chosen: Any, words: str) -> Words:
    """`words`, which lead to the pods that have these labels, where the list's filter can be told to find them."""
    pairs = [f"{name}={text(value)}" for name, value in mapping(chosen).items()]
    if not pairs or not all(set(pair) <= _PLAIN | {"="} for pair in pairs):
        return Words(words)
    query = " ".join(f"label:{pair}" for pair in pairs)
    return Words(words, href=list_href("pods", namespace, query))


def list_href(key: str, namespace: str, query: str) -> str:
    """Address of a kind's list with a filter; of all namespaces where `namespace` is empty."""
    return f"/resources/{key}/?" + urlencode({**({"namespace": namespace} if namespace else {}), "q": query})
