"""Tests of edits that start from history: some fields of a version, and the reverse of one write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.access.rights import Rights
from dashboard.live.history import recorder, recorder_thread
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import ObjectName
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.moments import Moments
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, Page, reviewed
from tests.support.live.recorded_cluster import recorded_cluster
from tests.support.wait import eventually

KEY = "mydemos.crddemo.k8s.io"


@pytest.fixture
async def recorded(
    parts: SimpleNamespace, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SimpleNamespace]:
    """The parts with a recorded history of the namespace's objects."""
    monkeypatch.setattr(recorder, "TICK", 0.05)
    monkeypatch.setattr(recorder_thread, "IDLE_SECONDS", 0.05)
    keys = (KEY, "deployments.apps", "secrets")
    async with recorded_cluster(parts.client, tmp_path, *keys, namespace=namespace) as history:
        parts.history = history
        parts.moments = Moments(parts.replicas, history, parts.clock, lambda _at: str)
        yield parts


async def test_the_reverse_of_a_saved_edit_is_reviewed_and_keeps_what_others_changed(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    before = cluster.get(one)["metadata"]["resourceVersion"]
    page = await reviewed(browser, path, "8080", "9090")
    saved = await browser.press(page, "save")
    assert saved.status == 302, saved.text
    details = await browser.open(path)
    undo_href = f"{path}edit/?undo={cluster.get(one)['metadata']['resourceVersion']}&amp;before={before}"
    assert f'href="{undo_href}">Undo</a>' in details.main
    cluster.patch(one, {"metadata": {"labels": {"theirs": "yes"}}})
    undo_href = undo_href.replace("&amp;", "&")
    review = await browser.open(undo_href)
    assert "This undoes one earlier change" in review.text
    assert "spec.port 9090 → 8080" in review.text
    assert "after the change that is undone" in review.text
    assert cluster.get(one)["spec"]["port"] == 9090, "nothing is saved yet"
    assert (await browser.press(review, "save")).status == 302
    now = cluster.get(one)
    assert now["spec"]["port"] == 8080
    assert now["metadata"]["labels"] == {"team": "a", "theirs": "yes"}


async def test_the_first_change_after_a_restart_of_the_worker_is_undone_where_the_version_before_it_is_known(
    parts: SimpleNamespace,
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    browser: Browser,
    cluster: ControlPlane,
    one: str,
    path: str,
) -> None:
    """The object was found as it was recorded, so nothing of it is missing in the gap; but history does not say so."""
    monkeypatch.setattr(recorder, "TICK", 0.05)
    monkeypatch.setattr(recorder_thread, "IDLE_SECONDS", 0.05)
    before = cluster.get(one)["metadata"]["resourceVersion"]
    async with recorded_cluster(parts.client, tmp_path, KEY, namespace=namespace) as history:
        await history.wait_until_recorded([KEY], parts.clock.time())
    async with recorded_cluster(parts.client, tmp_path, KEY, namespace=namespace) as history:
        parts.history = history
        parts.moments = Moments(parts.replicas, history, parts.clock, lambda _at: str)
        await history.wait_until_recorded([KEY], parts.clock.time())
        written = cluster.patch(one, {"spec": {"port": 9090}})["metadata"]["resourceVersion"]
        page = await browser.open(f"{path}edit/?undo={written}")
        assert page.status == 404
        assert "Versions may be missing in history right before that write" in page.text
        wrong = await browser.open(f"{path}edit/?undo={written}&before=1")
        assert wrong.status == 404
        review = await browser.open(f"{path}edit/?undo={written}&before={before}")
        assert "spec.port 9090 → 8080" in review.text


async def test_what_others_changed_too_is_asked(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    written = cluster.patch(one, {"spec": {"port": 9090}})["metadata"]["resourceVersion"]
    cluster.patch(one, {"spec": {"port": 7070}})
    page = await browser.open(f"{path}edit/?undo={written}")
    assert page.status == 409
    assert "What is to be put back was changed since: spec.port" in page.text
    (question,) = page.form.radios
    page = await browser.press(page, "review", **{question.replace(".", "__"): "mine"})
    assert "spec.port 7070 → 8080" in page.text
    assert cluster.get(one)["spec"]["port"] == 7070


async def test_a_write_that_history_does_not_have_is_not_undone(
    recorded: SimpleNamespace, browser: Browser, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/?undo=1")
    assert page.status == 404
    assert "History does not have the version that was written" in page.text
    assert "port: 8080" in page.yaml, "the editor has the present object"


async def test_while_history_cannot_be_read_an_undo_says_to_try_again(
    recorded: SimpleNamespace, browser: Browser, one: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise HistoryUnavailable("the database is away")

    monkeypatch.setattr(recorded.history, "write_of", away)
    monkeypatch.setattr(recorded.history, "wait_until_recorded", away)
    page = await browser.open(f"{path}edit/?undo=1")
    assert page.status == 503
    assert "History cannot be read: the database is away. Try again in a moment." in page.text


async def test_the_past_of_what_may_not_be_seen_is_not_told(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    written = cluster.patch(one, {"spec": {"port": 9090}})["metadata"]["resourceVersion"]
    recorded.rights = Rights(())
    page = await browser.open(f"{path}edit/?undo={written}")
    assert page.status == 404
    assert "8080" not in page.body


async def test_one_field_is_put_back_and_nothing_else(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    at = await moment_of(recorded, one, cluster)
    cluster.patch(one, {"spec": {"port": 9090, "ip": "10.0.0.9"}, "metadata": {"labels": {"new": "x", "team": None}}})
    page = await browser.open(f"{path}edit/?version={at}&field=spec.port")
    assert "This puts back spec.port as of" in page.text
    assert "spec.port 9090 → 8080" in page.text
    assert (await browser.press(page, "save")).status == 302
    now = cluster.get(one)
    assert now["spec"] == {"port": 8080, "ip": "10.0.0.9"}
    assert now["metadata"]["labels"] == {"new": "x"}
    page = await browser.open(f"{path}edit/?version={at}&field=metadata.labels.new&field=metadata.labels.team")
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(one)["metadata"]["labels"] == {"team": "a"}, "what did not exist then is removed"


async def test_the_boxes_of_a_comparison_lead_to_the_review(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    at = await moment_of(recorded, one, cluster)
    cluster.patch(one, {"spec": {"port": 9090, "ip": "10.0.0.9"}})
    page = await shows(browser, f"{path}history/?from={at}", "10.0.0.9")
    assert 'name="field" value="spec.port"' in page.main
    page = await browser.send(f"{path}edit/", {"version": at, "field": "spec.port"})
    assert "spec.port 9090 → 8080" in page.text
    assert "spec.ip" not in page.text
    page = await browser.send(f"{path}edit/", {"version": at})
    assert page.status == 422
    assert "No field was chosen" in page.text


async def test_of_a_list_with_names_single_entries_are_put_back(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    labels = {"app": "one"}
    containers = [{"name": name, "image": f"{name}:1", "args": ["x", "y"]} for name in ("app", "side", "gone")]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    cluster.create(
        deployments, {"metadata": {"name": "one"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    )
    one, path = f"{deployments}/one", f"/resources/deployments.apps/{namespace}/one/"
    at = await moment_of(recorded, one, cluster, "deployments.apps")
    changed = [{"name": "side", "image": "side:2"}, {"name": "app", "image": "app:2", "args": ["x", "z"]}]
    cluster.patch(one, {"spec": {"template": {"spec": {"containers": changed}}}})
    inside = "spec.template.spec.containers"
    fields = (f"{inside}[app].image", f"{inside}[app].args[1]", f"{inside}[gone]")
    page = await browser.open(f"{path}edit/?version={at}" + "".join(f"&field={each}" for each in fields))
    assert (await browser.press(page, "save")).status == 302, page.text
    now = cluster.get(one)["spec"]["template"]["spec"]["containers"]
    assert [(each["name"], each["image"], each.get("args")) for each in now] == [
        ("side", "side:2", None),
        ("gone", "gone:1", ["x", "y"]),
        ("app", "app:1", ["x", "y"]),
    ]


@pytest.mark.parametrize("field", ["status.phase", "metadata.uid", "spec.nothing[x].at", "["])
async def test_a_field_that_cannot_be_put_back_is_said(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, one: str, path: str, field: str
) -> None:
    at = await moment_of(recorded, one, cluster)
    page = await browser.open(f"{path}edit/?version={at}&field={field}")
    assert page.status == 422
    assert f"{field} cannot be put back alone" in page.text


async def moment_of(recorded: SimpleNamespace, one: str, cluster: ControlPlane, key: str = KEY) -> str:
    """The time of the present version, once it is recorded."""
    obj = cluster.get(one)["metadata"]
    name = ObjectName(key, obj["namespace"], obj["name"], obj["uid"])

    async def found() -> Any:
        return await recorded.history.write_of(name, obj["resourceVersion"])

    write = await eventually(found, what="it is recorded")
    assert write is not None
    return format_at(write.after.version.time / 1e6)


async def shows(browser: Browser, address: str, words: str) -> Page:
    async def page() -> Page | None:
        found = await browser.open(address)
        return found if words in found.text else None

    shown = await eventually(page, what=words)
    assert shown is not None
    return shown


async def test_of_a_secret_labels_are_put_back_and_values_are_not(
    recorded: SimpleNamespace, browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    cluster.create(secrets, {"metadata": {"name": "one"}, "data": {"word": "aHVzaA=="}})
    one, path = f"{secrets}/one", f"/resources/secrets/{namespace}/one/"
    labelled = cluster.patch(one, {"metadata": {"labels": {"a": "b"}}})["metadata"]["resourceVersion"]
    changed = cluster.patch(one, {"data": {"word": "eA=="}})["metadata"]["resourceVersion"]
    page = await browser.open(f"{path}edit/?undo={changed}")
    assert page.status == 404
    assert "It changed values. History does not keep the values of Secrets." in page.text
    page = await browser.open(f"{path}edit/?undo={labelled}")
    assert (await browser.press(page, "save")).status == 302, page.text
    now = cluster.get(one)
    assert (now["metadata"].get("labels"), now["data"]) == (None, {"word": "eA=="})
