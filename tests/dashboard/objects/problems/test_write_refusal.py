"""Tests of the problems of a refusal: their fields, words and number."""

from __future__ import annotations

import pytest

from dashboard.objects.problems.write_refusal import MAX_PROBLEMS, refusal_of, unanswered_refusal
from dashboard.runtime.request_retry import DEFAULT_RETRY_AFTER
from informerd.errors import (
    BadRequest,
    Cause,
    CredentialsError,
    Forbidden,
    InformerdError,
    Invalid,
    ServerError,
    Status,
    StatusDetails,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)


@pytest.mark.parametrize(("more", "words"), [(0, ""), (1, "1 more problem,"), (1234, "1,234 more problems,")])
def test_of_very_many_problems_the_first_are_listed_and_that_there_are_more(more: int, words: str) -> None:
    fields = [f"spec.f{number}" for number in range(MAX_PROBLEMS + more)]
    causes = tuple(Cause(field=field, message=f"{field}: Required value") for field in fields)
    unknown = ", ".join(f'unknown field "{field}"' for field in fields)
    for error in (
        Invalid(Status(code=422, details=StatusDetails(causes=causes))),
        BadRequest(Status(code=400, message=f"strict decoding error: {unknown}")),
    ):
        problems = refusal_of(error).problems
        assert [problem.field for problem in problems[:MAX_PROBLEMS]] == fields[:MAX_PROBLEMS]
        rest = problems[MAX_PROBLEMS:]
        assert len(rest) == bool(more)
        assert all(words in problem.words for problem in rest)


def test_causes_without_a_field_are_placed_by_their_message() -> None:
    causes = (
        Cause("FieldValueInvalid", 'Invalid value: "": "spec.ip" must validate at least one schema (anyOf)', "<nil>"),
        Cause("FieldValueInvalid", "too small", "spec.ports[0].port"),
    )
    refusal = refusal_of(
        Invalid(Status(code=422, reason="Invalid", message="no", details=StatusDetails(causes=causes)))
    )
    assert [problem.field for problem in refusal.problems] == ["spec.ip", "spec.ports[0].port"]
    assert [problem.server_message for problem in refusal.problems] == [cause.message for cause in causes]


@pytest.mark.parametrize(
    ("error", "words", "code", "again"),
    [
        (
            Forbidden(Status(code=403, message="no")),
            "access rules do not let Deltaboard's account read what became of it",
            403,
            None,
        ),
        (
            TooManyRequests(Status(code=429, message="no"), retry_after=3),
            "busy and asks you to try again later",
            429,
            3,
        ),
        (Unauthorized(Status(code=401, message="no")), "did not accept the credentials", 401, None),
        (
            ServerError(Status(code=500, message="no")),
            "The API server failed while handling it",
            503,
            DEFAULT_RETRY_AFTER,
        ),
        (Unreachable("no"), "No answer came from the API server", 503, DEFAULT_RETRY_AFTER),
        (CredentialsError("no"), "credentials for the cluster could not be obtained", 503, None),
    ],
)
def test_what_is_not_known_of_a_write_is_said_with_what_reading_it_met_with(
    error: InformerdError, words: str, code: int, again: float | None
) -> None:
    refusal = unanswered_refusal(error, "It may or may not be saved", "It is not known.", is_unverified=True)
    assert words in refusal.problems[0].words
    assert (refusal.code, refusal.auto_retry_after, refusal.unsure) == (code, again, True)


def test_strict_decoding_and_wrong_types_are_placed_at_their_fields() -> None:
    strict = BadRequest(
        Status(
            code=400, reason="BadRequest", message='strict decoding error: unknown field "spec.a", duplicate field "b"'
        )
    )
    assert [(each.field, each.server_message) for each in refusal_of(strict).problems] == [
        ("spec.a", 'unknown field "spec.a"'),
        ("b", 'duplicate field "b"'),
    ]
    typed = BadRequest(
        Status(
            code=400, message="json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool"
        )
    )
    assert [each.field for each in refusal_of(typed).problems] == ["spec.hostNetwork"]


@pytest.mark.parametrize(
    ("go", "field", "words"),
    [
        ("array into Go struct field .labels of type string", "metadata.labels", "A list cannot stand here."),
        ("number into Go struct field ObjectMeta.metadata.name of type string", "metadata.name", "A number cannot"),
        ("object into Go struct field ObjectMeta.finalizers of type []string", "metadata.finalizers", "A map cannot"),
        ("bool into Go struct field .kind of type string", "kind", "True or false cannot stand here."),
        ("string into Go value of type map[string]interface {}", "", "A text cannot stand here."),
        ("number 1e3 into Go struct field S.spec.a of type int32", "spec.a", "A number cannot stand here."),
    ],
)
def test_what_go_cannot_take_is_said_in_the_texts_words(go: str, field: str, words: str) -> None:
    [problem] = refusal_of(BadRequest(Status(code=400, message=f"json: cannot unmarshal {go}"))).problems
    assert (problem.field, problem.words.startswith(words)) == (field, True)
