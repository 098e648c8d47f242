"""Restart a rollout: all pods are replaced, a few at a time, as the rollout's strategy has it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import ClassVar

from dashboard.edits.fields import ABSENT, Value, get
from dashboard.edits.place import Place
from dashboard.quick.action import Asked, Fact, Form, State
from dashboard.quick.commands import in_words, kubectl, slashed

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
ANNOTATION = "kubectl.kubernetes.io/restartedAt"


class Restart:
    id: ClassVar[str] = "restart"
    title: ClassVar[str] = "Restart the rollout"
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = ""
    undoes: ClassVar[bool] = False

    async def read(self, place: Place, form: Form) -> State:  # noqa: ARG002
        return State(await place.exchange.read(), ("spec", "template", "metadata", "annotations", ANNOTATION))

    async def ask(self, place: Place, state: State, form: Form) -> Asked:  # noqa: ARG002
        command = kubectl(place.target, "rollout", "restart", slashed(place.target))
        refused = ""
        if get(state.live, ("spec", "paused")) is True:
            refused = "Its rollout is paused, so nothing would be restarted: resume it first."
        if get(state.live, ("spec", "updateStrategy", "type")) == "OnDelete":
            refused = "Its update strategy is OnDelete: pods are replaced only as somebody deletes them."
        undo = in_words(place.live.kubeconfig, kubectl(place.target, "rollout", "undo", slashed(place.target)))
        back = Fact(
            f"There is no way back but forward: {undo} takes the template from before, with new pods once more."
        )
        return Asked("Restart", command, (*_facts(state), back), refused=refused)

    async def wanted(self, place: Place, state: State, form: Form) -> Value:  # noqa: ARG002
        """Now; when it is sent again the time of the first, so that it is known for the same restart."""
        if _TIME.fullmatch(form.get("wanted", "")):
            return form["wanted"]
        return datetime.fromtimestamp(place.live.clock.time(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def done(self, before: Value, after: Value) -> str:  # noqa: ARG002
        return "The rollout is restarted: its pods are being replaced"


def _facts(state: State) -> tuple[Fact, ...]:
    spec = state.live.get("spec") or {}
    facts = [Fact("Every pod of it is replaced by a new one, with the same image and settings.")]
    if get(spec, ("strategy", "type")) == "Recreate":
        facts.append(Fact("Its strategy is Recreate: all pods stop before the first new one starts.", "warn"))
    if spec.get("replicas") == 1 and get(spec, ("strategy", "rollingUpdate", "maxSurge")) in (0, "0", "0%", ABSENT):
        facts.append(Fact("It has one replica and starts no other before that stops: it is away meanwhile.", "warn"))
    if state.value:
        facts.append(Fact(f"It was last restarted so at {state.value}."))
    return tuple(facts)
