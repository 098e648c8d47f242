"""Tests of a run over many objects, from the selection to the results, on the real API server."""

from __future__ import annotations

import threading
from typing import Any
from unittest.mock import AsyncMock

import pytest

from dashboard.live.hub.hub import Hub
from dashboard.pages.bulk.review import groups_by_message
from dashboard.pages.bulk.run import Item
from tests.dashboard.pages.bulk.conftest import PAGE, Demos


async def test_equal_changes_are_reviewed_as_one_then_written_and_told_for_each(demos: Demos) -> None:
    demos.make("a", "b", "c", labels={"team": "old"})
    demos.patch("c", {"metadata": {"labels": {"team": "new"}}})
    page = await demos.review(verb="label", label_set="team=new")
    assert "2 would be changed" in page.text
    assert "1 needs no change" in page.text
    assert "metadata.labels.team old → new" in page.text
    assert "kubectl label mydemos.crddemo.k8s.io a b -n" in page.text
    assert demos.labels("a") == {"team": "old"}
    await demos.press("start")
    await demos.shows("2 changed.")
    assert [demos.labels(name) for name in "abc"] == [{"team": "new"}] * 3
    results = (await demos.browser.open(f"{demos.run}results.csv")).body
    assert ",a," in results
    assert results.count(",done,") == 2
    assert results.count(",same,") == 1
    commands = (await demos.browser.open(f"{demos.run}commands.txt")).body
    assert commands.endswith("--overwrite team=new\n")


async def test_its_commands_are_for_this_cluster(demos: Demos) -> None:
    demos.make("a")
    demos.parts.kubectl = "kubectl --context prod"
    page = await demos.review(verb="label", label_set="team=new")
    assert "kubectl --context prod label mydemos.crddemo.k8s.io a -n" in page.text
    assert 'data-copy="kubectl --context prod label' in page.body
    commands = (await demos.browser.open(f"{demos.run}commands.txt")).body
    assert commands.startswith("kubectl --context prod label mydemos.crddemo.k8s.io a -n")
    demos.parts.kubectl = ""
    commands = (await demos.browser.open(f"{demos.run}commands.txt")).body
    assert commands.startswith("# kubectl takes the context that is current in your shell")


async def test_a_review_and_an_outcome_of_many_are_put_together_beside_the_loop(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[bool] = []

    def noted(*given: Any) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return groups_by_message(*given)

    monkeypatch.setattr("dashboard.pages.bulk.views.groups_by_message", noted)
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    await demos.press("start")
    await demos.shows("1 changed.")
    assert threads
    assert not any(threads)


async def test_labels_and_annotations_are_set_and_removed(demos: Demos) -> None:
    demos.make("a", labels={"x": "1", "y": "2"}, annotations={"n": "1"})
    await demos.review(verb="label", label_set="z=", label_remove="x")
    await demos.press("start")
    await demos.shows("1 changed.")
    assert demos.labels("a") == {"y": "2", "z": ""}
    await demos.review(verb="annotate", annotate_set="text=a = b, and more", annotate_remove="n")
    await demos.press("start")
    await demos.shows("1 changed.")
    assert demos.get("a")["metadata"]["annotations"] == {"text": "a = b, and more"}


async def test_a_patch_is_refused_for_those_that_the_schema_forbids_in_the_servers_words(demos: Demos) -> None:
    demos.make("a", "b")
    page = await demos.review(verb="patch", patch="spec:\n  port: 99999")
    assert "2 refused" in page.text
    assert "99999" in page.text
    assert "should be less than or equal to" in page.text
    assert "There is nothing to do" in page.text
    page = await demos.press("choose")
    assert "port: 99999" in page.form.values["patch"]
    assert demos.get("a")["spec"]["port"] == 8080


async def test_objects_are_deleted_and_what_holds_them_is_said_before(demos: Demos) -> None:
    demos.make("a", "b")
    demos.patch("b", {"metadata": {"finalizers": ["example.com/hold"]}})
    page = await demos.review(verb="delete", grace="default", propagation="Background")
    assert "until these finalizers are removed: example.com/hold" in page.text
    await demos.press("start")
    await demos.shows("2 deleted.")
    assert demos.names() == {"b"}
    assert "deletionTimestamp" in demos.get("b")["metadata"]
    demos.patch("b", {"metadata": {"finalizers": None}})


async def test_what_changed_after_the_review_is_asked_again_and_what_changed_elsewhere_goes_on(demos: Demos) -> None:
    demos.make("a", "b", "c")
    await demos.review(verb="patch", patch="spec: {port: 9090}")
    demos.patch("a", {"spec": {"port": 7777}})
    demos.patch("b", {"metadata": {"labels": {"other": "field"}}})
    demos.cluster.delete(f"{demos.collection}/c")
    await demos.press("start")
    page = await demos.shows("not everything was done")
    assert "1 changed meanwhile" in page.text
    assert "1 gone" in page.text
    assert demos.get("a")["spec"]["port"] == 7777
    assert demos.get("b")["spec"]["port"] == 9090
    assert demos.labels("b") == {"other": "field"}
    await demos.press("look")
    page = await demos.shows("Review: ")
    assert "spec.port 7777 → 9090" in page.text
    await demos.press("start")
    await demos.shows("2 changed.")
    assert demos.get("a")["spec"]["port"] == 9090


async def test_one_made_again_under_the_same_name_is_left_alone(demos: Demos) -> None:
    demos.make("a")
    await demos.review(verb="delete", grace="default")
    demos.cluster.delete(f"{demos.collection}/a")
    demos.make("a")
    await demos.press("start")
    page = await demos.shows("1 gone")
    assert "another object has its name" in page.text
    assert demos.names() == {"a"}


async def test_what_came_and_what_matches_no_longer_is_said_in_the_review(demos: Demos) -> None:
    demos.make("a", "b")
    page = await demos.review(verb="label", label_set="x=1")
    assert "The same ones match now; later ones are not included." in page.text
    demos.make("c")
    demos.parts.hub = Hub(demos.parts.replicas, demos.parts.clock)
    page = await demos.browser.open(demos.run)
    assert "1 other matches now and is not included." in page.text
    assert "2 of them no longer match and are changed anyway." in page.text


async def test_selected_rows_match_nothing(demos: Demos) -> None:
    demos.make("a")
    page = await demos.browser.send(PAGE, {"uid": demos.get("a")["metadata"]["uid"]})
    demos.run = page.location
    await demos.browser.send(demos.run, {"verb": "label", "label_set": "x=1", "try": ""})
    page = await demos.shows("Review: ")
    assert "match" not in page.text


async def test_what_goes_with_those_that_are_deleted_is_counted(demos: Demos, namespace: str) -> None:
    demos.make("a", "b")
    owner = {"kind": "Mydemo", "name": "a", "uid": demos.get("a")["metadata"]["uid"], "controller": True}
    owned = [
        {"metadata": {"name": f"web-{number}", "namespace": namespace, "uid": str(number), "ownerReferences": [owner]}}
        for number in range(3)
    ]
    demos.list("pods", owned)
    page = await demos.review(verb="delete", propagation="Orphan")
    assert "Their known dependents: 3 Pods. Dependents stay, without an owner." in page.text


async def test_a_spreadsheet_runs_nothing_of_what_the_api_server_said(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    await demos.choose(verb="label", label_set="x=1")
    said = AsyncMock(return_value=(Item("shop", "a", "uid", "failed", words="-1", said="=1+1"),))
    monkeypatch.setattr("dashboard.pages.bulk.request_context.RunRequest.items", said)
    assert "shop,a,uid,failed,'-1,'=1+1" in (await demos.browser.open(f"{demos.run}results.csv")).body
