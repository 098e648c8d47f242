"""Tests of the page that says who somebody is and what they may do."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import override_settings

from dashboard.access.person import PERSON_KEY, Person
from dashboard.access.rights import UNLIMITED, Rights, Rule
from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.params import read_namespaces
from dashboard.pages.whoami.access_matrix import MatrixCell, access_matrix
from dashboard.pages.whoami.live_whoami import open_whoami
from tests.support.pages.site_without_cluster import Site, WiredClient

ANNA = Person("anna", ("team-a", "team-b"), "7")


def rule(verbs: str, resources: str = "pods", names: str = "") -> Rule:
    return Rule(
        frozenset(verbs.split()), frozenset({"", "apps"}), frozenset(resources.split()), frozenset(names.split())
    )


def cell_of(rights: Rights, key: str, namespace: str = "") -> MatrixCell:
    matrix = access_matrix(rights, [KINDS[key]], [namespace] if namespace else [])
    (row,) = matrix.rows
    return row.cells[-1]


@pytest.mark.parametrize(
    ("rights", "key", "namespace", "words"),
    [
        (UNLIMITED, "pods", "", "see, create, edit, delete, logs, terminal"),
        (UNLIMITED, "nodes", "", "see, create, edit, delete"),
        (Rights([rule("list create", "pods pods/exec")]), "pods", "", "see, create, terminal"),
        (Rights([rule("watch")]), "pods", "shop", "see"),
        (Rights([], {"shop": [rule("update delete")]}), "pods", "shop", "edit, delete"),
        (Rights([], {"shop": [rule("get", names="web db a b")]}), "pods", "shop", "sees a, b, db and 1 more"),
        (Rights([rule("get", "nodes", names="node-1")]), "nodes", "", "sees node-1"),
        (Rights([], {"shop": [rule("get list", "namespaces")]}), "namespaces", "shop", "see"),
        (Rights([rule("get list delete"), rule("patch", names="web")]), "pods", "", "see, delete"),
    ],
)
def test_a_cell_says_what_the_rules_allow(rights: Rights, key: str, namespace: str, words: str) -> None:
    assert cell_of(rights, key, namespace).words == words


def test_kinds_of_no_use_and_namespaces_without_a_column_are_named_beside_the_table() -> None:
    own = {f"team-{number:02}": [rule("list")] for number in range(10)}
    matrix = access_matrix(Rights([], own), [KINDS["pods"], KINDS["secrets"], KINDS["nodes"]])
    assert (len(matrix.namespaces), matrix.omitted_namespaces) == (8, 2)
    assert [row.kind.key for row in matrix.rows] == ["pods"]
    assert [kind.key for kind in matrix.other_kinds] == ["secrets", "nodes"]
    assert access_matrix(Rights([], own), [KINDS["pods"]], ["team-09"]).namespaces == ("team-09",)


class SignedInClient(WiredClient):
    """A test client of ANNA's."""

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        return {**super()._base_scope(**request), PERSON_KEY: ANNA}


async def page(site: Site, path: str = "/whoami/") -> str:
    response = await SignedInClient(site.parts).get(path)
    assert response.status_code == 200
    return response.content.decode()


async def test_the_page_names_the_person_their_groups_and_what_they_may_do() -> None:
    site = Site()
    site.parts.rights = Rights([], {"shop": [rule("list delete")]})  # type: ignore[attr-defined]
    with override_settings(
        DELTABOARD_RIGHTS="person", DELTABOARD_SIGN_IN="proxy", DELTABOARD_TRUST_PROXY_USER="X-User",
        DELTABOARD_TRUST_PROXY_GROUPS="X-Groups",
    ):  # fmt: skip
        html = await page(site)
    for text in ("anna", "team-a", "team-b", "<code>7</code>", "X-User and the groups in X-Groups", "see, delete"):
        assert text in html
    assert "auth can-i --list -n shop --as=anna --as-group=team-a --as-group=team-b" in html


@pytest.mark.parametrize(
    ("rights", "may"),
    [
        (UNLIMITED, 5),
        (Rights([rule("*", "*")]), 0),
        (Rights([], {"shop": [rule("list")]}), 0),
        (Rights([Rule(frozenset({"get"}), frozenset({"deltaboard"}), frozenset({"controllers"}))]), 1),
        (Rights([], urls=[("get", "/metrics")]), 1),
    ],
)
def test_pages_of_deltaboards_own_need_rights_of_their_own(rights: Rights, may: int) -> None:
    assert sum(page.is_allowed for page in access_matrix(rights, []).pages) == may


async def test_with_the_rights_of_the_account_the_page_says_so() -> None:
    html = await page(Site())
    assert "those of Deltaboard's account" in html
    assert "What you may do</h2>" not in html


async def test_the_live_view_is_the_same_in_every_process_and_is_sent_as_a_whole() -> None:
    site = Site()
    rights = Rights([], {"shop": [rule("list")]})
    chosen = read_namespaces(QueryDict("namespace=shop"), [])
    view = open_whoami(site.parts.hub, rights, (KINDS["pods"],), chosen)
    assert view.id == open_whoami(Site().parts.hub, UNLIMITED, (), chosen).id
    render = Renderer(render_to_string)
    assert view.update(render) == ""
    assert f'id="matrix-{view.id}"' in view.render_window(render)
