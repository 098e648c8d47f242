"""What objects of a text make that others behind them need: kinds and namespaces; and kinds that nothing has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dashboard.creating.own_schemas import own_schema
from dashboard.creating.texts import Part
from dashboard.edits.fields import Value, get
from dashboard.edits.schema import Schema
from dashboard.resources.near import near_names
from informerd.errors import InformerdError, UnknownResource
from informerd.rest.discovery import Discovery

CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_NAMESPACE = ("v1", "Namespace")


@dataclass(frozen=True)
class Defined:
    """A kind in one version, as a definition in the text has it."""

    api_version: str
    kind: str
    namespaced: bool
    version: Mapping[str, Any]

    @cached_property
    def schema(self) -> Schema:
        """UNKNOWN where it gives none that can be read."""
        return own_schema(self.version)


class Makers:
    """Which objects of a text make what others of it need. Only what stands before an object counts for it."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self._kinds: dict[tuple[str, str], tuple[Part, Defined]] = {}
        self._namespaces: dict[str, Part] = {}
        for part in parts:
            for each in defined_by(part.value):
                self._kinds.setdefault((each.api_version, each.kind), (part, each))
            if (name := namespace_of(part.value)) is not None:
                self._namespaces.setdefault(name, part)

    def kind(self, part: Part) -> tuple[Part, Defined] | None:
        """What defines the kind of `part`, and how."""
        found = self._kinds.get((str(part.value["apiVersion"]), str(part.value["kind"])))
        return found if found is not None and found[0].number < part.number else None

    def namespace(self, name: str, part: Part) -> Part | None:
        """What makes the namespace `name` before `part`."""
        found = self._namespaces.get(name)
        return found if found is not None and found.number < part.number else None


def defined_by(value: Mapping[str, Value]) -> Iterator[Defined]:
    """The kinds that an object defines; none where it is no definition, or one that nobody can read."""
    spec = value.get("spec")
    if not is_definition(value) or not isinstance(spec, dict):
        return
    group, kind, versions = spec.get("group"), get(spec, ("names", "kind")), spec.get("versions")
    if not isinstance(group, str) or not isinstance(kind, str) or not isinstance(versions, list):
        return
    for each in versions:
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield Defined(f"{group}/{each['name']}", kind, spec.get("scope") != "Cluster", each)


def is_definition(value: Mapping[str, Value]) -> bool:
    return (value.get("apiVersion"), value.get("kind")) == CRD


def namespace_of(value: Mapping[str, Value]) -> str | None:
    """The name of the namespace that it makes; None where it makes none."""
    name = get(value, ("metadata", "name"))
    return name if (value.get("apiVersion"), value.get("kind")) == _NAMESPACE and isinstance(name, str) else None


async def unknown_kind(discovery: Discovery, api_version: str, kind: str, error: UnknownResource) -> str:
    """That there is no such kind, and which are alike, as sentences."""
    words = f"The API server has no {kind} in {api_version}. {await _alike(discovery, kind)}"
    return f"{words} {', '.join(error.stale)} could not be asked." if error.stale else words


async def _alike(discovery: Discovery, kind: str) -> str:
    try:
        resources = await discovery.resources()
    except InformerdError:
        resources = ()
    places: dict[str, list[str]] = defaultdict(list)
    for resource in resources:
        if "create" in resource.verbs:
            places[resource.kind].append(resource.api_version)
    found = [name for name in places if name.casefold() == kind.casefold()] or near_names(kind, places, most=2)
    if not found:
        return "Is its definition applied?"
    alike = " or ".join(f"{name} in {' and '.join(dict.fromkeys(places[name]))}" for name in found)
    return f"There is {alike}."
