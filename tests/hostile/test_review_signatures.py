"""Attack: a signed review of one person is sent by another, or long after the review."""

from __future__ import annotations

import time

import pytest
from django.core import signing

from dashboard.access.identity import Identity
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.edit.signed_review import REVIEW_LIFETIME, sign_review, unsign_review
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.target import Target

TARGET = Target(KINDS["mydemos.crddemo.k8s.io"], "default", "one")
DRAFT = Submission("a: 1\n", Base("u", "7", {"a": 0}))
READER = Identity("alice", "b" * 32)


def test_a_mark_is_for_one_user_in_one_browser() -> None:
    mark = sign_review(READER, TARGET, DRAFT, "save", {})
    assert unsign_review(READER, TARGET, DRAFT, "save", mark) == {}
    assert unsign_review(Identity("mallory", READER.browser), TARGET, DRAFT, "save", mark) is None
    assert unsign_review(Identity(READER.owner, "c" * 32), TARGET, DRAFT, "save", mark) is None


@pytest.mark.parametrize(("age", "is_valid"), [(REVIEW_LIFETIME - 60, True), (REVIEW_LIFETIME + 60, False)])
def test_a_mark_ends_after_two_hours(monkeypatch: pytest.MonkeyPatch, age: int, is_valid: bool) -> None:
    mark = sign_review(READER, TARGET, DRAFT, "save", {})
    now = time.time()
    monkeypatch.setattr("django.core.signing.time.time", lambda: now + age)
    assert (unsign_review(READER, TARGET, DRAFT, "save", mark) is not None) is is_valid


def test_a_mark_without_a_time_is_refused() -> None:
    """As versions before this one signed it."""
    mark = sign_review(READER, TARGET, DRAFT, "save", {})
    what_was_signed = mark.rsplit(":", 2)[0]
    without_time = signing.Signer(salt="dashboard.edits.reviewed").sign(what_was_signed)
    assert unsign_review(READER, TARGET, DRAFT, "save", without_time) is None
