"""Kinds that the API server does not have (yet): whether the text defines them, and which exist that may be meant."""

from __future__ import annotations

from collections import defaultdict

from dashboard.creating.texts import Part
from dashboard.edits.fields import get
from dashboard.resources.near import near_names
from informerd.errors import InformerdError, UnknownResource
from informerd.rest.discovery import Discovery

CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def defines(part: Part, parts: tuple[Part, ...]) -> Part | None:
    """The definition before `part` in the text that gives the API server its kind."""
    group, _, version = str(part.value["apiVersion"]).rpartition("/")
    for other in parts[: part.number - 1]:
        if (other.value.get("apiVersion"), other.value.get("kind")) != CRD:
            continue
        spec = other.value.get("spec")
        spec = spec if isinstance(spec, dict) else {}
        versions = spec.get("versions")
        versions = (
            [each.get("name") for each in versions if isinstance(each, dict)] if isinstance(versions, list) else []
        )
        if (spec.get("group"), get(spec, ("names", "kind"))) == (group, part.value["kind"]) and version in versions:
            return other
    return None


async def unknown_kind(discovery: Discovery, part: Part, error: UnknownResource) -> str:
    """That there is no such kind, and which are alike, as sentences."""
    kind = str(part.value["kind"])
    words = f"The API server has no {kind} in {part.value['apiVersion']}. {await _alike(discovery, kind)}"
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
