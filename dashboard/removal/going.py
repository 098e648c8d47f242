"""What has become of a deletion: under way, gone, or its name taken by another object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dashboard.creating.copies import again_of
from dashboard.edits.editable import Base
from dashboard.edits.fields import Value
from dashboard.edits.outcomes import Draft
from dashboard.edits.place import Place
from dashboard.edits.posted import base_json
from dashboard.edits.problems import Refusal
from dashboard.removal.dependents import Dependents, dependents_of, naming
from dashboard.removal.descending import NAMESPACES
from dashboard.removal.finalizers import FOREGROUND, ORPHAN, PROTECTION
from dashboard.removal.progress import Progress, progress_of
from dashboard.removal.recreation import Recreation, recreation_of
from dashboard.removal.users import Users, users_of
from informerd.errors import NotFound

GOING, GONE, REPLACED, STILL, UNKNOWN = "going", "gone", "replaced", "still", "unknown"
State = Literal["going", "gone", "replaced", "still", "unknown"]
_NEVER_AGAIN = {
    NAMESPACES: "A namespace made again would be empty: what was in it does not come back.",
    "secrets": "The values of a Secret are not kept on a page.",
    "events": "",
    "nodes": "A node registers itself again while its kubelet runs.",
}
"""Kinds that are not made again from their last state, and why."""


@dataclass(frozen=True, slots=True)
class Going:
    """`state`: under way, gone, gone with another object of the name there now, not deleted at all, or not known."""

    uid: str
    state: State
    progress: Progress | None = None
    dependents: tuple[Dependents, ...] = ()
    """Those that are still there."""
    recreation: Recreation | None = None
    draft: Draft | None = None
    """Its last state, to make it again from."""
    base: str = ""
    left_out: tuple[str, ...] = ()
    """Fields of its last state that are not made again."""
    never: str = ""
    """Why it is not offered to be made again; empty where it is, or where nothing is known of it."""
    problem: Refusal | None = None
    users: Users | None = None
    """Who uses it, where a finalizer protects it as long as somebody does."""

    @property
    def over(self) -> bool:
        """Whether nothing more is going to change."""
        return self.state in (GONE, REPLACED) and not self.dependents


async def look(place: Place, uid: str, before: dict[str, Value] | None = None, *, users: bool = True) -> Going:
    """Ask the API server. Raises as Exchange.read does, but for NotFound. `users`: whether to look for them, too."""
    try:
        live = await place.exchange.read()
    except NotFound:
        return gone(place, uid, before)
    if live["metadata"]["uid"] != uid:
        return gone(place, uid, before, replaced=True)
    going = of_live(place, live)
    if users and PROTECTION.intersection(live["metadata"].get("finalizers") or ()):
        return replace(going, users=await users_of(place.target, place.live.replicas))
    return going


def of_live(place: Place, live: dict[str, Value]) -> Going:
    """Of an object that is still there."""
    uid = live["metadata"]["uid"]
    if not live["metadata"].get("deletionTimestamp"):
        return Going(uid, "still")
    target, replicas = place.target, place.live.replicas
    found = dependents_of(target, uid, replicas)
    held_by, waited_for = live["metadata"].get("finalizers") or (), {}
    if FOREGROUND in held_by:
        waited_for[FOREGROUND] = dependents_of(target, uid, replicas, only_holding_up=True)
    if ORPHAN in held_by:
        waited_for[ORPHAN] = naming(uid, replicas)
    progress = progress_of(live, waited_for, place.live.clock.time())
    return _with_draft(place, Going(uid, "going", progress, found), live)


def gone(place: Place, uid: str, before: dict[str, Value] | None = None, *, replaced: bool = False) -> Going:
    """Of an object that is there no more; its last state is `before`, or what the open page's view kept of it."""
    target = place.target
    view = place.live.hub.detail_view(target.kind, target.namespace, target.name)
    if before is None and view.row is not None and view.row.uid == uid and view.object:
        before = view.object
    same = before is not None and before["metadata"].get("uid") == uid
    left = dependents_of(target, uid, place.live.replicas) if target.kind.key != NAMESPACES else ()
    going = Going(uid, "replaced" if replaced else "gone", None, left)
    return _with_draft(place, going, before) if before is not None and same else going


def _with_draft(place: Place, going: Going, last: dict[str, Value]) -> Going:
    key = place.target.kind.key
    recreation = recreation_of(last, place.live.replicas)
    never = _NEVER_AGAIN.get(key, "")
    if recreation is not None and recreation.by_itself:
        never = f"{recreation.owner} {recreation.words}: to make this one again by hand makes no sense."
    draft, base = None, ""
    left_out: tuple[str, ...] = ()
    if not never and key not in _NEVER_AGAIN and going.state != REPLACED:
        again = again_of(key, last)
        state, left_out = Base.of(again.value), again.left_out
        draft, base = Draft(state.text, state), base_json(state)
    known = (going.uid, going.state, going.progress, going.dependents)
    return Going(*known, recreation, draft, base, left_out, never)
