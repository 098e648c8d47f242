"""Tests of a manager's runnables: controllers, informers and others, isolated, with leader-elected ones."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.controller.handlers import EnqueueMapped
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import (
    LeaderElectionLost,
    NotLeading,
)
from informerd.leader_election.lease_record import LEASES
from informerd.manager.manager import Manager
from informerd.objects import Object
from informerd.resource import MYDEMOS, Resource
from tests.informerd.manager.conftest import MAPS, Diary, Place, Run
from tests.support.informerd.manager_lease import election, free_lease, lease
from tests.support.wait import eventually


async def test_a_lost_lease_ends_all_without_grace_and_refuses_every_write(demo: Place, run: Run) -> None:
    await free_lease(demo)
    await demo.map("a")
    manager = Manager(demo.config, election=election(demo))
    maps = manager.kind(MAPS, namespaces=[demo.namespace])
    begun, refused = asyncio.Event(), []

    @manager.controller("writer", maps)
    async def reconcile(request: Request) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            for write in (maps.patch(request, {"data": {"late": "yes"}}), demo.maps.delete(request.name)):
                try:
                    await write
                except NotLeading as error:
                    refused.append(str(error))

    task = run(manager)
    await begun.wait()
    spec = {"spec": {"holderIdentity": "somebody"}}
    await demo.dynamic.resource(LEASES, demo.namespace).patch("lead", spec)
    with pytest.raises(LeaderElectionLost, match="somebody holds it now"):
        await task
    assert len(refused) == 2
    assert refused[0].startswith(f"nothing was sent: this process does not hold the lease {demo.namespace}/lead")
    assert not (await demo.maps.get("a")).get("data")
    assert (await lease(demo)).holder == "somebody"


async def test_who_does_not_lead_runs_what_needs_no_leader_and_says_who_leads(
    demo: Place, run: Run, diary: Diary
) -> None:
    await free_lease(demo)
    first, second = (Manager(demo.config, election=election(demo, identity=name)) for name in ("first", "second"))
    run(first)
    await eventually(lambda: first.state().leads)

    @second.controller("waits", second.kind(MAPS))
    async def reconcile(_: Request) -> None:
        diary.lines.append("reconciled")

    second.add(diary.runnable("other"), needs_leader=False)
    run(second)
    await eventually(lambda: second.state().leader == "first")
    await eventually(lambda: diary.lines == ["other begins"])
    state = second.state()
    assert (state.phase, state.leads, state.lease) == ("waiting for leader", False, f"{demo.namespace}/lead")
    assert [each.phase for each in state.controllers] == ["waiting for leader"]
    first.stop()
    await eventually(lambda: [each.phase for each in second.state().controllers] == ["running"])


async def test_what_one_raises_is_said_and_shown_and_the_others_go_on(
    demo: Place, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    manager = Manager(demo.config, probes="127.0.0.1:0")
    missing = Resource(group="nowhere.example", version="v1", plural="things", kind="Thing")
    seen: list[str] = []

    @manager.controller("poisoned", manager.kind(missing), sync_timeout=0.2)
    async def poisoned(_: Request) -> None: ...

    @manager.controller("well", manager.kind(MAPS, namespaces=[demo.namespace]))
    async def well(request: Request) -> None:
        seen.append(request.name)

    async def broken() -> None:
        raise ZeroDivisionError("by zero")

    manager.add(broken, name="broken")
    run(manager)
    await eventually(lambda: [each.phase for each in manager.state().runnables].count("failed") == 2)
    await demo.map("after")
    await eventually(lambda: "after" in seen)
    assert "broken has failed and is no longer run; the others continue" in caplog.text
    problems = {each.name: each.problem for each in manager.state().runnables if each.problem}
    assert problems["broken"] == "ZeroDivisionError: by zero"
    assert problems["poisoned"].startswith("CacheSyncTimeout: the caches of the controller poisoned have not synced")
    assert "things.nowhere.example is absent" in problems["poisoned"]


@pytest.mark.long
async def test_a_kind_whose_definition_comes_late_is_waited_for_and_holds_up_no_other(place: Place, run: Run) -> None:
    group = f"late-{place.namespace}.example"
    things = Resource(group=group, version="v1", plural="things", kind="Thing")
    manager = Manager(place.config)
    seen: list[str] = []

    @manager.controller("late", manager.kind(things))
    async def late(request: Request) -> None:
        seen.append(f"late {request.name}")

    @manager.controller("early", manager.kind(MAPS, namespaces=[place.namespace]))
    async def early(request: Request) -> None:
        seen.append(f"early {request.name}")

    run(manager)
    await place.map("a")
    await eventually(lambda: "early a" in seen)
    waiting = manager.state().controllers[0]
    assert (waiting.phase, "is absent" in waiting.problem) == ("waiting for caches", True)
    await place.dynamic.for_manifest(_definition(group)).create(_definition(group))
    verbs = place.dynamic.resource(things, place.namespace)
    await eventually(lambda: _made(verbs, "b"), within=30)
    await eventually(lambda: "late b" in seen, within=30)


def _definition(group: str) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


async def _made(verbs: Any, name: str) -> bool:
    """Whether the object could be made by now: a definition takes a moment until it is served."""
    try:
        await verbs.create({"metadata": {"name": name}})
    except Exception:  # noqa: BLE001 - not yet
        return False
    return True


async def test_owned_objects_and_mapped_ones_make_requests_too(place: Place, run: Run) -> None:
    manager = Manager(place.config, namespaces=[place.namespace])
    maps = manager.kind(MAPS)
    secrets = manager.kind(Resource(version="v1", plural="secrets", kind="Secret"))
    accounts = manager.kind(Resource(version="v1", plural="serviceaccounts", kind="ServiceAccount"))
    seen: list[str] = []

    def named(obj: Object) -> list[Request]:
        return [Request(obj.metadata.namespace, f"for-{obj.metadata.name}")]

    @manager.controller("all", maps, owns=[secrets], watches=accounts.sources(EnqueueMapped(named)))
    async def reconcile(request: Request) -> Result | None:
        seen.append(request.name)
        return None

    run(manager)
    owner = await place.map("owner")
    await eventually(lambda: "owner" in seen)
    seen.clear()
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
    meta = {"name": "owned", "namespace": place.namespace, "ownerReferences": [{**reference, "controller": True}]}
    await secrets.create({"metadata": meta})
    await accounts.create({"metadata": {"name": "robot", "namespace": place.namespace}})
    await eventually(lambda: {*seen} >= {"owner", "for-robot"})


async def test_what_is_added_while_it_runs_begins_at_once(demo: Place, run: Run, diary: Diary) -> None:
    manager = Manager(demo.config)
    run(manager)
    await eventually(lambda: manager.state().phase == "running")
    manager.add(diary.runnable("later"))
    kind = manager.kind(MAPS)
    await kind.wait_for_sync()
    await eventually(lambda: diary.lines == ["later begins"])
    manager.stop()
    await eventually(lambda: diary.lines == ["later begins", "later ends"])


async def test_inside_another_program_it_leaves_what_is_not_its_own(demo: Place, run: Run) -> None:
    class Mine(Object, frozen=True):
        data: dict[str, str] = {}

    async with SharedInformerFactory(demo.client) as factory:
        theirs = factory.informer(MAPS)
        factory.start()
        manager = Manager(demo.client, factory=factory)
        maps, demos = manager.kind(MAPS, Mine, namespaces=[]), manager.kind(MYDEMOS)
        seen: list[str] = []

        @manager.controller("guest", maps)
        async def guest(request: Request) -> None:
            found = maps.get(request)
            seen.append(f"{request.name} {found and found.data.get('a')}")

        task = run(manager)
        await demo.map("one", a="b")
        await eventually(lambda: "one b" in seen)
        assert demos.informer in factory.informers
        assert maps.informer not in factory.informers
        manager.stop()
        await task
        assert not maps.informer.registrations
        await demo.map("two")
        await eventually(lambda: theirs.store.get(f"{demo.namespace}/two") is not None)
        assert demos.informer.health().state == "live"
