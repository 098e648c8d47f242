"""Contents: what the server fills into an object of any kind, and what it finds wrong with it, metadata apart."""

from __future__ import annotations

import random

from devcluster.server import crds, defaults, parts, rules, schema, validation
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.objects import Object
from devcluster.server.status import FieldError, invalid


class Contents:
    """By recorded definitions and rules for built-in kinds, by their schema for custom resources."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def fill_new(self, kind: Kind, obj: Object) -> None:
        """Fill in a new object, in place: its status is the server's, but for a node's."""
        if kind.has_status:
            obj.pop("status", None) if kind.key != "nodes" else None
        self.fill_existing(kind, obj)
        defaults.fill_for_create(obj, kind)

    def fill_existing(self, kind: Kind, obj: Object) -> None:
        """Fill in defaults, in place."""
        if kind.schema is not None:
            schema.drop_nulls(obj, kind.schema)
            schema.fill_defaults(obj, kind.schema)
        elif kind is CUSTOM_RESOURCE_DEFINITIONS:
            crds.fill_defaults(obj)
        else:
            defaults.fill_defaults(obj, kind, self._rng)

    @staticmethod
    def check_body(kind: Kind, obj: Object) -> list[FieldError]:
        """What is wrong with an object, metadata apart."""
        if kind.schema is not None:
            return validation.validate(parts.without_meta(obj), kind.schema)
        if kind is CUSTOM_RESOURCE_DEFINITIONS:
            return crds.check(obj)
        return rules.check(obj, kind)

    @staticmethod
    def check_status(kind: Kind, obj: Object, old: Object) -> list[FieldError]:
        """What is wrong with its status alone."""
        if kind.schema is None:
            return rules.check_status(obj, old, kind)
        below = kind.schema.get("properties", {}).get("status", {})
        return validation.validate(obj["status"], below, prefix="status") if "status" in obj else []

    @staticmethod
    def refuse(kind: Kind, name: str, errors: list[FieldError]) -> None:
        """Raises Failure (422) where there are errors."""
        if errors:
            raise invalid(kind, name, errors)
