"""Check that a class can be a projection, into which objects are decoded."""

from __future__ import annotations

import msgspec

from informerd.errors import UnusableProjection
from informerd.objects import Object, ObjectMeta

_ON_THE_WIRE = {"api_version": "apiVersion", "kind": "kind", "metadata": "metadata"}


def check_projection(projection: object) -> None:
    """Raises UnusableProjection for a class that no object of the API server can be decoded into, and says why.

    What does not fit one object or another is found when it comes, and is no reason to stop.
    """
    name = getattr(projection, "__name__", repr(projection))
    if not isinstance(projection, type) or not issubclass(projection, Object):
        raise UnusableProjection(name, "it does not extend informerd's Object")
    _check_config(projection)
    try:
        _check_fields(projection)
        msgspec.json.Decoder(projection)
    except (TypeError, NameError) as error:  # what msgspec raises for types that JSON cannot become
        raise UnusableProjection(name, str(error)) from error


def _check_config(projection: type[Object]) -> None:
    config = projection.__struct_config__
    problems = {
        "its objects could be changed, although all readers of a store share them: keep frozen=True": not config.frozen,
        "objects are not arrays: leave out array_like": config.array_like,
        "every object has fields that it does not name: leave out forbid_unknown_fields": config.forbid_unknown_fields,
        "no object has a tag: leave out tag and tag_field": config.tag is not None,
    }
    for problem, fields in problems.items():
        if fields:
            raise UnusableProjection(projection.__name__, problem)


def _check_fields(projection: type[Object]) -> None:
    for field in msgspec.structs.fields(projection):
        if field.required:
            problem = f"the field {field.name!r} needs a default, because the API server leaves empty fields out"
            raise UnusableProjection(projection.__name__, problem, field.name)
        wanted = _ON_THE_WIRE.get(field.name, field.encode_name)
        if field.encode_name != wanted:
            problem = f"the field {field.name!r} is {wanted!r} in JSON, not {field.encode_name!r}: keep rename='camel'"
            raise UnusableProjection(projection.__name__, problem, field.name)
        if field.name == "metadata" and not _extends_meta(field.type):
            problem = "the field 'metadata' must be an ObjectMeta or extend it"
            raise UnusableProjection(projection.__name__, problem, field.name)


def _extends_meta(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, ObjectMeta)
