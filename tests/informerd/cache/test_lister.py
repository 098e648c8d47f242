"""Tests of listers: get, and list by namespace, labels, fields and index, all combined."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from informerd.cache.index_functions import field_index, label_index, owner_index
from informerd.cache.lister import Lister
from informerd.cache.store import Store
from informerd.errors import MalformedSelector, NotFound, NotSynced, UnknownField, UnknownIndex
from informerd.objects import Object, ObjectMeta, OwnerReference
from informerd.resource import MYDEMOS, PODS
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector
from tests.support.call_count import calls_of


class Status(msgspec.Struct, frozen=True):
    phase: str = ""


class Pod(Object, frozen=True):
    status: Status = Status()


def pod(name: str, namespace: str = "one", phase: str = "Running", **labels: str) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace=namespace, label_map=labels or None), status=Status(phase=phase)
    )


def lister_of(*pods: Pod, indexes: dict[str, Any] | None = None) -> Lister[Pod]:
    store: Store[Pod] = Store(indexes)
    for each in pods:
        store.put(each.key, each)
    return Lister(PODS, store, Pod)


def gets_of(lister: Lister[Pod], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the objects that the lister gets from its store from now on."""
    keys: list[str] = []
    get = lister._store.get

    def noted(key: str) -> Pod | None:
        keys.append(key)
        return get(key)

    monkeypatch.setattr(lister._store, "get", noted)
    return keys


def names(pods: list[Pod]) -> list[str]:
    return sorted(each.key for each in pods)


def test_before_a_first_list_nothing_is_taken_for_absent() -> None:
    reason = "forbidden: no"
    lister = Lister(PODS, Store[Object](), Object, lambda: reason)
    for read in (lambda: lister.get("a"), lister.list, lambda: lister.by_index("namespace", "")):
        with pytest.raises(NotSynced, match="the cache has not synced yet: pods is forbidden: no"):
            read()
    reason = ""
    assert lister.list() == []
    with pytest.raises(NotFound):
        lister.get("a")


SOME = (
    pod("a", app="web"),
    pod("b", phase="Pending", app="web", tier="front"),
    pod("c", phase="Failed", app="api"),
    pod("a", "two", app="web"),
    pod("d", "two"),
)


def test_get_gives_the_object_itself() -> None:
    node = Pod(metadata=ObjectMeta(name="node"))
    lister = lister_of(*SOME, node)
    assert lister.get("a", "two") is SOME[3]
    assert lister.get("node") is node


def test_get_raises_not_found_as_the_api_server_would() -> None:
    with pytest.raises(NotFound, match=r'^pods "b" not found$') as raised:
        lister_of().get("b", "one")
    status = raised.value.status
    assert (status.code, status.reason, status.details.name, status.details.kind) == (404, "NotFound", "b", "pods")
    with pytest.raises(NotFound, match=r'^mydemos\.crddemo\.k8s\.io "b" not found$') as raised:
        Lister(MYDEMOS, Store[Object](), Object).get("b", "one")
    assert raised.value.status.details.group == "crddemo.k8s.io"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["one/a", "one/b", "one/c", "two/a", "two/d"]),
        ({"namespace": "two"}, ["two/a", "two/d"]),
        ({"namespace": "three"}, []),
        ({"label_selector": "app=web"}, ["one/a", "one/b", "two/a"]),
        ({"label_selector": LabelSelector.parse("app in (web,api),!tier")}, ["one/a", "one/c", "two/a"]),
        ({"label_selector": "!app"}, ["two/d"]),
        ({"field_selector": "status.phase=Running"}, ["one/a", "two/a", "two/d"]),
        ({"field_selector": FieldSelector.parse("status.phase!=Running")}, ["one/b", "one/c"]),
        ({"field_selector": "status.phase=Running,metadata.name=a"}, ["one/a", "two/a"]),
        ({"where": lambda each: each.metadata.name > "b"}, ["one/c", "two/d"]),
        ({"namespace": "one", "label_selector": "app=web", "field_selector": "status.phase!=Running"}, ["one/b"]),
        (
            {"namespace": "one", "label_selector": "app", "where": lambda each: each.metadata.name != "b"},
            ["one/a", "one/c"],
        ),
    ],
)
@pytest.mark.parametrize(
    "indexes", [{}, dict([label_index("app"), field_index(Pod, "status.phase")])], ids=["no index", "indexes"]
)
def test_list_gives_what_meets_all_that_is_asked_for(
    asked: dict[str, Any], found: list[str], indexes: dict[str, Any]
) -> None:
    assert names(lister_of(*SOME, indexes=indexes).list(**asked)) == found


def test_by_index_is_narrowed_like_list() -> None:
    def initial(each: Pod) -> list[str]:
        return [each.metadata.name[0]]

    lister = lister_of(*SOME, indexes={"initial": initial})
    assert names(lister.by_index("initial", "a")) == ["one/a", "two/a"]
    assert names(lister.by_index("initial", "a", namespace="two")) == ["two/a"]
    assert names(lister.by_index("initial", "b", label_selector="tier", field_selector="status.phase=Pending")) == [
        "one/b"
    ]
    assert lister.by_index("initial", "b", where=lambda each: each.metadata.name == "c") == []


def test_the_owners_index_finds_what_an_object_controls() -> None:
    owned = Pod(
        metadata=ObjectMeta(
            name="x", owner_references=(OwnerReference(uid="u1", controller=True), OwnerReference(uid="u2"))
        )
    )
    lister = lister_of(owned, *SOME, indexes=dict([owner_index()]))
    assert lister.by_index("owner", "u1") == [owned]
    assert lister.by_index("owner", "u2") == []


def test_bad_input_is_a_typed_error_and_the_next_list_works() -> None:
    lister = lister_of(*SOME)
    with pytest.raises(MalformedSelector, match="'app=web,', character 9"):
        lister.list(label_selector="app=web,")
    with pytest.raises(MalformedSelector, match="'x', character 1"):
        lister.list(field_selector="x")
    with pytest.raises(UnknownField, match=r"Pod has no field 'spec\.nodeName'"):
        lister.list(field_selector="spec.nodeName=n1")
    with pytest.raises(UnknownIndex, match="there is no index 'size'; there are namespace"):
        lister.by_index("size", "1")
    assert len(lister.list()) == len(SOME)


def test_an_unknown_field_is_an_error_on_an_empty_store_too() -> None:
    with pytest.raises(UnknownField):
        lister_of().list(field_selector="spec.nodeName=n1")


def test_a_label_index_spares_looking_at_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    lister = lister_of(*SOME, indexes=dict([label_index("app")]))
    looked = gets_of(lister, monkeypatch)
    assert names(lister.list(label_selector="app in (api),!none")) == ["one/c"]
    assert looked == ["one/c"]


def test_the_smallest_of_the_indexes_that_fit_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    lister = lister_of(*SOME, indexes=dict([label_index("app"), field_index(Pod, "status.phase")]))
    looked = gets_of(lister, monkeypatch)
    assert names(lister.list("one", label_selector="app=web", field_selector="status.phase=Pending")) == ["one/b"]
    assert looked == ["one/b"]


def test_with_and_without_indexes_the_answers_are_the_same() -> None:
    chance = random.Random(11)
    pods = [
        pod(f"p{number}", f"n{number % 5}", chance.choice(["Running", "Pending"]), app=chance.choice("abc"))
        for number in range(300)
    ]
    indexed = dict([label_index("app"), field_index(Pod, "status.phase")])
    plain, quick = lister_of(*pods), lister_of(*pods, indexes=indexed)
    for _ in range(200):
        asked: dict[str, Any] = {
            "namespace": chance.choice(["", "n1", "n2", "none"]),
            "label_selector": chance.choice(["", "app=a", "app in (a,b)", "app!=a", "app in (a,z),app!=b", "app,!x"]),
            "field_selector": chance.choice(["", "status.phase=Running", "status.phase!=Running", "metadata.name=p7"]),
        }
        assert names(quick.list(**asked)) == names(plain.list(**asked)), asked


def test_what_is_asked_not_to_be_is_not_looked_up_in_the_index() -> None:
    """Each of four phases is few enough for its keys to be taken from the index, were they what is asked for."""
    phases = ("Pending", "Running", "Succeeded", "Failed")
    pods = [pod(f"p{number}", phase=phase) for number, phase in enumerate(phases)]
    lister = lister_of(*pods, indexes=dict([field_index(Pod, "status.phase")]))
    assert names(lister.list(field_selector="status.phase!=Running")) == ["one/p0", "one/p2", "one/p3"]


def test_a_list_is_the_callers_own() -> None:
    lister = lister_of(*SOME)
    lister.list().clear()
    lister.list("one").clear()
    assert len(lister.list()) == len(SOME)
    assert len(lister.list("one")) == 3


@pytest.mark.parametrize(
    "asked",
    [{}, {"namespace": "n1"}, {"label_selector": "app=a,tier!=x"}, {"field_selector": "status.phase=Running"}],
    ids=str,
)
def test_listing_ten_times_as_many_objects_takes_ten_times_the_calls(asked: dict[str, Any]) -> None:
    few, many = (
        lister_of(*(pod(f"p{number}", f"n{number % 10}", app="abc"[number % 3]) for number in range(count)))
        for count in (200, 2000)
    )
    assert calls_of(lambda: many.list(**asked)) < 11 * calls_of(lambda: few.list(**asked))
