"""Tests of field paths: parsing and writing, the values found, and their printing, comparison and sorting."""

from __future__ import annotations

import ipaddress
import json
from typing import Any

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.index.sort_key_encoding import encode_key
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, InvalidPath, format_value, format_values
from dashboard.objects.paths.reader import path_reader, read_path
from dashboard.objects.printers.secret_redaction import MASK
from dashboard.objects.query.path_order import has_amounts, value_key, values_key
from dashboard.objects.query.row_order import by_path
from dashboard.objects.query.terms import read_field
from dashboard.objects.query.value_order import descending_key
from informerd.objects import Blob
from tests.support.objects.rows import made, row_of

POD = made(
    "Pod",
    "web-1",
    metadata={"labels": {"app.kubernetes.io/name": "web", "tier": "back"}, "generation": 3},
    spec={
        "nodeName": "node-3",
        "priority": 0,
        "hostNetwork": False,
        "share": 0.5,
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [],
        "dnsPolicy": "",
        "containers": [
            {"name": "app", "image": "nginx:1", "args": ["-v", "x"], "resources": {"limits": {"cpu": "500m"}}},
            {"name": "side", "image": "envoy"},
        ],
    },
    status={"conditions": [{"type": "Ready", "status": "True"}, {"type": "Scheduled", "status": "False"}]},
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".spec.nodeName", "node-3"),
        (".spec.priority", "0"),
        (".spec.hostNetwork", "false"),
        (".spec.share", "0.5"),
        (".metadata.labels.tier", "back"),
        (r".metadata.labels.app\.kubernetes\.io/name", "web"),
        (".spec.containers[*].image", "nginx:1,envoy"),
        (".spec.containers[0].image", "nginx:1"),
        (".spec.containers[-1].name", "side"),
        (".spec.containers[0].args", "-v,x"),
        (".spec.containers[*].resources.limits.cpu", "500m"),
        (".spec.nodeSelector", '{"disk":"ssd"}'),
        (".spec.nodeSelector[*]", "ssd"),
        (".status.conditions[?(@.type==Ready)].status", "True"),
        (".status.conditions[?(@.type!=Ready)].status", "False"),
        (".spec.tolerations", "[]"),
        (".spec.dnsPolicy", ""),
        (".spec.foo", "<none>"),
        (".spec.nodeName.more", "<none>"),
        (".spec.containers.image", "<none>"),
        (".spec.containers[7].image", "<none>"),
    ],
)
def test_what_a_path_leads_to_is_printed_as_kubectl_prints_it(path: str, expected: str) -> None:
    assert format_values(FieldPath(path).values(POD)) == expected
    assert format_values(read_path(FieldPath(path), row_of("pods", POD))) == expected


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (".spec.ip", ".spec.ip"),
        ("spec.ip", ".spec.ip"),
        ("{.spec.ip}", ".spec.ip"),
        ("$.spec['ip']", ".spec.ip"),
        ('.metadata.labels["app.kubernetes.io/name"]', r".metadata.labels.app\.kubernetes\.io/name"),
        (".spec.containers.*.image", ".spec.containers[*].image"),
        ('.status.conditions[?(@.type == "Ready")].status', ".status.conditions[?(@.type==Ready)].status"),
    ],
)
def test_a_path_has_one_text_however_it_was_typed(typed: str, text: str) -> None:
    assert str(FieldPath(typed)) == text
    assert FieldPath(text) == FieldPath(typed)
    assert hash(FieldPath(text)) == hash(FieldPath(typed))


@pytest.mark.parametrize(
    ("typed", "marked", "expected"),
    [
        (".", ".", "a field's name after the dot"),
        (".spec.", ".", "a field's name after the dot"),
        ("{.spec.}", ".", "a field's name after the dot"),
        (".spec..ip", "..ip", "a name between the dots"),
        (".spec[", "[", "a closing bracket"),
        (".spec[ip]", "[ip]", "a position, a star or a condition"),
        (".spec\\", "\\", "a dot after the backslash"),
        ("[0].name", "[0].name", "Begin with the name of a field"),
        (".spec.a=b", "=", "cannot have '='"),
        (".spec['a b']", " ", "cannot have ' '"),
        (".spec['a,b']", ",", "cannot have ','"),
        ("." + "a" * 250, "a", "250 characters at most"),
        (".a" * 31, ".a" * 31, "30 steps at most"),
    ],
)
def test_what_is_no_path_is_marked_with_what_was_expected(typed: str, marked: str, expected: str) -> None:
    with pytest.raises(InvalidPath) as caught:
        FieldPath(typed)
    assert typed[caught.value.start : caught.value.end] == marked
    assert expected in caught.value.message


def test_several_paths_are_read_at_one_go_also_where_one_is_a_part_of_another() -> None:
    paths = tuple(map(FieldPath, (".spec.nodeName", ".spec", ".metadata.name", ".spec.nodeSelector.disk")))
    name, spec, own, disk = path_reader(paths)(row_of("pods", POD))
    assert (name, own, disk) == (("node-3",), ("web-1",), ("ssd",))
    assert json.loads(str(spec[0])) == POD["spec"]


def test_an_object_that_is_shaped_otherwise_is_read_all_the_same() -> None:
    odd = {**made("Mydemo", "odd", api_version="crddemo.k8s.io/v1"), "spec": "a text", "status": None}
    row = row_of("mydemos.crddemo.k8s.io", odd)
    found = path_reader((FieldPath(".spec.ip"), FieldPath(".spec"), FieldPath(".status.phase"), FieldPath(".kind")))(
        row
    )
    assert found == ((), ("a text",), (), ("Mydemo",))


def test_values_of_secrets_are_masked() -> None:
    secret = made("Secret", "s", data={"password": "c2VjcmV0"}, stringData={"more": "secret"})
    row = row_of("secrets", secret)
    assert read_path(FieldPath(".data.password"), row) == (MASK,)
    assert "c2VjcmV0" not in format_values(read_path(FieldPath(".data"), row))


def test_a_row_without_a_whole_object_has_no_fields() -> None:
    row = Row("u", "ns", "n", "1", None, "", "ok", (), {})
    assert path_reader((FieldPath(".spec.a"), FieldPath(".b")))(row) == ((), ())


# --- order ---

IN_ORDER: list[tuple[str, list[Any]]] = [
    (".spec.priority", [-5, 0, 0.5, 3, 20, 100]),
    (".spec.resources.limits.cpu", ["5m", "250m", "1", "1500m", "2"]),
    (".spec.resources.limits.memory", ["64Ki", "1M", "1Mi", "1Gi", "2G"]),
    (".spec.interval", ["30s", "5m", "1h", "1h30m", "2d"]),
    (".status.podIP", ["10.0.0.2", "10.0.0.10", "10.0.1.1", "192.168.0.1", "::1", "fd00::a"]),
    (".spec.podCIDR", ["10.0.0.0/16", "10.0.0.0/24", "10.9.0.0/24", "10.10.0.0/24"]),
    (".spec.nodeName", ["node-1", "node-9", "node-10"]),
    (".status.startTime", ["2026-09-30T23:00:00Z", "2026-11-01T08:00:00Z"]),
    (".spec.port", [80, "443", 8080]),
    (".spec.mixed", [7, "10.0.0.1", "http"]),
]


@pytest.mark.parametrize(("path", "values"), IN_ORDER)
def test_rows_are_sorted_by_value_in_both_directions_and_what_is_missing_stands_last(
    path: str, values: list[Any]
) -> None:
    *names, last = FieldPath(path).names
    rows = []
    for index, value in enumerate([*values, None]):
        obj = made("Widget", f"w-{index}", api_version="example.com/v1")
        inner = obj
        for name in names:
            inner = inner.setdefault(name, {})
        if value is not None:
            inner[last] = value
        rows.append(row_of("widgets.example.com", obj))
    rows.reverse()
    up = [row.name for row in sorted(rows, key=by_path(FieldPath(path), False, read_field))]
    down = [row.name for row in sorted(rows, key=by_path(FieldPath(path), True, read_field))]
    expected = [f"w-{index}" for index in range(len(values))]
    assert up == [*expected, f"w-{len(values)}"]
    assert down == [*reversed(expected), f"w-{len(values)}"]


SCALARS = st.one_of(
    st.text(max_size=12),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.ip_addresses().map(str),
    st.integers(0, 10**6).map(lambda number: f"{number}m"),
    st.sampled_from(["1h", "5m0s", "1.5Gi", "10.0.0.0/8", "1.2.3", ":", "..", "1e400", "²", "٣", 10**400, -(2**160)]),
)


@pytest.mark.slow
@given(st.lists(st.lists(SCALARS, min_size=1, max_size=3).map(tuple), min_size=2, max_size=8), st.booleans())
def test_keys_of_any_values_compare_with_each_other(lists: list[tuple[Any, ...]], amounts: bool) -> None:
    path = FieldPath(".spec.cpu" if amounts else ".spec.x")
    keys = [values_key(path, values) for values in lists]
    assert sorted(sorted(keys), reverse=True) == sorted(keys, reverse=True)
    ends = [(0, key, "ns", "n", f"u{index}") for index, key in enumerate(keys)]
    assert [encode_key(each) for each in sorted(ends)] == sorted(encode_key(each) for each in ends)
    turned = [(0, descending_key(key), "ns", "n", f"u{index}") for index, key in enumerate(keys)]
    assert [encode_key(each) for each in sorted(turned)] == sorted(encode_key(each) for each in turned)
    assert has_amounts(path.text) is amounts


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.integers() | st.floats(allow_nan=False))
def test_numbers_compare_by_value_whether_they_are_numbers_or_texts(one: float, other: float) -> None:
    assert (value_key(one, False) < value_key(other, False)) == (one < other)


@given(st.ip_addresses(v=4), st.ip_addresses(v=4))
def test_addresses_compare_by_value(one: ipaddress.IPv4Address, other: ipaddress.IPv4Address) -> None:
    assert (value_key(str(one), False) < value_key(str(other), False)) == (one < other)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.c-/", min_size=1, max_size=3), inner),
    max_leaves=12,
)
PATHS = st.lists(
    st.text("ab.c-/", min_size=1, max_size=3).map(lambda name: "." + name.replace(".", r"\."))
    | st.sampled_from(["[*]", "[0]", "[-1]", "[?(@.a==b)]"]),
    min_size=1,
    max_size=4,
).map(lambda steps: ".a" + "".join(steps))


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["a", "b"]), JSON), st.lists(PATHS, min_size=1, max_size=4))
def test_the_fast_way_of_reading_finds_what_the_plain_one_finds(obj: dict[str, Any], texts: list[str]) -> None:
    paths = tuple(map(FieldPath, texts))
    row = row_of("widgets.example.com", {**made("Widget", "w"), **obj})
    assert path_reader(paths)(row) == tuple(path.values(json.loads(json.dumps(obj))) for path in paths)
    for path in paths:
        assert FieldPath(path.text) == path


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "1"),
        (1e20, "1" + 20 * "0"),
        (1e21, "1e+21"),
        (1e-5, "1e-05"),
        (2**70, str(2**70)),
        (True, "true"),
    ],
)
def test_numbers_are_written_as_go_writes_them(value: Any, expected: str) -> None:
    assert format_value(value) == expected


def test_an_object_whose_bytes_are_no_text_has_no_fields() -> None:
    raw = b'{"metadata":{"name":"a"},"spec":{"nodeName":"node-\xff"}}'
    row = msgspec.structs.replace(row_of("pods", POD), blob=Blob(zstandard.compress(raw)))
    assert read_path(FieldPath(".spec.nodeName"), row) == ()
