"""Actions that turn one yes-or-no field of spec round."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from dashboard.edits.fields import Path, Value
from dashboard.edits.place import Place
from dashboard.quick.action import Action, Asked, Fact, Form, State, WrongInput
from dashboard.quick.commands import kubectl, patch_command, slashed


@dataclass(frozen=True, slots=True)
class Way:
    """One of the two: what the button says, what it means, what was done, and kubectl's words for it."""

    button: str
    fact: str
    done: str
    command: tuple[str, ...] = ()
    """Before the object's name; empty: ``kubectl patch``."""
    slash: bool = False
    """Whether the command wants ``kind/name``."""
    tone_is_warning: bool = False


class Toggle:
    """Pause or resume, cordon or uncordon, suspend or resume: `yes` sets the field, `no` takes it back."""

    id: ClassVar[str]
    title: ClassVar[str]
    path: ClassVar[Path]
    yes: ClassVar[Way]
    no: ClassVar[Way]
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = ""
    undoes: ClassVar[bool] = True

    async def read(self, place: Place, form: Form) -> State:  # noqa: ARG002
        return State(await place.exchange.read(), self.path, unset=False)

    async def ask(self, place: Place, state: State, form: Form) -> Asked:  # noqa: ARG002
        value = not state.value
        way = self.yes if value else self.no
        name = slashed(place.target) if way.slash else place.target.name
        command = kubectl(place.target, *way.command, name) if way.command else ""
        return Asked(
            way.button,
            command or patch_command(place.target, self.path, value),
            self.facts(way, state),
            hidden={"wanted": json.dumps(value)},
        )

    def facts(self, way: Way, state: State) -> tuple[Fact, ...]:
        """What it does, and whatever else there is to know."""
        return (Fact(way.fact, "warn" if way.tone_is_warning else "idle"), *self.more(state))

    def more(self, state: State) -> tuple[Fact, ...]:  # noqa: ARG002
        """What else there is to know."""
        return ()

    async def wanted(self, place: Place, state: State, form: Form) -> Value:  # noqa: ARG002
        wanted = {"true": True, "false": False}.get(form.get("wanted", ""))
        if wanted is None:
            raise WrongInput(f"“{form.get('wanted', '')[:40]}” is neither true nor false.")
        return wanted

    def done(self, before: Value, after: Value) -> str:  # noqa: ARG002
        return (self.yes if after else self.no).done


def title_of(action: Action, value: Value) -> str:
    """What an action is called where its field is `value`: of the two that a toggle is the one that applies."""
    return (action.no if value else action.yes).button if isinstance(action, Toggle) else action.title
