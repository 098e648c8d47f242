"""Tests of objects stored differently from their review: the results say so for each."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.conftest import one, path
from tests.dashboard.pages.create.many.test_views import applied, mydemo, reviewed
from tests.support.controlplane import ControlPlane
from tests.support.edit.mutating_policy import stamped
from tests.support.edit.no_script_browser import Browser

__all__ = ["one", "path", "stamped"]

LATE = "The result differs from the review: the API server changed metadata.labels.late."
STAMP = "The API server set metadata.annotations.stamp to another value than the review showed."


@pytest.mark.usefixtures("stamped")
async def test_each_object_that_is_stored_otherwise_is_told(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str
) -> None:
    config = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: {namespace}}}\n"
    review = await reviewed(browser, f"/new/?namespace={namespace}", mydemo("two"), config, mydemo("one", port=7))
    done = await applied(browser, review, 1, 2, 3)
    assert "2 created 1 changed 2 stored differently than reviewed" in done.text
    assert cluster.get(f"{collection}/two")["metadata"]["labels"] == {"late": "yes"}
    assert done.text.count(LATE) == 2
    assert done.text.count(STAMP) == 2


async def test_of_objects_that_are_stored_as_reviewed_nothing_more_is_said(browser: Browser, namespace: str) -> None:
    review = await reviewed(browser, f"/new/?namespace={namespace}", mydemo("two"), mydemo("three"))
    done = await applied(browser, review, 1, 2)
    assert "2 created" in done.text
    assert "otherwise" not in done.text
