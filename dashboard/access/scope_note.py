"""Sentences by which a page says that somebody sees a part of the cluster only."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.access.rights import KindScope, Rights

MAX_NAMED = 5
"""Namespaces that a sentence names."""


def scope_note(rights: Rights, keys: Sequence[str]) -> str:
    """What somebody sees of these kinds, where that is not everything; else empty."""
    if rights.sees_all or all(rights.scope_of(key).is_everything for key in keys):
        return ""
    return _kind_note(rights.scope_of(keys[0])) if len(keys) == 1 else "This page shows only what you may see."


def _kind_note(scope: KindScope) -> str:
    parts = []
    if scope.namespaces:
        names = sorted(scope.namespaces)
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        parts.append(f"those of namespace{'s' if len(names) > 1 else ''} {', '.join(names[:MAX_NAMED])}{more}")
    if scope.names or scope.names_anywhere:
        parts.append("some by their names")
    if not parts:
        return "You may not see any of them."
    return f"You may see a part of them: {' and '.join(parts)}."
