"""Verbs: get, create, update and patch. Deletion has its own module.

Guarantee: every verb runs to its end without giving up the event loop, so that each is atomic. A dry run passes all
the checks and stores nothing.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from devcluster.server import (
    crds,
    metadata,
    objects,
    parts,
    patches,
    preconditions,
    rules,
)
from devcluster.server.admission import Admission, Patched
from devcluster.server.contents import Contents
from devcluster.server.definitions import Definitions
from devcluster.server.json_patch import apply_json
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.managed_fields import ManagedFields
from devcluster.server.objects import Object
from devcluster.server.options import WriteOptions
from devcluster.server.scale import scale_body, scale_of, scaled
from devcluster.server.status import Failure, already_exists, not_found, plain_error
from devcluster.server.store import Key, Record, Store
from devcluster.server.strategic import StrategicMerge, go_text
from devcluster.server.workload_defaults import count_templates


@dataclass(frozen=True)
class Outcome:
    """A verb's answer: the HTTP status, the object's JSON, and warnings for the client."""

    code: int
    raw: bytes
    warnings: tuple[str, ...] = ()


class Verbs:
    """The verbs on one store. `now` gives Unix seconds."""

    def __init__(self, store: Store, definitions: Definitions, *, now: Callable[[], float], rng: random.Random) -> None:
        self._store = store
        self._definitions = definitions
        self._admission = Admission(definitions)
        self._managed = ManagedFields(definitions, now=now)
        self._strategic = StrategicMerge(definitions)
        self._now = now
        self._rng = rng
        self._contents = Contents(rng)

    def get(self, kind: Kind, namespace: str, name: str) -> Record:
        """Raises Failure (404)."""
        record = self._store.get(kind.key, (namespace, name))
        if record is None:
            raise not_found(kind, name)
        return record

    def admit(self, kind: Kind, obj: Object, options: WriteOptions) -> list[str]:
        """Check the form of what a subresource is sent, in place; warnings. Raises Failure (400)."""
        return self._admission.admit(kind, obj, options)

    def create(self, kind: Kind, namespace: str, obj: Object, options: WriteOptions) -> Outcome:
        """Raises Failure: 400, 403, 404, 409, 422, or 500 where resourceVersion is set."""
        warnings = self._admission.admit(kind, obj, options)
        with _warned(warnings):
            return self._create(kind, namespace, obj, options, warnings)

    def _create(self, kind: Kind, namespace: str, obj: Object, options: WriteOptions, warnings: list[str]) -> Outcome:
        preconditions.check_place(kind, namespace, obj)
        if obj["metadata"].get("resourceVersion") and not options.dry_run:
            raise plain_error("resourceVersion should not be set on objects to be created")
        preconditions.check_namespace(self._store, kind, namespace, obj)
        metadata.fill_for_create(obj, kind, namespace, self._now(), self._rng)
        self._contents.fill_new(kind, obj)
        name = obj["metadata"].get("name", "")
        self._contents.refuse(kind, name, metadata.check(obj, kind) + self._contents.check_body(kind, obj))
        there = self._store.get(kind.key, self.key(kind, namespace, name))
        if there is not None:
            raise already_exists(kind, name, is_going="deletionTimestamp" in objects.decode(there)["metadata"])
        if kind is CUSTOM_RESOURCE_DEFINITIONS:
            crds.fill_status(obj, self._now())
        self._managed.note(kind, obj, None, options.field_manager)
        warnings += metadata.warnings(obj["metadata"], kind)
        if options.dry_run:
            return Outcome(201, objects.record_of(obj, kind, 0).raw, tuple(warnings))
        record = objects.encode(obj, kind, self._store.next_revision)
        preconditions.check_size(record)
        self._store.put(kind.key, record)
        return Outcome(201, record.raw, tuple(warnings))

    def update(
        self, kind: Kind, namespace: str, name: str, obj: Object, options: WriteOptions, subresource: str = ""
    ) -> Outcome:
        """PUT. Raises Failure: 400, 404, 409, 422."""
        warnings = self._admission.admit(kind, obj, options)
        with _warned(warnings):
            preconditions.check_identity(kind, namespace, name, obj)
            key = self.key(kind, namespace, name)
            if kind.created_by_update and not subresource and self._store.get(kind.key, key) is None:
                return self._create_by_update(kind, namespace, obj, options, warnings)
            old_record = self.get(kind, *key)
            preconditions.check_uid(kind, obj, old_record, dry_run=options.dry_run)
            preconditions.check_version(kind, name, obj["metadata"].get("resourceVersion", ""), old_record)
            raw = self._replace(kind, old_record, obj, options, subresource)
        return Outcome(200, raw, tuple(warnings))

    def _create_by_update(
        self, kind: Kind, namespace: str, obj: Object, options: WriteOptions, warnings: list[str]
    ) -> Outcome:
        """What an update finds missing is made, whatever version it was based on, but not under another's uid."""
        nothing = Record(self.key(kind, namespace, obj["metadata"]["name"]), "", 0, b"", {}, {})
        preconditions.check_namespace(self._store, kind, namespace, obj)
        preconditions.check_uid(kind, obj, nothing, dry_run=options.dry_run)
        obj["metadata"].pop("resourceVersion", None)
        return self._create(kind, namespace, obj, options, warnings)

    def patch(
        self, kind: Kind, namespace: str, name: str, patch: Any, patch_type: str, options: WriteOptions,
        subresource: str = "",
    ) -> Outcome:  # fmt: skip
        """Raises Failure: 400, 404, 409, 422."""
        old_record = self.get(kind, *self.key(kind, namespace, name))
        stored = objects.decode(old_record)
        obj = self.patched(kind, stored, patch, patch_type)
        strategic = patch_type == patches.STRATEGIC_PATCH

        def text() -> str:
            return go_text(patch) if strategic else objects.compact(self.patched(kind, stored, patch, patch_type))

        warnings = self._admission.admit(kind, obj, options, Patched(stored, text, strategic))
        with _warned(warnings):
            preconditions.check_identity(kind, namespace, name, obj)
            preconditions.check_version(kind, name, obj["metadata"].get("resourceVersion", ""), old_record)
            raw = self._replace(kind, old_record, obj, options, subresource)
        return Outcome(200, raw, tuple(warnings))

    def update_scale(self, kind: Kind, namespace: str, name: str, scale: Object, options: WriteOptions) -> Outcome:
        """PUT of the scale subresource. Raises Failure: 400, 404, 409, 422."""
        record = self.get(kind, *self.key(kind, namespace, name))
        outcome = self.update(kind, namespace, name, scaled(record, scale), options, "scale")
        return Outcome(outcome.code, scale_body(outcome.raw), outcome.warnings)

    def patch_scale(
        self, kind: Kind, namespace: str, name: str, patch: Any, patch_type: str, options: WriteOptions
    ) -> Outcome:
        """Raises Failure: 400, 404, 409, 422. A Scale has no lists, so that a strategic patch is a merge patch."""
        scale = scale_of(objects.decode(self.get(kind, *self.key(kind, namespace, name))))
        if patch_type == patches.JSON_PATCH:
            return self.update_scale(kind, namespace, name, apply_json(scale, patch), options)
        return self.update_scale(kind, namespace, name, patches.apply_merge(scale, patch), options)

    def patched(self, kind: Kind, obj: Object, patch: Any, patch_type: str) -> Object:
        """The object with a patch of the given media type applied."""
        if patch_type == patches.JSON_PATCH:
            return apply_json(obj, patch)
        if patch_type == patches.STRATEGIC_PATCH:
            return self._strategic.apply(obj, patch, {"$ref": self._definitions.root(kind)})
        return patches.apply_merge(obj, patch)

    def fill_for_seed(self, kind: Kind, obj: Object, *, check: bool = True) -> None:
        """Fill in, in place, an object that is stored without the ways of a request. Raises Failure (400, 422)."""
        if check:
            self._admission.admit(kind, obj, WriteOptions(field_validation="Strict"))
        meta = obj["metadata"]
        meta.setdefault("uid", metadata.new_uid(self._rng))
        if kind.counts_generation:
            meta.setdefault("generation", 1)
        self._contents.fill_existing(kind, obj)
        if check:
            self._contents.refuse(kind, meta["name"], metadata.check(obj, kind) + self._contents.check_body(kind, obj))

    @staticmethod
    def key(kind: Kind, namespace: str, name: str) -> Key:
        return (namespace if kind.namespaced else "", name)

    def _replace(self, kind: Kind, old_record: Record, obj: Object, options: WriteOptions, subresource: str) -> bytes:
        old = objects.decode(old_record)
        if subresource == "status":
            obj = parts.of_status(kind, obj, old)
        elif kind.has_status:
            obj = {key: value for key, value in obj.items() if key != "status"}
            obj |= {"status": old["status"]} if "status" in old else {}
        name = old_record.key[1]
        self._contents.fill_existing(kind, obj)
        # The real server says these two and three times over where the object is a custom resource.
        errors = metadata.check_update(obj, old) * (2 if kind.custom else 1)
        metadata.keep_for_update(obj, old)
        errors += metadata.check_common(obj["metadata"], old["metadata"]) * (3 if kind.custom else 1)
        errors += metadata.check_finalizers(obj["metadata"], kind)
        if subresource == "status":
            errors += self._contents.check_status(kind, obj, old)
        else:
            errors += self._contents.check_body(kind, obj) + rules.check_update(obj, old, kind)
        self._contents.refuse(kind, name, errors)
        if kind.counts_generation and subresource != "status" and parts.spec_changed(kind, obj, old):
            obj["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        if kind.key == "daemonsets.apps":
            count_templates(obj, old)
        if kind is CUSTOM_RESOURCE_DEFINITIONS:
            crds.fill_status(obj, self._now())
        self._managed.note(kind, obj, old, options.field_manager, subresource)
        return self._commit(kind, old_record, obj, options)

    def _commit(self, kind: Kind, old_record: Record, obj: Object, options: WriteOptions) -> bytes:
        unchanged = objects.record_of(obj, kind, old_record.revision)
        if options.dry_run or unchanged.raw == old_record.raw:
            return unchanged.raw
        preconditions.check_size(unchanged)
        record = objects.reversioned(unchanged, self._store.next_revision)
        if old_record.deleting and parts.may_go(kind, obj):
            self._store.remove(kind.key, record)
            return unchanged.raw
        self._store.put(kind.key, record)
        return record.raw


@contextlib.contextmanager
def _warned(warnings: list[str]) -> Iterator[None]:
    """A refusal carries the warnings too."""
    try:
        yield
    except Failure as failure:
        failure.warnings = tuple(warnings)
        raise
