from django.core import signing
from django.http import QueryDict

from dashboard.objects.fields.field_access import ItemKey
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.pages.create.many.results import Result
from dashboard.pages.create.many.signed_progress import read_progress, sign_results, sign_reviews
from dashboard.pages.writes.admission_changes import DryRunDrift

PATH = ("spec", ItemKey((("", {"said": "x", "state": "y"}),)))
"""Its keys are the user's."""
RESULT = Result(
    1,
    3,
    "Mydemo one",
    "busy",
    refusal=Refusal((Problem("No answer came.", "EOF", PATH, 4),), 503, "Away", is_unverified=True),
    drift=DryRunDrift(("spec.a",), ("spec.b",)),
)


def test_results_are_read_as_they_were_signed() -> None:
    form = QueryDict(mutable=True)
    form.update({"reviewed": sign_reviews("text", ()), "so-far": sign_results("text", [RESULT])})
    progress = read_progress(form, "text", 0)
    assert progress is not None
    assert progress.state.results == {1: RESULT}


def test_signed_results_have_the_keys_that_pages_open_before_an_upgrade_have() -> None:
    _, [result] = signing.loads(sign_results("text", [RESULT]), salt="dashboard.creating.several.results")
    assert (result["fate"], result["otherwise"]["unseen"]) == ("busy", ["spec.a"])
    refusal = result["refusal"]
    assert (refusal["unread"], refusal["problems"][0]["said"]) == (True, "EOF")
    assert sorted(result) == [
        "confirmed_by_read", "fate", "href", "line", "number", "otherwise", "refusal", "warnings", "words",
    ]  # fmt: skip
    assert sorted(refusal) == [
        "auto_retry_after", "code", "problems", "retry_after", "title", "trace", "unread", "unsure",
    ]  # fmt: skip
    assert sorted(refusal["problems"][0]) == ["anchor", "column", "excerpt", "line", "path", "said", "words"]
