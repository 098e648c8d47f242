"""Tests of field selectors on any field of a projection."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import msgspec
import pytest

from informerd.cache.index_functions import field_index
from informerd.cache.lister import Lister
from informerd.cache.store import Store
from informerd.errors import MalformedSelector, UnknownField
from informerd.objects import Object, ObjectMeta, OwnerReference
from informerd.resource import PODS
from informerd.selectors.field_path import FieldPath
from informerd.selectors.field_selector import FieldSelector


class Phase(Enum):
    RUNNING = "Running"


class Container(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    ready: bool = False
    restart_count: int = 0


@dataclass(frozen=True)
class Network:
    ip: str = ""


class Status(msgspec.Struct, frozen=True, rename="camel"):
    phase: Phase | None = None
    container_statuses: tuple[Container, ...] = ()
    sizes: list[int] = []
    load: float = 0.0
    network: Network | None = None
    owner: Status | None = None
    extra: Any = None


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""
    selector: dict[str, str] | None = None


class Inner(msgspec.Struct, frozen=True):
    name: str = ""


class Optionals(Object, frozen=True):
    """What is not there is UNSET."""

    text: str | msgspec.UnsetType = msgspec.UNSET
    number: int | msgspec.UnsetType | None = msgspec.UNSET
    inner: Inner | msgspec.UnsetType = msgspec.UNSET
    several: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class Pod(Object, frozen=True):
    spec: Spec = Spec()
    status: Status | None = None


POD = Pod(
    api_version="v1",
    kind="Pod",
    metadata=ObjectMeta(
        name="a",
        namespace="one",
        label_map={"app": "web", "example.com/role": "db"},
        creation_timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        owner_references=(OwnerReference(kind="ReplicaSet", name="r", controller=True),),
    ),
    spec=Spec(node_name="n,1=\\", selector={"a.b": "c"}),
    status=Status(
        phase=Phase.RUNNING,
        container_statuses=(Container("x", True, 3), Container("y")),
        sizes=[1, 2],
        load=0.5,
        network=Network("10.0.0.1"),
        owner=Status(sizes=[7]),
        extra={"deep": [{"x": True}, None], "text": "t"},
    ),
)


@pytest.mark.parametrize(
    "selector",
    [
        "",
        ",,",
        "metadata.name=a",
        "metadata.name==a",
        ".metadata.name=a",
        "metadata.name!=b",
        "metadata.name=a,metadata.namespace=one",
        "kind=Pod",
        "apiVersion=v1",
        r"spec.nodeName=n\,1\=\\",
        "status.phase=Running",
        "status.load=0.5",
        "status.network.ip=10.0.0.1",
        "status.containerStatuses[*].ready=true",
        "status.containerStatuses[*].ready=false",
        "status.containerStatuses[*].restartCount!=4",
        "status.containerStatuses[0].restartCount=3",
        "status.containerStatuses[1].name=y",
        "status.containerStatuses[2].name=",
        "status.sizes[*]=2",
        "status.sizes[0]=1",
        "status.owner.sizes[*]=7",
        "status.owner.owner.phase=",
        "metadata.labels.app=web",
        'metadata.labels["example.com/role"]=db',
        "metadata.labels['example.com/role']!=web",
        "metadata.labels.none=",
        'spec.selector["a.b"]=c',
        "metadata.annotations.none=",
        "metadata.creationTimestamp=2026-01-02T03:04:05Z",
        "metadata.deletionTimestamp=",
        "metadata.ownerReferences[*].controller=true",
        "metadata.finalizers[*]=",
        "status.extra.deep[0].x=true",
        "status.extra.deep[*].x=true",
        "status.extra.text=t",
        "status.extra.text.deeper=",
        "status.extra.none[3]=",
    ],
)
def test_a_field_is_compared_by_the_text_of_its_json(selector: str) -> None:
    assert FieldSelector.parse(selector).matcher(Pod)(POD)


@pytest.mark.parametrize(
    "selector",
    [
        "metadata.name=b",
        "metadata.name=A",
        "metadata.name!=a",
        "metadata.name=a,metadata.namespace=two",
        "status.phase=",
        "status.containerStatuses[*].ready!=true",
        "status.containerStatuses[*].restartCount=1",
        "status.containerStatuses[*].name=",
        "metadata.labels.none!=",
    ],
)
def test_what_differs_does_not_match(selector: str) -> None:
    assert not FieldSelector.parse(selector).matcher(Pod)(POD)


def test_a_missing_part_on_the_way_is_the_empty_text() -> None:
    bare = Pod()
    for selector in ("status.phase=", "status.containerStatuses[*].name=", "status.network.ip=", "status.extra.a.b="):
        assert FieldSelector.parse(selector).matcher(Pod)(bare)
    assert not FieldSelector.parse("status.phase!=").matcher(Pod)(bare)


@pytest.mark.parametrize("path", ["text", "number", "inner.name", "several[*]", "several[0]"])
def test_a_field_that_is_unset_is_the_empty_text_with_and_without_an_index(path: str) -> None:
    there = Optionals(metadata=ObjectMeta(name="there"), text="7", number=7, inner=Inner("7"), several=("7",))
    objects = [there, Optionals(metadata=ObjectMeta(name="unset")), Optionals(metadata=ObjectMeta(name="too"))]
    for indexes in ({}, dict([field_index(Optionals, path)])):
        store: Store[Optionals] = Store(indexes)
        for each in objects:
            store.put(each.key, each)
        lister = Lister(PODS, store, Optionals)
        for selector, found in (("=7", [0]), ("!=7", [1, 2]), ("=", [1, 2]), ("!=", [0])):
            expected = [objects[place].key for place in found]
            listed = lister.list(field_selector=path + selector)
            assert sorted(each.key for each in listed) == sorted(expected), (selector, indexes)


def test_a_key_with_an_equals_sign_cannot_be_named() -> None:
    with pytest.raises(MalformedSelector):
        FieldSelector.parse('metadata.annotations["a=b"]=c')
    assert FieldSelector.parse(r"metadata.annotations.a=b\=c").terms[0].value == "b=c"


@pytest.mark.parametrize(
    ("selector", "position", "problem"),
    [
        ("status.phase", 0, "'status.phase' has none of =, == and !="),
        ("a=b,c", 4, "'c' has none of =, == and !="),
        ("=b", 0, "expected a field's path before '='"),
        ("a=b=c", 3, r"'=' in a value is written \="),
        (r"a=b,c=d\x", 7, r"a backslash in a value is written \\, found \x"),
        ("a=b\\", 3, "a backslash in a value is written \\\\, found \\"),
    ],
)
def test_a_malformed_selector_says_what_and_where(selector: str, position: int, problem: str) -> None:
    with pytest.raises(MalformedSelector) as raised:
        FieldSelector.parse(selector)
    assert (raised.value.position, raised.value.problem) == (position, problem)
    assert raised.value.caret == f"{selector}\n{' ' * position}^"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("status.phas", "Pod has no field 'status.phas': there is no status.phas; did you mean status.phase?"),
        ("status", "it leads to something with several values"),
        ("status.containerStatuses", "it leads to something with several values"),
        ("metadata.labels", "it leads to something with several values"),
        ("status.containerStatuses.name", "there is no status.containerStatuses.name"),
        ("metadata.name.first", "there is no metadata.name.first"),
        ("metadata.name[0]", "there is no metadata.name[0]"),
        ("spec.node_name", "there is no spec.node_name; did you mean spec.nodeName?"),
        ("blob", "there is no blob"),
        ("-blob", "there is no -blob"),
        (" metadata.name", "it is malformed; did you mean metadata.name?"),
        ("metadata..name", "it is malformed"),
    ],
)
def test_a_path_that_the_projection_does_not_have_is_an_error_that_names_those_it_has(path: str, message: str) -> None:
    with pytest.raises(UnknownField) as raised:
        FieldSelector.parse(f"{path}=x").matcher(Pod)
    assert message in str(raised.value)
    assert (raised.value.path, raised.value.projection) == (path, "Pod")
    assert {"spec.nodeName", "status.containerStatuses[*].ready", "metadata.labels[…]"} <= set(raised.value.known)
    assert "status.owner.phase" not in raised.value.known  # a type that holds itself is named once


def test_every_path_that_an_error_names_can_be_used() -> None:
    with pytest.raises(UnknownField) as raised:
        FieldPath(Pod, "x")
    for path in raised.value.known:
        assert FieldPath(Pod, path.replace("[…]", '["k"]')).texts(POD)


def test_equal_selectors_have_one_text_and_cannot_be_changed() -> None:
    one, other = FieldSelector.parse(r"b!=2\,,a==1,.a=1"), FieldSelector.parse(r"a=1,b!=2\,")
    assert (one, hash(one), str(one)) == (other, hash(other), r"a=1,b!=2\,")
    assert FieldSelector.parse(str(one)) == one
    with pytest.raises(AttributeError):
        one.terms = ()  # type: ignore[misc]


def test_the_path_is_looked_up_once_and_not_for_each_object(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = FieldSelector.parse("status.containerStatuses[*].name=y").matcher(Pod)
    monkeypatch.setattr(msgspec.inspect, "type_info", None)
    assert matches(POD)
