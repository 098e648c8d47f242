"""Recorder of a real API server's built-in kinds, as data for the demo cluster.

``python -m devcluster.tools.record_kinds --server URL --token TOKEN`` reads a throw-away control plane (TLS is not
verified) and writes devcluster/server/data/definitions.json: for each kind the definitions that it reaches (names,
types, required fields, patch merge keys) and the columns that ``kubectl get`` prints. Descriptions are left out.
"""

from __future__ import annotations

import argparse
import json
import ssl
import sys
import urllib.request
from pathlib import Path
from typing import Any

from devcluster.server.kinds import BUILT_IN, DEFINITIONS_FILE, EVICTIONS

_SCHEMA_FIELDS = (
    "type", "format", "required", "enum", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
)  # fmt: skip
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def strip_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without prose, defaults and examples; references are cut to the definition's name."""
    references = schema.get("allOf", [])
    if len(references) == 1 and "$ref" in references[0]:
        return {"$ref": references[0]["$ref"].rsplit("/", 1)[-1]}
    if "$ref" in schema:
        return {"$ref": schema["$ref"].rsplit("/", 1)[-1]}
    stripped: dict[str, Any] = {key: schema[key] for key in _SCHEMA_FIELDS if key in schema}
    if "properties" in schema:
        stripped["properties"] = {name: strip_schema(value) for name, value in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            stripped[key] = strip_schema(schema[key])
    return stripped


def reachable_definitions(names: list[str], definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions that the named ones refer to, themselves included."""
    reachable: dict[str, Any] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in reachable:
            continue
        reachable[name] = strip_schema(definitions[name])
        waiting += _references(reachable[name])
    return dict(sorted(reachable.items()))


def _references(schema: dict[str, Any]) -> list[str]:
    names = [schema["$ref"]] if "$ref" in schema else []
    for value in schema.get("properties", {}).values():
        names += _references(value)
    for key in ("items", "additionalProperties"):
        if key in schema:
            names += _references(schema[key])
    return names


def definition_name(group: str, version: str, kind: str, definitions: dict[str, Any]) -> str:
    """The name of a kind's definition, by its group/version/kind mark."""
    wanted = {"group": group, "version": version, "kind": kind}
    for name, schema in definitions.items():
        if wanted in schema.get("x-kubernetes-group-version-kind", []):
            return name
    raise LookupError(f"the server has no definition of {kind}")


def record(server: str, token: str) -> dict[str, Any]:
    """Everything to be written, read from `server`."""
    context = ssl._create_unverified_context()  # noqa: S323, SLF001 - a control plane of our own, for one recording

    def get(path: str, accept: str = "application/json") -> Any:
        request = urllib.request.Request(server + path, headers={"Authorization": f"Bearer {token}", "Accept": accept})  # noqa: S310
        with urllib.request.urlopen(request, context=context) as answer:  # noqa: S310
            return json.load(answer)

    definitions: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    for kind in BUILT_IN:
        path = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
        definitions |= get("/openapi/v3" + path)["components"]["schemas"]
        table = get(f"{path}/{kind.plural}?limit=1", _TABLE)
        columns = [[c["name"], c["type"], c["format"], c["priority"]] for c in table["columnDefinitions"]]
        kinds[kind.key] = {
            "root": definition_name(kind.group, kind.version, kind.kind, definitions),
            "columns": columns,
        }
    root = definition_name(EVICTIONS.group, EVICTIONS.version, EVICTIONS.kind, definitions)
    kinds[EVICTIONS.key] = {"root": root, "columns": []}
    roots = [entry["root"] for entry in kinds.values()]
    return {
        "version": get("/version")["gitVersion"],
        "kinds": kinds,
        "definitions": reachable_definitions(roots, definitions),
    }


def main() -> None:
    """Record and write the file; prints its size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--output", type=Path, default=DEFINITIONS_FILE)
    options = parser.parse_args()
    text = json.dumps(record(options.server, options.token), separators=(",", ":"))
    options.output.write_text(text + "\n")
    sys.stdout.write(f"{options.output}: {len(text)} bytes\n")


if __name__ == "__main__":
    main()
