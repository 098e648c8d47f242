"""OpenAPI definitions and columns of the built-in kinds, recorded from a real API server, and the decoding by them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devcluster.server.codec.builtin_decoder import Decoder, raise_wrong_type, shared_ids
from devcluster.server.kinds import DEFINITIONS_FILE, Kind
from devcluster.server.schema.pruning_and_defaulting import Schema

OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@dataclass(frozen=True)
class BuiltinTypes:
    """Recorded definitions by name, and per kind the root definition and the columns."""

    kinds: dict[str, dict[str, Any]]
    definitions: dict[str, Schema]

    @classmethod
    def load(cls, file: Path = DEFINITIONS_FILE) -> BuiltinTypes:
        """Read the recorded file."""
        recorded = json.loads(file.read_text())
        return cls(recorded["kinds"], recorded["definitions"])

    def schema(self, kind: Kind) -> Schema:
        """The root schema of a built-in kind."""
        return self.definitions[self.kinds[kind.key]["root"]]

    def root_definition(self, kind: Kind) -> str:
        """The name of a built-in kind's definition; empty for others."""
        return str(self.kinds[kind.key]["root"]) if kind.key in self.kinds else ""

    def columns(self, kind: Kind) -> list[tuple[str, str, str, int]]:
        """(name, type, format, priority) of the columns that kubectl prints."""
        return [tuple(column) for column in self.kinds[kind.key]["columns"]]

    def resolve(self, schema: Schema) -> Schema:
        """The schema itself, or what it refers to."""
        return self.definitions[schema["$ref"]] if "$ref" in schema else schema

    def decode(self, obj: dict[str, Any], kind: Kind, base: dict[str, Any]) -> list[str]:
        """Check `obj` in place: drop nulls and unknown fields, whose paths are returned. Raises WrongType.

        Parts that it shares with `base`, an object that was checked before, are not checked again.
        """
        decoder = Decoder(self.definitions, frozenset(shared_ids(obj, base)))
        decoder.check(obj, self.schema(kind), kind.kind, "", "")
        return decoder.unknown_fields

    def decode_meta(self, obj: dict[str, Any]) -> list[str]:
        """The same for the metadata alone: all that is typed in a custom resource."""
        decoder = Decoder(self.definitions)
        if not isinstance(obj["metadata"], dict):
            raise_wrong_type(obj["metadata"], "Go value of type v1.ObjectMeta", "v1.ObjectMeta")
        decoder.check(obj["metadata"], {"$ref": OBJECT_META}, "ObjectMeta", "", "metadata")
        return decoder.unknown_fields
