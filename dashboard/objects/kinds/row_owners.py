"""Owners of an object, as its row names them."""

from __future__ import annotations

from dashboard.objects.kinds.row import Row

OwnerReference = tuple[str, str, str]
"""An owner's kind, name and uid."""


def owner_references(row: Row) -> tuple[OwnerReference, ...]:
    """All owners, each once, the controller first."""
    if not row.owners:
        return (row.owner,) if row.owner is not None else ()
    references: dict[str, OwnerReference] = {}
    for owner in sorted(row.owners, key=lambda owner: not owner.is_controller):
        references.setdefault(owner.uid, (owner.kind, owner.name, owner.uid))
    return tuple(references.values())


def owner_uids(row: Row) -> tuple[str, ...]:
    """The uids of all owners, in no order, possibly repeated."""
    if row.owners:
        return tuple([owner.uid for owner in row.owners])
    return (row.owner[2],) if row.owner is not None else ()


def blocks_owner_deletion(row: Row, uid: str) -> bool:
    """Whether the owner of this uid waits for the object when it is deleted in the foreground."""
    return not row.owners or any(owner.blocks_owner_deletion for owner in row.owners if owner.uid == uid)


def can_own(owner: Row, row: Row) -> bool:
    """Whether `owner`, which `row` names, can own it: a namespaced object owns objects in its own namespace only.

    For any other reference the garbage collector treats the owner as missing.
    """
    return owner.namespace in ("", row.namespace)
