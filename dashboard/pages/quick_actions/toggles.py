"""Toggle actions: each flips one boolean field of spec."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from dashboard.objects.fields.field_access import Path, Value
from dashboard.pages.quick_actions.action import Action, ActionForm, FieldState, FormData, Notice, WrongInput
from dashboard.pages.writes.kubectl import named_command, patch_command, slashed_command
from dashboard.pages.writes.request_context import EditRequest
from dashboard.pages.writes.target import Target


@dataclass(frozen=True, slots=True)
class ToggleDirection:
    """One direction: its button, meaning, report, and kubectl command."""

    button: str
    meaning: str
    done_text: str
    command: tuple[str, ...] = ()
    """Before the object's name; empty: ``kubectl patch``."""
    is_slashed: bool = False
    """Whether the command wants ``kind/name``."""
    is_warning: bool = False


class Toggle:
    """Pause or resume, cordon or uncordon, suspend or resume: `switch_on` sets the field, `switch_off` removes it."""

    id: ClassVar[str]
    title: ClassVar[str]
    path: ClassVar[Path]
    switch_on: ClassVar[ToggleDirection]
    switch_off: ClassVar[ToggleDirection]
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = ""
    is_undoable: ClassVar[bool] = True

    async def read(self, edit_request: EditRequest, form: FormData) -> FieldState:  # noqa: ARG002
        return FieldState(await edit_request.object_client.read(), self.path, unset_value=False)

    async def build_form(self, edit_request: EditRequest, state: FieldState, form: FormData) -> ActionForm:  # noqa: ARG002
        value = not state.value
        way = self.switch_on if value else self.switch_off
        return ActionForm(
            way.button,
            self._command(edit_request.target, way, value),
            self.facts(way, state),
            hidden_inputs={"wanted": json.dumps(value)},
        )

    def _command(self, target: Target, direction: ToggleDirection, value: bool) -> str:
        if not direction.command:
            return patch_command(target, self.path, value)
        return (slashed_command if direction.is_slashed else named_command)(target, *direction.command)

    def facts(self, direction: ToggleDirection, state: FieldState) -> tuple[Notice, ...]:
        """Its effect, and further facts."""
        return (Notice(direction.meaning, "warn" if direction.is_warning else "idle"), *self.more_notices(state))

    def more_notices(self, state: FieldState) -> tuple[Notice, ...]:  # noqa: ARG002
        """Further notices."""
        return ()

    async def desired_value(self, edit_request: EditRequest, state: FieldState, form: FormData) -> Value:  # noqa: ARG002
        wanted = {"true": True, "false": False}.get(form.get("wanted", ""))
        if wanted is None:
            raise WrongInput(f"“{form.get('wanted', '')[:40]}” is not true or false.")
        return wanted

    def done_text(self, before: Value, after: Value) -> str:  # noqa: ARG002
        return (self.switch_on if after else self.switch_off).done_text


def action_title(action: Action, value: Value) -> str:
    """Title of an action where its field is `value`: a toggle has one for each direction."""
    return (action.switch_off if value else action.switch_on).button if isinstance(action, Toggle) else action.title


class Cordon(Toggle):
    id: ClassVar[str] = "cordon"
    title: ClassVar[str] = "Cordon or uncordon"
    path: ClassVar[Path] = ("spec", "unschedulable")
    switch_on: ClassVar[ToggleDirection] = ToggleDirection(
        "Cordon",
        "No new pods are scheduled on this node, except those of DaemonSets. Running pods stay.",
        "The node is cordoned: no new pods are scheduled on it",
        ("cordon",),
    )
    switch_off: ClassVar[ToggleDirection] = ToggleDirection(
        "Uncordon",
        "New pods may be scheduled on this node again. Pods that moved elsewhere do not come back.",
        "The node accepts new pods again",
        ("uncordon",),
    )


class Pause(Toggle):
    id: ClassVar[str] = "pause"
    title: ClassVar[str] = "Pause or resume the rollout"
    path: ClassVar[Path] = ("spec", "paused")
    switch_on: ClassVar[ToggleDirection] = ToggleDirection(
        "Pause the rollout",
        "Changes of its pod template start no new pods until it is resumed. Running pods stay, and scaling works.",
        "The rollout is paused",
        ("rollout", "pause"),
        is_slashed=True,
    )
    switch_off: ClassVar[ToggleDirection] = ToggleDirection(
        "Resume the rollout",
        "All changes made during the pause are rolled out immediately.",
        "The rollout is resumed",
        ("rollout", "resume"),
        is_slashed=True,
    )


class SuspendCronJob(Toggle):
    id: ClassVar[str] = "suspend"
    title: ClassVar[str] = "Suspend or resume"
    path: ClassVar[Path] = ("spec", "suspend")
    switch_on: ClassVar[ToggleDirection] = ToggleDirection(
        "Suspend", "It starts no more Jobs until it is resumed. Running Jobs continue.", "It is suspended"
    )
    switch_off: ClassVar[ToggleDirection] = ToggleDirection(
        "Resume", "It starts Jobs on its schedule again.", "It is resumed and starts Jobs on its schedule"
    )

    def more_notices(self, state: FieldState) -> tuple[Notice, ...]:
        spec = state.obj.get("spec") or {}
        if not state.value or spec.get("startingDeadlineSeconds") is not None:
            return ()
        return (
            Notice(
                "It has no startingDeadlineSeconds: a run that was missed meanwhile may be started at once.", "warn"
            ),
        )


class SuspendJob(SuspendCronJob):
    switch_on: ClassVar[ToggleDirection] = ToggleDirection(
        "Suspend",
        "Its running pods are deleted now, and created again when it is resumed: their progress is lost.",
        "It is suspended: its pods are being deleted",
        is_warning=True,
    )
    switch_off: ClassVar[ToggleDirection] = ToggleDirection(
        "Resume", "Its pods are created again.", "It is resumed: its pods are being created"
    )

    def facts(self, direction: ToggleDirection, state: FieldState) -> tuple[Notice, ...]:
        conditions = (state.obj.get("status") or {}).get("conditions") or ()
        over = {each["type"] for each in conditions if each.get("status") == "True"} & {"Complete", "Failed"}
        if over:
            return (Notice(f"It is over already ({min(over)}): this changes nothing of its pods.", "warn"),)
        return super().facts(direction, state)

    def more_notices(self, state: FieldState) -> tuple[Notice, ...]:  # noqa: ARG002
        return ()
