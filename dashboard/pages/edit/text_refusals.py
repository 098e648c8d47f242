"""Check of a posted text before anything is sent, and of the API server's refusals: their positions in the text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.problems.write_refusal import (
    locate,
    masked_refusal,
    mismatch_refusal,
    refusal_of,
    unreadable_refusal,
)
from dashboard.pages.writes.outcomes import OutcomeReached, Refused, Submission
from dashboard.pages.writes.target import Target, find_mismatches, masked_paths
from dashboard.runtime.background_tasks import run_in_thread_if_large
from informerd.errors import InformerdError


async def check_text(target: Target, draft: Submission) -> Document:
    """The draft's document. Raises OutcomeReached where it is invalid, or not about the object of the address."""
    try:
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
