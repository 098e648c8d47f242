"""Tests of how containers of several pods and namespaces are named and chosen."""

from __future__ import annotations

import pytest

from dashboard.live.logs.container_stream import ContainerId
from dashboard.pages.logs.log_sources import container_labels
from dashboard.pages.logs.query import chooses_pod


@pytest.mark.parametrize(
    ("containers", "labels"),
    [
        (["shop/web/main", "shop/web/proxy"], ["main", "proxy"]),
        (["shop/web/main", "shop/db/main"], ["web/main", "db/main"]),
        (["shop/web/main", "till/db/main"], ["web/main", "db/main"]),
        (["shop/web/main", "till/web/main", "till/db/main"], ["shop/web/main", "till/web/main", "db/main"]),
    ],
)
def test_a_label_has_what_tells_a_container_from_the_others(containers: list[str], labels: list[str]) -> None:
    parts = [each.split("/") for each in containers]
    ids = [ContainerId(namespace, pod, f"uid-{namespace}-{pod}", name) for namespace, pod, name in parts]
    assert container_labels(ids) == labels


@pytest.mark.parametrize(
    ("names", "is_chosen"),
    [((), True), (("web",), True), (("shop/web",), True), (("till/web",), False), (("db", "shop/db"), False)],
)
def test_a_pod_is_chosen_by_its_name_or_by_its_namespace_too(names: tuple[str, ...], is_chosen: bool) -> None:
    assert chooses_pod(names, "shop", "web") is is_chosen
