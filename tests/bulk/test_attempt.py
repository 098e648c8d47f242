"""What of a difference is kept to be shown."""

from __future__ import annotations

from typing import cast

from dashboard.bulk.attempt import Attempt
from dashboard.bulk.order import Order
from dashboard.edits.diff import changes
from dashboard.resources.kinds import kinds_named
from informerd.rest.client import Client


def test_a_secrets_values_are_not_kept_though_a_webhook_changes_them() -> None:
    kinds = kinds_named(["secrets", "configmaps"])
    order = Order("label", {"metadata": {"labels": {"a": "b"}}})
    found = changes({"data": {"word": "aHVzaA=="}}, {"data": {"word": "c3dvcmQ="}, "metadata": {"labels": {"a": "b"}}})
    secret, other = (Attempt(cast("Client", None), kind, order)._fields(found) for kind in kinds)
    assert "aHVzaA==" not in str(secret)
    assert "c3dvcmQ=" not in str(secret)
    assert [field.field for field in secret] == [field.field for field in other]
    assert "c3dvcmQ=" in str(other)
