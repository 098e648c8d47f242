"""Tests of the dry run and the write of one object of a run: what is stored of it, refusals, served versions, and
authors.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from dashboard.access.identity import Identity
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.merge.diff import changes
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.pages.bulk.diff_fields import diff_fields
from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.item_execution import mark_refused
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.review import groups_by_message
from dashboard.pages.bulk.run import MAX_MESSAGE, Item, ItemExecutor
from dashboard.pages.writes.autoscalers import autoscalers_in
from informerd.errors import Invalid
from informerd.errors.api import error_from_status
from informerd.errors.status import Cause, Status, StatusDetails
from informerd.resource import Resource
from informerd.rest.client import Client
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo


def test_a_long_message_of_a_webhook_is_cut_before_it_is_stored() -> None:
    status = Status(
        code=422, reason="Invalid", message=f'admission webhook "a.b" denied the request: {"no " * 100_000}'
    )
    item = mark_refused(Item("shop", "web", "1"), "refused", error_from_status(status))
    assert "denied the request: no no" in item.words + item.said
    assert max(len(item.words), len(item.said)) == MAX_MESSAGE


def test_a_secrets_values_are_not_kept_though_a_webhook_changes_them() -> None:
    asked = {"metadata": {"labels": {"a": "b"}}}
    was, now = {"data": {"word": "aHVzaA=="}}, {"data": {"word": "c3dvcmQ="}, **asked}
    (secret, _), (other, _) = (
        diff_fields(changes(was, now), was, now, asked, UNKNOWN, secret=secret) for secret in (True, False)
    )
    assert "aHVzaA==" not in str(secret)
    assert "c3dvcmQ=" not in str(secret)
    assert [field.field for field in secret] == [field.field for field in other]
    assert "c3dvcmQ=" in str(other)


NOBODY = Identity("", "")


def work_of(parts: SimpleNamespace, resource: Resource, order: BulkOperation, whose: Identity = NOBODY) -> ItemExecutor:
    """The work of a run that somebody began."""
    return item_executor_factory(parts.schemas, parts.authors, parts.clock)(parts.client, resource, order, whose)


async def test_why_a_patch_is_refused_has_neither_the_object_nor_a_secrets_values(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    value = "bm9ib2R5IHNoYWxsIHNlZSB0aGlz"
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    made = [cluster.create(secrets, {"metadata": {"name": name}, "data": {"key": value}}) for name in ("a", "b")]
    work = work_of(parts, KINDS["secrets"].resource, BulkOperation("patch", {"speck": {"port": 1}}))
    tried = [
        (await work.dry_run(Item(namespace, each["metadata"]["name"], each["metadata"]["uid"]))).item for each in made
    ]
    assert [item.state for item in tried] == ["refused", "refused"]
    assert 'unknown field "speck"' in tried[0].words + tried[0].said
    assert value not in tried[0].words + tried[0].said
    assert len(groups_by_message(tried, "refused")) == 1


@pytest.mark.parametrize(
    "order", [BulkOperation("delete"), BulkOperation("label", {"metadata": {"labels": {"a": "b"}}})]
)
async def test_an_object_whose_version_is_served_no_more_is_neither_gone_nor_done(
    parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str, order: BulkOperation
) -> None:
    metadata = cluster.create(collection, mydemo("one"))["metadata"]
    served_no_more = msgspec.structs.replace(KINDS["mydemos.crddemo.k8s.io"].resource, version="v9")
    work = work_of(parts, served_no_more, order)
    item = Item(namespace, "one", metadata["uid"], version=metadata["resourceVersion"], is_unconfirmed=True)
    tried, written = (await work.dry_run(item)).item, await work.write(item)
    assert (tried.state, written.state) == ("refused", "failed")
    assert "The object is still there, in the version v1" in tried.words
    assert tried.words == written.words
    assert cluster.exists(f"{collection}/one")


@pytest.mark.parametrize(
    "value",
    [
        '{"matchLabels":{"app":"NAME"},"matchExpressions":[{"key":"x: y"}]}',
        '["NAME","b"]',
        'v1.LabelSelector{MatchLabels:map[string]string{"app":"NAME"}, MatchExpressions:[]v1.Requirement(nil)}',
        '&v1.LabelSelector{MatchLabels:map[string]string{"app":"NAME"}}',
        '[]string{"NAME"}',
    ],
)
def test_refusals_of_the_same_field_are_one_though_each_object_had_another_value(value: str) -> None:
    items = []
    for name in ("a", "b"):
        message = f"Invalid value: {value.replace('NAME', f'app-{name}')}: field is immutable"
        details = StatusDetails(causes=(Cause("FieldValueInvalid", message, "spec.selector"),))
        status = Status(code=422, reason="Invalid", message=message, details=details)
        items.append(mark_refused(Item("x", name, name), "refused", error_from_status(status)))
    assert len(groups_by_message(items, "refused")) == 1
    assert items[0].words.startswith("spec.selector: ")
    assert "field is immutable" in items[0].words + items[0].said
    plain = mark_refused(
        Item("x", "a", "a"), "refused", Invalid(Status(code=422, message="Invalid value: 7: must be [1]: x"))
    )
    assert "7: must be [1]" in plain.words + plain.said


async def test_each_write_is_known_to_be_of_whoever_began_the_run(
    parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    uid = cluster.create(collection, mydemo("one"))["metadata"]["uid"]
    mydemos, anna = KINDS["mydemos.crddemo.k8s.io"].resource, Identity("anna", "")
    for order in (BulkOperation("label", {"metadata": {"labels": {"a": "b"}}}), BulkOperation("delete")):
        work = work_of(parts, mydemos, order, anna)
        written = await work.write((await work.dry_run(Item(namespace, "one", uid))).item)
        assert written.state == "done"
    await parts.authors.stop()
    deleted, labelled = await parts.authors.writes_of(uid)
    assert (deleted.identity, deleted.version) == (anna, "")
    assert (labelled.identity, bool(labelled.version)) == (anna, True)


async def test_what_a_process_of_before_reviewed_without_effects_is_written_though_its_version_moved(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    labels = {"app": "one"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "x:1"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    uid = cluster.create(deployments, {"metadata": {"name": "one"}, "spec": spec})["metadata"]["uid"]
    work = work_of(parts, KINDS["deployments.apps"].resource, BulkOperation("patch", {"spec": {"replicas": 3}}))
    tried = (await work.dry_run(Item(namespace, "one", uid))).item
    assert tried.effects
    cluster.patch(f"{deployments}/one", {"metadata": {"annotations": {"note": "x"}}})
    written = await work.write(msgspec.structs.replace(tried, effects=(), stored_fingerprint="", field_digests=()))
    assert (written.state, written.words) == ("done", "")


async def test_a_server_that_lists_no_autoscalers_as_null_has_none() -> None:
    async def listed(*_: object) -> SimpleNamespace:
        return SimpleNamespace(object=lambda: {"items": None})

    client = cast("Client", SimpleNamespace(list=listed))
    assert await autoscalers_in(client, "x") == ()
