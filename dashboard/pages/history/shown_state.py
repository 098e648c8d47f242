"""States of objects as comparisons show them."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.objects.kinds.value_hashes import MEMBER

_SET_BY_EACH_WRITE = ("resourceVersion", "generation", "managedFields")
"""Metadata that differs with each write and says nothing."""


def shown_state(json: bytes) -> dict[str, Any]:
    """The object of a recorded version without what every write changes. Of a Secret's values the recorded hashes stand
    in their places: the values themselves were never recorded.
    """
    state: dict[str, Any] = msgspec.json.decode(json)
    metadata = state.get("metadata")
    if isinstance(metadata, dict):
        state["metadata"] = {name: value for name, value in metadata.items() if name not in _SET_BY_EACH_WRITE}
    hashes = state.pop(MEMBER, None)
    for field, values in hashes.items() if isinstance(hashes, dict) else ():
        state[field] = {name: f"hash {each}" for name, each in values.items()} if isinstance(values, dict) else "hash"
    return state
