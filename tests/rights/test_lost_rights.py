"""Drafts, runs and entries of the audit log of people who lose rights later: they show what may be seen by then."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from unittest.mock import patch
from uuid import uuid4

import pytest

from dashboard.access.person import Person
from dashboard.access.rights import Rights
from dashboard.pages.bulk.request_context import RunRequest
from dashboard.pages.bulk.run import Item
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.drafts import request_draft, views
from tests.support.access.crawl import Crawl, report
from tests.support.access.marked_cluster import MarkedCluster
from tests.support.access.marked_objects import CONFIG_MAPS, EVENTS, PODS, MarkedObject, resource_of
from tests.support.access.random_rbac import RandomRbac, World
from tests.support.access.rbac_objects import PolicyRule, policy_rule
from tests.support.access.tour import Tour, Visit
from tests.support.wait import eventually

WORLDS = 3
KINDS = (CONFIG_MAPS, PODS, EVENTS)
VERBS, RESOURCES = "get list watch patch delete", " ".join(KINDS)
EVERYTHING = {**policy_rule("get list watch", "*"), "apiGroups": ["*"]}
TYPED = "typed-by-hand"
NO_DRAFT = frozenset({"There is no such draft"})


@dataclass
class Work:
    """What one person has made while they had all of their rights."""

    drafts: dict[str, MarkedObject] = field(default_factory=dict)
    """By key."""
    runs: dict[str, list[MarkedObject]] = field(default_factory=dict)
    """By address, the objects that they are over."""
    deleted: MarkedObject | None = None
    """An Event."""


async def test_what_people_made_shows_nothing_that_they_may_not_see_any_more(cluster: MarkedCluster) -> None:
    crawl = Crawl(cluster.dashboard, cluster.objects)
    hidden = Counter[str]()
    worlds = [World(Person(f"loser-{i}")) for i in range(WORLDS)]
    kept, lost = cluster.random.sample(cluster.objects.namespaces, 2)
    for namespace in (kept, lost) * (WORLDS + 1):  # one for each to delete, and one that stays
        pod = cluster.random.choice(cluster.objects.of(PODS, namespace=namespace))
        await cluster.objects.create(EVENTS, namespace, subject=pod)
    async with cluster.rbac(0) as (rbac, _):
        bindings = [await _grant(rbac, world, kept, lost) for world in worlds]
        await cluster.until_known(rbac)
        works = [await _work(cluster, await cluster.tour(world), (kept, lost)) for world in worlds]
        for world, (binding, rule) in zip(worlds, bindings, strict=True):
            await rbac.revoke(world, lost, binding, rule)
        await cluster.until_known(rbac)
        for world, work in zip(worlds, works, strict=True):
            hidden += await _check(crawl, await cluster.tour(world), work)
        await rbac.grant(worlds[0], "", EVERYTHING)
        await cluster.until_known(rbac)
        await _check_with_all_rights(crawl, await cluster.tour(worlds[0]), works)
    assert not crawl.faults, report(crawl.faults)
    assert hidden.keys() == {"draft", *KINDS}, f"nobody has lost anything of some kinds: {hidden}"


async def _all_items(run_request: RunRequest) -> tuple[Item, ...]:
    return await run_request.app_state[BULK_RUNNER].store.items(run_request.run.key)


def _names_of_events(rights: Rights, key: str, namespace: str, name: str) -> bool:
    return rights.scope_of(key).includes(namespace, name) or rights.allows("get", key, namespace, name)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        pytest.param(views, "may_see_subject", lambda *_: True, id="pages of drafts"),
        pytest.param(request_draft, "may_see_subject", lambda *_: True, id="drafts in editors"),
        pytest.param(RunRequest, "items", _all_items, id="objects of runs"),
        pytest.param(Rights, "may_see", _names_of_events, id="Events by their own names"),
    ],
)
async def test_each_filter_that_is_removed_is_noticed(
    cluster: MarkedCluster, owner: object, name: str, instead: object
) -> None:
    with patch.object(owner, name, instead), pytest.raises(AssertionError, match="faults"):
        await test_what_people_made_shows_nothing_that_they_may_not_see_any_more(cluster)


async def _grant(rbac: RandomRbac, world: World, kept: str, lost: str) -> tuple[str, PolicyRule]:
    """Rights in two namespaces. Returns what is taken away later: in the second one Events may be listed then, and not
    what they are about.
    """
    await rbac.grant(world, kept, policy_rule(VERBS, RESOURCES))
    await rbac.grant(world, lost, policy_rule("list", EVENTS))
    rule = policy_rule(VERBS, RESOURCES)
    return await rbac.grant(world, lost, rule), rule


async def _work(cluster: MarkedCluster, tour: Tour, namespaces: tuple[str, ...]) -> Work:
    """Drafts of a ConfigMap in each namespace, a run over all that may be seen of each kind, and a deleted Event."""
    work = Work()
    for namespace in namespaces:
        target = tour.random.choice(cluster.objects.of(CONFIG_MAPS, namespace=namespace))
        work.drafts[await _keep_draft(cluster, tour, target)] = target
    for key in KINDS:
        work.runs[await _try_out(cluster, tour, key)] = tour.seen(key)
    work.deleted = await _delete_event(cluster, tour, namespaces[-1])
    return work


async def _keep_draft(cluster: MarkedCluster, tour: Tour, target: MarkedObject) -> str:
    """The key of a draft that began with the object as it is."""
    stored = json.loads((await cluster.client.get(resource_of(target.key), target.name, target.namespace)).body)
    key = uuid4().hex
    subject = {"draft_resource": target.key, "draft_namespace": target.namespace, "draft_name": target.name}
    base = {"base": json.dumps(stored), "base_uid": target.uid, "base_version": target.version}
    text = json.dumps({**stored, "data": {"text": TYPED}})
    form = {"draft": key, "draft_number": "1", "yaml": text, **subject, **base}
    answer = await cluster.dashboard.ask(tour.world.person, "/drafts/keep/", form)
    assert json.loads(answer.text)["draft"] == key, answer.text
    return key


async def _try_out(cluster: MarkedCluster, tour: Tour, key: str) -> str:
    """The address of a run over all objects of a kind that may be seen, once it waits for its review."""
    person, ask = tour.world.person, cluster.dashboard.ask
    uids = ",".join(each.uid for each in tour.seen(key))
    run = (await ask(person, f"/resources/{key}/bulk/", {"uid": uids})).header("location")
    await ask(person, run, {"try": "", "verb": "label", "label_set": "app=other"})

    async def is_reviewed() -> bool:
        return "<h1>Review" in (await ask(person, run)).text

    await eventually(is_reviewed, what=f"the run over {key} waits for its review")
    return run


async def _delete_event(cluster: MarkedCluster, tour: Tour, namespace: str) -> MarkedObject:
    """Delete an Event about an object that may be seen, which the audit log has from then on."""
    event = tour.random.choice([each for each in tour.seen(EVENTS) if each.namespace == namespace])
    form = {"uid": event.uid, "version": event.version}
    await cluster.dashboard.ask(tour.world.person, f"{event.address}delete/", form)
    event.is_deleted = True
    return event


async def _check(crawl: Crawl, tour: Tour, work: Work) -> Counter[str]:
    """Ask for all of it. Returns how much of it is hidden by now, by kind."""
    hidden = Counter[str]()
    names = frozenset(each.name for each in tour.visible.of(work.drafts.values()))
    await crawl.ask("drafts", tour, Visit("/drafts/", expected=names))
    for key, target in work.drafts.items():
        is_hidden = tour.visible.hides(target)
        hidden["draft"] += is_hidden
        text, nothing = frozenset({TYPED, target.uid}), frozenset[str]()
        await crawl.ask("draft", tour, Visit(f"/drafts/{key}/", expected=NO_DRAFT if is_hidden else text))
        for page in (f"{target.address}edit/", f"/resources/{target.key}/new/", "/new/"):
            continued = Visit(f"{page}?draft={key}", expected=nothing if is_hidden else frozenset({TYPED}))
            await crawl.ask("draft in an editor", tour, continued)
    for run, objects in work.runs.items():
        hidden[objects[0].key] += sum(map(tour.visible.hides, objects))
        names = frozenset(each.name for each in tour.visible.of(objects) if not each.is_deleted)
        await crawl.ask("run", tour, Visit(run))
        await crawl.ask("results of a run", tour, Visit(f"{run}results.csv", expected=names))
        await crawl.ask("commands of a run", tour, Visit(f"{run}commands.txt", expected=names))
    for page in ("/runs/", "/audit/", "/audit/export.csv", "/audit/export.jsonl"):
        await crawl.ask(page, tour, Visit(page))
    return hidden


async def _check_with_all_rights(crawl: Crawl, tour: Tour, works: list[Work]) -> None:
    """The audit log has the deletions of all, and the draft and the runs that were cut are whole again."""
    deleted = frozenset(work.deleted.name for work in works if work.deleted is not None)
    await crawl.ask("audit with all rights", tour, Visit("/audit/", expected=deleted))
    for key, target in works[0].drafts.items():
        await crawl.ask(
            "draft with all rights", tour, Visit(f"/drafts/{key}/", expected=frozenset({TYPED, target.uid}))
        )
    for run, objects in works[0].runs.items():
        names = frozenset(each.name for each in objects)
        await crawl.ask("run with all rights", tour, Visit(f"{run}results.csv", expected=names))
