"""The verbs get, create, update and patch; deletion has its own module.

Guarantee: every verb runs to its end without yielding to the event loop, so each is atomic. A dry run passes all the
checks and stores nothing.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from devcluster.server.api_errors import Failure, already_exists, not_found, plain_error
from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.defaulting.workloads import set_template_generation
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.patch import merge
from devcluster.server.patch.json import apply_json_patch
from devcluster.server.patch.patch_types import JSON_PATCH, STRATEGIC_PATCH
from devcluster.server.patch.strategic import StrategicMerge, go_text
from devcluster.server.registry import metadata, write_checks
from devcluster.server.registry.crd_status import fill_crd_status
from devcluster.server.registry.defaulting_and_validation import Strategy
from devcluster.server.registry.field_validation import FieldValidation, PatchContext
from devcluster.server.registry.managed_fields import ManagedFields
from devcluster.server.registry.scale import apply_scale, scale_body, scale_of
from devcluster.server.registry.status_and_generation import has_new_generation, merge_status_update
from devcluster.server.request_options import WriteOptions
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Key, Record, Store
from devcluster.server.validation.builtin_kinds import check_object_update


@dataclass(frozen=True)
class VerbResult:
    """A verb's answer: the HTTP status, the object's JSON, and warnings for the client."""

    code: int
    raw: bytes
    warnings: tuple[str, ...] = ()


class Verbs:
    """The verbs on one store. `now` gives Unix seconds."""

    def __init__(
        self, store: Store, definitions: BuiltinTypes, *, now: Callable[[], float], rng: random.Random
    ) -> None:
        self._store = store
        self._definitions = definitions
        self._admission = FieldValidation(definitions)
        self._managed = ManagedFields(definitions, now=now)
        self._strategic = StrategicMerge(definitions)
        self._now = now
        self._rng = rng
        self._contents = Strategy(rng)

    def get(self, kind: Kind, namespace: str, name: str) -> Record:
        """Raises Failure (404)."""
        record = self._store.get(kind.key, (namespace, name))
        if record is None:
            raise not_found(kind, name)
        return record

    def admit(self, kind: Kind, obj: Object, options: WriteOptions) -> list[str]:
        """Check the form of a subresource's body, in place; returns warnings. Raises Failure (400)."""
        return self._admission.admit(kind, obj, options)

    def create(self, kind: Kind, namespace: str, obj: Object, options: WriteOptions) -> VerbResult:
        """Raises Failure: 400, 403, 404, 409, 422, or 500 where resourceVersion is set."""
        warnings = self._admission.admit(kind, obj, options)
        with _warned(warnings):
            return self._create(kind, namespace, obj, options, warnings)

    def _create(
        self, kind: Kind, namespace: str, obj: Object, options: WriteOptions, warnings: list[str]
    ) -> VerbResult:
        write_checks.check_request_namespace(kind, namespace, obj)
        if obj["metadata"].get("resourceVersion") and not options.dry_run:
            raise plain_error("resourceVersion should not be set on objects to be created")
        write_checks.check_namespace(self._store, kind, namespace, obj)
        metadata.fill_for_create(obj, kind, namespace, self._now(), self._rng)
        self._contents.fill_new(kind, obj)
        name = obj["metadata"].get("name", "")
        self._contents.raise_if_invalid(
            kind, name, metadata.check_metadata(obj, kind) + self._contents.check_body(kind, obj)
        )
        there = self._store.get(kind.key, self.key(kind, namespace, name))
        if there is not None:
            raise already_exists(kind, name, is_going="deletionTimestamp" in objects.decode(there)["metadata"])
        if kind is CUSTOM_RESOURCE_DEFINITIONS:
            fill_crd_status(obj, self._now())
        self._managed.record_write(kind, obj, None, options.field_manager)
        warnings += metadata.warnings(obj["metadata"], kind)
        if options.dry_run:
            return VerbResult(201, objects.make_record(obj, kind, 0).raw, tuple(warnings))
        record = objects.encode(obj, kind, self._store.next_revision)
        write_checks.check_size(record)
        self._store.put(kind.key, record)
        return VerbResult(201, record.raw, tuple(warnings))

    def update(
        self, kind: Kind, namespace: str, name: str, obj: Object, options: WriteOptions, subresource: str = ""
    ) -> VerbResult:
        """PUT. Raises Failure: 400, 404, 409, 422."""
        warnings = self._admission.admit(kind, obj, options)
        with _warned(warnings):
            write_checks.check_identity(kind, namespace, name, obj)
            key = self.key(kind, namespace, name)
            if kind.allows_create_on_update and not subresource and self._store.get(kind.key, key) is None:
                return self._create_by_update(kind, namespace, obj, options, warnings)
            old_record = self.get(kind, *key)
            write_checks.check_uid(kind, obj, old_record, dry_run=options.dry_run)
            write_checks.check_version(kind, name, obj["metadata"].get("resourceVersion", ""), old_record)
            raw = self._replace(kind, old_record, obj, options, subresource)
        return VerbResult(200, raw, tuple(warnings))

    def _create_by_update(
        self, kind: Kind, namespace: str, obj: Object, options: WriteOptions, warnings: list[str]
    ) -> VerbResult:
        """Create the missing object of an update, whatever version it was based on, unless it names a uid."""
        nothing = Record(self.key(kind, namespace, obj["metadata"]["name"]), "", 0, b"", {}, {})
        write_checks.check_namespace(self._store, kind, namespace, obj)
        write_checks.check_uid(kind, obj, nothing, dry_run=options.dry_run)
        obj["metadata"].pop("resourceVersion", None)
        return self._create(kind, namespace, obj, options, warnings)

    def patch(
        self, kind: Kind, namespace: str, name: str, patch: Any, patch_type: str, options: WriteOptions,
        subresource: str = "",
    ) -> VerbResult:  # fmt: skip
        """Raises Failure: 400, 404, 409, 422."""
        old_record = self.get(kind, *self.key(kind, namespace, name))
        stored = objects.decode(old_record)
        obj = self.apply_patch(kind, stored, patch, patch_type)
        strategic = patch_type == STRATEGIC_PATCH

        def text() -> str:
            return (
                go_text(patch) if strategic else objects.compact_json(self.apply_patch(kind, stored, patch, patch_type))
            )

        warnings = self._admission.admit(kind, obj, options, PatchContext(stored, text, strategic))
        with _warned(warnings):
            write_checks.check_identity(kind, namespace, name, obj)
            write_checks.check_version(kind, name, obj["metadata"].get("resourceVersion", ""), old_record)
            raw = self._replace(kind, old_record, obj, options, subresource)
        return VerbResult(200, raw, tuple(warnings))

    def update_scale(self, kind: Kind, namespace: str, name: str, scale: Object, options: WriteOptions) -> VerbResult:
        """PUT of the scale subresource. Raises Failure: 400, 404, 409, 422."""
        record = self.get(kind, *self.key(kind, namespace, name))
        outcome = self.update(kind, namespace, name, apply_scale(record, scale), options, "scale")
        return VerbResult(outcome.code, scale_body(outcome.raw), outcome.warnings)

    def patch_scale(
        self, kind: Kind, namespace: str, name: str, patch: Any, patch_type: str, options: WriteOptions
    ) -> VerbResult:
        """Raises Failure: 400, 404, 409, 422. A Scale has no lists, so that a strategic patch is a merge patch."""
        scale = scale_of(objects.decode(self.get(kind, *self.key(kind, namespace, name))))
        if patch_type == JSON_PATCH:
            return self.update_scale(kind, namespace, name, apply_json_patch(scale, patch), options)
        return self.update_scale(kind, namespace, name, merge.apply_merge_patch(scale, patch), options)

    def apply_patch(self, kind: Kind, obj: Object, patch: Any, patch_type: str) -> Object:
        """The object with a patch of the given media type applied."""
        if patch_type == JSON_PATCH:
            return apply_json_patch(obj, patch)
        if patch_type == STRATEGIC_PATCH:
            return self._strategic.apply(obj, patch, {"$ref": self._definitions.root_definition(kind)})
        return merge.apply_merge_patch(obj, patch)

    def fill_for_seed(self, kind: Kind, obj: Object, *, check: bool = True) -> None:
        """Fill in, in place, an object that is stored without a request. Raises Failure (400, 422)."""
        if check:
            self._admission.admit(kind, obj, WriteOptions(field_validation="Strict"))
        meta = obj["metadata"]
        meta.setdefault("uid", metadata.new_uid(self._rng))
        if kind.has_generation:
            meta.setdefault("generation", 1)
        self._contents.fill_existing(kind, obj)
        if check:
            self._contents.raise_if_invalid(
                kind, meta["name"], metadata.check_metadata(obj, kind) + self._contents.check_body(kind, obj)
            )

    @staticmethod
    def key(kind: Kind, namespace: str, name: str) -> Key:
        return (namespace if kind.namespaced else "", name)

    def _replace(self, kind: Kind, old_record: Record, obj: Object, options: WriteOptions, subresource: str) -> bytes:
        old = objects.decode(old_record)
        if subresource == "status":
            obj = merge_status_update(kind, obj, old)
        elif kind.has_status:
            obj = {key: value for key, value in obj.items() if key != "status"}
            obj |= {"status": old["status"]} if "status" in old else {}
        name = old_record.key[1]
        self._contents.fill_existing(kind, obj)
        # The real server says these two and three times over where the object is a custom resource.
        errors = metadata.check_metadata_update(obj, old) * (2 if kind.custom else 1)
        metadata.restore_system_fields(obj, old)
        errors += metadata.check_common_metadata(obj["metadata"], old["metadata"]) * (3 if kind.custom else 1)
        errors += metadata.check_finalizers(obj["metadata"], kind)
        if subresource == "status":
            errors += self._contents.check_status(kind, obj, old)
        else:
            errors += self._contents.check_body(kind, obj) + check_object_update(obj, old, kind)
        self._contents.raise_if_invalid(kind, name, errors)
        if kind.has_generation and subresource != "status" and has_new_generation(kind, obj, old):
            obj["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        if kind.key == "daemonsets.apps":
            set_template_generation(obj, old)
        if kind is CUSTOM_RESOURCE_DEFINITIONS:
            fill_crd_status(obj, self._now())
        self._managed.record_write(kind, obj, old, options.field_manager, subresource)
        return self._commit(kind, old_record, obj, options)

    def _commit(self, kind: Kind, old_record: Record, obj: Object, options: WriteOptions) -> bytes:
        unchanged = objects.make_record(obj, kind, old_record.revision)
        if options.dry_run or unchanged.raw == old_record.raw:
            return unchanged.raw
        write_checks.check_size(unchanged)
        record = objects.with_revision(unchanged, self._store.next_revision)
        if old_record.deleting and metadata.can_be_removed(kind, obj):
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
