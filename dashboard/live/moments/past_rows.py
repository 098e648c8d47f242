"""Rows from the JSON of past objects: those that a worker would have made then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from dashboard.live.worker.object_with_row import unreadable_row
from dashboard.live.worker.poller import with_identity
from dashboard.objects.health import rules_of
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import Printer, build_row, needs_columns, printer_from_columns, projection_for
from informerd.decoding.decoder import Decoder
from informerd.errors import UNREADABLE, UnreadableObject
from informerd.objects import Object
from informerd.resource import Resource


class _Type(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""


_type = msgspec.json.Decoder(_Type).decode


class PastRows:
    """Makes the rows of one kind. An object keeps the version of the API in which it was recorded.

    Its methods may be called from any thread, by one at a time. They raise UnexpectedObject or ValueError for what is
    no object.
    """

    def __init__(self, resource: Resource, table: TableDefinition | None) -> None:
        self._resource = resource
        self._decoders: dict[tuple[str, str], Decoder[Any]] = {}
        self.printer: Printer | None = None
        """Columns of the kind; None: those known for its key."""
        if needs_columns(resource.key):
            columns = table or TableDefinition(resource.namespaced, (), resource.version)
            self.printer = printer_from_columns(columns, rules_of(resource.key))

    def build(self, objects: Iterable[bytes]) -> list[Row]:
        """The rows of these objects, of those that cannot be read with their names alone."""
        return [self.row(self.decode(each)) for each in objects]

    def decode(self, json: bytes) -> Object:
        """The object, of one that cannot be read its identity."""
        decoder = self._decoder_of(_type(json))
        try:
            return with_identity(decoder.decode(json))
        except (*UNREADABLE, UnreadableObject):
            return with_identity(decoder.identity(json))

    def row(self, obj: Object) -> Row:
        """The object's row; one that cannot be built is shown by its name."""
        if obj.blob is None:
            return unreadable_row(obj)
        try:
            return self.printer.row(obj) if self.printer is not None else build_row(self._resource.key, obj)
        except Exception:  # noqa: BLE001 -- whatever an object has, it is in the list
            return unreadable_row(obj)

    def _decoder_of(self, head: _Type) -> Decoder[Any]:
        known = self._decoders.get((head.api_version, head.kind))
        if known is None:
            version = head.api_version.rpartition("/")[2] or self._resource.version
            resource = msgspec.structs.replace(self._resource, version=version, kind=head.kind or self._resource.kind)
            known = self._decoders[head.api_version, head.kind] = Decoder(resource, projection_for(self._resource.key))
        return known
