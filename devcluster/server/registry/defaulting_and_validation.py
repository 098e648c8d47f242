"""Defaults and validation of an object of any kind, except for its metadata."""

from __future__ import annotations

import random

from devcluster.server.api_errors import FieldError, invalid
from devcluster.server.defaulting.builtin_kinds import fill_defaults
from devcluster.server.defaulting.crds import fill_crd_defaults
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.registry.prepare_for_create import fill_status_for_create
from devcluster.server.schema.pruning_and_defaulting import drop_nulls
from devcluster.server.schema.pruning_and_defaulting import fill_defaults as fill_schema_defaults
from devcluster.server.storage.object_codec import Object
from devcluster.server.validation import crds, custom_resources
from devcluster.server.validation.builtin_kinds import check_object, check_object_status


class Strategy:
    """Defaults and validation: recorded definitions and rules for built-in kinds, the schema for custom resources."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def fill_new(self, kind: Kind, obj: Object) -> None:
        """Fill in a new object, in place: its status is the server's, except for a node's."""
        if kind.has_status:
            obj.pop("status", None) if kind.key != "nodes" else None
        self.fill_existing(kind, obj)
        fill_status_for_create(obj, kind)

    def fill_existing(self, kind: Kind, obj: Object) -> None:
        """Fill in defaults, in place."""
        if kind.schema is not None:
            drop_nulls(obj, kind.schema)
            fill_schema_defaults(obj, kind.schema)
        elif kind is CUSTOM_RESOURCE_DEFINITIONS:
            fill_crd_defaults(obj)
        else:
            fill_defaults(obj, kind, self._rng)

    @staticmethod
    def check_body(kind: Kind, obj: Object) -> list[FieldError]:
        """The errors in an object, except for its metadata."""
        if kind.schema is not None:
            return custom_resources.validate_custom_resource(_without_metadata(obj), kind.schema)
        if kind is CUSTOM_RESOURCE_DEFINITIONS:
            return crds.check_crd(obj)
        return check_object(obj, kind)

    @staticmethod
    def check_status(kind: Kind, obj: Object, old: Object) -> list[FieldError]:
        """The errors in its status alone."""
        if kind.schema is None:
            return check_object_status(obj, old, kind)
        below = kind.schema.get("properties", {}).get("status", {})
        return (
            custom_resources.validate_custom_resource(obj["status"], below, prefix="status") if "status" in obj else []
        )

    @staticmethod
    def raise_if_invalid(kind: Kind, name: str, errors: list[FieldError]) -> None:
        """Raises Failure (422) where there are errors."""
        if errors:
            raise invalid(kind, name, errors)


def _without_metadata(obj: Object) -> Object:
    """The object with empty metadata."""
    return {key: value for key, value in obj.items() if key != "metadata"} | {"metadata": {}}
