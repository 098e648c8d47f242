"""Redaction of Secrets: their values are replaced before anything is projected, kept or published."""

from __future__ import annotations

from typing import Any

import msgspec

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MASK = "••••••"
"""Replaces every value; its length is the same for all."""


def mask_secret(raw: bytes) -> bytes:
    """A Secret's JSON with every value masked, as is the annotation in which kubectl apply keeps the values.

    Names of the values stay. Applying it twice changes nothing more (a transform has to stand that). JSON that is not
    an object is returned unchanged.
    """
    secret: Any = msgspec.json.decode(raw)
    if not isinstance(secret, dict):
        return bytes(raw)
    for field in ("data", "stringData"):
        values = secret.get(field)
        if isinstance(values, dict):
            secret[field] = dict.fromkeys(values, MASK)
        elif values is not None:
            secret[field] = MASK
    annotations = (secret.get("metadata") or {}).get("annotations")
    if isinstance(annotations, dict) and LAST_APPLIED in annotations:
        annotations[LAST_APPLIED] = MASK
    return msgspec.json.encode(secret)
