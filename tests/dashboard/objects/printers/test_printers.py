"""Tests of rows of kinds other than pods: status words, tones, reasons, masked Secrets, objects of any shape."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from dashboard.live.rendering.cells import all_columns, row_line
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.paths.field_changes import decode_differing, field_changes
from dashboard.objects.printers import build_row, change_text, columns_for, is_unhealthy, mask_secret, projection_for
from dashboard.objects.printers.secret_redaction import LAST_APPLIED, MASK
from dashboard.objects.query.list_query import Query
from dashboard.templatetags.cells import cells
from tests.support.objects.rows import CREATED, Json, cells_of, made, row_of

THEN = "2026-11-01T09:00:00Z"


def workload(status: Json, *conditions: Json, replicas: int = 2, **metadata: Any) -> Json:
    spec = {"replicas": replicas, "selector": {}, "template": {"spec": {"containers": [{"name": "a", "image": "i"}]}}}
    parts: Json = {"spec": spec, "status": {"observedGeneration": 1, **status, "conditions": list(conditions)}}
    return made("Deployment", "web", api_version="apps/v1", metadata={"generation": 1, **metadata}, **parts)


def condition(name: str, status: str, message: str = "") -> Json:
    return {"type": name, "status": status, "message": message, "lastTransitionTime": THEN}


def numbers(number: int, ready: int | None = None) -> Json:
    ready = number if ready is None else ready
    return {"replicas": number, "readyReplicas": ready, "availableReplicas": ready, "updatedReplicas": number}


@pytest.mark.parametrize(
    ("obj", "status", "tone", "reason"),
    [
        (workload(numbers(2)), "Available", "ok", ""),
        (workload(numbers(2, 1)), "Progressing", "busy", "1 of 2 pods is not ready"),
        (workload(numbers(2, 0), condition("Available", "False")), "Unavailable", "warn", "2 of 2 pods are not ready"),
        (workload(numbers(3)), "Progressing", "busy", ""),
        (workload(numbers(2), generation=2), "Progressing", "busy", ""),
        (workload({}, replicas=0), "ScaledDown", "idle", ""),
        (
            workload(numbers(2, 1), condition("Progressing", "False", "x has timed out")),
            "Stalled",
            "bad",
            "rollout is stuck: x has timed out",
        ),
        (
            workload({}, condition("ReplicaFailure", "True", "quota exceeded")),
            "Failed",
            "bad",
            "pods cannot be created: quota exceeded",
        ),
        (workload(numbers(2), deletionTimestamp=THEN), "Terminating", "busy", ""),
    ],
)
def test_a_deployment_says_how_it_is(obj: Json, status: str, tone: str, reason: str) -> None:
    row = row_of("deployments.apps", obj)
    assert (row.status, row.tone, row.reason) == (status, tone, reason)
    if tone == "bad" or status == "Unavailable":
        assert row.since is not None


def test_a_set_that_does_not_say_since_when_it_is_unready_is_not_called_wrong_by_its_age() -> None:
    row = row_of("replicasets.apps", workload(numbers(2, 0)))
    assert (row.status, row.tone, row.since) == ("Unavailable", "warn", None)
    assert not is_unhealthy("replicasets.apps", row, 2e9)


def mydemo(spec: Any = None, status: Any = None, **metadata: Any) -> Json:
    return made("Mydemo", "alpha", api_version="crddemo.k8s.io/v1", metadata=metadata, spec=spec, status=status)


@pytest.mark.parametrize(
    ("status", "word", "tone", "reason"),
    [
        (None, "Not reported", "idle", ""),
        ({"phase": "Running"}, "Running", "ok", ""),
        ({"phase": "Failed", "message": "no route"}, "Failed", "bad", "failed: no route"),
        ({"conditions": [condition("Ready", "True")]}, "Ready", "ok", ""),
        ({"conditions": [condition("Ready", "False", "no address")]}, "NotReady", "bad", "not ready: no address"),
        ({"conditions": [condition("Ready", "Unknown")]}, "InProgress", "busy", "not yet ready"),
        ({"conditions": "nonsense", "phase": 7}, "No verdict", "idle", ""),
        ("nonsense", "Not reported", "idle", ""),
    ],
)
def test_a_custom_resource_says_how_it_is(status: Any, word: str, tone: str, reason: str) -> None:
    for key in ("mydemos.crddemo.k8s.io", "rollouts.argoproj.io"):
        row = row_of(key, mydemo({"ip": "10.0.0.1", "port": 1}, status))
        assert (row.status, row.tone, row.reason) == (word, tone, reason)


def test_a_mydemo_shows_its_address_whatever_the_types() -> None:
    assert (
        cells_of("mydemos.crddemo.k8s.io", row_of("mydemos.crddemo.k8s.io", mydemo({"ip": "::1", "port": 80})))["port"]
        == 80
    )
    odd = cells_of("mydemos.crddemo.k8s.io", row_of("mydemos.crddemo.k8s.io", mydemo({"ip": ["a"], "port": True})))
    assert (odd["ip"], odd["port"]) == ('["a"]', "true")
    assert row_of("mydemos.crddemo.k8s.io", mydemo("nonsense")).cells[2:4] == (None, None)


def test_a_number_that_no_message_can_carry_is_the_nearest_that_one_can() -> None:
    key = "mydemos.crddemo.k8s.io"
    for port in (2**63 - 1, 2**63, -(2**63) - 1, 10**20, 10**400, [10**20]):
        row = row_of(key, mydemo({"ip": 10**20, "port": port}))
        assert row.cells == msgspec.msgpack.decode(msgspec.msgpack.encode(row), type=Row).cells
        assert row.cells[2] == 1e20
    assert row_of(key, mydemo({"port": 2**63 - 1})).cells[3] == 2**63 - 1


def test_changes_of_a_mydemo_name_the_fields() -> None:
    key = "mydemos.crddemo.k8s.io"
    before, after = (
        row_of(key, mydemo({"ip": "10.0.0.1", "port": 8080})),
        row_of(key, mydemo({"ip": "10.0.0.1", "port": 9090})),
    )
    assert change_text(key, before, after)[:2] == ("spec.port 8080 → 9090", "idle")
    assert change_text(key, None, before)[:2] == ("created", "idle")
    held = row_of(key, mydemo({"port": 1}, deletionTimestamp=THEN, finalizers=["a/b"]))
    assert held.reason == "being deleted, held by finalizers: a/b"
    assert not is_unhealthy(key, held, (held.deleting or 0) + 299)
    assert is_unhealthy(key, held, (held.deleting or 0) + 301)


def test_a_warning_event_is_wrong_for_ten_minutes_after_it_was_last_seen() -> None:
    event = made(
        "Event",
        "e",
        involvedObject={"kind": "Pod", "name": "web"},
        type="Warning",
        reason="BackOff",
        message="again",
        firstTimestamp=CREATED,
        lastTimestamp=THEN,
        count=9,
    )
    row = row_of("events", event)
    last = cells_of("events", row)["last-seen"]
    assert row.reason == "BackOff: again (×9)"
    assert change_text("events", None, row)[:2] == ("BackOff: again (×9)", "warn")
    assert is_unhealthy("events", row, last + 599)
    assert not is_unhealthy("events", row, last + 600)
    assert not is_unhealthy("events", row_of("events", {**event, "type": "Normal"}), last)


def test_nodes_and_namespaces_say_what_is_wrong() -> None:
    node = made("Node", "n", namespace="", status={"conditions": [condition("Ready", "Unknown", "kubelet stopped")]})
    row = row_of("nodes", node)
    assert (row.status, row.tone, row.reason) == ("NotReady", "bad", "not ready: kubelet stopped")
    pressed = {"conditions": [condition("Ready", "True"), condition("DiskPressure", "True", "disk is full")]}
    assert row_of("nodes", {**node, "status": pressed}).reason == "DiskPressure: disk is full"
    status = {"phase": "Terminating", "conditions": [condition("NamespaceContentRemaining", "True", "pods. has 3")]}
    gone = made("Namespace", "n", namespace="", metadata={"deletionTimestamp": THEN}, status=status)
    assert row_of("namespaces", gone).reason == "being deleted: pods. has 3"


def test_secrets_are_masked_once_and_for_all() -> None:
    last = {LAST_APPLIED: '{"data":{"a":"c2VjcmV0"}}', "other": "stays"}
    secret = made("Secret", "s", metadata={"annotations": last}, data={"a": "c2VjcmV0"}, stringData={"b": "secret"})
    masked = mask_secret(msgspec.json.encode(secret))
    assert b"c2VjcmV0" not in masked
    assert b"secret" not in masked.lower().replace(b'"kind":"secret"', b"")
    assert mask_secret(masked) == masked
    found = msgspec.json.decode(masked)
    assert found["data"] == {"a": MASK}
    assert found["metadata"]["annotations"] == {LAST_APPLIED: MASK, "other": "stays"}
    for odd in (b"null", b"[]", b'{"data":"c2VjcmV0"}', b'{"metadata":null,"data":["c2VjcmV0"]}'):
        assert b"c2VjcmV0" not in mask_secret(odd)


def test_a_deletion_and_re_creation_that_was_missed_is_told() -> None:
    key = "mydemos.crddemo.k8s.io"
    before, after = row_of(key, mydemo({"port": 1})), row_of(key, mydemo({"port": 1}, uid="another"))
    assert change_text(key, before, after)[0] == "deleted and created again"


@pytest.mark.parametrize("key", KINDS)
def test_an_empty_object_of_every_kind_makes_a_row(key: str) -> None:
    row = build_row(key, msgspec.json.decode(b"{}", type=projection_for(key)))
    assert len(row.cells) == len(columns_for(key))
    assert change_text(key, row, row)[:2] == ("no visible change", "idle")


def test_fields_that_differ_are_found_in_place() -> None:
    old = {
        "spec": {
            "list": [{"name": "a", "x": 1}, {"name": "b", "x": 2}],
            "plain": [1, 2],
            "gone": {"deep": 1},
            "same": 1,
        }
    }
    new = {
        "spec": {"list": [{"name": "b", "x": 3}, {"name": "a", "x": 1}], "plain": [1, 3, 4], "a.b/c": None, "same": 1}
    }
    found = [(change.path, change.op) for change in field_changes(old, new).changes]
    assert found == [
        ("spec.list[b].x", "changed"),
        ("spec.plain[1]", "changed"),
        ("spec.plain[2]", "added"),
        ('spec["a.b/c"]', "added"),
        ("spec.gone", "removed"),
    ]
    assert field_changes(new, new) == ([], True)


@pytest.mark.slow
def test_decoding_what_differs_finds_what_decoding_all_finds() -> None:
    """In the same order, whichever members of the object and of its metadata are equal, changed, new or gone."""
    rng = random.Random(7)
    differing = 0
    for _ in range(2000):
        old, new = ({**random_members(rng, 3), "metadata": random_members(rng, 2)} for _ in range(2))
        for one in (old, new):
            if rng.random() < 0.1:
                del one["metadata"]
        for name in [name for name in old if name in new and rng.random() < 0.5]:
            new[name] = old[name]
        found = field_changes(*decode_differing(msgspec.json.encode(old), msgspec.json.encode(new)))
        assert found == field_changes(old, new)
        differing += bool(found.changes)
    assert differing > 1000


def test_what_is_equal_or_says_nothing_is_not_even_decoded() -> None:
    old = {"metadata": {"name": "a", "resourceVersion": "1", "managedFields": [1]}, "spec": {"x": 1}, "status": 1}
    new = {**old, "metadata": {"name": "a", "resourceVersion": "2", "managedFields": [2]}, "status": 2}
    decoded = decode_differing(msgspec.json.encode(old), msgspec.json.encode(new))
    assert decoded == ({"metadata": {}, "status": 1}, {"metadata": {}, "status": 2})


def random_members(rng: random.Random, depth: int) -> dict[str, Any]:
    names = rng.sample(["spec", "status", "name", "labels", "generation", "managedFields", "resourceVersion"], 4)
    return {name: random_json(rng, depth) for name in names}


def random_json(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.4:
        return rng.choice([None, True, 0, 1.5, "x", "", "2026-11-01T09:00:00Z", "soon"])
    if rng.random() < 0.4:
        return [random_json(rng, depth - 1) for _ in range(rng.randrange(3))]
    names = ["phase", "conditions", "type", "status", "lastTransitionTime", "message", "ip", "port", "reason"]
    return {name: random_json(rng, depth - 1) for name in rng.sample(names, rng.randrange(4))}


@pytest.mark.slow
def test_custom_resources_of_any_shape_make_rows() -> None:
    rng = random.Random(20261121)
    for _ in range(1000):
        obj = mydemo(random_json(rng, 3), {"conditions": [random_json(rng, 2)], "phase": random_json(rng, 1)})
        for key in ("mydemos.crddemo.k8s.io", "rollouts.argoproj.io"):
            row = row_of(key, obj)
            assert all(cell is None or isinstance(cell, str | int | float) for cell in row.cells)
            assert row.status


@pytest.mark.parametrize(
    ("references", "owner"),
    [
        ([{"kind": "A", "name": "a", "uid": "1"}], ("A", "a", "1")),
        (
            [{"kind": "A", "name": "a", "uid": "1"}, {"kind": "B", "name": "b", "uid": "2", "controller": True}],
            ("B", "b", "2"),
        ),
        ([{"kind": "A", "name": "a", "uid": "1"}, {"kind": "B", "name": "b", "uid": "2"}], None),
        ([], None),
    ],
)
def test_the_owner_is_the_controller_or_the_only_one(
    references: list[Json], owner: tuple[str, str, str] | None
) -> None:
    assert row_of("pods", made("Pod", "p", metadata={"ownerReferences": references})).owner == owner


def test_all_owners_are_in_a_row_unless_one_says_it_all() -> None:
    one = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a", "uid": "1", "controller": True}
    two = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "2", "blockOwnerDeletion": True}

    def owners(*references: Json) -> tuple[Owner, ...]:
        return row_of("pods", made("Pod", "p", metadata={"ownerReferences": list(references)})).owners

    first, second = (
        Owner("apps", "ReplicaSet", "a", "1", is_controller=True),
        Owner("", "Node", "n", "2", blocks_owner_deletion=True),
    )
    assert owners({**one, "blockOwnerDeletion": True}) == owners() == ()
    for other in ({"apiVersion": "example.com/v1"}, {"kind": "Rollout"}):
        (named,) = owners({**one, **other, "blockOwnerDeletion": True})
        assert (named.group, named.kind) == (other.get("apiVersion", "apps/v1")[:-3], other.get("kind", "ReplicaSet"))
    assert owners(one) == (first,)
    assert owners(two) == (second,)
    assert owners(one, two) == (first, second)


def test_an_event_has_the_api_group_of_what_it_is_about_and_is_found_by_it() -> None:
    rows = {}
    for version in ("v1", "networking.istio.io/v1"):
        about = {"apiVersion": version, "kind": "Service", "name": "web", "namespace": "shop"}
        event = {"metadata": {"name": version.partition("/")[0], "namespace": "shop"}, "involvedObject": about}
        rows[version] = row_of("events", event)
        assert cells_of("events", rows[version])["object"] == "service/web"
    groups = [cells_of("events", row)["object-group"] for row in rows.values()]
    assert groups == [None, "networking.istio.io"]
    for group, found in (("", [True, False]), ("networking.istio.io", [False, True])):
        query = Query.parse({"q": [f"object=service/web object-group={group}"]}, "events")
        assert [query.matches(row, 0.0) for row in rows.values()] == found


def test_the_object_of_an_event_is_told_apart_by_its_group_where_it_is_a_custom_resource() -> None:
    shown = {}
    for version in ("apps/v1", "networking.istio.io/v1"):
        about = {"apiVersion": version, "kind": "Gateway", "name": "web"}
        row = row_of("events", {"metadata": {"name": "e", "namespace": "shop"}, "involvedObject": about})
        line = row_line(KINDS["events"], row, all_columns("events"))
        shown[version] = next(part for part in cells(line).split("<td ") if part.startswith('class="c-object '))
    assert shown["apps/v1"].endswith(">gateway/web</td>")
    assert 'title="gateway/web (networking.istio.io)"' in shown["networking.istio.io/v1"]
    assert shown["networking.istio.io/v1"].endswith(">gateway/web <small>networking.istio.io</small></td>")


def test_a_change_of_a_workloads_template_follows_its_cells_unless_these_name_the_images() -> None:
    old, scaled, both = workload(numbers(2)), workload(numbers(2), replicas=3), workload(numbers(2), replicas=3)
    both["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "LEVEL", "value": "debug"}]
    image = workload(numbers(2), replicas=3)
    image["spec"]["template"]["spec"]["containers"][0]["image"] = "i:2"

    def words(new: Json) -> str:
        return change_text("deployments.apps", row_of("deployments.apps", old), row_of("deployments.apps", new)).words

    assert "spec.template" not in words(scaled)
    added = 'spec.template.spec.containers[a].env added: [{"name":"LEVEL","value":"debug"}]'
    assert words(both) == f"{words(scaled)}, {added}"
    assert "images i → i:2" in words(image)
    assert "spec.template" not in words(image)
