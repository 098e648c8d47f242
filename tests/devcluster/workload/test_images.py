"""Tests of images: the ones that exist, and the ones that a node has pulled."""

from __future__ import annotations

import pytest

from devcluster.workload.images import MAX_IMAGES, PulledImages, exists


def test_a_node_keeps_what_it_used_last() -> None:
    pulled = PulledImages()
    for number in range(MAX_IMAGES):
        pulled.add("n", f"nginx:{number}")
    assert pulled.has("n", "nginx:0")
    pulled.add("n", "nginx:new")
    assert pulled.has("n", "nginx:0"), "it was used a moment ago"
    assert not pulled.has("n", "nginx:1")
    assert not pulled.has("other", "nginx:0")


@pytest.mark.parametrize(
    ("image", "there"),
    [
        ("nginx:1.29", True), ("nginx:broken", False), ("registry.example.com/shop/web:1.2.3", True),
        ("registry.example.com/shop/web:1.2.3-rc1", False), ("registry.example.com/shop/missing:1.2.3", False),
    ],
)  # fmt: skip
def test_which_images_exist(image: str, there: bool) -> None:
    assert exists(image) is there
