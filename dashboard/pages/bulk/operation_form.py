"""Form of a bulk operation: parses it into an operation, or into a refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast, get_args

from dashboard.objects.fields.field_access import Path, Value
from dashboard.objects.fields.server_set_fields import LAST_APPLIED
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.manifests.yaml_writer import dump
from dashboard.objects.problems.write_refusal import Problem, Refusal, locate, unreadable_refusal, with_excerpts
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.bulk.operation import BulkOperation, Verb
from dashboard.pages.bulk.patch_merge_rules import DELETE_FROM_PREFIX, SET_ORDER_PREFIX, patched_lists
from dashboard.pages.bulk.strategic_patch_checks import check_lists
from dashboard.pages.delete.options import parse_delete_options
from dashboard.pages.forms.controls import normalize_newlines
from informerd.selectors.label_requirement import label_key_problem, label_value_problem

VERBS: tuple[Verb, ...] = get_args(Verb)
LONGEST_ANNOTATIONS = 256 * 1024
"""Most bytes of all annotations of an object (apimachinery's api/validation.TotalAnnotationSizeLimitB)."""
LONGEST_PATCH = 64 * 1024
"""Longest patch, in characters: it is sent once for each object."""
_NOUNS: dict[Verb, str] = {"label": "label", "annotate": "annotation"}
_METADATA = ("labels", "annotations", "finalizers", "ownerReferences")
_NEVER = {
    "apiVersion": "All objects are of one kind, which cannot be changed. Remove the line.",
    "kind": "All objects are of one kind, which cannot be changed. Remove the line.",
    "status": "The status belongs to the controllers and cannot be changed in bulk. Remove it.",
}


def parse_operation(form_data: Mapping[str, str], kind: KindInfo, schema: Schema = UNKNOWN) -> BulkOperation | Refusal:
    """The requested operation; or a Refusal, and then nothing may be sent. `schema` is the kind's; only a patch needs
    it.
    """
    verb = form_data.get("verb", "")
    if verb not in VERBS:
        return _refused("Choose an operation: labels, annotations, a patch or a deletion.")
    if verb == "delete":
        choice, refusal = parse_delete_options(form_data)
        return refusal or BulkOperation("delete", {}, choice.propagation, choice.grace)
    if verb == "patch":
        return _patch(form_data.get("patch", ""), kind, schema)
    return _pairs(cast("Verb", verb), form_data.get(f"{verb}_set", ""), form_data.get(f"{verb}_remove", ""))


def _pairs(verb: Verb, to_set: str, to_remove: str) -> BulkOperation | Refusal:
    """Labels or annotations: one line ``key=value`` for each, and keys to remove."""
    noun = _NOUNS[verb]
    wanted: dict[str, str | None] = {}
    problems: list[Problem] = []
    for number, line in _lines(to_set):
        key, equals, value = line.partition("=")
        words = _key_problem(verb, key) if equals else f"“{line[:80]}” does not have the form key=value."
        if not words and verb == "label":
            words = _sentence(label_value_problem(value))
        words = words or ("" if wanted.get(key, value) == value else f"“{key}” is set twice, to different values.")
        problems += [Problem(f"Set, line {number}: {words}")] if words else []
        wanted[key] = value
    for number, key in _lines(to_remove):
        words = _key_problem(verb, key) or (f"“{key}” is both set and removed." if key in wanted else "")
        problems += [Problem(f"Remove, line {number}: {words}")] if words else []
        wanted.setdefault(key, None)
    if sum(len(key) + len(value or "") for key, value in wanted.items()) > LONGEST_ANNOTATIONS:
        problems.append(
            Problem(f"The {noun}s are larger than {LONGEST_ANNOTATIONS // 1024} kB, the limit of an object.")
        )
    if problems:
        return Refusal(tuple(problems[:20]), 422, f"These {noun}s cannot be sent")
    if not wanted:
        return _refused(f"Write at least one {noun} to set or to remove.")
    return BulkOperation(verb, {"metadata": {f"{noun}s": wanted}})


def _lines(text: str) -> list[tuple[int, str]]:
    lines = enumerate(normalize_newlines(text).split("\n"), 1)  # a value may hold what Unicode, too, calls a line's end
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _key_problem(verb: Verb, key: str) -> str:
    if verb == "label":
        return _sentence(label_key_problem(key))
    if key == LAST_APPLIED:
        return "This annotation belongs to kubectl apply and cannot be changed here."
    prefix, slash, name = key.rpartition("/")
    return _sentence(label_key_problem(f"{prefix.lower()}{slash}{name}").replace("label key", "annotation key"))


def _sentence(problem: str) -> str:
    return f"{problem[0].upper()}{problem[1:]}." if problem else ""


def _patch(text: str, kind: KindInfo, schema: Schema) -> BulkOperation | Refusal:
    if len(text) > LONGEST_PATCH:
        return _refused(f"The patch has {len(text):,} characters, but the limit is {LONGEST_PATCH:,}.")
    try:
        document = parse(text)
    except DocumentError as error:
        return with_excerpts(unreadable_refusal(error), text)
    problems = _objections(document.value, kind) or check_lists(document.value, schema)[:20]
    if problems:
        refusal = Refusal(tuple(problems), 422, "This patch cannot be sent to many objects")
        return with_excerpts(locate(refusal, document), text)
    try:
        json.dumps(document.value, allow_nan=False)
    except ValueError:
        return _refused("The patch has a number that JSON does not support, such as .nan or .inf.")
    lists = patched_lists(document.value, schema)
    if schema.strategic:
        return BulkOperation("patch", None, strategic=document.value, lists=lists)
    return BulkOperation("patch", document.value, lists=lists)


def _objections(value: dict[str, Value], kind: KindInfo) -> list[Problem]:
    objections: list[tuple[str, Path]] = [(words, (name,)) for name, words in _NEVER.items() if name in value]
    if kind.key == "secrets":
        words = "The values of Secrets cannot be changed in bulk: runs are stored in the database. Edit each Secret."
        objections += [(words, (name,)) for name in ("data", "stringData") if name in value]
    metadata = value.get("metadata", {})
    if not isinstance(metadata, dict):
        return [Problem("Metadata must have fields such as “labels”.", path=("metadata",))]
    for name in metadata:
        if name.removeprefix(DELETE_FROM_PREFIX).removeprefix(SET_ORDER_PREFIX) not in _METADATA:
            words = (
                f"In metadata, only {', '.join(_METADATA[:-1])} and {_METADATA[-1]} can be changed. Nothing was sent."
            )
            objections.append((words, ("metadata", name)))
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and LAST_APPLIED in annotations:
        objections.append((_key_problem("annotate", LAST_APPLIED), ("metadata", "annotations", LAST_APPLIED)))
    if not value:
        return [Problem("The patch is empty: it would change nothing.")]
    return [Problem(words, path=path) for words, path in objections]


def _refused(words: str) -> Refusal:
    return Refusal((Problem(words),), 422, "This cannot be sent")


def form_values_of(operation: BulkOperation) -> dict[str, str]:
    """Form values that request this operation."""
    typed: dict[str, str] = {"verb": operation.verb, "propagation": operation.propagation}
    if operation.grace is not None:
        typed |= {"grace": "now" if operation.grace == 0 else "other", "seconds": str(operation.grace or "")}
    if operation.verb == "patch":
        typed["patch"] = dump(operation.requested_patch)
    elif not operation.deletes:
        pairs: dict[str, str | None] = operation.requested_patch["metadata"][f"{_NOUNS[operation.verb]}s"]
        typed[f"{operation.verb}_set"] = "\n".join(
            f"{key}={value}" for key, value in pairs.items() if value is not None
        )
        typed[f"{operation.verb}_remove"] = "\n".join(key for key, value in pairs.items() if value is None)
    return typed
