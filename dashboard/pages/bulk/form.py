"""What a person asks for, as the form of the choice has it: an order, or what is wrong with it in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast, get_args

from dashboard.bulk.list_problems import wrong_lists
from dashboard.bulk.lists import ORDERS, REMOVES, lists_in
from dashboard.bulk.order import Order, Verb
from dashboard.edits.document import DocumentError, parse
from dashboard.edits.editable import APPLIED
from dashboard.edits.fields import Path, Value
from dashboard.edits.forms.controls import lf
from dashboard.edits.problems import Problem, Refusal, located, unreadable, with_excerpts
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.removal.choice import choice_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.yaml_text import dump
from informerd.selectors.label_requirement import label_key_problem, label_value_problem

VERBS: tuple[Verb, ...] = get_args(Verb)
LONGEST_ANNOTATIONS = 256 * 1024
"""Bytes of all annotations of an object (apimachinery's api/validation.TotalAnnotationSizeLimitB)."""
LONGEST_PATCH = 64 * 1024
"""Characters: it is small, and sent once for each object."""
_NOUNS: dict[Verb, str] = {"label": "label", "annotate": "annotation"}
_METADATA = ("labels", "annotations", "finalizers", "ownerReferences")
_NEVER = {
    "apiVersion": "All are of one kind, and a kind cannot be changed. Take the line out.",
    "kind": "All are of one kind, and a kind cannot be changed. Take the line out.",
    "status": "The status is what controllers say of an object; it is not changed in bulk. Take it out.",
}


def order_of(post: Mapping[str, str], kind: KindInfo, schema: Schema = UNKNOWN) -> Order | Refusal:
    """The order that was asked for; a Refusal says what is wrong with it, and then nothing may be sent.

    `schema` is the kind's; only a patch needs it.
    """
    verb = post.get("verb", "")
    if verb not in VERBS:
        return _refused("Choose what is to be done: labels, annotations, a patch or a deletion.")
    if verb == "delete":
        choice, wrong = choice_of(post)
        return wrong or Order("delete", {}, choice.propagation, choice.grace)
    if verb == "patch":
        return _patch(post.get("patch", ""), kind, schema)
    return _pairs(cast("Verb", verb), post.get(f"{verb}_set", ""), post.get(f"{verb}_remove", ""))


def _pairs(verb: Verb, to_set: str, to_remove: str) -> Order | Refusal:
    """Labels or annotations: a line ``key=value`` each, and keys to take away."""
    noun = _NOUNS[verb]
    wanted: dict[str, str | None] = {}
    problems: list[Problem] = []
    for number, line in _lines(to_set):
        key, equals, value = line.partition("=")
        words = _key_problem(verb, key) if equals else f"“{line[:80]}” is not written as key=value."
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
            Problem(f"The {noun}s are longer than {LONGEST_ANNOTATIONS // 1024} kB, the most that an object takes.")
        )
    if problems:
        return Refusal(tuple(problems[:20]), 422, f"These {noun}s cannot be sent")
    if not wanted:
        return _refused(f"Write at least one {noun} to set or to remove.")
    return Order(verb, {"metadata": {f"{noun}s": wanted}})


def _lines(text: str) -> list[tuple[int, str]]:
    lines = enumerate(lf(text).split("\n"), 1)  # a value may hold what Unicode, too, calls a line's end
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _key_problem(verb: Verb, key: str) -> str:
    if verb == "label":
        return _sentence(label_key_problem(key))
    if key == APPLIED:
        return "This annotation is kubectl apply's own record, and is not changed here."
    prefix, slash, name = key.rpartition("/")
    return _sentence(label_key_problem(f"{prefix.lower()}{slash}{name}").replace("label key", "annotation key"))


def _sentence(problem: str) -> str:
    return f"{problem[0].upper()}{problem[1:]}." if problem else ""


def _patch(text: str, kind: KindInfo, schema: Schema) -> Order | Refusal:
    if len(text) > LONGEST_PATCH:
        return _refused(
            f"The patch has {len(text):,} characters, and {LONGEST_PATCH:,} are the most that is sent to many."
        )
    try:
        document = parse(text)
    except DocumentError as error:
        return with_excerpts(unreadable(error), text)
    problems = _objections(document.value, kind) or wrong_lists(document.value, schema)[:20]
    if problems:
        refusal = Refusal(tuple(problems), 422, "This patch cannot be sent to many objects")
        return with_excerpts(located(refusal, document), text)
    try:
        json.dumps(document.value, allow_nan=False)
    except ValueError:
        return _refused("The patch has a number that JSON cannot say, such as .nan or .inf.")
    lists = lists_in(document.value, schema)
    if schema.strategic:
        return Order("patch", None, strategic=document.value, lists=lists)
    return Order("patch", document.value, lists=lists)


def _objections(value: dict[str, Value], kind: KindInfo) -> list[Problem]:
    found: list[tuple[str, Path]] = [(words, (name,)) for name, words in _NEVER.items() if name in value]
    if kind.key == "secrets":
        words = "The values of Secrets are not changed in bulk: a run is kept in the database. Edit each."
        found += [(words, (name,)) for name in ("data", "stringData") if name in value]
    metadata = value.get("metadata", {})
    if not isinstance(metadata, dict):
        return [Problem("Metadata is made of fields such as “labels”.", path=("metadata",))]
    for name in metadata:
        if name.removeprefix(REMOVES).removeprefix(ORDERS) not in _METADATA:
            words = (
                f"Of metadata only {', '.join(_METADATA[:-1])} and {_METADATA[-1]} can be changed. Nothing was sent."
            )
            found.append((words, ("metadata", name)))
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and APPLIED in annotations:
        found.append((_key_problem("annotate", APPLIED), ("metadata", "annotations", APPLIED)))
    if not value:
        return [Problem("The patch is empty: it would change nothing.")]
    return [Problem(words, path=path) for words, path in found]


def _refused(words: str) -> Refusal:
    return Refusal((Problem(words),), 422, "This cannot be sent")


def typed_of(order: Order) -> dict[str, str]:
    """The form as it is to be filled in so that it asks for this order."""
    typed: dict[str, str] = {"verb": order.verb, "propagation": order.propagation}
    if order.grace is not None:
        typed |= {"grace": "now" if order.grace == 0 else "other", "seconds": str(order.grace or "")}
    if order.verb == "patch":
        typed["patch"] = dump(order.asked)
    elif not order.deletes:
        pairs: dict[str, str | None] = order.asked["metadata"][f"{_NOUNS[order.verb]}s"]
        typed[f"{order.verb}_set"] = "\n".join(f"{key}={value}" for key, value in pairs.items() if value is not None)
        typed[f"{order.verb}_remove"] = "\n".join(key for key, value in pairs.items() if value is None)
    return typed
