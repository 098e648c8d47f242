"""Tests of the mutation detector, which reports cached objects changed by a handler."""

from __future__ import annotations

import threading
from typing import Any

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.mutation_detector import FieldChange, Mutation, MutationDetector
from informerd.cache.store import Store
from informerd.errors import CacheMutated
from informerd.objects import Blob, Object, ObjectMeta
from informerd.resource import PODS
from tests.support.clock import FakeClock
from tests.support.scripted_api_server import ScriptedServer, pod
from tests.support.wait import eventually


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""
    node_selector: dict[str, Any] = {}
    args: list[Any] = []


class Pod(Object, frozen=True):
    spec: Spec = Spec()


def some(name: str = "a", version: str = "7", **labels: str) -> Pod:
    spec = Spec(node_name="n1", node_selector={"disk.io/kind": "ssd", "sizes": [1, {"x": 2}]}, args=["--a", "--b"])
    meta = ObjectMeta(name=name, namespace="one", resource_version=version, label_map=labels or None)
    return Pod(metadata=meta, spec=spec, blob=Blob(b"whole"))


class Setup:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store: Store[Pod] = Store()
        self.told: list[Mutation] = []
        self.detector = MutationDetector("pods", self.store, clock=self.clock, on_mutation=self.told.append)

    def put(self, obj: Pod) -> Pod:
        self.detector.add([obj])
        self.store.put(obj.key, obj)
        return obj


@pytest.fixture
def setup() -> Setup:
    return Setup()


def test_what_nobody_touched_is_not_reported(setup: Setup) -> None:
    for number in range(500):
        setup.put(some(f"p{number}", app="web"))
    setup.detector.check()
    assert (setup.told, setup.detector.mutations_found) == ([], [])


def change_dict(obj: Pod) -> None:
    obj.spec.node_selector["disk.io/kind"] = "hdd"


def add_to_dict(obj: Pod) -> None:
    obj.spec.node_selector["new"] = True


def remove_from_dict(obj: Pod) -> None:
    del obj.spec.node_selector["disk.io/kind"]


def change_deep_below(obj: Pod) -> None:
    obj.spec.node_selector["sizes"][1]["x"] = 3


def append(obj: Pod) -> None:
    obj.spec.args.append("--c")


def change_labels(obj: Pod) -> None:
    assert obj.metadata.label_map is not None
    obj.metadata.label_map["app"] = "api"


def force_name(obj: Pod) -> None:
    msgspec.structs.force_setattr(obj.metadata, "name", "b")


def force_spec(obj: Pod) -> None:
    msgspec.structs.force_setattr(obj, "spec", None)


def force_blob(obj: Pod) -> None:
    msgspec.structs.force_setattr(obj, "blob", None)


def put_nonsense(obj: Pod) -> None:
    obj.spec.args[0] = threading.Event


@pytest.mark.parametrize(
    ("action", "path", "before", "after"),
    [
        (change_dict, 'spec.nodeSelector["disk.io/kind"]', "ssd", "hdd"),
        (add_to_dict, "spec.nodeSelector.new", None, True),
        (remove_from_dict, 'spec.nodeSelector["disk.io/kind"]', "ssd", None),
        (change_deep_below, "spec.nodeSelector.sizes[1].x", 2, 3),
        (append, "spec.args[2]", None, "--c"),
        (change_labels, "metadata.labels.app", "web", "api"),
        (force_name, "metadata.name", "a", "b"),
        (force_blob, "blob", "5 bytes", "0 bytes"),
    ],
)
def test_a_change_is_reported_with_kind_key_and_field(
    setup: Setup, caplog: pytest.LogCaptureFixture, action: Any, path: str, before: Any, after: Any
) -> None:
    setup.put(some("other", app="web"))
    action(setup.put(some(app="web")))
    setup.detector.compare_all()
    assert setup.told == [Mutation("pods", "one/a", "7", (FieldChange(path, before, after),))]
    sentence = f"pods one/a at version 7 was changed in the store: {path} from {before!r} to {after!r}"
    assert sentence in caplog.text


@pytest.mark.parametrize("action", [force_spec, put_nonsense])
def test_what_is_no_json_any_more_is_a_change_of_its_field(setup: Setup, action: Any) -> None:
    action(setup.put(some()))
    setup.detector.compare_all()
    assert [change.path for change in setup.told[0].changes] == ["spec"]


def test_each_change_is_reported_once(setup: Setup) -> None:
    obj = setup.put(some())
    append(obj)
    setup.detector.compare_all()
    setup.detector.compare_all()
    assert len(setup.told) == 1
    append(obj)
    setup.detector.compare_all()
    assert [each.changes[0].path for each in setup.told] == ["spec.args[2]", "spec.args[3]"]


def test_a_change_that_is_taken_back_between_two_looks_is_not_seen_and_order_does_not_matter(setup: Setup) -> None:
    obj = setup.put(some())
    kind = obj.spec.node_selector.pop("disk.io/kind")
    obj.spec.node_selector["disk.io/kind"] = kind  # now behind "sizes"
    setup.detector.check()


def test_an_object_that_comes_again_is_compared_with_what_it_was_at_first(setup: Setup) -> None:
    obj = setup.put(some())
    append(obj)
    setup.put(obj)
    setup.detector.compare_all()
    assert [each.changes[0].path for each in setup.told] == ["spec.args[2]"]


def test_check_raises_all_that_was_ever_found(setup: Setup) -> None:
    append(setup.put(some("a")))
    setup.detector.compare_all()
    change_dict(setup.put(some("b")))
    with pytest.raises(CacheMutated) as raised:
        setup.detector.check()
    assert [sentence.split(" at ")[0] for sentence in raised.value.mutations] == ["pods one/a", "pods one/b"]


async def test_what_has_left_the_store_is_looked_at_for_two_minutes_more(setup: Setup) -> None:
    old = setup.put(some())
    setup.put(some(version="8"))
    await setup.clock.advance(120)
    setup.detector.compare_all()
    append(old)
    setup.detector.compare_all()
    assert [each.resource_version for each in setup.told] == ["7"]
    await setup.clock.advance(1)
    setup.detector.compare_all()
    append(old)
    setup.detector.compare_all()
    assert len(setup.told) == 1
    assert len(setup.detector._entries) == 1


def test_a_handler_of_mutations_that_raises_is_logged(setup: Setup, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: Mutation) -> None:
        raise ValueError("no")

    detector = MutationDetector("pods", setup.store, clock=setup.clock, on_mutation=fail)
    obj = some()
    detector.add([obj])
    append(obj)
    detector.compare_all()
    assert "the mutation handler failed on pods one/a" in caplog.text
    assert len(detector.mutations_found) == 1


async def test_an_informers_handler_that_changes_an_object_is_found_within_a_second(
    server: ScriptedServer, clock: FakeClock
) -> None:
    told: list[Mutation] = []
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock, on_mutation=told.append)
        informer = factory.informer(PODS, Pod)
        informer.add_handler(
            HandlerFunctions(
                on_add=lambda obj, _: obj.spec.args.append("mine") if obj.metadata.name == "b" else None,
                on_update=lambda old, _: old.spec.args.append("mine too"),
            )
        )
        factory.start()
        stream = await server.take_streaming_list()
        await stream.send_list([pod("a", "1"), pod("b", "2")], "10")
        await informer.wait_for_sync()
        await eventually(lambda: informer.lister.get("b", "default").spec.args == ["mine"])
        await clock.advance(1)
        await eventually(lambda: [each.key for each in told] == ["default/b"])
        assert told[0].changes == (FieldChange("spec.args[0]", None, "mine"),)
        await stream.send("ADDED", pod("c", "11"))
        await stream.send("MODIFIED", pod("c", "12"))
        await eventually(lambda: informer.registrations[0].depth == 0 and len(informer.store) == 3)
        await clock.advance(1)
        await eventually(lambda: len(told) == 2)
        assert (told[1].key, told[1].resource_version) == ("default/c", "11")
        assert informer.health().state == "live"
        await factory.stop()


async def test_a_last_look_is_taken_when_the_informer_stops(server: ScriptedServer, clock: FakeClock) -> None:
    told: list[Mutation] = []
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock, on_mutation=told.append)
        informer = factory.informer(PODS, Pod)
        factory.start()
        await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
        await informer.wait_for_sync()
        informer.lister.get("a", "default").spec.args.append("late")
        await factory.stop()
    assert [each.key for each in told] == ["default/a"]
    assert informer.mutations is not None
    with pytest.raises(CacheMutated, match="late"):
        informer.mutations.check()


async def test_without_being_asked_for_it_nothing_is_kept_twice(server: ScriptedServer, clock: FakeClock) -> None:
    async with server.client(clock) as client:
        assert SharedInformerFactory(client, clock=clock).informer(PODS, Pod).mutations is None
