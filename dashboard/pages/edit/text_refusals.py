"""Refusals of a posted text, with their positions in it: by checks before anything is sent, and by the API server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.objects.fields.field_access import ABSENT, Path, Value, get
from dashboard.objects.fields.server_set_fields import SET_BY_SERVER
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.printers.secret_redaction import MASK
from dashboard.objects.problems.write_refusal import (
    Mismatch,
    locate,
    masked_refusal,
    mismatch_refusal,
    refusal_of,
    unreadable_refusal,
)
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import OutcomeReached, Refused, Submission
from dashboard.pages.writes.target import Target
from dashboard.runtime.thread_pools import run_in_thread_if_large
from dashboard.runtime.tracing import span
from informerd.errors import InformerdError


async def check_text(target: Target, draft: Submission) -> Document:
    """The draft's document. Raises OutcomeReached where it is invalid, or not about the object of the address."""
    try:
        with span("check"):
            document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
    except DocumentError as error:
        raise OutcomeReached(Refused(draft, unreadable_refusal(error))) from error
    if mismatches := find_mismatches(document.value, target, draft.base):
        raise OutcomeReached(Refused(draft, locate(mismatch_refusal(mismatches), document)))
    if dots := masked_paths(document.value):
        raise OutcomeReached(Refused(draft, locate(masked_refusal(dots), document)))
    return document


@contextmanager
def refusals_located(draft: Submission, document: Document) -> Iterator[None]:
    """Turns an error of the API server into OutcomeReached, with the positions in the text."""
    try:
        yield
    except InformerdError as error:
        raise OutcomeReached(refused_outcome(draft, error, document)) from error


def refused_outcome(draft: Submission, error: InformerdError, document: Document) -> Refused:
    """The API server's refusal, with the positions in the text."""
    return Refused(draft, locate(refusal_of(error), document))


def find_mismatches(value: dict[str, Value], target: Target, base: Base) -> tuple[Mismatch, ...]:
    """Fields in which the text names another object or state than this page edits. A missing namespace is no mismatch.

    Where the status is edited: also other fields of the text, which would not be written.
    """
    wanted: tuple[tuple[Path, str, bool], ...] = (
        (("apiVersion",), target.kind.resource.api_version, True),
        (("kind",), target.kind.resource.kind, True),
        (("metadata", "name"), target.name, True),
        (("metadata", "namespace"), target.namespace, False),
        (("metadata", "uid"), base.uid, False),
        (("metadata", "resourceVersion"), base.version, False),
    )
    values = ((path, get(value, path), expected, required) for path, expected, required in wanted)
    other = tuple(
        Mismatch(path, here, expected)
        for path, here, expected, required in values
        if here != expected and (required or (here is not ABSENT and here not in (None, "")))
    )
    return other if target.part == "spec" else (*other, *_beside_status(value))


def _beside_status(value: dict[str, Value]) -> tuple[Mismatch, ...]:
    metadata = value.get("metadata")
    beside: list[Path] = [(name,) for name in value if name not in ("apiVersion", "kind", "metadata", "status")]
    if isinstance(metadata, dict):
        known = ("name", "namespace", *SET_BY_SERVER)
        beside += [("metadata", name) for name in metadata if name not in known]
    return tuple(Mismatch(path, get(value, path), "", page_verb="holds") for path in beside)


def masked_paths(value: dict[str, Value]) -> tuple[Path, ...]:
    """Paths where a Secret's text has the dots that mask values: they must never become values."""
    if value.get("kind") != "Secret":
        return ()
    data = {field: value.get(field) for field in ("data", "stringData")}
    return tuple(
        (field, name)
        for field, values in data.items()
        if isinstance(values, dict)
        for name, each in values.items()
        if each == MASK
    )
