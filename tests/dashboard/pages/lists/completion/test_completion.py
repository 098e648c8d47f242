"""Tests of the completion of filters and paths: the word at the cursor, the suggestions, and their use."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.index.searchable_text_counts import (
    MAX_VALUES,
)
from dashboard.live.index.value_counts import ColumnSource, ValueCounts
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.path_suggestions import suggest_path
from dashboard.objects.query.list_query import Query
from dashboard.objects.schemas.schema import Schema, kind_schema
from dashboard.pages.lists.completion import views
from dashboard.pages.lists.completion.cursor import Cursor, cursor_at
from dashboard.pages.lists.completion.paths import complete_path
from dashboard.runtime.time_slicing import TimeSlicer
from tests.dashboard.objects.paths.test_field_path import POD
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site


def site() -> Site:
    def pod(name: str, namespace: str, phase: str, node: str, **labels: str) -> tuple[str, dict[str, object]]:
        spec = {"nodeName": node, "containers": [{"name": "app", "image": "nginx"}]}
        status = {"phase": phase, "conditions": [{"type": "Ready", "status": "True"}]}
        return "pods", made("Pod", name, namespace=namespace, metadata={"labels": labels}, spec=spec, status=status)

    return Site(
        pod("web-1", "shop", "Pending", "node-1", app="web", tier="front"),
        pod("web-2", "shop", "Pending", "node-2", app="web"),
        pod("db-1", "store", "Failed", "node-2", app="db"),
        ("namespaces", made("Namespace", "shop", namespace="")),
        ("namespaces", made("Namespace", "store", namespace="")),
        watched=("pods", "namespaces"),
    )


async def offered(text: str, at: int | None = None, *, path: bool = False) -> list[tuple[str, str]]:
    """What each line puts in place of what is typed, as the whole filter then is; and what stands beside it."""
    params = {"path": text} if path else {"q": text, "caret": str(len(text) if at is None else at)}
    response = await site().client.get(f"/resources/pods/complete?{urlencode(params)}")
    assert response.status_code == 200
    html = response.content.decode()
    start = re.search(r'data-start="(\d+)"', html)
    assert start is not None
    found = re.findall(r'data-insert="([^"]*)".*?<span>([^<]*)</span>', html)
    return [(text[: int(start[1])] + unescape(insert), unescape(about)) for insert, about in found]


async def texts(text: str, **more: bool) -> list[str]:
    return [insert for insert, _ in await offered(text, **more)]


async def test_columns_are_offered_by_the_beginning_of_their_name_with_their_sign() -> None:
    assert (await texts("web sta"))[0] == "web status="
    assert (await texts("-sta"))[0] == "-status="
    assert "restarts>" in await texts("rest")
    assert "age<" in await texts("ag")
    assert await texts("n") == sorted(await texts("n"), key=lambda each: not each.startswith("n"))
    assert {"ns=", "label:", ".", "owner=", "reason="} <= set(await texts(""))


async def test_values_are_those_that_rows_have_the_commonest_first_with_their_number() -> None:
    assert await offered("status=") == [("status=Pending", "2"), ("status=Failed", "1")]
    assert await offered("status=F") == [("status=Failed", "1")]
    assert await texts("status=Pending,f") == ["status=Pending,Failed"]
    assert await texts("node!=") == ["node!=node-2", "node!=node-1"]
    assert await texts("ns=") == ["ns=shop", "ns=store"]
    assert await texts("restarts>") == []


async def test_of_very_many_values_those_are_offered_that_hold_what_is_typed() -> None:
    rows = {f"u{each}": Row(f"u{each}", "n", "n", "1", None, f"v{each:05d}", "ok", (), {}) for each in range(5000)}
    slices = TimeSlicer()
    column = ValueCounts(rows, FakeClock(), slices).use(ColumnSource(-1))
    assert column is not None
    await column.counted_event.wait()
    assert len(column.texts.most_common("")) == MAX_VALUES + 1
    assert [each.value for each in column.texts.most_common("V0499")] == [f"v0499{each}" for each in range(10)]
    await slices.stop()


async def test_labels_are_offered_by_name_and_value() -> None:
    assert await offered("label:") == [("label:app=", "3"), ("label:tier=", "1")]
    assert await offered("label:app=w") == [("label:app=web", "2")]


async def test_paths_are_offered_name_by_name_then_their_values() -> None:
    assert ".spec." in await texts(".s")
    assert await texts(".spec.n") == [".spec.nodeName=", ".spec.containers[*]."]
    assert await texts(".spec.containers[*].im") == [".spec.containers[*].image="]
    assert ".status.conditions[?(@.type==Ready)]." in await texts(".status.conditions[?")
    assert await texts(".spec.nodeName=") == [".spec.nodeName=node-2", ".spec.nodeName=node-1"]
    assert await texts("-.spec.nodeName=node-1,n") == ["-.spec.nodeName=node-1,node-2", "-.spec.nodeName=node-1,node-1"]


async def test_a_path_by_itself_is_offered_without_a_sign() -> None:
    assert await texts(".spec.node", path=True) == [".spec.nodeName"]
    response = await site().client.get("/resources/pods/complete?path=spec.node")
    assert 'data-insert=".spec.nodeName"' in response.content.decode()


async def test_nothing_is_offered_in_the_middle_of_a_word_and_for_what_makes_no_sense() -> None:
    assert await offered("status=Pending", at=3) == []
    assert await offered("nonsense=") == []
    assert await offered(".a..b.") == []
    assert await offered('"two wor') == []
    response = await site().client.get("/resources/nonsense/complete?q=a")
    assert response.status_code == 404


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Cursor("name", 0, "")),
        ("web -sta", Cursor("name", 5, "sta")),
        ('a "b c" no', Cursor("name", 8, "no")),
        ('reason="a b', Cursor("value", 7, "a b", "reason", "=")),
        ("status=A,B", Cursor("value", 9, "B", "status", "=")),
        ("label:app", Cursor("label", 6, "app")),
        ("label:app=w", Cursor("label value", 10, "w", "app", "=")),
        ("-.spec.n", Cursor("path", 1, ".spec.n")),
        (".a[?(@.t==x)].b>=3", Cursor("path value", 17, "3", ".a[?(@.t==x)].b", ">=")),
        ('"two wor', Cursor("nothing", 0, '"two wor')),
    ],
)
def test_what_is_being_typed_is_found_before_the_cursor(text: str, expected: Cursor) -> None:
    assert cursor_at(text, len(text)) == expected


@given(st.text('ab .=,"-[]<>!:*@?()l', max_size=20), st.integers(0, 20))
def test_any_text_is_taken(text: str, at: int) -> None:
    found = cursor_at(text, min(at, len(text)))
    assert 0 <= found.start <= len(text)
    complete_path(found.part, None, [POD])


SCHEMA = Schema({
    "properties": {
        "spec": {"$ref": "#/components/schemas/Spec"},
    }
}, {
    "Spec": {"properties": {
        "priority": {"type": "integer", "description": "How much it matters."},
        "containers": {"type": "array", "items": {"type": "object", "properties": {"image": {"type": "string"}}}},
        "args": {"type": "array", "items": {"type": "string"}},
        "zone": {"type": "string"},
    }},
})  # fmt: skip


def test_a_schema_offers_what_no_object_has_yet() -> None:
    steps = complete_path(".spec.", SCHEMA, [{"spec": {"zone": "a", "extra": 1}}])
    assert [(step.path, step.description, step.can_continue) for step in steps] == [
        (".spec.zone", "text", False),
        (".spec.extra", "number", False),
        (".spec.args", "list", False),
        (".spec.containers[*]", "list", True),
        (".spec.priority", "number", False),
    ]
    assert [step.path for step in complete_path(".spec.containers[*].", SCHEMA, [])] == [".spec.containers[*].image"]
    assert ".metadata.labels" in [step.path for step in complete_path(".metadata.", SCHEMA, [])]


def test_the_schema_of_a_real_api_server_offers_the_fields_of_pods(controlplane: ControlPlane) -> None:
    schema = kind_schema(controlplane.get("/openapi/v3/api/v1"), "", "v1", "Pod")
    found = {step.path: step for step in complete_path(".spec.", schema, [])}
    assert not found[".spec.nodeName"].can_continue
    assert found[".spec.containers[*]"].can_continue
    assert ".spec.containers[*].image" in [step.path for step in complete_path(".spec.containers[*].i", schema, [])]


@given(
    st.sampled_from(
        [".", ".sp", ".spec.", ".spec.con", ".status.conditions[", ".metadata.labels.", ".spec.containers[*]."]
    )
)
def test_what_is_offered_can_be_read_in_a_filter(typed: str) -> None:
    for step in complete_path(typed, SCHEMA, [POD]):
        assert str(FieldPath(step.path)) == step.path
        query = Query.parse({"q": [f"{step.path}=x"]}, "pods")
        assert not query.problems
        assert query.canonical == f"{step.path}=x"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (".spec.nodename", ".spec.nodeName"),
        (".spec.containers.image", ".spec.containers[*].image"),
        (".spec.container[*].imag", ".spec.containers[*].image"),
        (".metadata.label.tier", ".metadata.labels.tier"),
        (".spec.somethingElse", None),
        (".spec.nodeName.more", None),
    ],
)
def test_the_path_that_was_meant_is_one_that_is_there(typed: str, meant: str | None) -> None:
    found = suggest_path(FieldPath(typed), [POD])
    assert (str(found) if found is not None else None) == meant


async def test_only_what_is_offered_becomes_a_line_and_the_rest_is_said_to_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: list[str] = []

    option = views.CompletionItem

    def counted(text: str, insert: str, about: str = "") -> views.CompletionItem:
        lines.append(text)
        return option(text, insert, about)

    monkeypatch.setattr(views, "CompletionItem", counted)
    objects = [
        ("pods", made("Pod", f"p-{n:03d}", namespace="shop", spec={"nodeName": f"n-{n:03d}"})) for n in range(300)
    ]
    site = Site(*objects, watched=("pods",))
    html = (await site.client.get("/resources/pods/complete?q=node%3D")).content.decode()
    assert len(lines) == MAX_VALUES + 1
    assert len(re.findall("data-insert", html)) == MAX_VALUES
    assert f"The first {MAX_VALUES} suggestions; type more to see others." in html
    lines.clear()
    html = (await site.client.get("/resources/pods/complete?q=node%3Dn-29")).content.decode()
    assert lines == [f"n-29{digit}" for digit in range(10)]
    assert "10 suggestions." in html
