"""Defaults of CustomResourceDefinitions.

Source: apiextensions-apiserver's pkg/apis/apiextensions/v1/defaults.go.
"""

from __future__ import annotations

from typing import Any

from devcluster.server.storage.object_codec import Object


def fill_crd_defaults(obj: Object) -> None:
    """Set, in place, the names that follow from others."""
    spec = obj.setdefault("spec", {})
    names = spec.setdefault("names", {})
    if names.get("kind"):
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", f"{names['kind']}List")
    _fill_conversion(spec)


def _fill_conversion(spec: dict[str, Any]) -> None:
    """Set the defaults of a definition's conversion, in place."""
    webhook = spec.setdefault("conversion", {"strategy": "None"}).get("webhook") or {}
    service = (webhook.get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", 443)
