"""Outcome of a deletion: under way, gone, or the name reused by another object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dashboard.live.hub.hub import HUB
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.fields.field_access import Value
from dashboard.objects.fields.object_display_limit import is_too_deep
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.pages.create.clone import clone_for_recreation
from dashboard.pages.delete.dependents import DependentGroup, find_dependents, find_direct_dependents
from dashboard.pages.delete.descendants import NAMESPACES
from dashboard.pages.delete.finalizers import FOREGROUND_FINALIZER, ORPHAN_FINALIZER, PROTECTION_FINALIZERS
from dashboard.pages.delete.progress import Progress, progress_of
from dashboard.pages.delete.recreated_by import Recreation, recreation_of
from dashboard.pages.delete.used_by import UsedBy, find_used_by
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.edit.form_data import dump_base
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.request_context import EditRequest
from dashboard.runtime.app_state import CLOCK
from informerd.errors import NotFound

IN_PROGRESS, GONE, REPLACED, NOT_DELETED, UNKNOWN = "going", "gone", "replaced", "still", "unknown"
OutcomeState = Literal["going", "gone", "replaced", "still", "unknown"]
_NEVER_AGAIN = {
    NAMESPACES: "A re-created namespace would be empty: its contents do not come back.",
    "secrets": "Deltaboard does not store the values of a Secret.",
    "events": "",
    "nodes": "A node registers itself again while its kubelet runs.",
}
"""Kinds that cannot be re-created from their last state, and why."""


@dataclass(frozen=True, slots=True)
class DeletionOutcome:
    """`state`: under way, gone, gone with another object of the name there now, not deleted at all, or not known."""

    uid: str
    state: OutcomeState
    progress: Progress | None = None
    dependents: tuple[DependentGroup, ...] = ()
    """Dependents that still exist."""
    recreation: Recreation | None = None
    draft: Submission | None = None
    """Its last state, for a re-creation."""
    base_json: str = ""
    omitted_fields: tuple[str, ...] = ()
    """Fields of its last state that a re-creation leaves out."""
    no_recreation_reason: str = ""
    """Why it cannot be re-created; empty where it can, or where its last state is unknown."""
    problem: Refusal | None = None
    used_by: UsedBy | None = None
    """Its users, where a finalizer protects it as long as there are any."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will change."""
        return self.state in (GONE, REPLACED) and not self.dependents


async def check_outcome(
    edit_request: EditRequest, uid: str, before: dict[str, Value] | None = None, *, with_used_by: bool = True
) -> DeletionOutcome:
    """Ask the API server. Raises as ObjectClient.read does, except NotFound. `with_used_by`: whether to
    search for what uses the object, too.
    """
    try:
        live = await edit_request.object_client.read()
    except NotFound:
        return await gone_outcome(edit_request, uid, before)
    if live["metadata"]["uid"] != uid:
        return await gone_outcome(edit_request, uid, before, is_replaced=True)
    outcome = await outcome_of_current(edit_request, live)
    if with_used_by and PROTECTION_FINALIZERS.intersection(live["metadata"].get("finalizers") or ()):
        return replace(outcome, used_by=await find_used_by(edit_request.target, edit_request.state[REPLICAS]))
    return outcome


async def outcome_of_current(edit_request: EditRequest, current: dict[str, Value]) -> DeletionOutcome:
    """The outcome of an object that still exists."""
    uid = current["metadata"]["uid"]
    if not current["metadata"].get("deletionTimestamp"):
        return DeletionOutcome(uid, "still")
    target, replicas = edit_request.target, edit_request.state[REPLICAS]
    dependents = await find_dependents(target, uid, replicas)
    held_by, waited_for = current["metadata"].get("finalizers") or (), {}
    if FOREGROUND_FINALIZER in held_by:
        waited_for[FOREGROUND_FINALIZER] = await find_dependents(target, uid, replicas, only_blocking=True)
    if ORPHAN_FINALIZER in held_by:
        waited_for[ORPHAN_FINALIZER] = await find_direct_dependents(uid, replicas)
    progress = progress_of(current, waited_for, edit_request.state[CLOCK].time())
    return _with_draft(edit_request, DeletionOutcome(uid, "going", progress, dependents), current)


async def gone_outcome(
    edit_request: EditRequest, uid: str, before: dict[str, Value] | None = None, *, is_replaced: bool = False
) -> DeletionOutcome:
    """The outcome of an object that is gone; its last state is `before`, or the whole one of the open page's view.

    Without a draft where that is nested too deeply for a form.
    """
    target = edit_request.target
    view = open_detail(edit_request.state[HUB], target.kind, target.namespace, target.name)
    if before is None and view.row is not None and view.row.uid == uid:
        last = whole_object(view.row)
        before = last if last and not is_too_deep(last) else None
    same = before is not None and before["metadata"].get("uid") == uid
    left = await find_dependents(target, uid, edit_request.state[REPLICAS]) if target.kind.key != NAMESPACES else ()
    outcome = DeletionOutcome(uid, "replaced" if is_replaced else "gone", None, left)
    return _with_draft(edit_request, outcome, before) if before is not None and same else outcome


def _with_draft(edit_request: EditRequest, outcome: DeletionOutcome, last: dict[str, Value]) -> DeletionOutcome:
    key = edit_request.target.kind.key
    recreation = recreation_of(last, edit_request.state[REPLICAS])
    no_recreation_reason = _NEVER_AGAIN.get(key, "")
    if recreation is not None and recreation.is_automatic:
        no_recreation_reason = (
            f"{recreation.owner} {recreation.words}: there is no need to create this one again by hand."
        )
    draft, base_json = None, ""
    omitted_fields: tuple[str, ...] = ()
    if not no_recreation_reason and key not in _NEVER_AGAIN and outcome.state != REPLACED:
        clone = clone_for_recreation(key, last)
        base, omitted_fields = Base.of(clone.value), clone.omitted_fields
        draft, base_json = Submission(base.text, base), dump_base(base)
    known = (outcome.uid, outcome.state, outcome.progress, outcome.dependents)
    return DeletionOutcome(*known, recreation, draft, base_json, omitted_fields, no_recreation_reason)
