"""Field paths, such as ``status.phase``, ``status.containerStatuses[*].ready``,
``metadata.labels["app.kubernetes.io/name"]``.

A path is looked up once in a projection's types and becomes a function, so that nothing is parsed for each object.
Names are those of the JSON. ``[*]`` means every entry of a list, ``[0]`` one of them; a mapping's key follows a dot or,
where it has dots itself, is in quotation marks in brackets. A path ends at a value, not at an object or list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import inspect

from informerd.errors import UnknownField
from informerd.objects import Object
from informerd.selectors.projection_fields import child_of, is_container, union_members, value_paths

T = TypeVar("T", bound=Object)

EVERY = -1
"""The step ``[*]``."""

Step = str | int
Get = Callable[[Any], Iterable[Any]]
"""Function from a value to the values one step below it; null is a value, too."""

_STEP = re.compile(r"""\.?([^\s.,=!\[\]"']+)|\[(\d+|\*)\]|\["([^"]*)"\]|\['([^']*)'\]""")


def steps_of(path: str) -> tuple[Step, ...] | None:
    """The steps of a path: names, positions and EVERY; None where it is no path."""
    steps: list[Step] = []
    place = 0
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None:
            return None
        name, position = match[1] or match[3] or match[4] or "", match[2]
        steps.append(name if position is None else EVERY if position == "*" else int(position))
        place = match.end()
    return tuple(steps) or None


class FieldPath(Generic[T]):
    """A path into a projection. Raises UnknownField where the projection does not have it."""

    def __init__(self, projection: type[T], path: str) -> None:
        self.path = path.removeprefix(".")
        self._projection = projection
        self._steps = steps_of(path) or ()
        self._gets: list[Get] = []
        self._attributes: list[str] | None = []
        """The path as attributes, as long as nothing on the way may be missing."""
        end = self._follow()
        self._plain = attrgetter(".".join(self._attributes)) if self._attributes else None
        self.text_getter: Callable[[Any], str] | None = self._plain if isinstance(end, inspect.StrType) else None
        """Gives the text itself, where the path leads to one in every object."""

    def texts(self, obj: T) -> Sequence[str]:
        """The values at the path as texts, at least one: nothing there is the empty text, as for the API server.

        Of the entries of a list, those without the field are left out.
        """
        if self._plain is not None:
            return (text_of(self._plain(obj)),)
        values: list[Any] = [obj]
        for get in self._gets:
            values = [each for value in values for each in get(value) if not _is_nothing(each)]
        return [text_of(value) for value in values] or ("",)

    def _follow(self) -> inspect.Type:
        """Go down the projection's types, noting how to go down its objects; the type at the end."""
        if not self._steps:
            raise self._unknown("it is malformed")
        here: inspect.Type = inspect.type_info(self._projection)
        for place, step in enumerate(self._steps):
            here = self._step(here, step, place)
        kinds = union_members(here)
        if any(map(is_container, kinds)) and not any(isinstance(kind, inspect.AnyType) for kind in kinds):
            raise self._unknown("it leads to something with several values")
        return here

    def _step(self, here: inspect.Type, step: Step, place: int) -> inspect.Type:
        kinds = union_members(here)
        if len(kinds) > 1 or isinstance(kinds[0], (inspect.AnyType, inspect.RawType, inspect.CustomType)):
            self._gets.append(_any_step(step))
            self._attributes = None
            return inspect.AnyType()
        (kind,) = kinds
        child = child_of(kind, step)
        if child is None:
            raise self._unknown(f"there is no {_written(self._steps[: place + 1])}")
        attribute, there = child
        if attribute and kind is here and self._attributes is not None:
            self._attributes.append(attribute)
        else:
            self._attributes = None
        self._gets.append(_attribute_step(attribute) if attribute else _any_step(step))
        return there

    def _unknown(self, problem: str) -> UnknownField:
        return UnknownField(self.path, self._projection.__name__, problem, value_paths(self._projection))


def _written(steps: Iterable[Step]) -> str:
    return "".join(f".{step}" if isinstance(step, str) else "[*]" if step < 0 else f"[{step}]" for step in steps)[1:]


def text_of(value: Any) -> str:
    """A value as its JSON, without quotation marks around a text; None is the empty text."""
    if type(value) is str:
        return value
    if _is_nothing(value):
        return ""
    text = msgspec.json.encode(value).decode()
    return str(msgspec.json.decode(text)) if text.startswith('"') else text


def _is_nothing(value: Any) -> bool:
    return value is None or value is msgspec.UNSET


def _attribute_step(name: str) -> Get:
    return lambda value: (getattr(value, name),)


def _any_step(step: Step) -> Get:
    """One step into whatever is there."""
    if isinstance(step, str):
        return lambda value: _named(value, step)
    if step == EVERY:
        return lambda value: value if _is_list(value) else ()
    return lambda value: value[step : step + 1] if isinstance(value, Sequence) and _is_list(value) else ()


def _named(value: Any, name: str) -> Iterable[Any]:
    if isinstance(value, msgspec.Raw):
        value = msgspec.json.decode(value)
    if isinstance(value, Mapping):
        return (value[name],) if name in value else ()
    if isinstance(value, msgspec.Struct):
        names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        return tuple(getattr(value, field) for encoded, field in names if encoded == name)
    return ()


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset))
