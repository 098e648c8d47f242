"""Restart of a rollout: all pods are replaced gradually, by the rollout's strategy."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import ClassVar

from dashboard.objects.fields.field_access import ABSENT, Value, get
from dashboard.pages.layout.page import kubectl_of
from dashboard.pages.quick_actions.action import ActionForm, FieldState, FormData, Notice
from dashboard.pages.writes.kubectl import slashed_command
from dashboard.pages.writes.request_context import EditRequest
from dashboard.runtime.app_state import CLOCK

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


class Restart:
    id: ClassVar[str] = "restart"
    title: ClassVar[str] = "Restart the rollout"
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = ""
    is_undoable: ClassVar[bool] = False

    async def read(self, edit_request: EditRequest, form: FormData) -> FieldState:  # noqa: ARG002
        return FieldState(
            await edit_request.object_client.read(), ("spec", "template", "metadata", "annotations", RESTARTED_AT)
        )

    async def build_form(self, edit_request: EditRequest, state: FieldState, form: FormData) -> ActionForm:  # noqa: ARG002
        command = slashed_command(edit_request.target, "rollout", "restart")
        refused = ""
        if get(state.obj, ("spec", "paused")) is True:
            refused = "Its rollout is paused, so nothing would be restarted: resume it first."
        if get(state.obj, ("spec", "updateStrategy", "type")) == "OnDelete":
            refused = "Its update strategy is OnDelete: a pod is replaced only when it is deleted."
        undo = f"{kubectl_of(edit_request.state)} {slashed_command(edit_request.target, 'rollout', 'undo')}"
        back = Notice(f"This cannot be undone: {undo} restores the earlier template, but starts new pods once more.")
        return ActionForm("Restart", command, (*_facts(state), back), denial=refused)

    async def desired_value(self, edit_request: EditRequest, state: FieldState, form: FormData) -> Value:  # noqa: ARG002
        """The current time; in a retry the time of the first request, so that both are the same restart."""
        if _TIME.fullmatch(form.get("wanted", "")):
            return form["wanted"]
        return (
            datetime.fromtimestamp(edit_request.state[CLOCK].time(), UTC)
            .isoformat(timespec="seconds")
            .replace("+00:00", "Z")
        )

    def done_text(self, before: Value, after: Value) -> str:  # noqa: ARG002
        return "The rollout is restarted: its pods are being replaced"


def _facts(state: FieldState) -> tuple[Notice, ...]:
    spec = state.obj.get("spec") or {}
    facts = [Notice("Every pod of it is replaced by a new one, with the same image and settings.")]
    if get(spec, ("strategy", "type")) == "Recreate":
        facts.append(Notice("Its strategy is Recreate: all pods stop before the first new one starts.", "warn"))
    if spec.get("replicas") == 1 and get(spec, ("strategy", "rollingUpdate", "maxSurge")) in (0, "0", "0%", ABSENT):
        facts.append(
            Notice("It has one replica and starts no other before that stops: it is unavailable meanwhile.", "warn")
        )
    if state.value:
        facts.append(Notice(f"Its last restart this way was at {state.value}."))
    return tuple(facts)
