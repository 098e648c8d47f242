"""Tests of API paths, which escape every part."""

from __future__ import annotations

from informerd.resource import PODS


def test_a_subresource_cannot_add_a_query() -> None:
    assert PODS.path("a", "b", "log?x=1#y") == "/api/v1/namespaces/a/pods/b/log%3Fx%3D1%23y"


def test_a_subresource_may_have_parts_of_its_own() -> None:
    assert PODS.path("a", "b", "proxy/metrics") == "/api/v1/namespaces/a/pods/b/proxy/metrics"
