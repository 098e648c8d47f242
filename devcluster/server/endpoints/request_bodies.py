"""Parser of JSON and YAML request bodies, with the real server's messages for malformed ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from devcluster.server.api_errors import Failure, bad_request, unsupported_media_type
from devcluster.server.codec import yaml
from devcluster.server.codec.builtin_decoder import Decoder, WrongType
from devcluster.server.codec.protobuf import DELETE_OPTIONS, MalformedMessage, Messages
from devcluster.server.kinds import Kind
from devcluster.server.patch.patch_types import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH
from devcluster.server.request_options import DeleteOptions, delete_options
from devcluster.server.schema.pruning_and_defaulting import Schema

PROTOBUF = "application/vnd.kubernetes.protobuf"
MAX_BODY_BYTES = 3 << 20
_MOST_PROBLEMS = 100
"""Maximum of reported duplicate keys, as in Go's decoder."""
_ESCAPED = re.compile(
    r"\\\\|(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""Backslashes that stand for themselves, pairs of surrogates, and surrogates without the other half."""
_STRING = {"type": "string"}
_DELETE_OPTIONS: Schema = {
    "type": "object",
    "properties": {
        "kind": _STRING,
        "apiVersion": _STRING,
        "gracePeriodSeconds": {"type": "integer", "format": "int64"},
        "orphanDependents": {"type": "boolean"},
        "propagationPolicy": _STRING,
        "preconditions": {"$ref": "v1.Preconditions"},
        "dryRun": {"type": "array", "items": _STRING},
    },
}
_PRECONDITIONS: Schema = {"type": "object", "properties": {"uid": _STRING, "resourceVersion": _STRING}}
_YAML = ("application/yaml", "text/yaml", "application/x-yaml")
_BODIES = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


def too_large() -> Failure:
    """The 413 for bodies over MAX_BYTES."""
    return Failure(413, "RequestEntityTooLarge", f"Request entity too large: limit is {MAX_BODY_BYTES}")


def decode_object(
    body: bytes, content_type: str, kind: Kind, messages: Messages, root: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """The object in a create or update, and the paths of fields given twice. Raises Failure (400, 415).

    `root` names the message that a protobuf body of this kind holds.
    """
    media_type = content_type.partition(";")[0].strip()
    if media_type == PROTOBUF and root in messages.fields:
        return _from_protobuf(body, kind, messages, root), []
    if media_type not in ("", "application/json", "application/octet-stream"):
        raise unsupported_media_type(_BODIES)
    doubled: list[str] = []
    try:
        value = _from_json(body, doubled)
    except ValueError as error:
        shown = body.decode(errors="replace") or "<empty>"
        why = f"couldn't get version/kind; json parse error: {_go_words(error, body)} ({shown[:1024]})"
        raise bad_request(f"the object provided is unrecognized (must be of type {kind.kind}): {why}") from None
    return _checked(value, body, kind), doubled


def is_yaml(content_type: str) -> bool:
    return content_type.partition(";")[0].strip() in _YAML


def json_of_yaml(body: bytes, kind: Kind) -> bytes:
    """A YAML body as JSON. Raises Failure (400). It takes its time: two seconds for a body of MAX_BYTES."""
    try:
        return json.dumps(yaml.load_yaml(body)).encode()
    except ValueError as error:
        raise bad_request(f"error converting YAML to JSON of {kind.kind}: {error}") from None


def _checked(value: Any, body: bytes, kind: Kind) -> dict[str, Any]:
    unrecognized = f"the object provided is unrecognized (must be of type {kind.kind}):"
    if not isinstance(value, dict):
        raise bad_request(f"{unrecognized} {_no_object(value)} ({body[:64].hex()})")
    for field in ("apiVersion", "kind"):
        given = value.get(field)
        if given is not None and not isinstance(given, str):
            why = f"json: cannot unmarshal {_go_word(given)} into Go struct field .{field} of type string"
            raise bad_request(f"{unrecognized} couldn't get version/kind; json parse error: {why}")
    if kind.custom and not value.get("kind"):
        shown = body.decode(errors="replace")
        raise bad_request(f"{unrecognized} Object 'Kind' is missing in '{shown}' ({shown})")
    return value


def _no_object(value: Any) -> str:
    struct = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
    why = f"json: cannot unmarshal {_go_word(value)} into Go value of type {struct}"
    return f"couldn't get version/kind; json parse error: {why}"


def _go_word(value: Any) -> str:
    return {list: "array", str: "string", bool: "bool", dict: "object"}.get(type(value), "number")


def _from_protobuf(body: bytes, kind: Kind, messages: Messages, root: str) -> dict[str, Any]:
    try:
        return messages.decode(body, root)
    except MalformedMessage as error:
        why = f"the object provided is unrecognized (must be of type {kind.kind}): {error}"
        raise bad_request(f"{why} ({body[:64].hex()})") from None


def _from_json(body: bytes, doubled: list[str]) -> Any:
    """The JSON value. Paths of doubled keys are collected from the inside out, hence the marks."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(items)
        if len(members) != len(items) and len(twice) < _MOST_PROBLEMS:
            counts = Counter(name for name, _ in items)
            twice.append((members, [name for name, count in counts.items() if count > 1][:_MOST_PROBLEMS]))
        return members

    twice: list[tuple[dict[str, Any], list[str]]] = []
    value = json.loads(_text(body), object_pairs_hook=pairs, parse_constant=_refuse_constant)
    for holder, names in twice:
        prefix = _path_of(value, holder)
        doubled += [f"{prefix}.{name}".lstrip(".") for name in names]
    return value


def _text(body: bytes) -> str:
    """A body's text. A surrogate half becomes the replacement character, as in Go's decoder."""
    text = body.decode(errors="replace")
    return _ESCAPED.sub(_whole, text) if "\\u" in text else text


def _whole(match: re.Match[str]) -> str:
    escape: str = match[0]
    return escape if match["pair"] or escape.startswith("\\\\") else "\\ufffd"


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"invalid character '{text[0]}' looking for beginning of value")


def _path_of(value: Any, wanted: dict[str, Any], path: str = "") -> str:
    if value is wanted:
        return path
    inside = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        return next((p for i, v in enumerate(value) if (p := _path_of(v, wanted, f"{path}[{i}]"))), "")
    return next((p for key, v in inside if (p := _path_of(v, wanted, f"{path}.{key}"))), "")


def _go_words(error: ValueError, body: bytes) -> str:
    if isinstance(error, json.JSONDecodeError):
        rest = error.doc[error.pos :].strip()
        if not body.strip() or not rest:
            return "unexpected end of JSON input"
        return f"invalid character '{rest[0]}' looking for beginning of value"
    return "invalid UTF-8 in JSON input" if isinstance(error, UnicodeDecodeError) else str(error)


def decode_patch(body: bytes, content_type: str, kind: Kind) -> tuple[Any, str]:
    """The patch and its media type. Raises Failure (400, 415)."""
    media_type = content_type.partition(";")[0].strip()
    accepted = [JSON_PATCH, MERGE_PATCH] + ([] if kind.custom else [STRATEGIC_PATCH])
    if media_type not in accepted:
        if media_type == APPLY_PATCH:
            message = "server-side apply is not supported by the demo cluster"
            raise Failure(415, "UnsupportedMediaType", message)
        if not kind.custom:
            raise Failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
        raise unsupported_media_type(", ".join([*accepted, APPLY_PATCH]))
    try:
        return json.loads(_text(body), parse_constant=_refuse_constant), media_type
    except ValueError:
        raise bad_request("invalid JSON patch") from None


def decode_delete(body: bytes, content_type: str, query: Mapping[str, str], messages: Messages) -> DeleteOptions:
    """DeleteOptions from a body, which may be empty, and the query. Raises Failure (400, 422)."""
    try:
        if content_type.partition(";")[0].strip() == PROTOBUF and body:
            value = messages.decode(body, DELETE_OPTIONS)
        else:
            value = json.loads(_text(body), parse_constant=_refuse_constant) if body.strip() else {}
    except MalformedMessage as error:
        raise bad_request(str(error)) from None
    except ValueError as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {_go_words(error, body)}") from None
    if not isinstance(value, dict):
        raise bad_request(_no_object(value))
    decode_options(value, _DELETE_OPTIONS, {"v1.Preconditions": _PRECONDITIONS}, "DeleteOptions")
    return delete_options(query, value)


def decode_options(value: dict[str, Any], schema: Schema, definitions: dict[str, Schema], name: str) -> None:
    """Check options of a request body in place. Raises Failure (400)."""
    try:
        Decoder(definitions).check(value, schema, name, "", "")
    except WrongType as error:
        raise bad_request(str(error)) from error
