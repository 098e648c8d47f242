"""What a copy is called."""

from __future__ import annotations

import re

from dashboard.edits.fields import ABSENT, Value, get

LONGEST_NAME = 253
"""Characters (DNS subdomain)."""
LONGEST_LABEL = 63
"""Characters of the names of many kinds (DNS label): a copy of one that keeps to it keeps to it, too."""
DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
FIXED = frozenset({"apiservices.apiregistration.k8s.io", "ipaddresses.networking.k8s.io"})
"""Kinds whose name says what the object is, so that nobody can make another one up."""


def renamed(key: str, value: dict[str, Value]) -> dict[str, Value]:
    """The object under the name of a copy, which then is its first field of metadata."""
    if key == DEFINITIONS:
        value = _other_kind(value)
    name = str(value["metadata"].get("name", "example"))
    name = name if key in (*FIXED, DEFINITIONS) else copy_name(name)
    rest = {field: each for field, each in value["metadata"].items() if field != "name"}
    return {**value, "metadata": {"name": name, **rest}}


def copy_name(name: str) -> str:
    """``web-copy`` for ``web``, ``web-copy-2`` for that."""
    found = re.fullmatch(r"(?P<stem>.*-copy)(-(?P<number>\d{1,6}))?", name)
    if found is not None:
        return f"{found['stem']}-{int(found['number'] or 1) + 1}"
    longest = LONGEST_LABEL if len(name) <= LONGEST_LABEL else LONGEST_NAME
    return f"{name[: longest - 5].rstrip('-.')}-copy"


def _other_kind(definition: dict[str, Value]) -> dict[str, Value]:
    """A definition under other names in the same group: its own is made of them, and no two may have the same."""
    spec, names = definition["spec"], definition["spec"]["names"]
    others = {
        "plural": copy_name(names["plural"]),
        "kind": f"{names['kind']}Copy",
        "listKind": f"{names['kind']}CopyList",
    }
    if get(names, ("singular",)) is not ABSENT:
        others["singular"] = copy_name(names["singular"])
    names = {field: each for field, each in (names | others).items() if field != "shortNames"}
    metadata = {**definition["metadata"], "name": f"{others['plural']}.{spec['group']}"}
    return {**definition, "metadata": metadata, "spec": {**spec, "names": names}}
