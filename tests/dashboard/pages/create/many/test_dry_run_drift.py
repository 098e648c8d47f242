"""What is stored of several objects otherwise than their review showed is said of each in the results."""

from __future__ import annotations

import pytest

from tests.controlplane import ControlPlane
from tests.creating.test_several import applied, mydemo, reviewed
from tests.edits.browsing import Browser
from tests.edits.conftest import one, path
from tests.edits.stamping import stamped

__all__ = ["one", "path", "stamped"]

LATE = "Not all is as reviewed: the API server stored metadata.labels.late otherwise."
STAMP = "The API server set metadata.annotations.stamp to another value than the review showed."


@pytest.mark.usefixtures("stamped")
async def test_each_object_that_is_stored_otherwise_is_told(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str
) -> None:
    config = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: {namespace}}}\n"
    review = await reviewed(browser, f"/new/?namespace={namespace}", mydemo("two"), config, mydemo("one", port=7))
    done = await applied(browser, review, 1, 2, 3)
    assert "2 made 1 changed 2 stored otherwise than reviewed" in done.text
    assert cluster.get(f"{collection}/two")["metadata"]["labels"] == {"late": "yes"}
    assert done.text.count(LATE) == 2
    assert done.text.count(STAMP) == 2


async def test_of_objects_that_are_stored_as_reviewed_nothing_more_is_said(browser: Browser, namespace: str) -> None:
    review = await reviewed(browser, f"/new/?namespace={namespace}", mydemo("two"), mydemo("three"))
    done = await applied(browser, review, 1, 2)
    assert "2 made" in done.text
    assert "otherwise" not in done.text
