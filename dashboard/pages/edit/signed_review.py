"""Signed mark of a review: that this reader was shown this text on top of this state."""

from __future__ import annotations

from django.core import signing
from django.utils.crypto import constant_time_compare

from dashboard.access.identity import Identity
from dashboard.pages.writes.admission_changes import AdmissionChanges
from dashboard.pages.writes.editable_part import fingerprint
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.target import Target

REVIEW_LIFETIME = 2 * 3600
"""Seconds for which a review's mark is accepted; after that the button shows the review again."""
_SIGNER = signing.TimestampSigner(salt="dashboard.edits.reviewed")


def sign_review(
    reader: Identity, target: Target, draft: Submission, purpose: str, admission_changes: AdmissionChanges
) -> str:
    """Signed mark that this text was shown to this `reader`, compared with this state, and with these
    `admission_changes`.
    """
    return _SIGNER.sign_object([_signed_fields(reader, target, draft, purpose), dict(admission_changes)], compress=True)


def unsign_review(
    reader: Identity, target: Target, draft: Submission, purpose: str, mark: str
) -> AdmissionChanges | None:
    """The changes that a review showed; None where `mark` was not made by `sign_review` for the same reader, text and
    state, in the last two hours.
    """
    try:
        what, beside = _SIGNER.unsign_object(mark, max_age=REVIEW_LIFETIME)
    except (signing.BadSignature, ValueError):
        return None
    return dict(beside) if constant_time_compare(what, _signed_fields(reader, target, draft, purpose)) else None


def _signed_fields(reader: Identity, target: Target, draft: Submission, purpose: str) -> str:
    shown_to = [reader.owner, reader.browser]
    return fingerprint([*shown_to, purpose, target.edit_href, draft.text, draft.base.uid, draft.base.fingerprint])
