"""Tests of the delete page of objects whose names are written to deceive: who reads it, and who copies its command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from types import SimpleNamespace

import pytest

from dashboard.runtime.text_with_links import object_href
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser

KEY = "clusterroles.rbac.authorization.k8s.io"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
HELD = "example.com/hold"


@pytest.fixture
def delete_page(cluster: ControlPlane) -> Iterator[Callable[[str], str]]:
    """Creates a role of any name, and says where its delete page is."""
    paths = []

    def create(name: str) -> str:
        metadata = {"name": name, "finalizers": [HELD]}
        cluster.create(
            ROLES, {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata}
        )
        href = object_href(KEY, "", name)
        paths.append(f"{ROLES}/{href.rstrip('/').rpartition('/')[2]}")
        return f"{href}delete/"

    yield create
    for path in paths:
        cluster.patch(path, {"metadata": {"finalizers": None}})
        cluster.delete(path)


async def test_the_command_is_about_this_object_on_this_cluster_and_copied_as_it_is_shown(
    browser: Browser, parts: SimpleNamespace, delete_page: Callable[[str], str]
) -> None:
    parts.kubectl = "kubectl --context 'pro d'"
    page = await browser.open(delete_page("--all"))
    command = f"kubectl --context 'pro d' delete {KEY} -- --all"
    assert command in page.text
    assert [unescape(text) for text in re.findall(r'data-copy="([^"]*)"', page.body)] == [command]
    assert "current in your shell" not in page.text


async def test_where_no_context_is_known_the_page_says_that_kubectl_takes_another(
    browser: Browser, delete_page: Callable[[str], str]
) -> None:
    page = await browser.open(delete_page("--all"))
    assert (
        "kubectl takes the context that is current in your shell: first make sure that it is this cluster." in page.text
    )


@pytest.mark.parametrize("character", ["\u202e", "\u200b", "\u061c", "\xad", "\u3164", "\U000e0041", "\x1b"])
async def test_what_nobody_sees_in_the_name_is_seen(
    browser: Browser, delete_page: Callable[[str], str], character: str
) -> None:
    page = await browser.open(delete_page(f"view{character}er"))
    assert page.status == 200
    assert re.sub(r'(value|data-\S+)="[^"]*"', "", page.body).count(character) == 0
    assert re.search(r"<title>[^<]*view\\[xuU][0-9a-f]+er", page.body)
    assert page.form.values["uid"]
