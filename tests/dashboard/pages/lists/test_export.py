"""Tests of lists as files and as kubectl commands."""

from __future__ import annotations

import csv
import io
import json
import shlex

import pytest
import yaml
from django.http import QueryDict

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.printers import Column
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.export import export
from dashboard.pages.lists.kubectl import kubectl_command
from dashboard.runtime.csv_lines import escape_formula
from informerd.cache.health import Health
from tests.support.objects.rows import Json, made
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import mydemo, pod, small_site


async def body(site: Site, path: str, status: int = 200) -> tuple[str, str]:
    response = await site.client.get(path)
    assert response.status_code == status, path
    if response.streaming:
        return "".join([piece.decode() async for piece in response]), response["Content-Type"]  # type: ignore[attr-defined]
    return response.content.decode(), response["Content-Type"]


async def test_csv_has_the_lists_columns_and_all_its_rows_in_its_order() -> None:
    text, kind = await body(small_site(), "/resources/pods/export.csv?q=web&sort=-name&columns=name,namespace,age")
    assert kind == "text/csv; charset=utf-8"
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["Name", "Namespace", "Age since"]
    assert [row[0] for row in rows] == ["web-2", "web-1"]
    assert rows[0][2].endswith("Z")


async def test_csv_has_fields_by_path_whole_and_leaves_empty_what_is_not_there() -> None:
    note = "long " * 100
    noted = made("Pod", "web-1", namespace="shop", metadata={"annotations": {"example.com/note": note}})
    site = Site(("pods", noted), pod("web-2"))
    text, _ = await body(
        site, r"/resources/pods/export.csv?columns=name,.metadata.annotations.example\.com/note&sort=name"
    )
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["Name", r".metadata.annotations.example\.com/note"]
    assert rows == [["web-1", note], ["web-2", ""]]


async def test_json_is_a_list_that_kubectl_takes_and_yaml_a_document_an_object() -> None:
    managed = made("Pod", "p", namespace="shop", metadata={"managedFields": [{"manager": "kubectl"}]})
    site = Site(("pods", managed), pod("web-1"))
    text, kind = await body(site, "/resources/pods/export.json")
    found = yaml.safe_load(text)
    assert (kind, found["kind"], found["apiVersion"]) == ("application/json", "List", "v1")
    assert [item["metadata"]["name"] for item in found["items"]] == ["p", "web-1"]
    assert "managedFields" not in text
    documents = [*yaml.safe_load_all((await body(site, "/resources/pods/export.yaml"))[0])]
    assert documents == found["items"]


async def test_an_object_nested_too_deep_to_be_indented_is_exported_whole_as_json_among_the_others() -> None:
    inside: Json = {"turned": "a\u202eb\x85"}
    for _ in range(600):
        inside = {"in": inside}
    deep = made("Mydemo", "deep", api_version="crddemo.k8s.io/v1", spec={"ip": "10.0.0.1", "port": 1}, status=inside)
    site = Site(("mydemos.crddemo.k8s.io", deep), mydemo("other"))
    text, _ = await body(site, "/resources/mydemos.crddemo.k8s.io/export.yaml?sort=name")
    first, second = text.removeprefix("---\n").split("\n---\n")
    comment, document = first.split("\n")
    assert comment.startswith("# Nested too deep")
    assert json.loads(document) == deep
    assert r"a\u202eb\u0085" in document
    assert yaml.safe_load(second)["metadata"]["name"] == "other"
    text, _ = await body(site, "/resources/mydemos.crddemo.k8s.io/export.json?sort=name")
    assert json.loads(text)["items"][0] == deep


async def test_an_export_of_nothing_is_a_whole_file() -> None:
    site = small_site()
    assert yaml.safe_load((await body(site, "/resources/pods/export.json?q=nothing"))[0])["items"] == []
    assert len((await body(site, "/resources/pods/export.csv?q=nothing"))[0].splitlines()) == 1


async def test_a_text_that_a_spreadsheet_would_run_is_no_formula_any_more() -> None:
    site = Site(("pods", made("Pod", "p", namespace="shop", spec={"nodeName": "=cmd|' /C calc'!A0"})))
    text, _ = await body(site, "/resources/pods/export.csv?columns=name,node")
    assert [*csv.reader(io.StringIO(text))][1] == ["p", "'=cmd|' /C calc'!A0"]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((f"{sign}1", f"'{sign}1") for sign in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"),
        ("a;=1+1", "a;'=1+1"),
        ('a;"=1+1"', "a;'\"=1+1\""),
        ("a; \uff1d1;;-2", "a;' \uff1d1;;'-2"),
        ("a\n=1\r@b", "a\n'=1\r'@b"),
        ("--all", "'--all"),
        ("a-b=c; d, -e:+1", "a-b=c; d, -e:+1"),
        ("", ""),
        (-5, -5),
    ],
)  # fmt: skip
def test_no_part_of_a_text_is_a_formula_where_cells_are_separated_in_another_way(
    value: object, written: object
) -> None:
    assert escape_formula(value) == written


async def test_a_header_that_a_spreadsheet_would_run_is_no_formula_any_more() -> None:
    printed = Column("link", '=HYPERLINK("https://evil.example")')
    since = Column("since", "@SUM(1)", "age")
    pieces = [piece async for piece in export("csv", [], ((0, printed), (1, since), (2, Column("name", "Name"))))]
    (header,) = csv.reader(io.StringIO(b"".join(pieces).decode()))
    assert header == ['\'=HYPERLINK("https://evil.example")', "'@SUM(1) since", "Name"]


async def test_many_rows_are_written_whole() -> None:
    site = Site(*(pod(f"p-{number:04d}") for number in range(730)))
    text, _ = await body(site, "/resources/pods/export.csv?columns=name")
    assert text.split() == ["Name", *(f"p-{number:04d}" for number in range(730))]


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/resources/pods/export.csv?q=restarts%3E", 400, "q=restarts>: Write a number"),
        ("/resources/nonsense/export.csv", 404, ""),
        ("/resources/pods/export.xml", 404, ""),
    ],
)
async def test_what_cannot_be_exported_says_why(path: str, status: int, says: str) -> None:
    assert says in (await body(small_site(), path, status))[0]


async def test_a_kind_that_has_not_been_read_is_no_empty_file() -> None:
    site = Site(mydemo("alpha"), silent=("pods",))
    assert "Try again" in (await body(site, "/resources/pods/export.csv", 503))[0]
    site.feeds.feeders["mydemos.crddemo.k8s.io"].beat(Health(state="syncing", since=site.clock.time()))
    await body(site, "/resources/mydemos.crddemo.k8s.io/export.csv", 503)


@pytest.mark.parametrize(
    ("params", "command", "leaves_out"),
    [
        ("", "kubectl get pods -A", ()),
        ("namespace=shop", "kubectl get pods -n shop", ()),
        ("namespace=shop,search", "kubectl get pods -A", ("namespace=search,shop",)),
        ("q=label:app=web", "kubectl get pods -A -l app=web", ()),
        ("q=-label:app=web", "kubectl get pods -A -l app!=web", ()),
        ("q=label:app=web,api label:tier", "kubectl get pods -A -l 'app in (api,web),tier'", ()),
        ("q=-label:app", "kubectl get pods -A -l '!app'", ()),
        ("q=label:app=w*", "kubectl get pods -A", ("label:app=w*",)),
        ("q=node=node-3", "kubectl get pods -A --field-selector spec.nodeName=node-3", ()),
        ("q=status=Running web&sort=-age", "kubectl get pods -A --sort-by=.metadata.creationTimestamp",
         ("web", "status=Running")),
        ("sort=-restarts", "kubectl get pods -A", ("sort=-restarts",)),
        ("sort=.spec.priority", "kubectl get pods -A --sort-by=.spec.priority", ()),
        ("sort=-.spec.priority", "kubectl get pods -A", ("sort=-.spec.priority",)),
        ("columns=name,.spec.containers[*].image,status", ("kubectl get pods -A -o "
         "'custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image'"), ("columns=status",)),
        (r"columns=.status.conditions[?(@.type==Ready)].status,.metadata.labels.app\.kubernetes\.io/name",
         ("kubectl get pods -A -o 'custom-columns=STATUS:.status.conditions[?(@.type==\"Ready\")].status,"
         r"APP-KUBERNETES-IO-NAME:.metadata.labels.app\.kubernetes\.io/name'"), ()),
        ("q=.spec.nodeName=node-3", "kubectl get pods -A --field-selector spec.nodeName=node-3", ()),
        ("q=-.status.phase=Running", "kubectl get pods -A --field-selector status.phase!=Running", ()),
        ("q=.spec.priority=0", "kubectl get pods -A", (".spec.priority=0",)),
    ],
)  # fmt: skip
def test_the_kubectl_command_lists_the_same_or_says_what_it_cannot(
    params: str, command: str, leaves_out: tuple[str, ...]
) -> None:
    found = kubectl_command(KINDS["pods"], Query.parse(QueryDict(params), "pods"))
    assert shlex.split(f"kubectl {found.arguments}") == shlex.split(command)
    assert found.omitted_parts == leaves_out


def test_a_name_in_the_filter_cannot_leave_its_place_in_the_command() -> None:
    found = kubectl_command(KINDS["pods"], Query.parse(QueryDict("q=node=%22%3Brm -rf /%22"), "pods"))
    assert shlex.split(found.arguments)[-1] == "spec.nodeName=;rm -rf /"


async def test_the_list_offers_its_files_and_its_command() -> None:
    text = (await small_site().client.get("/resources/pods/?q=label:app=web&page=1")).content.decode()
    assert 'href="/resources/pods/export.csv?q=label:app%3Dweb"' in text
    assert "<span data-kubectl-call>kubectl</span> get pods -A -l app=web" in text
