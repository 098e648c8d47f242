"""Recorder of the built-in kinds' protobuf field numbers, names and types, as data for the demo cluster.

``python -m devcluster.tools.record_protobuf DIR`` reads the modules k8s.io/api and k8s.io/apimachinery of the recorded
version below DIR (``DIR/api/core/v1/types.go`` and ``generated.proto``, and so on) and writes
devcluster/server/data/protobuf.json. Descriptions are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.codec.protobuf import DELETE_OPTIONS, MESSAGES_FILE, SCALARS, SPECIAL_MESSAGES
from devcluster.server.kinds import BUILT_IN, EVICTIONS

_META = "apimachinery/pkg/apis/meta/v1"
_PACKAGES = (
    _META, "api/core/v1", "api/apps/v1", "api/batch/v1", "api/coordination/v1", "api/policy/v1",
    "api/scheduling/v1alpha3",
)  # fmt: skip
_FIELD = re.compile(
    r"^  (optional|repeated|map<string, (?P<value>\S+)>) ?(?P<type>\S+)? (?P<name>\w+) = (?P<number>\d+);"
)
_TAGGED = re.compile(r'^\t(?P<go>[^`]*?)\s*`json:"(?P<json>[^",]*)(?P<rest>[^"]*)".*protobuf:"\w+,(?P<number>\d+),')

Messages = dict[str, dict[str, str]]
"""By message and field number: the JSON name and, after a space, the type; see `devcluster.server.codec.protobuf`."""


def read_messages(folder: Path, package: str) -> Messages:
    """The messages of one package, named as OpenAPI names them."""
    prefix = "io.k8s." + package.replace("/", ".")
    go = dict(_structs((folder / package / "types.go").read_text()))
    messages: Messages = {}
    message = ""
    for line in (folder / package / "generated.proto").read_text().splitlines():
        if line.startswith("message "):
            message = line.split()[1]
            messages[f"{prefix}.{message}"] = {}
        elif (field := _FIELD.match(line)) is not None:
            text = _field(field, prefix, go.get(message, {}))
            messages[f"{prefix}.{message}"][field["number"]] = text
    return messages


def _field(field: re.Match[str], prefix: str, go: dict[str, tuple[str, bool, bool]]) -> str:
    name, inline, pointer = go.get(field["number"], (field["name"], False, False))
    wanted = _type(field["value"] or field["type"], prefix)
    if inline:
        return f" {wanted}"
    kind = "map " if field["value"] else "list " if field[1] == "repeated" else "pointer " if pointer else "value "
    return f"{name} {kind}{wanted}"


def _type(name: str, prefix: str) -> str:
    if name in SCALARS:
        return name
    if not name.startswith("."):
        return f"{prefix}.{name}"
    return re.sub(r"^\.k8s\.io\.", "io.k8s.", name)


def _structs(text: str) -> Iterator[tuple[str, dict[str, tuple[str, bool, bool]]]]:
    """Each Go struct's fields by number: JSON name, whether it is inlined, whether it is a pointer."""
    for block in re.finditer(r"^type (\w+) struct \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE):
        fields: dict[str, tuple[str, bool, bool]] = {}
        for line in block[2].splitlines():
            if (match := _TAGGED.match(line)) is not None:
                inline = match["json"] == ""
                fields[match["number"]] = match["json"], inline, "*" in match["go"]
        yield block[1], fields


def reachable_messages(roots: list[str], messages: Messages) -> Messages:
    """The messages that the named ones hold, themselves included. Raises KeyError for one that is not there."""
    reachable: Messages = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in reachable or name in SPECIAL_MESSAGES or name in SCALARS:
            continue
        reachable[name] = messages[name]
        waiting += [text.rsplit(" ", 1)[1] for text in messages[name].values()]
    return dict(sorted(reachable.items()))


def main() -> None:
    """Record and write the file; prints its size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    messages: Messages = {}
    for package in _PACKAGES:
        messages |= read_messages(options.folder, package)
    recorded = BuiltinTypes.load().kinds
    roots = [name for kind in (*BUILT_IN, EVICTIONS) if (name := recorded[kind.key]["root"]) in messages]
    text = json.dumps(reachable_messages([*roots, DELETE_OPTIONS], messages), separators=(",", ":"))
    MESSAGES_FILE.write_text(text + "\n")
    sys.stdout.write(f"{MESSAGES_FILE}: {len(text)} bytes\n")


if __name__ == "__main__":
    main()
