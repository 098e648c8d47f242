"""Tests of a policy that changes a write but not its dry run: the page says so after the save."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from dashboard.pages.layout.flash import COOKIE, Flash, flash_for
from dashboard.pages.writes.admission_changes import DryRunDrift, admission_changes, drift_from_dry_run
from tests.support.controlplane import ControlPlane
from tests.support.edit.mutating_policy import stamped
from tests.support.edit.no_script_browser import Browser, Page, reviewed

__all__ = ["stamped"]


def said(browser: Browser, page: Page) -> Flash:
    """What the page says that a save leads to."""
    request = RequestFactory().get(page.location)
    request.COOKIES[COOKIE] = browser.client.cookies[COOKIE].value
    found = flash_for(request)
    assert found is not None
    return found


@pytest.mark.usefixtures("stamped")
async def test_what_is_stored_otherwise_than_reviewed_is_said_after_the_save(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    saved = await browser.press(await reviewed(browser, path, "port: 8080", "port: 9090"), "save")
    assert cluster.get(one)["metadata"]["annotations"] == {"stamp": "written"}
    found = said(browser, saved)
    assert "The result differs from the review: the API server changed metadata.labels.late." in found.words
    assert "The API server set metadata.annotations.stamp to another value than the review showed." in found.words
    assert found.tone == "warn"

    kind, namespace = path.split("/")[2:4]
    page = await browser.open(f"/resources/{kind}/new/?namespace={namespace}")
    text = f"apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {{name: two, namespace: {namespace}}}\n"
    page = await browser.press(page, "review", yaml=f"{text}spec: {{ip: 10.0.0.1, port: 80}}\n")
    made = said(browser, await browser.press(page, "create"))
    assert made.tone == "warn"
    assert "changed metadata.labels.late" in made.words

    page = await reviewed(browser, path, "port: 9090", "port: 7070")
    cluster.delete(one)
    page = await browser.press(await browser.press(page, "save"), "recreate")
    again = said(browser, await browser.press(page, "create"))
    assert "the API server changed metadata.annotations.stamp." in again.words, "compared with what was sent"


async def test_of_a_save_that_is_stored_as_reviewed_nothing_more_is_said(browser: Browser, one: str, path: str) -> None:
    saved = await browser.press(await reviewed(browser, path, "port: 8080", "port: 9090"), "save")
    found = said(browser, saved)
    assert found.words.endswith(" is saved.")
    assert found.tone == "ok"


def test_what_was_to_be_set_and_was_not_is_said_too_and_many_fields_are_counted() -> None:
    assert drift_from_dry_run({"a": "1", "b": "2"}, {"b": "2"}) == DryRunDrift(unreviewed_fields=("a",))
    assert drift_from_dry_run({"a": "1"}, {"a": ""}) == DryRunDrift(unreviewed_fields=("a",)), "it was left out"
    assert drift_from_dry_run({"a": "1"}, {"a": "2"}) == DryRunDrift(revalued_fields=("a",))
    assert drift_from_dry_run(None, {"a": "1"}) == DryRunDrift(), "nobody knows what was seen"
    many = drift_from_dry_run({}, {f"spec.f{number}": "1" for number in range(7)}).words
    assert "spec.f4 and 2 more fields" in many


def test_a_name_that_the_api_server_generates_is_no_difference_between_review_and_write() -> None:
    sent = {"metadata": {"generateName": "web-"}, "spec": {"port": 80}}
    dry_run, stored = (
        {"metadata": {"generateName": "web-", "name": name}, "spec": {"port": 80}}
        for name in ("web-abcde", "web-fghij")
    )
    assert drift_from_dry_run(admission_changes(sent, dry_run), admission_changes(sent, stored)) == DryRunDrift()
    named = {"metadata": {"name": "web"}}
    assert admission_changes(named, {"metadata": {"name": "another"}}).keys() == {"metadata.name"}
