"""Quick action interface: a change of one field of one object, on top of the value that the user saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from dashboard.objects.fields.field_access import ABSENT, Path, Value, format_path, get
from dashboard.objects.kinds.row import Tone
from dashboard.pages.writes.request_context import EditRequest

FormData = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning before the action."""

    words: str
    tone: Tone = "idle"
    href: str = ""


@dataclass(frozen=True, slots=True)
class Input:
    """One input. `value` is its current text."""

    name: str
    label: str
    value: str
    kind: str = "text"
    """text, number or choice."""
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class FieldState:
    """An object as an action read it."""

    obj: dict[str, Value]
    """The object, or its scale."""
    path: Path
    """The field to change."""
    unset_value: Value = ABSENT
    """Meaning of a missing field, where that is a value like any other."""

    @property
    def uid(self) -> str:
        return str(self.obj["metadata"]["uid"])

    @property
    def version(self) -> str:
        return str(self.obj["metadata"]["resourceVersion"])

    @property
    def value(self) -> Value:
        """The field's current value, null where it is missing."""
        value = get(self.obj, self.path)
        value = self.unset_value if value is ABSENT or value is None else value
        return None if value is ABSENT else value

    @property
    def field(self) -> str:
        return format_path(self.path)


@dataclass(frozen=True, slots=True)
class ActionForm:
    """Content of an action's page."""

    button_label: str
    """Label of the button: ``Scale``."""
    command: str
    """The equivalent kubectl command for the current inputs."""
    facts: tuple[Notice, ...] = ()
    inputs: tuple[Input, ...] = ()
    confirmation: str = ""
    """Checkbox that must be confirmed first; empty where none is needed."""
    denial: str = ""
    """Why it cannot be done; empty where it can."""
    hidden_inputs: Mapping[str, str] = field(default_factory=dict)
    """Hidden inputs of the form."""


class WrongInput(ValueError):
    """The input is invalid; the message is a sentence."""


class Action(Protocol):
    """A quick action; each has a module of its own. Errors of the API server pass through; nothing here writes."""

    id: ClassVar[str]
    """Its part of the address."""
    title: ClassVar[str]
    verb: ClassVar[str]
    """The verb that the user needs permission for."""
    subresource: ClassVar[str]
    """The subresource that is written; empty: the object itself."""
    is_undoable: ClassVar[bool]
    """Whether the earlier value can be restored."""

    async def read(self, edit_request: EditRequest, form_data: FormData) -> FieldState:
        """The object's current state. Raises WrongInput where the form names no field of it."""

    async def build_form(self, edit_request: EditRequest, state: FieldState, form_data: FormData) -> ActionForm:
        """The form before the action; typed input stays."""

    async def desired_value(self, edit_request: EditRequest, state: FieldState, form_data: FormData) -> Value:
        """The new value. Raises WrongInput where the input is invalid."""

    def done_text(self, before: Value, after: Value) -> str:
        """Report of the action, as a sentence without its end."""
