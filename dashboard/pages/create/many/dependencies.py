"""Dependencies between the objects of a text: kinds and namespaces that earlier objects create."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dashboard.objects.fields.field_access import Value, get
from dashboard.objects.schemas.from_crd import schema_of_version
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.many.manifests import Manifest

CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_NAMESPACE = ("v1", "Namespace")


@dataclass(frozen=True)
class DefinedKind:
    """A kind in one version, as a definition in the text has it."""

    api_version: str
    kind: str
    namespaced: bool
    version: Mapping[str, Any]

    @cached_property
    def schema(self) -> Schema:
        """Its schema; UNKNOWN where the definition has no readable one."""
        return schema_of_version(self.version)


class Dependencies:
    """Kinds and namespaces that objects of a text create. Only earlier objects count."""

    def __init__(self, parts: tuple[Manifest, ...]) -> None:
        self._kinds: dict[tuple[str, str], tuple[Manifest, DefinedKind]] = {}
        self._namespaces: dict[str, Manifest] = {}
        for part in parts:
            for each in kinds_defined_by(part.value):
                self._kinds.setdefault((each.api_version, each.kind), (part, each))
            if (name := namespace_of(part.value)) is not None:
                self._namespaces.setdefault(name, part)

    def definition_of(self, part: Manifest) -> tuple[Manifest, DefinedKind] | None:
        """The part that defines the kind of `part`, and the definition."""
        manifest = self._kinds.get((str(part.value["apiVersion"]), str(part.value["kind"])))
        return manifest if manifest is not None and manifest[0].number < part.number else None

    def namespace_creator(self, name: str, part: Manifest) -> Manifest | None:
        """The part before `part` that creates the namespace `name`."""
        manifest = self._namespaces.get(name)
        return manifest if manifest is not None and manifest.number < part.number else None


def kinds_defined_by(value: Mapping[str, Value]) -> Iterator[DefinedKind]:
    """The kinds that an object defines; none where it is no definition, or an unreadable one."""
    spec = value.get("spec")
    if not is_crd(value) or not isinstance(spec, dict):
        return
    group, kind, versions = spec.get("group"), get(spec, ("names", "kind")), spec.get("versions")
    if not isinstance(group, str) or not isinstance(kind, str) or not isinstance(versions, list):
        return
    for each in versions:
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield DefinedKind(f"{group}/{each['name']}", kind, spec.get("scope") != "Cluster", each)


def is_crd(value: Mapping[str, Value]) -> bool:
    return (value.get("apiVersion"), value.get("kind")) == CRD


def namespace_of(value: Mapping[str, Value]) -> str | None:
    """The name of the namespace that the object creates; None where it creates none."""
    name = get(value, ("metadata", "name"))
    return name if (value.get("apiVersion"), value.get("kind")) == _NAMESPACE and isinstance(name, str) else None
