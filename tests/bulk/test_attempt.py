"""What of a difference is kept to be shown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from dashboard.bulk.attempt import Attempt, attempt
from dashboard.bulk.order import Order
from dashboard.bulk.review import by_words
from dashboard.bulk.run import Item
from dashboard.edits.diff import changes
from dashboard.resources.kinds import KINDS, kinds_named
from informerd.rest.client import Client
from tests.controlplane import ControlPlane


def test_a_secrets_values_are_not_kept_though_a_webhook_changes_them() -> None:
    kinds = kinds_named(["secrets", "configmaps"])
    order = Order("label", {"metadata": {"labels": {"a": "b"}}})
    found = changes({"data": {"word": "aHVzaA=="}}, {"data": {"word": "c3dvcmQ="}, "metadata": {"labels": {"a": "b"}}})
    secret, other = (Attempt(cast("Client", None), kind, order)._fields(found) for kind in kinds)
    assert "aHVzaA==" not in str(secret)
    assert "c3dvcmQ=" not in str(secret)
    assert [field.field for field in secret] == [field.field for field in other]
    assert "c3dvcmQ=" in str(other)


async def test_why_a_patch_is_refused_has_neither_the_object_nor_a_secrets_values(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    value = "bm9ib2R5IHNoYWxsIHNlZSB0aGlz"
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    made = [cluster.create(secrets, {"metadata": {"name": name}, "data": {"key": value}}) for name in ("a", "b")]
    work = attempt(parts.client, KINDS["secrets"].resource, Order("patch", {"speck": {"port": 1}}))
    tried = [
        (await work.try_out(Item(namespace, each["metadata"]["name"], each["metadata"]["uid"]))).item for each in made
    ]
    assert [item.state for item in tried] == ["refused", "refused"]
    assert 'unknown field "speck"' in tried[0].words + tried[0].said
    assert value not in tried[0].words + tried[0].said
    assert len(by_words(tried, "refused")) == 1
