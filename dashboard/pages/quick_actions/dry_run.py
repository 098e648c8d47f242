"""Dry run of a quick action, which shows a write before it is made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.objects.fields.field_access import ABSENT, Value, same
from dashboard.objects.merge.diff import Change, changes
from dashboard.objects.problems.write_refusal import Refusal, refusal_of
from dashboard.pages.quick_actions.action import Action, ActionForm, FieldState, FormData, WrongInput
from dashboard.pages.writes.editable_part import editable_part, fingerprint
from dashboard.pages.writes.kubectl import merge_patch
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.pages.writes.request_context import EditRequest
from informerd.errors import BadRequest, InformerdError


@dataclass(frozen=True, slots=True)
class PatchResult:
    """Result of a patch or its dry run."""

    desired: Value
    stored_value: Value
    """The field's new value."""
    changes: tuple[Change, ...]
    """Changes of the whole object; `by_server` marks those that were not requested."""
    warnings: tuple[str, ...] = ()
    dry_run_error: str = ""
    """Why there was no dry run, in the API server's words: some webhooks do not support it."""

    @property
    def is_as_requested(self) -> bool:
        """Whether the field would have the requested value."""
        return same(self.stored_value, self.desired)

    @property
    def other_changes(self) -> tuple[Change, ...]:
        """Changes that were not requested."""
        return tuple(change for change in self.changes if change.by_server)

    @property
    def unrequested_fingerprint(self) -> str:
        """Fingerprint of all changes beyond the requested value; empty where there are none.

        For other fields it has their paths, and not their values: a rule that sets a time or an id gives another value
        with every dry run, and no user could see the stored one in advance.
        """
        if self.is_as_requested and not (self.other_changes or self.warnings or self.dry_run_error):
            return ""
        changes = [[list(each.path), each.was is ABSENT, each.now is ABSENT] for each in self.other_changes]
        return fingerprint(
            [changes, list(self.warnings), self.dry_run_error, self.is_as_requested or [self.stored_value]]
        )


async def dry_run_patch(action: Action, client: ObjectClient, state: FieldState, desired: Value) -> PatchResult:
    """A dry run on top of exactly that state. Raises as a write does."""
    try:
        stored = await send_patch(action, client, state, desired, dry_run=True)
    except BadRequest as error:
        if "does not support dry run" not in str(error):  # apiserver's admission/plugin/webhook/errors
            raise
        return PatchResult(desired, desired, (Change(state.path, state.value, desired),), dry_run_error=str(error))
    return patch_result(state, desired, stored)


async def send_patch(
    action: Action, client: ObjectClient, state: FieldState, desired: Value, *, dry_run: bool
) -> WriteResult:
    """The write request of an action."""
    change = merge_patch(state.path, desired)
    return await client.patch(change, state.uid, state.version, dry_run=dry_run, subresource=action.subresource)


def patch_result(state: FieldState, desired: Value, stored: WriteResult) -> PatchResult:
    """The result from the API server's answer."""
    all_changes = changes(editable_part(state.obj), editable_part(stored.value))
    marked = (replace(_worded(state, each), by_server=not _is_requested(state, desired, each)) for each in all_changes)
    return PatchResult(desired, replace(state, obj=stored.value).value, tuple(marked), stored.warnings)


def _worded(state: FieldState, change: Change) -> Change:
    """A field omitted where it is 0 or false changes to that value: "removed" would be misleading."""
    if change.path != state.path or state.unset_value is ABSENT:
        return change
    was, now = (state.unset_value if value is ABSENT else value for value in (change.was, change.now))
    return replace(change, was=was, now=now)


def _is_requested(state: FieldState, wanted: Value, change: Change) -> bool:
    now = state.unset_value if change.now is ABSENT else change.now
    return change.path == state.path and same(None if now is ABSENT else now, wanted)


DRY_RUN_TIMEOUT = 3.0
"""Seconds that a page waits for a dry run; the write has its own limit."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Dry run of a page, or none where nothing would change."""

    dry_run: PatchResult | None = None
    refusal: Refusal | None = None
    """Why the API server would refuse it."""
    words: str = ""
    """Why the input cannot be sent."""


async def preview_action(
    action: Action, edit_request: EditRequest, state: FieldState, action_form: ActionForm, form_data: FormData
) -> Preview:
    """A dry run of the current inputs. Writes nothing, raises nothing."""
    shown = action_form.hidden_inputs.get("wanted") or next((each.value for each in action_form.inputs), "")
    try:
        wanted = await action.desired_value(edit_request, state, {**form_data, "wanted": shown})
        if same(wanted, state.value):
            return Preview()
        object_client = ObjectClient(edit_request.client, edit_request.target, time_limit=DRY_RUN_TIMEOUT)
        return Preview(await dry_run_patch(action, object_client, state, wanted))
    except WrongInput as wrong:
        return Preview(words=str(wrong) if "wanted" in form_data else "")
    except InformerdError as error:
        return Preview(refusal=refusal_of(error))
