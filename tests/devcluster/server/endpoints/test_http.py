"""Tests of the API over HTTP: access, paths, and the form of refusals."""

from __future__ import annotations

import asyncio
import http.client
import json
from urllib.parse import urlsplit

import pytest

from tests.devcluster.conftest import Demo
from tests.support.devcluster.gadget_crd import gadget

MAPS = "/api/v1/namespaces/t/configmaps"
GADGETS = "/apis/devcluster.example/v1/namespaces/t/gadgets"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


async def test_without_the_token_nothing_is_told(demo: Demo) -> None:
    for authorization in ("", "Bearer wrong", "Basic abc", demo.token):
        reply = await demo.ask("GET", "/api/v1/pods", Authorization=authorization)
        assert (reply.code, reply.json["reason"]) == (401, "Unauthorized")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
async def test_health_needs_no_token(demo: Demo, path: str) -> None:
    reply = await demo.ask("GET", path, Authorization="")
    assert (reply.code, reply.text) == (200, "ok")


async def test_the_version_needs_no_token(demo: Demo) -> None:
    reply = await demo.ask("GET", "/version", Authorization="")
    assert reply.json["gitVersion"] == "v1.37.1-demo"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:6443", "127.0.0.1.evil.example", "", "[::2]:1"])
async def test_foreign_names_are_refused(demo: Demo, host: str) -> None:
    assert (await demo.ask("GET", "/livez", Host=host)).code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:6443", "LOCALHOST", "[::1]:6443"])
async def test_our_own_names_are_served(demo: Demo, host: str) -> None:
    assert (await demo.ask("GET", "/livez", Host=host)).code == 200


async def test_pages_of_other_origins_are_refused(demo: Demo) -> None:
    assert (await demo.ask("GET", "/api/v1/pods", Origin="https://evil.example")).code == 403


async def test_only_this_machine_is_listened_to(demo: Demo) -> None:
    assert urlsplit(demo.server).hostname == "127.0.0.1"


@pytest.mark.parametrize(
    "path", ["/", "/nope", "/api/v2", "/api/v2/pods", "/apis/nope", "/apis/nope/v1/things", "/faultz"]
)
async def test_unknown_paths_are_plain_404s(demo: Demo, path: str) -> None:
    reply = await demo.ask("GET", path)
    assert (reply.code, reply.text) == (404, "404 page not found\n")


@pytest.mark.parametrize(
    "path", ["/api/v1/things", "/api/v1/namespaces/t/nodes", f"{MAPS}/a/status", "/api/v1/pods/a/b/c"]
)
async def test_unknown_resources_are_statuses(demo: Demo, path: str) -> None:
    reply = await demo.ask("GET", path)
    assert (reply.code, reply.json["kind"], reply.json["reason"]) == (404, "Status", "NotFound")


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/configmaps"), ("PUT", MAPS), ("PATCH", MAPS), ("DELETE", "/api/v1/pods"), ("POST", f"{MAPS}/a")],
)
async def test_methods_that_make_no_sense_are_405(demo: Demo, method: str, path: str) -> None:
    reply = await demo.ask(
        method,
        path,
        {} if method != "PATCH" else "{}",
        "application/merge-patch+json" if method == "PATCH" else "application/json",
    )
    assert (reply.code, reply.json["reason"]) == (405, "MethodNotAllowed")


async def test_bodies_over_3_mib_are_413(demo: Demo) -> None:
    reply = await demo.ask("POST", MAPS, "x" * ((3 << 20) + 10))
    assert (reply.code, reply.json["reason"]) == (413, "RequestEntityTooLarge")


async def test_a_body_just_below_is_read_and_refused_for_what_it_says(demo: Demo) -> None:
    reply = await demo.ask("POST", MAPS, {"metadata": {"name": "big"}, "data": {"a": "x" * (3_000_000)}})
    assert (reply.code, reply.json["reason"]) == (422, "Invalid")
    assert "1048576" in reply.json["message"]


async def test_yaml_is_taken(demo: Demo) -> None:
    reply = await demo.ask("POST", MAPS, "metadata: {name: y1}\ndata: {a: b}\n", "application/yaml")
    assert (reply.code, reply.json["data"]) == (201, {"a": "b"})


async def test_items_of_built_in_lists_come_without_kind(demo: Demo) -> None:
    await demo.ask("POST", MAPS, {"metadata": {"name": "a"}})
    await demo.ask("POST", GADGETS, gadget())
    (item,) = (await demo.ask("GET", MAPS)).json["items"]
    assert "kind" not in item
    (item,) = (await demo.ask("GET", GADGETS)).json["items"]
    assert item["kind"] == "Gadget"
    assert (await demo.ask("GET", f"{MAPS}/a")).json["kind"] == "ConfigMap"


async def test_tables_have_the_printer_columns(demo: Demo) -> None:
    await demo.ask("POST", GADGETS, gadget())
    table = (await demo.ask("GET", GADGETS, Accept=TABLE)).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Port"]
    assert [row["cells"] for row in table["rows"]] == [["g", 80]]
    one = (await demo.ask("GET", f"{GADGETS}/g", Accept=TABLE)).json
    assert one["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


async def test_collections_are_deleted_by_selector(demo: Demo) -> None:
    for name, color in (("a", "red"), ("b", "green"), ("c", "red")):
        await demo.ask("POST", MAPS, {"metadata": {"name": name, "labels": {"color": color}}})
    assert (await demo.ask("DELETE", f"{MAPS}?labelSelector=color%3Dred")).code == 200
    assert [item["metadata"]["name"] for item in (await demo.ask("GET", MAPS)).json["items"]] == ["b"]


async def test_a_pod_is_bound_to_a_node_once(demo: Demo) -> None:
    pods = "/api/v1/namespaces/t/pods"
    await demo.ask("POST", pods, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "p"},
        "target": {"kind": "Node", "name": "n1"},
    }
    assert (await demo.ask("POST", f"{pods}/p/binding", binding)).code == 201
    pod = (await demo.ask("GET", f"{pods}/p")).json
    assert pod["spec"]["nodeName"] == "n1"
    assert pod["status"]["conditions"][0]["type"] == "PodScheduled"
    assert (await demo.ask("POST", f"{pods}/p/binding", binding)).code == 409
    by_node = await demo.ask("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")
    assert len(by_node.json["items"]) == 1


HOSTILE = (
    None,
    "",
    "{",
    "[]",
    "5",
    '"x"',
    "nul",
    "\x00",
    "{}{}",
    "NaN",
    '{"kind": 5}',
    '{"metadata": []}',
    '{"metadata": {"name": {}}}',
    '{"apiVersion": {}, "kind": "ConfigMap"}',
    '{"metadata": {"labels": [1]}}',
    '{"metadata": null, "data": 5}',
    '{"a": ' * 500,
    '{"a": ' * 500 + "1" + "}" * 500,
    "[" * 100_000,
    '{"metadata": {"name": "\\ud800"}}',
    '{"data": {"a": 1e999}}',
    '{"spec": {"containers": [[]]}}',
)
TYPES = (
    "application/json",
    "application/yaml",
    "application/merge-patch+json",
    "application/json-patch+json",
    "text/plain",
)
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.mark.slow
@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize("path", [MAPS, GADGETS, "/api/v1/namespaces/t/pods", CRDS])
async def test_nothing_a_client_sends_is_an_internal_error(demo: Demo, path: str, content_type: str) -> None:
    await demo.ask("POST", GADGETS, gadget())
    await demo.ask("POST", MAPS, {"metadata": {"name": "g"}})
    for body in HOSTILE:
        for method, target in (("POST", path), ("PUT", f"{path}/g"), ("PATCH", f"{path}/g"), ("DELETE", f"{path}/zz")):
            reply = await demo.ask(method, target, body, content_type)
            assert reply.code < 500, (method, target, body, reply.text)
    assert (await demo.ask("GET", "/livez")).text == "ok"


@pytest.mark.parametrize(
    "query",
    [
        "limit=99999999999999999999", "timeoutSeconds=-5&watch=1&resourceVersion=x", "continue=%00",
        "resourceVersion=99999999999999999999999", "fieldSelector=%3D%3D", "watch=1&resourceVersion=-1",
        "labelSelector=((((", "labelSelector=%ff",
    ],
)  # fmt: skip
async def test_no_query_is_an_internal_error_of_ours(demo: Demo, query: str) -> None:
    reply = await demo.ask("GET", f"{MAPS}?{query}")
    assert "Internal error" not in reply.text


async def test_bytes_that_are_no_http_do_not_stop_the_server(demo: Demo) -> None:
    def send() -> bytes:
        address = urlsplit(demo.server)
        connection = http.client.HTTPSConnection("127.0.0.1", address.port, context=demo.tls, timeout=30)
        connection.connect()
        try:
            connection.sock.sendall(b"GARBAGE\r\n\x00\xff\r\n\r\n")
            return bytes(connection.sock.recv(4096))
        finally:
            connection.close()

    assert b"400" in await asyncio.to_thread(send)
    assert (await demo.ask("GET", "/livez")).text == "ok"


async def test_openapi_tells_kubectl_that_fields_are_validated(demo: Demo) -> None:
    index = (await demo.ask("GET", "/openapi/v3")).json["paths"]
    document = (await demo.ask("GET", index["apis/devcluster.example/v1"]["serverRelativeURL"])).json
    patch = document["paths"]["/apis/devcluster.example/v1/namespaces/{namespace}/gadgets/{name}"]["patch"]
    assert "fieldValidation" in {parameter["name"] for parameter in patch["parameters"]}
    core = (await demo.ask("GET", "/openapi/v3/api/v1")).json["components"]["schemas"]
    references = set(json.dumps(core).split('"#/components/schemas/')[1:])
    assert {reference.split('"')[0] for reference in references} <= set(core)
