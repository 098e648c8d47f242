"""Scale: the number of replicas, by the scale subresource, so that custom resources that have one scale alike."""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

from dashboard.edits.autoscalers import UNKNOWN, autoscalers_of
from dashboard.edits.fields import Value
from dashboard.edits.place import Place
from dashboard.quick.action import Asked, Fact, Form, Input, State, WrongInput
from dashboard.quick.commands import kubectl, slashed
from informerd.errors import InformerdError

MOST = 2**31 - 1
"""spec.replicas is an int32."""
MANY = 100
"""Replicas from which on ten times as many have to be agreed to."""
_NUMBER = re.compile(r"\d{1,20}", re.ASCII)
PATIENCE = 3.0
"""Seconds to look for a controller."""


class Scale:
    id: ClassVar[str] = "scale"
    title: ClassVar[str] = "Scale"
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = "scale"
    undoes: ClassVar[bool] = True

    async def read(self, place: Place, form: Form) -> State:  # noqa: ARG002
        return State(await place.exchange.read_part("scale"), ("spec", "replicas"), unset=0)

    async def ask(self, place: Place, state: State, form: Form) -> Asked:
        typed = form.get("wanted", str(state.value))
        ready = (state.live.get("status") or {}).get("replicas", 0)
        found = await asyncio.gather(_controlled(place), _autoscaled(place))
        wanted = int(typed) if _NUMBER.fullmatch(typed.strip()) else None
        # The number and not what was typed: to kubectl 010 is eight.
        return Asked(
            button="Scale",
            command=_command(place, state, "N" if wanted is None else str(wanted)),
            facts=(Fact(f"It asks for {state.value} and has {ready}."), *found[0], *found[1]),
            inputs=(Input("wanted", "Replicas", typed, "number", help=f"A whole number from 0 to {MOST:,}."),),
            consent=_consent(state.value, wanted),
        )

    async def wanted(self, place: Place, state: State, form: Form) -> Value:  # noqa: ARG002
        typed = form.get("wanted", "").strip()
        if not typed:
            raise WrongInput("Nothing was typed: write how many there shall be, 0 or more.")
        if not _NUMBER.fullmatch(typed):
            raise WrongInput(f"“{typed[:40]}” is no number of replicas: write a whole number, 0 or more.")
        if int(typed) > MOST:
            raise WrongInput(f"{typed} replicas are more than the API can say: {MOST:,} is the most.")
        return int(typed)

    def done(self, before: Value, after: Value) -> str:
        return f"Scaled {before} → {after}"


def _command(place: Place, state: State, wanted: str) -> str:
    words = ["scale", slashed(place.target), f"--replicas={wanted}", f"--current-replicas={state.value}"]
    return kubectl(place.target, *words, f"--resource-version={state.version}")


def _consent(before: Value, wanted: int | None) -> str:
    if wanted == 0 and before:
        return f"All {before} replicas are to be stopped."
    if wanted is not None and wanted >= MANY and wanted > 10 * int(before or 0):
        return f"{wanted:,} replicas are more than ten times as many as now."
    return ""


async def _controlled(place: Place) -> tuple[Fact, ...]:
    """Whose it is, as a ReplicaSet is a Deployment's; the scale itself does not say that."""
    try:
        async with asyncio.timeout(PATIENCE):
            metadata = (await place.exchange.read())["metadata"]
    except (InformerdError, TimeoutError):
        return ()
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    if owner is None:
        return ()
    who = f"{owner['kind']} {owner['name']}"
    return (Fact(f"It belongs to the {who}, which sets the number again as it sees fit: scale that instead.", "warn"),)


async def _autoscaled(place: Place) -> tuple[Fact, ...]:
    """Who will set it again."""
    found = await autoscalers_of(place.client, place.target)
    return (Fact(UNKNOWN),) if found is None else tuple(Fact(each.words, "warn") for each in found)
