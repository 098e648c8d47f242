"""Redaction of Secrets: their values are replaced before anything is projected, kept or published."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.objects.kinds.value_hashes import MEMBER, value_hash

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MASK = "••••••"
"""Replaces every value; its length is the same for all."""


def mask_secret(raw: bytes, hash_key: bytes = b"") -> bytes:
    """A Secret's JSON with every value masked, as is the annotation in which kubectl apply keeps the values.

    Names of the values stay. With a `hash_key` a member of its own has hashes of the values, see
    dashboard.objects.kinds.value_hashes. Applying it twice changes nothing more (a transform has to stand that). JSON
    that is not an object is returned unchanged.
    """
    secret: Any = msgspec.json.decode(raw)
    if not isinstance(secret, dict):
        return bytes(raw)
    if hash_key and MEMBER not in secret:
        secret[MEMBER] = _hashes(secret, hash_key)
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


def _hashes(secret: dict[str, Any], key: bytes) -> dict[str, Any]:
    uid = str((secret.get("metadata") or {}).get("uid", ""))
    hashes: dict[str, Any] = {}
    for field in ("data", "stringData"):
        values = secret.get(field)
        if isinstance(values, dict):
            hashes[field] = {name: value_hash(key, uid, field, name, value) for name, value in values.items()}
        elif values is not None:
            hashes[field] = value_hash(key, uid, field, "", values)
    return hashes
