"""Tests of handlers and the requests that they make from events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from informerd.controller.events import Created, Deleted, GenericEvent, Updated
from informerd.controller.handlers import EnqueueMapped, EnqueueObject, EnqueueOwner
from informerd.controller.request import Request
from informerd.errors import InvalidCall
from informerd.objects import Object
from informerd.resource import Resource
from tests.support.informerd.create_update_delete_events import NO_UPDATES, obj, owner, updated

SETS = Resource(group="apps", version="v1", plural="replicasets", kind="ReplicaSet")
NODES = Resource(version="v1", plural="nodes", kind="Node", namespaced=False)


@pytest.mark.parametrize("event", [*NO_UPDATES, updated({}, {})])
def test_an_object_is_asked_for_itself(event: Any) -> None:
    assert [*EnqueueObject()(event)] == [Request("default", "a")]


def test_the_owner_that_controls_is_asked_for() -> None:
    pod = obj(owner_references=(owner("ReplicaSet", "other", controller=False), owner("ReplicaSet", "web")))
    assert [*EnqueueOwner(SETS)(Created(pod))] == [Request("default", "web")]
    assert [*EnqueueOwner(SETS)(Deleted(pod))] == [Request("default", "web")]


def test_any_owner_is_asked_for_where_that_is_wanted() -> None:
    pod = obj(owner_references=(owner("ReplicaSet", "other", controller=False), owner("ReplicaSet", "web")))
    handler = EnqueueOwner(SETS, only_controller=False)
    assert [*handler(Created(pod))] == [Request("default", "other"), Request("default", "web")]


def test_owners_are_known_by_group_and_kind_of_whatever_version() -> None:
    references = (
        owner("ReplicaSet", "old", api_version="apps/v1beta1"),
        owner("ReplicaSet", "stranger", api_version="apps.example/v1"),
        owner("ReplicaSet", "core", api_version="v1"),
        owner("Deployment", "kind"),
    )
    assert [*EnqueueOwner(SETS)(Created(obj(owner_references=references)))] == [Request("default", "old")]


def test_an_owner_without_a_namespace_is_sought_in_none() -> None:
    lease = obj(namespace="kube-node-lease", owner_references=(owner("Node", "n1", api_version="v1"),))
    assert [*EnqueueOwner(NODES)(Created(lease))] == [Request("", "n1")]


def test_of_an_update_the_old_owner_and_the_new_one_are_asked_for_each_once() -> None:
    before, after = owner("ReplicaSet", "before"), owner("ReplicaSet", "after")
    moved = updated({"owner_references": (before,)}, {"owner_references": (after,)})
    assert [*EnqueueOwner(SETS)(moved)] == [Request("default", "before"), Request("default", "after")]
    kept = updated({"owner_references": (after,)}, {"owner_references": (after,)})
    assert [*EnqueueOwner(SETS)(kept)] == [Request("default", "after")]


def by_label(each: Object) -> Iterable[Request]:
    return [Request("default", name) for name in each.metadata.labels.get("of", "").split()]


def test_a_map_function_runs_on_old_and_new_without_duplicates() -> None:
    moved = updated({"labels": {"of": "a b"}}, {"labels": {"of": "b c b"}})
    assert [request.name for request in EnqueueMapped(by_label)(moved)] == ["a", "b", "c"]
    assert [*EnqueueMapped(by_label)(GenericEvent(obj(labels={"of": "x"})))] == [Request("default", "x")]
    assert [*EnqueueMapped(by_label)(Created(obj()))] == []


def test_what_a_map_function_raises_on_one_state_loses_nothing_of_the_other() -> None:
    def fail_on_old(each: Object) -> Iterable[Request]:
        if each.metadata.resource_version == "1":
            raise KeyError("no label")
        return by_label(each)

    requests = iter(EnqueueMapped(fail_on_old)(updated({}, {"labels": {"of": "a"}})))
    assert next(requests) == Request("default", "a")
    with pytest.raises(KeyError):
        next(requests)


def alone(each: Object) -> Request:
    return Request.of(each)


def twice(each: Object) -> Iterator[Request]:
    yield Request.of(each)
    yield Request.of(each)


@pytest.mark.parametrize("function", [alone, twice])
def test_a_map_function_may_give_a_request_alone_or_a_generator(function: Any) -> None:
    handler: EnqueueMapped[Object] = EnqueueMapped(function)
    assert [*handler(Created(obj()))] == [Request("default", "a")]


async def asynchronous(each: Object) -> list[Request]:
    return [Request.of(each)]


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda _: None, r"returned None: it must return requests, such as \[Request.of\(obj\)\], or \[\]"),
        (lambda _: "default/a", "returned 'default/a': it must return requests"),
        (lambda _: 5, "returned 5"),
        (
            lambda _: ["default/a"],
            r"'default/a' is not a Request: write Request\(namespace, name\), or Request.from_key",
        ),
        (lambda each: [each.metadata], "is not a Request"),
        (asynchronous, "asynchronous must be a plain function"),
    ],
)
def test_a_map_function_that_gives_nonsense_is_told_what_to_give(function: Any, sentence: str) -> None:
    with pytest.raises(InvalidCall, match=sentence):
        list(EnqueueMapped(function)(Updated(obj(), obj())))


def test_handlers_are_made_of_nothing_but_what_they_need() -> None:
    with pytest.raises(InvalidCall, match="EnqueueMapped needs a function from an object"):
        EnqueueMapped(None)  # type: ignore[arg-type]
    with pytest.raises(InvalidCall, match="EnqueueOwner needs the owner's Resource, such as MYDEMOS, not 'mydemos'"):
        EnqueueOwner("mydemos")  # type: ignore[arg-type]
