"""The manager: in which order things start and stop, what it contains, and what ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from typing import Any

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.controller.controller import Controller
from informerd.controller.handlers import EnqueueMapped
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.controller.sources import KindSource
from informerd.errors import (
    AlreadyStarted,
    ConfigError,
    DuplicateController,
    InvalidCall,
    LeaderElectionLost,
    NotLeading,
    StillRunning,
)
from informerd.leases.election import Election
from informerd.leases.lease_record import LEASES, LeaseRecord
from informerd.manager.manager import Manager
from informerd.objects import Object
from informerd.resource import MYDEMOS, Resource
from tests.clock import FakeClock
from tests.informerd.manager.conftest import MAPS, Diary, Place, Run
from tests.wait import eventually

QUICK: dict[str, Any] = {"retry_period": 0.2}

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
"""Now and then the demo server in this process leaves a connection to the garbage collector."""


def election(place: Place, **terms: Any) -> Election:
    return Election("lead", namespace=place.namespace, **{**QUICK, **terms})


async def lease(place: Place) -> LeaseRecord:
    return LeaseRecord.of(await place.dynamic.resource(LEASES, place.namespace).get("lead"))


async def free_lease(place: Place) -> None:
    """One that somebody has given up, so that who comes next leads at once."""
    spec = {"holderIdentity": "", "leaseDurationSeconds": 1}
    await place.dynamic.resource(LEASES, place.namespace).create({"metadata": {"name": "lead"}, "spec": spec})


async def test_it_starts_probes_caches_others_and_the_leaders_work_in_this_order(
    demo: Place, run: Run, diary: Diary
) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo), probes="127.0.0.1:0")
    maps = manager.kind(MAPS)

    async def other() -> None:
        assert manager.probes_address
        assert maps.has_synced
        assert not manager.state().leads
        diary.lines.append("other")

    async def leader() -> None:
        assert manager.state().leads
        diary.lines.append("leader")

    manager.add(leader)
    manager.add(other, needs_leader=False)
    run(manager)
    await eventually(lambda: len(diary.lines) == 2)
    assert diary.lines == ["other", "leader"]
    assert [each.phase for each in manager.state().runnables] == ["stopped", "stopped"]


async def test_it_stops_others_the_leaders_work_caches_and_probes_in_this_order_and_then_has_released_the_lease(
    place: Place, run: Run, diary: Diary
) -> None:
    await free_lease(place)
    terms = election(place, identity="me")
    manager = Manager(place.config, election=terms, probes="127.0.0.1:0")
    maps = manager.kind(MAPS)

    async def leader() -> None:
        diary.lines.append("leader begins")
        try:
            await asyncio.Event().wait()
        finally:
            assert "other ends" in diary.lines
            await maps.create({"metadata": {"name": "last", "namespace": place.namespace}}, wait=True)
            assert maps.get(Request(place.namespace, "last")) is not None
            assert (await lease(place)).holder == "me"
            assert manager.probes_address
            diary.lines.append("leader ends")

    manager.add(leader)
    manager.add(diary.runnable("other", needs_leader=False))
    task = run(manager)
    await eventually(lambda: "leader begins" in diary.lines)
    manager.stop()
    await task
    assert diary.lines == ["other begins", "leader begins", "other ends", "leader ends"]
    assert (await lease(place)).is_released
    assert manager.probes_address == ""
    assert manager.state().phase == "stopped"


async def test_what_does_not_end_in_time_is_cancelled_and_then_named_and_the_lease_is_left_to_expire(
    demo: Place, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo, identity="me"), graceful=0.2)
    let_go, cancelled, begun = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                cancelled.set()

    manager.add(stubborn, name="stubborn")
    task = run(manager)
    await begun.wait()
    manager.stop()
    with pytest.raises(StillRunning, match=r"not ended within 0\.2 s: stubborn"):
        await task
    assert cancelled.is_set()
    assert (await lease(demo)).holder == "me"
    assert "not ended within 0.2 s: stubborn" in caplog.text
    let_go.set()


async def test_what_does_not_end_but_needs_no_leader_keeps_no_lease(demo: Place, run: Run) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo, identity="me"), graceful=0.2)
    let_go, begun = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        while not let_go.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await let_go.wait()

    manager.add(stubborn, name="stubborn", needs_leader=False)
    task = run(manager)
    await begun.wait()
    await eventually(lambda: manager.state().leads)
    manager.stop()
    with pytest.raises(StillRunning, match="stubborn"):
        await task
    let_go.set()
    assert (await lease(demo)).is_released


async def test_reconciles_under_way_are_finished_within_the_time_for_stopping(demo: Place, run: Run) -> None:
    clock = FakeClock()
    factory = SharedInformerFactory(demo.client)
    manager = Manager(demo.client, factory=factory, clock=clock)
    await demo.map("a")
    begun, finish, done = asyncio.Event(), asyncio.Event(), []

    @manager.controller("slow", manager.kind(MAPS, namespaces=[demo.namespace]))
    async def reconcile(request: Request) -> None:
        begun.set()
        await finish.wait()
        done.append(request.name)

    task = run(manager)
    await begun.wait()
    manager.stop()
    await clock.sleeper(30, below=31)
    assert not task.done()
    finish.set()
    await task
    assert done == ["a"]
    await factory.stop()


async def test_reconciles_that_do_not_finish_are_cancelled_after_thirty_seconds(demo: Place, run: Run) -> None:
    clock = FakeClock()
    factory = SharedInformerFactory(demo.client)
    manager = Manager(demo.client, factory=factory, clock=clock)
    await demo.map("a")
    begun, ended = asyncio.Event(), asyncio.Event()

    @manager.controller("stuck", manager.kind(MAPS, namespaces=[demo.namespace]))
    async def reconcile(_: Request) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = run(manager)
    await begun.wait()
    manager.stop()
    await clock.sleeper(30, below=31)
    await clock.advance(30)
    await task
    assert ended.is_set()
    await factory.stop()


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
    assert "broken has failed and is not run any more; the others go on" in caplog.text
    problems = {each.name: each.problem for each in manager.state().runnables if each.problem}
    assert problems["broken"] == "ZeroDivisionError: by zero"
    assert problems["poisoned"].startswith("CacheSyncTimeout: the caches of the controller poisoned have not synced")
    assert "things.nowhere.example is absent" in problems["poisoned"]


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
    await place.dynamic.of(_definition(group)).create(_definition(group))
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


async def test_two_controllers_of_one_name_are_refused_and_the_first_one_stays(demo: Place) -> None:
    manager = Manager(demo.config)
    maps = manager.kind(MAPS)

    @manager.controller("same", maps)
    async def first(_: Request) -> None: ...

    with pytest.raises(DuplicateController, match="there is a controller 'same' already: give this one another name"):

        @manager.controller("same", maps)
        async def second(_: Request) -> None: ...

    with pytest.raises(DuplicateController):
        manager.add(Controller("same", first_of(manager)))
    assert manager.controllers == (first,)


def first_of(_: Manager) -> Any:
    async def reconcile(_: Request) -> None: ...

    return reconcile


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


async def test_cancelling_it_stops_it_in_order_too(demo: Place, run: Run, diary: Diary) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo))
    manager.add(diary.runnable("work"))
    task = run(manager)
    await eventually(lambda: diary.lines)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert diary.lines == ["work begins", "work ends"]
    assert (await lease(demo)).is_released


async def test_a_second_cancellation_waits_for_nothing_more_and_this_process_leads_no_more(
    demo: Place, run: Run, diary: Diary
) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo))
    let_go = asyncio.Event()

    class Slow:
        async def run(self) -> None:
            diary.lines.append("work begins")
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                diary.lines.append("work is cut short")

        def stop(self) -> None:
            diary.lines.append("work is asked to stop")

    manager.add(Slow())
    task = run(manager)
    await eventually(lambda: diary.lines)
    task.cancel()
    await eventually(lambda: diary.lines[-1] == "work is asked to stop")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not manager.state().leads
    await eventually(lambda: diary.lines[-1] == "work is cut short")


async def test_it_runs_once_and_not_at_all_when_stopped_before(demo: Place, diary: Diary) -> None:
    manager = Manager(demo.config)
    manager.add(diary.runnable("work"))
    manager.stop()
    await manager.run()
    assert diary.lines == []
    with pytest.raises(AlreadyStarted, match="a manager runs once"):
        await manager.run()
    with pytest.raises(InvalidCall, match="has been stopped, and runs nothing more"):
        manager.add(diary.runnable("more"))


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


@pytest.mark.parametrize("client", ["a string", None, 5])
def test_what_is_no_cluster_is_refused(client: Any) -> None:
    with pytest.raises(InvalidCall, match="such as current_cluster"):
        Manager(client)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"election": "lead"}, r"give Election\('name'\)"),
        ({"graceful": -1}, "give seconds"),
        ({"probes": "x"}, "no address"),
    ],
)
async def test_options_that_cannot_be_are_refused(demo: Place, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        Manager(demo.client, **options)


@pytest.mark.parametrize("option", ["owns", "watches", "predicates"])
async def test_what_a_controller_cannot_watch_is_refused_with_what_to_give(demo: Place, option: str) -> None:
    manager = Manager(demo.client)
    maps = manager.kind(MAPS)
    with pytest.raises(InvalidCall, match=r"such as manager\.kind\(PODS\)"):
        manager.controller("demo", MAPS)  # type: ignore[arg-type]
    with pytest.raises(InvalidCall, match=r"such as manager\.kind\(PODS\)"):
        manager.controller("demo", maps, owns=[MAPS])  # type: ignore[list-item]
    with pytest.raises(InvalidCall, match=rf"{option}= takes a list: give {option}=\[…\]"):
        manager.controller("demo", maps, **{option: maps})  # type: ignore[arg-type]


async def test_what_cannot_be_run_is_refused(demo: Place) -> None:
    manager = Manager(demo.config)

    def plain() -> None: ...

    for wrong in (plain, "text", Diary, None):
        with pytest.raises(InvalidCall, match="a manager runs what has"):
            manager.add(wrong)  # type: ignore[arg-type]


async def test_an_address_that_is_taken_is_said_before_anything_runs(demo: Place, diary: Diary) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        manager = Manager(demo.config, probes=f"127.0.0.1:{port}")
        manager.add(diary.runnable("work"))
        with pytest.raises(ConfigError, match=f"cannot serve probes at 127.0.0.1:{port}: .*give another address"):
            await manager.run()
    assert diary.lines == []


async def test_events_that_were_said_last_are_written_before_it_ends(demo: Place, run: Run) -> None:
    manager = Manager(demo.config)
    events = manager.recorder("worker")
    made = await demo.map("a")

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            events.event(made, "Normal", "Ended", "that was all")

    manager.add(work)
    task = run(manager)
    await eventually(lambda: manager.state().phase == "running")
    manager.stop()
    await task
    events_of = demo.dynamic.resource(Resource(version="v1", plural="events", kind="Event"), demo.namespace)
    assert [each["message"] for each in await events_of.list()] == ["that was all"]


async def test_its_own_state_says_what_it_is_at(demo: Place, run: Run, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    manager = Manager(demo.config)
    assert (manager.state().phase, manager.state().leads) == ("created", True)
    task = run(manager)
    await eventually(lambda: manager.state().phase == "running")
    manager.stop()
    await task
    assert manager.state().phase == "stopped"


async def test_a_kind_in_place_of_its_informer_is_refused_with_what_to_give(demo: Place) -> None:
    manager = Manager(demo.client)
    maps = manager.kind(MAPS)

    async def reconcile(_: Request) -> None: ...

    with pytest.raises(
        InvalidCall, match=r"<the kind configmaps of a manager> is no source: KindSource\(kind\.informer\)"
    ):
        manager.controller("demo", maps, watches=[maps])(reconcile)  # type: ignore[list-item]
    with pytest.raises(InvalidCall, match=r"such as kind\.informer"):
        KindSource(maps)  # type: ignore[arg-type]
