"""Scale action: the number of replicas, through the scale subresource, which custom resources can have too."""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

from dashboard.objects.fields.field_access import Value
from dashboard.pages.quick_actions.action import ActionForm, FieldState, FormData, Input, Notice, WrongInput
from dashboard.pages.writes.autoscalers import AUTOSCALER_UNKNOWN, autoscalers_of
from dashboard.pages.writes.kubectl import slashed_command
from dashboard.pages.writes.request_context import EditRequest
from informerd.errors import InformerdError

MAX_REPLICAS = 2**31 - 1
"""spec.replicas is an int32."""
MANY_REPLICAS = 100
"""Number of replicas from which a tenfold increase must be confirmed."""
_NUMBER = re.compile(r"\d{1,20}", re.ASCII)
LOOKUP_TIMEOUT = 3.0
"""Longest search for a controller, in seconds."""


class Scale:
    id: ClassVar[str] = "scale"
    title: ClassVar[str] = "Scale"
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = "scale"
    is_undoable: ClassVar[bool] = True

    async def read(self, edit_request: EditRequest, form: FormData) -> FieldState:  # noqa: ARG002
        return FieldState(
            await edit_request.object_client.read_subresource("scale"), ("spec", "replicas"), unset_value=0
        )

    async def build_form(self, edit_request: EditRequest, state: FieldState, form: FormData) -> ActionForm:
        typed = form.get("wanted", str(state.value))
        ready = (state.obj.get("status") or {}).get("replicas", 0)
        facts = await asyncio.gather(_controlled(edit_request), _autoscaled(edit_request))
        wanted = int(typed) if _NUMBER.fullmatch(typed.strip()) else None
        # The number and not what was typed: to kubectl 010 is eight.
        return ActionForm(
            button_label="Scale",
            command=_command(edit_request, state, "N" if wanted is None else str(wanted)),
            facts=(Notice(f"It asks for {state.value} and has {ready}."), *facts[0], *facts[1]),
            inputs=(Input("wanted", "Replicas", typed, "number", help=f"A whole number from 0 to {MAX_REPLICAS:,}."),),
            confirmation=_consent(state.value, wanted),
        )

    async def desired_value(self, edit_request: EditRequest, state: FieldState, form: FormData) -> Value:  # noqa: ARG002
        typed = form.get("wanted", "").strip()
        if not typed:
            raise WrongInput("The number is empty: enter 0 or more.")
        if not _NUMBER.fullmatch(typed):
            raise WrongInput(f"“{typed[:40]}” is not a number of replicas: enter a whole number, 0 or more.")
        if int(typed) > MAX_REPLICAS:
            raise WrongInput(f"{typed} replicas are too many: the maximum is {MAX_REPLICAS:,}.")
        return int(typed)

    def done_text(self, before: Value, after: Value) -> str:
        return f"Scaled {before} → {after}"


def _command(edit_request: EditRequest, state: FieldState, wanted: str) -> str:
    options = [f"--replicas={wanted}", f"--current-replicas={state.value}", f"--resource-version={state.version}"]
    return slashed_command(edit_request.target, "scale", options=options)


def _consent(before: Value, wanted: int | None) -> str:
    if wanted == 0 and before:
        return f"All {before} replicas are to be stopped."
    if wanted is not None and wanted >= MANY_REPLICAS and wanted > 10 * int(before or 0):
        return f"{wanted:,} replicas are more than ten times as many as now."
    return ""


async def _controlled(edit_request: EditRequest) -> tuple[Notice, ...]:
    """Warning about its controller, such as a ReplicaSet's Deployment; the scale itself does not name it."""
    try:
        async with asyncio.timeout(LOOKUP_TIMEOUT):
            metadata = (await edit_request.object_client.read())["metadata"]
    except (InformerdError, TimeoutError):
        return ()
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    if owner is None:
        return ()
    who = f"{owner['kind']} {owner['name']}"
    return (Notice(f"It belongs to the {who}, which overwrites the number: scale that instead.", "warn"),)


async def _autoscaled(edit_request: EditRequest) -> tuple[Notice, ...]:
    """Warning about an autoscaler that overwrites the number."""
    autoscalers = await autoscalers_of(edit_request.client, edit_request.target)
    return (
        (Notice(AUTOSCALER_UNKNOWN),)
        if autoscalers is None
        else tuple(Notice(each.words, "warn") for each in autoscalers)
    )
