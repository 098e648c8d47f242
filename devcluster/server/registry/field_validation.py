"""Field validation of request bodies: the right kind, a valid type for each field, and no unknown fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from devcluster.server.api_errors import (
    Failure,
    bad_request,
    invalid_as,
    invalid_value,
    strict_failure,
    undecodable_object,
)
from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.codec.builtin_decoder import WrongType
from devcluster.server.kinds import Kind
from devcluster.server.request_options import WriteOptions
from devcluster.server.schema.pruning_and_defaulting import prune
from devcluster.server.storage.object_codec import Object


@dataclass(frozen=True)
class PatchContext:
    """Origin of a patched object: `base` is the stored one, `text` is the patch's name in a refusal."""

    base: Object
    text: Callable[[], str]
    strategic: bool = False

    def refuse(self, why: str) -> Failure:
        """The 422 for a patch whose outcome does not decode."""
        return invalid_as("", "", [invalid_value("patch", self.text(), why)], {})


class FieldValidation:
    """Checks the form of bodies. Values are checked by the kinds' validation and by schemas."""

    def __init__(self, definitions: BuiltinTypes) -> None:
        self._definitions = definitions

    def admit(
        self, kind: Kind, obj: Object, options: WriteOptions, patch_context: PatchContext | None = None
    ) -> list[str]:
        """Check the form of a body in place and drop unknown fields; returns warnings. Raises Failure (400, 422)."""
        if patch_context is not None and patch_context.strategic:
            obj |= {"apiVersion": kind.api_version, "kind": kind.kind}
        _check_type(kind, obj, patch_context)
        if obj.get("metadata") is None:
            obj["metadata"] = {}
        try:
            unknown = self._unknown(kind, obj, patch_context)
        except WrongType as error:
            if patch_context is None:
                raise undecodable_object(kind, str(error)) from error
            raise patch_context.refuse(_restoring(error) if patch_context.strategic else str(error)) from error
        problems = [f'unknown field "{path}"' for path in sorted(unknown)]
        if problems and options.field_validation == "Strict":
            if patch_context is not None:
                raise patch_context.refuse(f"strict decoding error: {', '.join(problems)}")
            raise strict_failure(kind, problems)
        return problems if options.field_validation == "Warn" else []

    def _unknown(self, kind: Kind, obj: Object, patched: PatchContext | None) -> list[str]:
        if kind.schema is None:
            return self._definitions.decode(obj, kind, patched.base if patched else {})
        return self._definitions.decode_meta(obj) + prune(obj, kind.schema)


def _check_type(kind: Kind, obj: Object, patched: PatchContext | None) -> None:
    version, name = obj.get("apiVersion"), obj.get("kind")
    if patched is not None:
        _check_patched_type(kind, version, name, patched)
    if kind.custom:
        _check_custom_type(kind, obj, in_body=patched is None)
        return
    if version not in (None, "", kind.api_version):
        raise _other_version(kind, version)
    if name not in (None, "", kind.kind):
        why = f"converting (v1.{name}) to (core.{kind.kind}): unknown conversion"
        raise bad_request(f'{name} in version "{kind.version}" cannot be handled as a {kind.kind}: {why}')
    obj["apiVersion"], obj["kind"] = kind.api_version, kind.kind


def _check_custom_type(kind: Kind, obj: Object, *, in_body: bool) -> None:
    version, name = obj.get("apiVersion"), obj.get("kind")
    if version != kind.api_version and in_body:
        raise _other_version(kind, version)
    for field, given, wanted in (("apiVersion", version, kind.api_version), ("kind", name, kind.kind)):
        if given != wanted:
            group = str(version).rpartition("/")[0]
            meta = obj.get("metadata")
            named = str(meta.get("name", "")) if isinstance(meta, dict) else ""
            details = {"name": named, "kind": name, **({"group": group} if group else {})}
            label = f"{name}.{group}" if group else str(name)
            raise invalid_as(label, named, [invalid_value(field, given, f"must be {wanted}")], details)


def _other_version(kind: Kind, version: object) -> Failure:
    return bad_request(
        f"the API version in the data ({version}) does not match the expected API version ({kind.api_version})"
    )


def _check_patched_type(kind: Kind, version: object, name: object, patched: PatchContext) -> None:
    """A patch can make the type unreadable. Raises Failure (422)."""
    for field, given in (("apiVersion", version), ("kind", name)):
        if not isinstance(given, str | None):
            why = f"json: cannot unmarshal number into Go struct field .{field} of type string"
            raise patched.refuse(f"couldn't get version/kind; json parse error: {why}")
    if kind.custom:
        return
    if version not in (None, "", kind.api_version) or name not in (None, "", kind.kind):
        shown = f'no kind "{name}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:111"'
        raise patched.refuse(shown)


_KINDS = {dict: "map", list: "slice", str: "string", bool: "bool", int: "int64", float: "float64"}


def _restoring(error: WrongType) -> str:
    """The message of Go's converter of unstructured objects for the same problem.

    Source: apimachinery's runtime/converter.go.
    """
    word, wanted = _KINDS.get(type(error.value), "nil"), error.expected
    if not wanted:
        return str(error)
    if wanted.startswith("v1."):
        return f"cannot restore struct from: {word}"
    if wanted.startswith(("[]", "map[")):
        return f"cannot restore {'slice' if wanted.startswith('[]') else 'map'} from {word}"
    if word in ("int64", "float64") and wanted != "bool":
        return f"cannot convert {word} to {wanted}"
    return f"unrecognized type: {wanted}"
