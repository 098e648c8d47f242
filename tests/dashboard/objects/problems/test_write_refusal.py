"""Tests of the problems of a refusal: their number."""

from __future__ import annotations

import pytest

from dashboard.objects.problems.write_refusal import MAX_PROBLEMS, refusal_of
from informerd.errors import BadRequest, Invalid
from informerd.errors.status import Cause, Status, StatusDetails


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
