"""Tests of the undo of runs, on the real API server with its recorded history."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from dashboard.access.identity import Identity
from dashboard.access.person import Person
from dashboard.access.rights import Rights
from dashboard.live.history import recorder, recorder_thread
from dashboard.objects.kinds.catalog import KINDS as CATALOG
from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.operation import BulkOperation, UndoneRun
from dashboard.pages.bulk.run import Item, UndoneWrite
from dashboard.pages.bulk.runner import BulkRunner
from dashboard.pages.bulk.undo_execution import CREATED_ALREADY, HOLDS_OTHERS
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.runtime.production_clusters import ProductionClusters
from informerd.errors import Unreachable
from informerd.rest.client import Client
from tests.dashboard.pages.audit.conftest import recorder_at
from tests.dashboard.pages.bulk.conftest import KEY, Demos
from tests.dashboard.pages.conftest import parts_for
from tests.support.edit.no_script_browser import Browser
from tests.support.live.recorded_cluster import recorded_cluster
from tests.support.wait import eventually

DEPLOYMENTS = "deployments.apps"
JOBS = "jobs.batch"
KINDS = (KEY, DEPLOYMENTS, JOBS, "secrets")


@pytest.fixture
async def recorded(
    demos: Demos, namespace: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Demos]:
    """Mydemos whose history is recorded, and what runs do in the audit log."""
    monkeypatch.setattr(recorder, "TICK", 0.05)
    monkeypatch.setattr(recorder_thread, "IDLE_SECONDS", 0.05)
    parts = demos.parts
    async with recorded_cluster(parts.client, tmp_path, *KINDS, namespace=namespace) as history:
        executors = item_executor_factory(parts.schemas, parts.authors, parts.clock, history)
        audit = recorder_at(database)
        runner = BulkRunner(parts.bulk_runs.store, parts.clock, lambda _: parts.client, executors, audit=audit)
        parts.bulk_runs, parts.history, parts.audit = runner, history, audit
        yield demos
        await runner.stop()
        await audit.stop()


async def finish(demos: Demos, words: str, **typed: str) -> None:
    """A run to its end."""
    await demos.review(**typed)
    await demos.press("start")
    await demos.shows(words)


async def undo(demos: Demos) -> None:
    """Start the undo of the run: from now on it is the run."""
    page = await demos.press("undo")
    assert page.status == 303, page.text
    assert page.location != demos.run
    demos.run = page.location


async def test_what_a_run_changed_is_put_back_and_what_others_changed_stays(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", "b", "c", "d", labels={"team": "old", "x": "1"})
    await finish(demos, "4 changed.", verb="label", label_set="team=new", label_remove="x")
    demos.patch("b", {"spec": {"port": 9090}, "metadata": {"labels": {"own": "yes"}}})
    demos.patch("c", {"metadata": {"labels": {"team": "mine"}}})
    demos.cluster.delete(f"{demos.collection}/d")
    await undo(demos)
    page = await demos.shows("Review: Undo")
    assert "2 would be changed" in page.text
    assert "metadata.labels.team new → old" in page.text
    assert "metadata.labels.x 1 new" in page.text
    assert "metadata.labels.team is mine now: the run made it new, before it was old." in page.text
    assert "set by the API server" not in page.text
    assert "1 gone" in page.text
    assert demos.labels("a") == {"team": "new"}, "nothing is changed yet"
    await demos.press("start")
    await demos.shows("2 done")
    assert demos.labels("a") == {"team": "old", "x": "1"}
    assert demos.labels("b") == {"team": "old", "x": "1", "own": "yes"}
    assert demos.get("b")["spec"]["port"] == 9090
    assert demos.labels("c") == {"team": "mine"}


async def test_others_undo_a_run_with_one_of_their_own(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", "b", labels={"team": "old"})
    await finish(demos, "2 changed.", verb="label", label_set="team=new")
    other = Demos(demos.cluster, demos.collection, demos.parts, Browser(demos.parts), demos.run)
    assert "starts a run of your own, with your rights" in (await other.browser.open(demos.run)).text
    await undo(other)
    page = await other.shows("Review: Undo")
    assert "metadata.labels.team new → old" in page.text
    assert "This undoes another run" in page.text
    assert demos.run in page.body
    assert (await demos.browser.open(other.run)).status == 404, "it is theirs"
    await other.press("start")
    await other.shows("2 done")
    assert demos.labels("a") == demos.labels("b") == {"team": "old"}


async def test_an_undo_is_a_run_that_can_be_undone(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", "b", labels={"team": "old"})
    await finish(demos, "2 changed.", verb="patch", patch="spec: {port: 9000}")
    for port in (8080, 9000):
        await undo(demos)
        page = await demos.shows("Review: Undo")
        assert "2 would be changed" in page.text
        await demos.press("start")
        await demos.shows("2 changed.")
        assert [demos.get(name)["spec"]["port"] for name in "ab"] == [port, port]
        key = demos.run.strip("/").rpartition("/")[2]
        written = (await demos.browser.open(f"/audit/?run={key}")).main
        records = re.findall('data-verb="([^"]*)".*data-name="([^"]*)" data-outcome="([^"]*)"', written)
        assert sorted(records) == [("update", name, "done") for name in "ab"]
    page = await demos.browser.open("/runs/")
    assert page.text.count("Undo: 2 Mydemos") == 2


async def test_what_a_run_deleted_is_created_again_and_that_is_undone_where_nobody_has_changed_it(
    recorded: Demos,
) -> None:
    demos = recorded
    demos.make("a", "b", "c", labels={"team": "old"})
    uids = {name: demos.get(name)["metadata"]["uid"] for name in "abc"}
    await finish(demos, "3 deleted.", verb="delete")
    demos.make("c", port=1)
    await undo(demos)
    page = await demos.shows("Review: Undo")
    assert "2 would be created" in page.text
    assert "each with a new uid" in page.text
    assert "Another object has its name now" in page.text
    assert f"{demos.collection.rpartition('/')[0].rpartition('/')[2]}/a/history/" in page.main
    assert demos.names() == {"c"}, "nothing is created yet"
    await demos.press("start")
    await demos.shows("2 done")
    for name in "ab":
        created = demos.get(name)
        assert created["metadata"]["uid"] != uids[name]
        assert (created["spec"]["port"], created["metadata"]["labels"]) == (8080, {"team": "old"})
    assert demos.get("c")["spec"]["port"] == 1
    demos.patch("b", {"spec": {"port": 2}})
    await undo(demos)
    page = await demos.shows("Review: Undo")
    assert "1 would be deleted" in page.text
    assert "Since it was created, somebody has changed spec.port." in page.text
    await demos.press("start")
    await demos.shows("1 done")
    assert demos.names() == {"b", "c"}
    await undo(demos)
    await demos.shows("1 would be created")
    await demos.press("start")
    await demos.shows("1 created.")
    assert demos.names() == {"a", "b", "c"}


async def test_a_deletion_that_is_undone_twice_is_undone_once(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", "b")
    await finish(demos, "2 deleted.", verb="delete")
    deletion = demos.run
    await undo(demos)
    await demos.shows("2 would be created")
    first, demos.run = demos.run, deletion
    await undo(demos)
    await demos.shows("2 would be created")
    second, demos.run = demos.run, first
    await demos.press("start")
    await demos.shows("2 created.")
    uids = {name: demos.get(name)["metadata"]["uid"] for name in "ab"}
    demos.patch("b", {"spec": {"port": 1}})
    demos.run = second
    await demos.press("start")
    page = await demos.shows("1 changed meanwhile")
    assert "1 needed no change" in page.text
    assert CREATED_ALREADY in page.text
    assert {name: demos.get(name)["metadata"]["uid"] for name in "ab"} == uids
    assert demos.get("b")["spec"]["port"] == 1


async def test_of_jobs_it_is_said_that_they_run_again(recorded: Demos) -> None:
    demos = recorded
    jobs = demos.collection.replace("crddemo.k8s.io/v1", "batch/v1").replace("mydemos", "jobs")
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "app", "image": "app:1"}]}}
    demos.list(JOBS, [demos.cluster.create(jobs, {"metadata": {"name": "one"}, "spec": {"template": template}})])
    demos.page = f"/resources/{JOBS}/bulk/"
    await finish(demos, "1 deleted.", verb="delete")
    await undo(demos)
    page = await demos.shows("1 would be created")
    assert "They run again, also those that had ended." in page.text
    await demos.press("start")
    await demos.shows("1 created.")


async def test_one_that_a_finalizer_still_holds_is_created_once_it_is_gone(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", finalizers=["example.com/hold"])
    await finish(demos, "1 deleted.", verb="delete")
    await undo(demos)
    page = await demos.shows("Review: Undo")
    assert "its deletion has not ended" in page.text
    demos.patch("a", {"metadata": {"finalizers": []}})
    await demos.press("try")
    await demos.shows("1 would be created")
    await demos.press("start")
    await demos.shows("1 created.")
    assert demos.get("a")["metadata"]["finalizers"] == ["example.com/hold"]


async def test_lists_are_merged_by_the_keys_of_their_items(recorded: Demos) -> None:
    demos = recorded
    deployments = demos.collection.replace("crddemo.k8s.io/v1", "apps/v1").replace("mydemos", "deployments")
    labels = {"app": "one"}
    containers = [{"name": name, "image": f"{name}:1"} for name in ("app", "side")]
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
    }
    made = demos.cluster.create(deployments, {"metadata": {"name": "one"}, "spec": spec})
    demos.list(DEPLOYMENTS, [made])
    demos.page = f"/resources/{DEPLOYMENTS}/bulk/"
    image = "spec: {template: {spec: {containers: [{name: app, image: 'app:2'}, {name: new, image: 'new:1'}]}}}"
    await finish(demos, "1 changed.", verb="patch", patch=image)
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side:7"}]}}}}
    demos.cluster.patch(f"{deployments}/one", side, "strategic")
    await undo(demos)
    page = await demos.shows("Review: Undo")
    assert "image app:2 → app:1" in page.text.replace("[name=app].", "")
    await demos.press("start")
    await demos.shows("1 changed.")
    now = demos.cluster.get(f"{deployments}/one")["spec"]["template"]["spec"]["containers"]
    assert [(each["name"], each["image"]) for each in now] == [("app", "app:1"), ("side", "side:7")]


async def test_what_is_changed_between_review_and_write_is_kept(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", "b", labels={"team": "old"})
    await finish(demos, "2 changed.", verb="label", label_set="team=new")
    await undo(demos)
    await demos.shows("2 would be changed")
    demos.patch("a", {"metadata": {"labels": {"team": "theirs"}}})
    demos.patch("b", {"spec": {"port": 1}})
    await demos.press("start")
    page = await demos.shows("metadata.labels.team is theirs now")  # once the run has ended
    assert "1 changed meanwhile" in page.text
    assert demos.labels("a") == {"team": "theirs"}
    assert (demos.labels("b"), demos.get("b")["spec"]["port"]) == ({"team": "old"}, 1)


async def test_of_those_that_history_does_not_have_it_is_said_and_the_rest_goes_on(
    recorded: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos = recorded
    demos.make("a", "b", labels={"team": "old"})
    await finish(demos, "2 changed.", verb="label", label_set="team=new")
    write_of = demos.parts.history.write_of

    async def known(name: Any, *given: Any) -> Any:
        return None if name.name == "a" else await write_of(name, *given)

    monkeypatch.setattr(demos.parts.history, "write_of", known)
    await undo(demos)
    page = await demos.shows("Review: Undo")
    assert "1 would be changed" in page.text
    assert "History does not have the version that was written" in page.text
    await demos.press("start")
    await demos.shows("1 done")
    assert (demos.labels("a"), demos.labels("b")) == ({"team": "new"}, {"team": "old"})


async def test_without_history_a_run_says_that_it_cannot_be_undone(demos: Demos) -> None:
    demos.make("a")
    await finish(demos, "1 changed.", verb="label", label_set="team=new")
    page = await demos.shows("It cannot be undone here: Deltaboard keeps no history")
    assert "undo" not in page.form.buttons


async def test_an_undo_whose_dry_run_was_cancelled_is_tried_again(recorded: Demos) -> None:
    demos = recorded
    demos.make("a")
    await finish(demos, "1 changed.", verb="label", label_set="team=new")
    store, keep = demos.parts.bulk_runs.store, demos.parts.bulk_runs.store.save_checkpoint

    async def cancelled(*given: Any) -> Any:
        await keep(*given)
        return "cancel"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "save_checkpoint", cancelled)
        patched.setattr("dashboard.pages.bulk.runner.CHECKPOINT_INTERVAL", -1)
        await undo(demos)
        page = await demos.shows("Undo a run over 1 Mydemo")
    assert "a dry run" in page.text.lower()
    await demos.press("try")
    await demos.shows("1 would be changed")


async def edit_all(demos: Demos, names: list[str], stop: asyncio.Event) -> dict[str, int]:
    """Somebody who changes these objects one after the other until `stop`, but each once at least: by name, how often.
    Of every third one that is the field that the run changed, too.
    """
    times = dict.fromkeys(names, 0)
    while not stop.is_set() or not all(times.values()):
        for name in names:
            times[name] += 1
            metadata: dict[str, Any] = {"annotations": {"times": str(times[name])}}
            if is_contested(name):
                metadata["labels"] = {"team": "theirs"}
            await asyncio.to_thread(demos.patch, name, {"spec": {"port": times[name]}, "metadata": metadata})
    return times


async def ended(demos: Demos) -> None:
    async def is_done() -> bool:
        return 'data-state="done"' in (await demos.browser.open(demos.run)).body

    await eventually(is_done, within=60, what="the run has ended")


def is_contested(name: str) -> bool:
    return int(name.partition("-")[2]) % 3 == 0


@pytest.mark.parametrize("number", [12, pytest.param(200, marks=pytest.mark.long)])
async def test_of_somebody_who_edits_the_objects_meanwhile_nothing_is_lost(recorded: Demos, number: int) -> None:
    demos = recorded
    names = [f"m-{each:03}" for each in range(number)]
    demos.make(*names, labels={"team": "old", "x": "1"})
    await finish(demos, f"{number} changed.", verb="label", label_set="team=new", label_remove="x")
    stop = asyncio.Event()
    editing = asyncio.create_task(edit_all(demos, names, stop))
    await undo(demos)
    await demos.shows("Review: Undo")
    await demos.press("start")
    await ended(demos)
    stop.set()
    times = await editing
    results = (await demos.browser.open(f"{demos.run}results.csv")).body
    if ",failed," in results:  # it was changed at the moment of each attempt
        await demos.press("again")
        await ended(demos)
    if ",refused," in results:
        await demos.press("look")
        await demos.shows("Review: Undo")
        await demos.press("start")
        await ended(demos)
    for name in names:
        now = demos.get(name)
        assert now["spec"]["port"] == times[name]
        assert now["metadata"]["annotations"] == {"times": str(times[name])}
        assert now["metadata"]["labels"]["team"] == ("theirs" if is_contested(name) else "old")


async def test_labels_of_secrets_are_put_back_and_their_values_stay(recorded: Demos) -> None:
    demos = recorded
    secrets = demos.collection.replace("/apis/crddemo.k8s.io/v1", "/api/v1").replace("mydemos", "secrets")
    made = demos.cluster.create(
        secrets, {"metadata": {"name": "one", "labels": {"team": "old"}}, "data": {"word": "aHVzaA=="}}
    )
    demos.list("secrets", [made])
    demos.page = "/resources/secrets/bulk/"
    await finish(demos, "1 changed.", verb="label", label_set="team=new")
    demos.cluster.patch(f"{secrets}/one", {"data": {"other": "eA=="}})
    await undo(demos)
    page = await demos.shows("1 would be changed")
    assert "metadata.labels.team new → old" in page.text
    await demos.press("start")
    await demos.shows("1 changed.")
    now = demos.cluster.get(f"{secrets}/one")
    assert (now["metadata"]["labels"], now["data"]) == ({"team": "old"}, {"word": "aHVzaA==", "other": "eA=="})
    await finish(demos, "1 deleted.", verb="delete")
    await undo(demos)
    await demos.shows("History does not keep the values of Secrets.")


def client_of(parts: SimpleNamespace, _: Person) -> Client:
    client: Client = parts.client
    return client


async def test_an_undo_has_the_rights_of_whoever_starts_it(recorded: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos = recorded
    demos.make("a", labels={"team": "old"})
    await finish(demos, "1 changed.", verb="label", label_set="team=new")
    async for bobs in parts_for(demos.cluster.kubeconfig_of("bob")):
        monkeypatch.setattr(demos.parts.bulk_runs, "_client_of", partial(client_of, bobs))
        await undo(demos)
        page = await demos.shows("Review: Undo")
        assert 'User "bob" cannot get resource' in page.text
        assert "old" not in page.text
    assert demos.labels("a") == {"team": "new"}


async def test_objects_that_may_not_be_seen_any_more_are_not_in_the_undo(recorded: Demos) -> None:
    demos = recorded
    demos.make("a", labels={"team": "old"})
    await finish(demos, "1 changed.", verb="label", label_set="team=new")
    demos.parts.rights = Rights(())
    demos.list(KEY, [])
    page = await demos.press("undo")
    assert page.location == demos.run, "no run is started"


@pytest.mark.parametrize(("patch", "asks"), [("spec: {replicas: 3}", True), ("metadata: {labels: {team: new}}", False)])
async def test_in_production_an_undo_that_may_stop_pods_asks_for_the_name(
    recorded: Demos, settings: Settings, patch: str, asks: bool
) -> None:
    demos = recorded
    deployments = demos.collection.replace("crddemo.k8s.io/v1", "apps/v1").replace("mydemos", "deployments")
    labels = {"app": "one"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    demos.list(DEPLOYMENTS, [demos.cluster.create(deployments, {"metadata": {"name": "one"}, "spec": spec})])
    demos.page = f"/resources/{DEPLOYMENTS}/bulk/"
    await finish(demos, "1 changed.", verb="patch", patch=patch)
    settings.DELTABOARD_PRODUCTION = ProductionClusters(all_clusters=True)
    await undo(demos)
    await demos.shows("1 would be changed")
    page = await demos.press("start")
    assert page.status == (422 if asks else 303)
    assert ("type the name of the" in page.text) is asks


def lose_first_answer(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """The first write that this sends is done, and its answer does not come."""
    send, lost = getattr(ObjectClient, method), list[bool]()

    async def sent(client: ObjectClient, *given: Any, dry_run: bool, **named: Any) -> WriteResult:
        result: WriteResult = await send(client, *given, dry_run=dry_run, **named)
        if not dry_run and not lost:
            lost.append(True)
            raise Unreachable("no answer")
        return result

    monkeypatch.setattr(ObjectClient, method, sent)
    monkeypatch.setattr("dashboard.pages.bulk.runner.DEFAULT_RETRY_AFTER", 0.05)


async def test_a_creation_whose_answer_was_lost_is_known_again_and_can_be_undone(
    recorded: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos = recorded
    demos.make("a")
    await finish(demos, "1 deleted.", verb="delete")
    await undo(demos)
    await demos.shows("1 would be created")
    lose_first_answer(monkeypatch, "create")
    await demos.press("start")
    await demos.shows("1 created.")
    assert demos.names() == {"a"}
    await undo(demos)
    await demos.shows("1 would be deleted")


async def test_a_write_whose_answer_was_lost_is_not_undone(recorded: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos = recorded
    demos.make("a")
    lose_first_answer(monkeypatch, "patch")
    await finish(demos, "1 changed.", verb="label", label_set="team=new")
    await undo(demos)
    await demos.shows("It is not known which version the run made of it")
    assert demos.labels("a") == {"team": "new"}


@pytest.mark.parametrize("key", ["namespaces", "persistentvolumeclaims"])
async def test_what_others_may_have_filled_since_it_was_created_again_is_not_deleted(
    demos: Demos, namespace: str, key: str
) -> None:
    parts, path = demos.parts, f"/api/v1/namespaces/{namespace}"
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    if key == "namespaces":
        metadata = demos.cluster.get(path)["metadata"]
    else:
        made = {"metadata": {"name": "one"}, "spec": claim}
        metadata = demos.cluster.create(f"{path}/persistentvolumeclaims", made)["metadata"]
    uid, version = metadata["uid"], metadata["resourceVersion"]
    order = BulkOperation("undo", None, undo=UndoneRun("another", "creation", 0.0, 0.0))
    work = item_executor_factory(parts.schemas, parts.authors, parts.clock)
    executor = work(parts.client, CATALOG[key].resource, order, Identity("", ""))
    undone = UndoneWrite(uid, "", version)
    item = Item(metadata.get("namespace", ""), metadata["name"], uid, undone=undone)
    tried = (await executor.dry_run(item)).item
    assert (tried.state, tried.words) == ("refused", HOLDS_OTHERS)
