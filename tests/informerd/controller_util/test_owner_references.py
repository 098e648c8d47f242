"""Tests of owner references in manifests: one controller, and no reference of others lost."""

from __future__ import annotations

from typing import Any

import pytest

from informerd.controller_util.owner_references import (
    controller_of,
    is_controlled_by,
    owner_reference,
    owners_of,
    remove_owner_reference,
    set_controller_reference,
    set_owner_reference,
)
from informerd.errors import AlreadyOwned, InvalidCall
from informerd.objects import Object, ObjectMeta
from informerd.unstructured import Json


def demo(uid: str = "u1", namespace: str = "shop") -> Object:
    meta = ObjectMeta(name="a", namespace=namespace, uid=uid)
    return Object(api_version="crddemo.k8s.io/v1", kind="Mydemo", metadata=meta)


def shapes(*owners: Json) -> Json:
    meta: Json = {"name": "shapes", "namespace": "shop"}
    return {"kind": "ConfigMap", "metadata": meta | ({"ownerReferences": [*owners]} if owners else {})}


THEIRS = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u9", "blockOwnerDeletion": True}


def test_a_controller_reference_says_so_and_blocks_the_owners_deletion() -> None:
    manifest = shapes(THEIRS)
    set_controller_reference(demo(), manifest)
    assert owners_of(manifest) == [
        THEIRS,
        {
            "apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "name": "a", "uid": "u1",
            "controller": True, "blockOwnerDeletion": True,
        },
    ]  # fmt: skip
    assert is_controlled_by(manifest, demo())
    assert not is_controlled_by(manifest, demo("u2"))


def test_set_twice_it_stands_there_once() -> None:
    manifest = shapes()
    set_controller_reference(demo(), manifest)
    set_controller_reference(demo(), manifest)
    assert len(owners_of(manifest)) == 1


@pytest.mark.parametrize("uid", ["u1", "u9"])
def test_a_second_controller_is_refused_even_one_of_the_same_name(uid: str) -> None:
    manifest = shapes({**THEIRS, "uid": uid, "controller": True, "kind": "Mydemo", "name": "a"})
    with pytest.raises(
        AlreadyOwned, match=rf"ConfigMap shop/shapes is controlled by Mydemo a \(uid {uid}\) already"
    ) as info:
        set_controller_reference(demo("u2"), manifest)
    assert info.value.uid == uid
    assert len(owners_of(manifest)) == 1


def test_an_owner_becomes_the_controller_where_there_is_none() -> None:
    manifest = shapes()
    set_owner_reference(demo(), manifest)
    assert controller_of(manifest) is None
    set_controller_reference(demo(), manifest)
    assert len(owners_of(manifest)) == 1
    assert is_controlled_by(manifest, demo())


def test_an_owner_that_is_set_again_keeps_what_its_reference_says_beyond() -> None:
    manifest = shapes()
    set_controller_reference(demo(), manifest)
    set_owner_reference(demo(), manifest)
    assert is_controlled_by(manifest, demo())


def test_letting_go_leaves_the_others() -> None:
    manifest = shapes(THEIRS)
    set_owner_reference(demo(), manifest)
    assert remove_owner_reference(demo(), manifest)
    assert owners_of(manifest) == [THEIRS]
    assert not remove_owner_reference(demo(), manifest)


@pytest.mark.parametrize("namespace", ["", "other"])
def test_an_owner_in_a_namespace_owns_nothing_outside_of_it(namespace: str) -> None:
    manifest = shapes()
    manifest["metadata"]["namespace"] = namespace
    for set_reference in (set_owner_reference, set_controller_reference):
        with pytest.raises(InvalidCall, match="owners must be in the same namespace"):
            set_reference(demo(), manifest)


def test_an_owner_in_no_namespace_may_own_anything() -> None:
    manifest = shapes()
    set_controller_reference(demo(namespace=""), manifest)
    assert is_controlled_by(manifest, demo())


@pytest.mark.parametrize(
    "owner",
    [
        Object(metadata=ObjectMeta(name="a", uid="u1")),
        {"kind": "Mydemo", "apiVersion": "v1", "metadata": {"name": "a"}},
        {"kind": "Mydemo", "apiVersion": "v1", "metadata": {"uid": "u1"}},
    ],
)
def test_an_owner_that_nobody_could_find_is_refused(owner: Any) -> None:
    with pytest.raises(InvalidCall):
        owner_reference(owner)
