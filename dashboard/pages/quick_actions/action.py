"""What a quick action is: one field of one object, changed on top of the value that a person saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from dashboard.edits.fields import ABSENT, Path, Value, get, show
from dashboard.edits.place import Place
from dashboard.live.messages import Tone

Form = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that a person should know before."""

    words: str
    tone: Tone = "idle"
    href: str = ""


@dataclass(frozen=True, slots=True)
class Input:
    """One input. `value` is what it shows."""

    name: str
    label: str
    value: str
    kind: str = "text"
    """text, number or choice."""
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """An object as an action found it."""

    live: dict[str, Value]
    """The object, or its scale."""
    path: Path
    """The field that is changed."""
    unset: Value = ABSENT
    """What it means that the field is not there, where that is a value like any other."""

    @property
    def uid(self) -> str:
        return str(self.live["metadata"]["uid"])

    @property
    def version(self) -> str:
        return str(self.live["metadata"]["resourceVersion"])

    @property
    def value(self) -> Value:
        """What the field is now, null where it is not there."""
        found = get(self.live, self.path)
        found = self.unset if found is ABSENT or found is None else found
        return None if found is ABSENT else found

    @property
    def field(self) -> str:
        return show(self.path)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page of an action shows."""

    button: str
    """What pressing does, in words: ``Scale``."""
    command: str
    """kubectl's, for what is in the inputs."""
    facts: tuple[Fact, ...] = ()
    inputs: tuple[Input, ...] = ()
    consent: str = ""
    """What has to be agreed to first; empty where a look at the page is enough."""
    refused: str = ""
    """Why it cannot be done; empty where it can."""
    hidden: Mapping[str, str] = field(default_factory=dict)
    """What else is sent with the button."""


class WrongInput(ValueError):
    """What was typed cannot be taken; the message is a sentence."""


class Action(Protocol):
    """One small file each. Errors of the API server pass through; nothing here writes."""

    id: ClassVar[str]
    """In the address."""
    title: ClassVar[str]
    verb: ClassVar[str]
    """That a person needs the right to."""
    subresource: ClassVar[str]
    """Which is written; empty: the object itself."""
    undoes: ClassVar[bool]
    """Whether the value before can be put back."""

    async def read(self, place: Place, form: Form) -> State:
        """The object as it is now. Raises WrongInput where the form names no field of it."""

    async def ask(self, place: Place, state: State, form: Form) -> Asked:
        """What to show before; what was typed stays."""

    async def wanted(self, place: Place, state: State, form: Form) -> Value:
        """What the field shall be. Raises WrongInput."""

    def done(self, before: Value, after: Value) -> str:
        """What was done, as a sentence without its end."""
