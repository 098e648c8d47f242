"""Tests of a policy that changes the writes of a run but not their dry runs: the results say so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from dashboard.pages.writes.object_client import ObjectClient
from tests.dashboard.pages.bulk.conftest import Demos
from tests.support.api_client import ApiFailure
from tests.support.wait import eventually

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{ADMISSION}/mutatingadmissionpolicies", f"{ADMISSION}/mutatingadmissionpolicybindings"
STAMP = """Object{metadata: Object.metadata{annotations: {
  "stamp": request.dryRun ? "tried" : "written with " + string(object.spec.port)}}}"""
LATE = """object.metadata.name == "c" && object.spec.port == 9090 && !request.dryRun
  ? Object{metadata: Object.metadata{annotations: {"late": "yes"}}} : Object{}"""


@pytest.fixture
async def policy(demos: Demos, namespace: str) -> AsyncIterator[None]:
    """Mydemos get a stamp with each write, another one in a dry run; one of them another thing."""
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    rule = {"apiGroups": ["crddemo.k8s.io"], "apiVersions": ["*"], "operations": ["*"], "resources": ["mydemos"]}
    expressions = ({"expression": each} for each in (STAMP, LATE))
    spec: Any = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": each} for each in expressions],
        "reinvocationPolicy": "Never",
        "failurePolicy": "Fail",
    }
    demos.make("probe")
    demos.cluster.create(POLICIES, {"metadata": {"name": namespace}, "spec": spec})
    bound = {"policyName": namespace, "matchResources": here}
    demos.cluster.create(BINDINGS, {"metadata": {"name": namespace}, "spec": bound})

    def works() -> bool:
        with suppress(ApiFailure):  # 503: policies do not know the definition yet
            demos.patch("probe", {"metadata": {"labels": {"probe": "yes"}}})
        return "stamp" in demos.get("probe")["metadata"].get("annotations", {})

    try:
        await eventually(works, within=60.0)
        yield
    finally:
        demos.cluster.delete(f"{BINDINGS}/{namespace}")
        demos.cluster.delete(f"{POLICIES}/{namespace}")


STAMPED = "The API server set metadata.annotations.stamp to another value than the review showed."
UNSEEN = "The result differs from the review: the API server changed metadata.annotations.late."


@pytest.mark.usefixtures("policy")
async def test_what_is_stored_otherwise_than_reviewed_is_told_for_each_and_grouped(
    demos: Demos, namespace: str
) -> None:
    demos.make("a", "b", "c")
    await demos.review(verb="patch", patch="spec: {port: 9090}")
    await demos.press("start")
    page = await demos.shows("3 changed, though not all as reviewed: see below.")
    assert "Done, but stored differently than reviewed" in page.text
    said = page.text[page.text.index("Done, but stored differently") :]
    assert f"{STAMPED} {namespace}/a , {namespace}/b" in said
    assert f"{UNSEEN} {STAMPED} {namespace}/c" in said
    results = (await demos.browser.open(f"{demos.run}results.csv")).body
    assert results.count("to another value than the review showed") == 3


@pytest.mark.usefixtures("policy")
async def test_where_the_reviewed_version_is_had_no_more_it_is_said_that_something_is_otherwise(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")

    async def compacted(*_: Any) -> None:
        return None

    monkeypatch.setattr(ObjectClient, "read_version", compacted)
    await demos.review(verb="label", label_set="x=1")
    await demos.press("start")
    page = await demos.shows("not all as reviewed")
    assert "The result differs from the review, but the details could not be found out." in page.text


async def test_of_what_is_stored_as_reviewed_nothing_is_said_or_asked(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a", "b")
    asked = []
    monkeypatch.setattr(ObjectClient, "read_version", lambda *given: asked.append(given))
    await demos.review(verb="patch", patch="spec: {port: 9090}")
    demos.patch("a", {"metadata": {"labels": {"other": "field"}}})
    await demos.press("start")
    page = await demos.shows("2 changed.")
    assert "otherwise" not in page.text
    assert not asked
