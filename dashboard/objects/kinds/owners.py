"""Who owns an object, as its row names them: one owner or several."""

from __future__ import annotations

from dashboard.live.messages import Row

Named = tuple[str, str, str]
"""An owner's kind, name and uid."""


def owners_named(row: Row) -> tuple[Named, ...]:
    """All of them, each once, its controller first."""
    if not row.owners:
        return (row.owner,) if row.owner is not None else ()
    found: dict[str, Named] = {}
    for owner in sorted(row.owners, key=lambda owner: not owner.controls):
        found.setdefault(owner.uid, (owner.kind, owner.name, owner.uid))
    return tuple(found.values())


def owner_uids(row: Row) -> tuple[str, ...]:
    """The uids of all of them, in no order; one may stand there twice."""
    if row.owners:
        return tuple([owner.uid for owner in row.owners])
    return (row.owner[2],) if row.owner is not None else ()


def holds_up(row: Row, uid: str) -> bool:
    """Whether the owner of this uid, when it is deleted in the foreground, stays until the object is gone."""
    return not row.owners or any(owner.waits for owner in row.owners if owner.uid == uid)


def can_own(owner: Row, row: Row) -> bool:
    """Whether `owner`, which `row` names, owns it: what has a namespace owns what is in that alone.

    Of any other that names it the garbage collector says that its owner is gone.
    """
    return owner.namespace in ("", row.namespace)
