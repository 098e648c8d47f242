"""Tests of several objects of one text, step by step as with the page's script: progress, waiting, lost responses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.pages.create.many.apply_context import ApplyContext
from dashboard.pages.create.many.manifests import parse_manifests
from dashboard.pages.create.many.plan_execution import ApplyState, ReviewedStep, apply
from dashboard.pages.create.many.signed_progress import read_progress
from tests.dashboard.pages.create.many.test_views import address, live, mydemo, reviewed
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.edit.precondition_checking_client import CheckedClient
from tests.support.lost_writes_proxy import WAIT, LossyProxy

__all__ = ["address"]

NAMELESS = (
    "apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {generateName: some-}\nspec: {ip: 10.0.0.1, port: 1}\n"
)


@pytest.fixture
async def lossy(cluster: ControlPlane, parts: SimpleNamespace) -> AsyncIterator[LossyProxy]:
    """What the dashboard speaks through."""
    async with LossyProxy(cluster).running() as lossy, CheckedClient(lossy.config) as parts.client:
        yield lossy


@pytest.fixture(autouse=True)
def one_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the text took to read, which a step may take at least."""
    monkeypatch.setattr("dashboard.pages.create.many.signed_progress.STEP_SECONDS", -1.0)
    monkeypatch.setattr(
        "dashboard.pages.create.many.views.read_progress", lambda post, about, _: read_progress(post, about, -1.0)
    )


async def begun(browser: Browser, review: Page, number: int, **more: str) -> Page:
    """The answer to a script's first step over all of them."""
    assert "refused" not in review.text, review.text
    data: dict[str, Any] = {**review.form.values, "apply": "", "steps": "1", "do": numbers(number), **more}
    return await browser.send(review.form.action, data)


async def pressed(browser: Browser, page: Page, button: str, number: int, **more: str) -> Page:
    data: dict[str, Any] = {**page.form.values, button: "", "do": numbers(number), **more}
    return await browser.send(page.form.action, data)


def numbers(number: int) -> list[str]:
    return [str(each) for each in range(1, number + 1)]


def names(cluster: ControlPlane, collection: str) -> list[str]:
    return sorted(each["metadata"]["name"] for each in cluster.get(collection)["items"])


async def test_each_step_shows_what_came_of_the_objects_so_far_and_leads_to_the_next(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    cluster.create(collection, live("two"))
    review = await reviewed(browser, address, mydemo("one"), mydemo("two", port=9090), mydemo("three"))
    page = await begun(browser, review, 3)
    assert (page.status, names(cluster, collection)) == (200, ["one", "two"])
    assert "Applying 1 of 3" in page.text
    assert "1 created 2 not begun" in page.text
    assert 'data-repeat="0"' in page.body
    page = await pressed(browser, page, "apply", 3)
    assert "1 created 1 changed 1 not begun" in page.text
    page = await pressed(browser, page, "apply", 3)
    assert "Applied 2 created" not in page.text
    assert "2 created 1 changed" in page.text
    assert "data-repeat=" not in page.main
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_what_is_cancelled_is_left_as_it_was_and_can_be_gone_on_with(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, mydemo("one"), mydemo("two"), mydemo("three"))
    page = await pressed(browser, await begun(browser, review, 3), "stop", 3)
    assert "Cancelled" in page.text
    assert "1 created 2 not tried" in page.text
    assert "To apply what was not begun" in page.text
    assert names(cluster, collection) == ["one"]
    page = await pressed(browser, page, "apply", 3)
    assert "3 created" in page.text
    assert names(cluster, collection) == ["one", "three", "two"]


async def test_a_busy_api_server_is_waited_for_and_nothing_after_it_is_begun(
    browser: Browser, lossy: LossyProxy, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, mydemo("one"), mydemo("two"))
    lossy.fault = "busy"
    page = await begun(browser, review, 2, after="go")
    assert page.status == 429, page.text
    assert f'data-repeat="{WAIT}"' in page.body
    assert "try 1 of 10" in page.text
    assert "1 waited for 1 not begun" in page.text
    page = await pressed(browser, page, "apply", 2)
    assert "try 2 of 10" in page.text
    lossy.fault = ""
    page = await pressed(browser, page, "apply", 2)
    assert "1 created 1 not begun" in page.text
    assert names(cluster, collection) == ["one"]


async def test_a_review_waits_for_a_busy_api_server_with_the_text_and_what_its_files_held(
    browser: Browser, lossy: LossyProxy, address: str
) -> None:
    begun = await browser.open(address)
    lossy.fault, lossy.dry_runs_too = "busy", True
    file = SimpleUploadedFile("b.yaml", mydemo("b").encode())
    data: dict[str, Any] = {**begun.form.values, "yaml": mydemo("a"), "file": [file], "review": ""}
    page = await browser.send(begun.form.action, data)
    assert page.status == 429
    assert f'data-repeat="{WAIT}"' in page.body
    assert "That is safe: it writes nothing." in page.text
    lossy.fault = ""
    assert "2 to create" in (await browser.press(page, "review")).text


async def test_where_some_may_pass_they_can_be_reviewed_again(
    browser: Browser, lossy: LossyProxy, address: str
) -> None:
    lossy.fault, lossy.dry_runs_too = "busy", True
    page = await reviewed(browser, address, mydemo("a"), "kind: A\n")
    assert "2 refused" in page.text
    lossy.fault = ""
    assert "1 to create 1 refused" in (await browser.press(page, "review")).text


async def test_in_the_end_it_is_the_person_who_decides(browser: Browser, lossy: LossyProxy, address: str) -> None:
    review = await reviewed(browser, address, mydemo("one"), mydemo("two"))
    lossy.fault = "busy"
    page = await begun(browser, review, 2, tries="10")
    assert page.status == 409
    assert "1 failed 1 not tried" in page.text
    assert "data-repeat=" not in page.main
    lossy.fault = ""
    assert "2 created" in (await pressed(browser, page, "apply", 2)).text


async def test_at_least_one_is_applied_however_late_it_is(
    parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    kitchen = ApplyContext(parts.client, parts.discovery, parts.schemas, namespace)
    documents = parse_manifests(f"{mydemo('one')}---\n{mydemo('two')}")
    reviewed_both = {number: ReviewedStep("create") for number in (1, 2)}
    results = await apply(
        kitchen, parts.clock, documents, reviewed_both, ApplyState({}, continue_on_failure=True, time_limit=-1.0)
    )
    assert [result.state for result in results] == ["made", "waiting"]


@pytest.mark.parametrize("fault", ["before", "after"])
@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("way", ["create", "update"])
async def test_after_a_lost_answer_reading_says_whether_it_was_stored(
    browser: Browser,
    lossy: LossyProxy,
    cluster: ControlPlane,
    collection: str,
    address: str,
    fault: Any,
    down: bool,
    way: str,
) -> None:
    if way == "update":
        cluster.create(collection, live("one"))
    review = await reviewed(browser, address, mydemo("one", port=9090))
    lossy.fault, lossy.down_after = fault, down
    page = await begun(browser, review, 1)
    if down:
        assert page.status == 503
        assert "is not known yet" in page.text
        page = await pressed(browser, page, "apply", 1)
        assert "is not known yet" in page.text
        lossy.down = lossy.down_after = False
    if fault == "before" and not down:
        assert page.status == 503
    lossy.fault = ""
    if fault == "before" or down:
        page = await pressed(browser, page, "apply", 1)
    if (fault, down, way) == ("before", True, "create"):  # it was made, or was and somebody deleted it: asked
        assert "Review it again" in page.text
        return
    said = "No answer came when it was sent, but reading it shows that it was stored" in page.text
    assert said == (fault == "after")
    assert ("1 created" if way == "create" else "1 changed") in page.text
    assert lossy.writes == 1
    assert cluster.get(f"{collection}/one")["spec"]["port"] == 9090


async def test_one_that_the_api_server_names_is_not_sent_again_but_asked_about(
    browser: Browser, lossy: LossyProxy, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, NAMELESS)
    lossy.fault = "after"
    page = await begun(browser, review, 1)
    assert page.status == 409
    assert "the API server generates its name" in page.text
    assert len(names(cluster, collection)) == 1


async def test_where_the_answer_to_a_step_did_not_come_nothing_is_made_twice(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, mydemo("one"), NAMELESS)
    await begun(browser, review, 2)
    page = await begun(browser, review, 2, unheard="1")
    assert "1 unchanged 1 not begun" in page.text
    page = await pressed(browser, page, "apply", 2, unheard="1")
    assert "the API server generates its name" in page.text
    assert names(cluster, collection) == ["one"]


async def test_results_of_another_text_count_for_nothing(browser: Browser, address: str) -> None:
    one = await begun(browser, await reviewed(browser, address, mydemo("one")), 1)
    review = await reviewed(browser, address, mydemo("two"))
    values = {**review.form.values, "so-far": one.form.values["so-far"]}
    page = await browser.send(review.form.action, {**values, "apply": "", "steps": "1", "do": "1"})
    assert "1 created" in page.text
    assert "Mydemo" in page.text
    assert "two" in page.text
