"""Tests of the editor's form: draft, base, answers to conflicts, and the signed review."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest

from dashboard.access.identity import Identity
from dashboard.objects.fields.field_access import (
    ItemKey,
    Path,
    format_path,
)
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.edit.form_data import choice_name, dump_base, submission_of
from dashboard.pages.edit.signed_review import sign_review, unsign_review
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.target import Target


def test_a_draft_survives_its_way_through_a_page() -> None:
    base = Base("u", "7", {"kind": "X", "spec": {"é": ["\n", True, None, 1.5]}})
    path: Path = ("spec", "ports", ItemKey((("port", 80), ("name", 'quo"te'))), 0)
    post = {
        "yaml": "a: 1\r\nb: 2\r\n", "base_uid": "u", "base_version": "7", "base": dump_base(base),
        choice_name(path): "theirs", choice_name(("x",)): "neither", "choice.nonsense!": "mine", "seen": "s",
    }  # fmt: skip
    draft = submission_of(post)
    assert draft is not None
    assert draft.text == "a: 1\nb: 2\n"
    assert draft.base == base
    assert [format_path(each) for each in draft.choices] == [format_path(path)]
    assert choice_name(path).removeprefix("choice.").replace("_", "").replace("-", "").isalnum()
    for missing in ("base", "base_uid", "base_version"):
        assert submission_of({**post, missing: ""}) is None
    assert submission_of({**post, "base": "[1]"}) is None


@pytest.mark.parametrize(
    "path", ['[{"key": [["port", [1]]]}]', '[{"key": [["port", {}]]}]', '[{"key": 1}]', "[[1]]", "{}"]
)
def test_an_answer_to_a_conflict_that_no_page_asked_about_is_left_out(path: str) -> None:
    name = f"choice.{urlsafe_b64encode(path.encode()).decode().rstrip('=')}"
    post = {"yaml": "a: 1\n", "base_uid": "u", "base_version": "7", "base": "{}", name: "mine"}
    assert submission_of(post) == Submission("a: 1\n", Base("u", "7", {}))


def test_the_mark_of_a_review_is_for_one_text_state_object_and_purpose() -> None:
    draft = Submission("a: 1\n", Base("u", "7", {"a": 0}))
    beside = {"spec.a": "d1"}
    mark = sign_review(READER, TARGET, draft, "save", beside)
    assert unsign_review(READER, TARGET, draft, "save", mark) == beside
    assert unsign_review(READER, TARGET, draft, "create", mark) is None
    assert unsign_review(READER, TARGET, Submission("a: 2\n", draft.base), "save", mark) is None
    assert unsign_review(READER, TARGET, Submission(draft.text, Base("v", "7", {"a": 0})), "save", mark) is None
    assert unsign_review(READER, TARGET, Submission(draft.text, Base("u", "7", {"a": 1})), "save", mark) is None
    assert unsign_review(READER, Target(TARGET.kind, "default", "two"), draft, "save", mark) is None
    assert unsign_review(READER, TARGET, Submission(draft.text, Base("u", "8", {"a": 0})), "save", mark) == beside, (
        "status changes do not matter"
    )


READER = Identity("", "b" * 32)
TARGET = Target(KINDS["mydemos.crddemo.k8s.io"], "default", "one")
