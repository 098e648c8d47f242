"""Tests of kubectl's rules for the resource that an ambiguous name means."""

from __future__ import annotations

import pytest

from informerd.resource import Resource
from informerd.rest.resource_lookup import find_resource


def resource(group: str, version: str, plural: str, *short: str, singular: str = "", kind: str = "") -> Resource:
    singular = singular or plural.removesuffix("s")
    kind = kind or singular.title()
    return Resource(group=group, version=version, plural=plural, kind=kind, singular=singular, short_names=short)


SERVED = (
    resource("", "v1", "pods", "po"),
    resource("", "v1", "services", "svc"),
    resource("apps", "v1", "deployments", "deploy"),
    resource("apps", "v1beta1", "deployments", "deploy"),
    resource("apps", "v1beta1", "olds"),
    resource("extensions", "v1", "deployments", "deploy"),
    resource("a.example.com", "v1", "boxes", "po", "bx", singular="box"),
    resource("b.example.com", "v1", "box", singular="boxlet"),
    resource("b.example.com", "v1", "bx", singular="bxlet"),
    resource("c.example.com", "v1", "crates", singular="crate", kind="Svc"),
    resource("d.example.com", "v2", "parcels", singular="pc"),
    resource("e.example.com", "v1", "papers", "pc", "pa", singular="paper"),
    resource("serving.knative.dev", "v1", "services", "kservice", "ksvc"),
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("deployments", "deployments.v1.apps", id="the first group and its preferred version"),
        pytest.param("deploy", "deployments.v1.apps", id="by short name as well"),
        pytest.param("olds", "olds.v1beta1.apps", id="what only a lesser version has"),
        pytest.param("deployments.extensions", "deployments.v1.extensions", id="by group"),
        pytest.param("deployments.ext", "deployments.v1.extensions", id="the beginning of a group will do"),
        pytest.param("deploy.ext", "deployments.v1.extensions", id="for short names too"),
        pytest.param("deployments.v1beta1.apps", "deployments.v1beta1.apps", id="by version and group"),
        pytest.param("deploy.v1beta1.apps", "deployments.v1beta1.apps", id="a short name by version and group"),
        pytest.param("deployments.v1.app", None, id="with a version the group must be whole"),
        pytest.param("services", "services.v1.", id="core first"),
        pytest.param("services.serving.knative.dev", "services.v1.serving.knative.dev", id="a group with dots"),
        pytest.param("service.v1.serving.knative.dev", "services.v1.serving.knative.dev", id="and with a version"),
        pytest.param("ksvc", "services.v1.serving.knative.dev", id="a short name of a later group"),
        pytest.param("po", "pods.v1.", id="of two short names the earlier group's"),
        pytest.param("po.a.example.com", "boxes.v1.a.example.com", id="or the one whose group is named"),
        pytest.param("pc", "parcels.v2.d.example.com", id="a singular before another's short name"),
        pytest.param("pc.e.example.com", "papers.v1.e.example.com", id="the short name where the group says so"),
        pytest.param("bx", "bx.v1.b.example.com", id="a plural anywhere before a short name"),
        pytest.param("box", "boxes.v1.a.example.com", id="singular or plural, whichever group comes first"),
        pytest.param("box.b.example.com", "box.v1.b.example.com", id="unless the group is named"),
        pytest.param("svc", "services.v1.", id="a short name before a kind"),
        pytest.param("Svc.c.example.com", "crates.v1.c.example.com", id="a kind, last"),
        pytest.param("pods.v1.", "pods.v1.", id="the core group by version"),
        pytest.param("pods.v1", "pods.v1.", id="without the last dot"),
        pytest.param("pods.", "pods.v1.", id="an empty group is any"),
        pytest.param("pods.apps", None, id="not in that group"),
        pytest.param("", None, id="nothing"),
        pytest.param(".", None, id="a dot"),
        pytest.param("..", None, id="two dots"),
    ],
)
def test_a_name_that_could_mean_several_means_what_kubectl_takes_it_for(name: str, found: str | None) -> None:
    resource = find_resource(SERVED, name)
    assert (resource and f"{resource.plural}.{resource.version}.{resource.group}") == found
