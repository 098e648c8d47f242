"""Comparison of resource versions as decimal numbers, as in apimachinery's util/resourceversion since 1.35."""

from __future__ import annotations

from informerd.errors import MalformedResourceVersion


def parse_resource_version(text: str) -> int:
    """The number that a resource version is.

    Raises MalformedResourceVersion (a ValueError too) for anything else, "0" and leading zeros included.
    """
    if not (text.isascii() and text.isdigit()) or text[0] == "0":
        raise MalformedResourceVersion(text)
    return int(text)


def is_before(version: str, other: str) -> bool:
    """Whether `version` is known to be older than `other`."""
    try:
        return parse_resource_version(version) < parse_resource_version(other)
    except ValueError:
        return False


def has_reached(seen: str, wanted: str) -> bool:
    """Whether a store at version `seen` includes all changes up to `wanted`. Unreadable versions: only if equal."""
    if seen == wanted:
        return True
    try:
        return parse_resource_version(seen) >= parse_resource_version(wanted)
    except ValueError:
        return False


def is_precondition(resource_version: object) -> bool:
    """Whether an update with this version changes that version only; the API server takes "" and "0" for any."""
    return resource_version not in {None, "", "0"}
