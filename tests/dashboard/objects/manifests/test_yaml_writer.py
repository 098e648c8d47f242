"""Tests of the YAML writer, whose output reads back unchanged in both versions of YAML and looks like kubectl's."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import yaml as pyyaml
from ruamel.yaml import YAML

from dashboard.objects.manifests.yaml_writer import dump, json_to_flow_yaml, to_yaml
from dashboard.runtime.invisible_characters import escape_character

POD = {
    "status": {"phase": "Running"},
    "kind": "Pod",
    "metadata": {
        "name": "web",
        "annotations": {"script": "#!/bin/sh\necho <b>hello</b>\n", "port": "8080", "empty": ""},
        "managedFields": [{"manager": "kubectl", "operation": "Apply"}],
        "creationTimestamp": "2026-11-21T07:48:11Z",
    },
    "spec": {"containers": [{"name": "app", "image": "nginx:1.29", "args": ["--port=80", "- x", "yes"]}], "nodes": []},
    "apiVersion": "v1",
}

EXPECTED = """\
apiVersion: v1
kind: Pod
metadata:
  annotations:
    empty: ""
    port: "8080"
    script: |
      #!/bin/sh
      echo <b>hello</b>
  creationTimestamp: "2026-11-21T07:48:11Z"
  name: web
spec:
  containers:
  - args:
    - --port=80
    - '- x'
    - "yes"
    image: nginx:1.29
    name: app
  nodes: []
status:
  phase: Running
"""


def test_an_object_is_written_as_kubectl_writes_it() -> None:
    assert to_yaml(POD) == EXPECTED


@pytest.mark.parametrize(
    "value", ["91587df6-dc26", "10.0.0.1", "1,000", "v1", "••••••", "日本語", "<none>", "a=b", "5m"]
)
def test_what_no_parser_mistakes_stands_without_quotes(value: str) -> None:
    assert dump({"a": value}) == f"a: {value}\n"
    assert both(dump([value])) == [[value], [value]]


TURNING = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2069", "\u061c"]
UNSEEN = [
    "\xad",
    "\u034f",
    "\u115f",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u2060",
    "\u3164",
    "\ufe0f",
    "\uffa0",
    "\U000e0041",
]


@pytest.mark.parametrize("character", TURNING + UNSEEN)
def test_what_nobody_sees_and_what_turns_the_direction_of_a_text_is_escaped(character: str) -> None:
    for value in (f"admin{character}x", f"a\nb{character}\n", character):
        written = dump({f"k{character}": value})
        assert character not in written
        assert escape_character(character) in written
        assert both(written) == [{f"k{character}": value}] * 2
    flow = json_to_flow_yaml(json.dumps({"a": character}, ensure_ascii=False))
    assert character not in flow
    assert both(flow) == [{"a": character}] * 2


TYPED = [
    "null", "Null", "~", "true", "True", "FALSE", "yes", "No", "on", "OFF", "y", "N", "1", "-1", "+1", "0", "007",
    "0o17", "0x1F", "1_000", "1.5", "-1.5e3", "1e3", ".5", "1.", ".inf", "-.INF", ".nan", "12:30", "1:2:3",
    "2026-11-21", "2026-11-21T07:48:11Z", "2026-11-21t07:48:11.5+01:00", "=", "<<", "0b11", "1,000", "1e+20",
]  # fmt: skip
AWKWARD = [
    "", " ", "a ", " a", "a: b", "a:", "a #b", "#a", "- a", "-", "--", "---", "--- a", "...", "? a", "?", ": a", ":",
    "!a", "&a", "*a", "*", "@a", "`a`", "%a", "|", ">", "'a'", '"a"', "a'b", "{a}", "[a]", "{", "a, b", "a\tb", "\t",
    "a\\b", "ä", "日本語", "😀", "\ufeff", "\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\u2028", "a\u2029b", "a\rb",
    "a\r\nb", "\n", "a\n", "\na", "a\nb", "a\n\n", "a\n\n\nb\n", "  a\nb", "a\n  b", "\n\n a\n", "a\n\tb", "\ta\nb",
    " \n a", "a \nb ", "a\n ", "a\n \n", "<script>", "key: |\n  x", "--- \n", "a\n---\nb\n", "a\n...\n",
    "%YAML 1.2\n---\n", "# x\ny", "x" * 3000, "x y " * 400, "\ue000", "\ufffd", "\ufffe",
]  # fmt: skip


def both(text: str) -> list[Any]:
    return [YAML(typ="safe", pure=True).load(text), pyyaml.safe_load(text)]


@pytest.mark.parametrize("value", TYPED + AWKWARD)
def test_a_string_stays_that_string(value: str) -> None:
    for shape in ({"a": value}, [value], {"a": [value, {"b": value}]}, {"a": {"b": {"c": value}}, "d": 1}):
        assert both(dump(shape)) == [shape, shape], dump(shape)


@pytest.mark.parametrize("key", [*TYPED, *(key for key in AWKWARD if key != "x" * 3000), "x" * 1500])
def test_a_key_stays_that_key(key: str) -> None:
    for shape in ({key: "v"}, {"a": [{key: {"b": 1}}]}, {key: ["c"]}):
        assert both(dump(shape)) == [shape, shape], dump(shape)


@pytest.mark.parametrize("value", [0, -5, 2**53, 1.5, 1e20, 1e-7, -0.0, True, False, None, {}, []])
def test_other_values_keep_their_type(value: object) -> None:
    for found in both(dump({"a": value})):
        assert found == {"a": value}
        assert type(found["a"]) is type(value)


def random_value(rng: random.Random, depth: int) -> object:
    choice = rng.randrange(10 if depth else 7)
    if choice < 5:
        return rng.choice(AWKWARD + TYPED + ["plain", "web-1", "10.0.0.1"]) + rng.choice(["", "", "x", "\n", " ", ": "])
    if choice < 7:
        return rng.choice([None, True, False, rng.randrange(-9, 9), rng.random()])
    if choice == 7:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {str(random_value(rng, 0))[:900]: random_value(rng, depth - 1) for _ in range(rng.randrange(4))}


@pytest.mark.slow
def test_random_values_survive_both_parsers() -> None:
    rng = random.Random(20261121)
    for _ in range(400):
        value = {"a": random_value(rng, 4)}
        text = dump(value)
        assert both(text) == [value, value], text


@pytest.mark.parametrize("address", ["10.0.0.1", "1.2.3", "2001:db8::17"])
def test_addresses_and_versions_stand_without_quotes_as_kubectl_writes_them(address: str) -> None:
    text = dump({"ip": address})
    assert text == f"ip: {address}\n"
    assert pyyaml.safe_load(text) == YAML(typ="safe").load(text) == {"ip": address}


def test_json_is_yaml_once_what_no_yaml_may_hold_is_escaped() -> None:
    value: dict[str, Any] = {
        "a": "turned \u202e, \x85, \x7f and \U0001f600",
        "b": [{}, [], None, 1.5, True],
        "https://c": "d: # e",
    }
    flow = json_to_flow_yaml(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    assert pyyaml.safe_load(flow) == value
    assert "\u202e" not in flow
