"""Admission of bodies: is it the right kind, does it decode, which fields does nobody know."""

from __future__ import annotations

from devcluster.server import objects, schema
from devcluster.server.definitions import Definitions, strict_failure
from devcluster.server.kinds import Kind
from devcluster.server.objects import Object
from devcluster.server.options import WriteOptions
from devcluster.server.status import bad_request, invalid_as, invalid_value


class Admission:
    """Checks the form of bodies; what they mean is checked by rules and schemas."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def admit(
        self, kind: Kind, obj: Object, options: WriteOptions, *, patched_from: Object | None = None,
        base: Object | None = None,
    ) -> list[str]:  # fmt: skip
        """Check the form of a body in place and drop what nobody knows; warnings. Raises Failure (400, 422).

        `base` is the stored object that was patched.
        """
        _check_type(kind, obj)
        if obj.get("metadata") is None:
            obj["metadata"] = {}
        if kind.schema is None:
            unknown = self._definitions.decode(obj, kind, base or {})
        else:
            unknown = self._definitions.decode_meta(obj, kind)
            unknown += schema.prune(obj, kind.schema)
        problems = [f'unknown field "{path}"' for path in sorted(unknown)]
        if problems and options.field_validation == "Strict":
            if patched_from is not None:
                raise _strict_patch(patched_from, problems)
            raise strict_failure(kind, problems)
        return problems if options.field_validation == "Warn" else []


def _check_type(kind: Kind, obj: Object) -> None:
    version, name = obj.get("apiVersion"), obj.get("kind")
    if kind.custom:
        if version != kind.api_version:
            message = f"does not match the expected API version ({kind.api_version})"
            raise bad_request(f"the API version in the data ({version}) {message}")
        if name != kind.kind:
            error = invalid_value("kind", name, f"must be {kind.kind}")
            given = obj["metadata"].get("name", "") if isinstance(obj.get("metadata"), dict) else ""
            details = {"name": given, "group": kind.group, "kind": name}
            raise invalid_as(f"{name}.{kind.group}", given, [error], details)
        return
    if version not in (None, "", kind.api_version):
        message = f"does not match the expected API version ({kind.api_version})"
        raise bad_request(f"the API version in the data ({version}) {message}")
    if name not in (None, "", kind.kind):
        why = f"converting (v1.{name}) to (core.{kind.kind}): unknown conversion"
        raise bad_request(f'{name} in version "{kind.version}" cannot be handled as a {kind.kind}: {why}')
    obj["apiVersion"], obj["kind"] = kind.api_version, kind.kind


def _strict_patch(obj: Object, problems: list[str]) -> Exception:
    error = invalid_value("patch", objects.compact(obj), f"strict decoding error: {', '.join(problems)}")
    return invalid_as("", "", [error], {})
