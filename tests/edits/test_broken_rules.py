"""Rules in CEL while somebody types: what is called broken is what the API server refuses, and no more than that."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.edits import cel
from dashboard.edits.broken_rules import MOST_TRIED, broken_rules
from dashboard.edits.document import parse
from dashboard.edits.objected import objected
from dashboard.edits.schema import Schema, with_metadata
from informerd.errors import Invalid
from informerd.resource import Resource
from informerd.rest.cluster import load_kubeconfig
from tests.controlplane import ControlPlane
from tests.edits.careful import CarefulClient
from tests.wait import eventually

GROUP = "rules.example.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def ruled(node: dict[str, Any], *rules: str) -> dict[str, Any]:
    return {**node, "x-kubernetes-validations": [{"rule": rule, "message": rule} for rule in rules]}


TEXT, WHOLE = {"type": "string", "maxLength": 50}, {"type": "integer"}
ITEMS = {"type": "array", "maxItems": 5, "items": ruled(TEXT, "self != 'bad'")}
KEYED = {
    "type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": {"type": "integer"},
}  # fmt: skip
MAP = ruled({"type": "object", "maxProperties": 5, "additionalProperties": WHOLE}, "self.all(k, self[k] > 0)")
SPEC = ruled(
    {
        "type": "object",
        "properties": {
            "ip": ruled(TEXT, "isIP(self)"),
            "name": ruled(TEXT, "size(self) <= 3", "self.matches('^[a-zä]+$')", "self.lowerAscii() == self"),
            "min": WHOLE,
            "max": {**WHOLE, "default": 10},
            "share": ruled({"type": "number"}, "self < 1.5", "self != 1.0"),
            "when": ruled({"type": "string", "format": "date-time"}, "self > timestamp('2020-01-01T00:00:00Z')"),
            "for": ruled({"type": "string", "format": "duration"}, "self < duration('1h')"),
            "data": ruled({"type": "string", "format": "byte", "maxLength": 50}, "self == b'abc'"),
            "a-b": WHOLE,
            "items": ITEMS,
            "one": KEYED,
            "other": KEYED,
            "map": MAP,
            "port": {"x-kubernetes-int-or-string": True},
        },
    },
    "!has(self.min) || self.min <= self.max",
    "self.max < 100",
    "!has(self.a__dash__b) || self.a__dash__b == 1",
    "!has(self.__for__) || true",
    "!has(self.one) || !has(self.other) || self.one == self.other",
    "!has(self.items) || self.items.exists_one(x, x.startsWith('x'))",
    "!has(self.port) || (type(self.port) == int ? self.port > 1 : self.port == 'http')",
    "has(self.min) && self.min == self.max - 10 || !has(self.name)",
)  # fmt: skip
ROOT = ruled(
    {"type": "object", "properties": {"spec": SPEC, "status": {"type": "object", "properties": {"a": TEXT}}}},
    "self.metadata.name != 'wrong'",
    "self.kind == 'Ruled'",
    "has(self.status) || self.metadata.name != 'nostatus'",
)
SPECS: list[dict[str, Any]] = [
    {}, {"ip": "10.0.0.1"}, {"ip": "300.1.1.1"}, {"ip": "::1"}, {"ip": "fe80::1%eth0"}, {"ip": "::ffff:1.2.3.4"},
    {"ip": "010.1.2.3"}, {"ip": ""}, {"name": "äää"}, {"name": "ABC"}, {"name": "äöüß"}, {"min": 11}, {"min": 0},
    {"min": 0, "name": "abc"}, {"max": 100}, {"share": 1}, {"share": 1.25}, {"share": 2}, {"a-b": 2}, {"a-b": 1},
    {"when": "2019-01-01T00:00:00Z"}, {"when": "2021-01-01T00:00:00Z"}, {"for": "2h"}, {"for": "1s"},
    {"data": "YWJj"}, {"data": "YWI="}, {"items": ["bad", "x"]}, {"items": ["bad"]}, {"items": []},
    {"one": [1, 2], "other": [2, 1]}, {"one": [1], "other": [2]}, {"map": {"a": 0}}, {"map": {"a-b": 1, "for": 2}},
    {"port": 1}, {"port": 2}, {"port": "http"}, {"port": "x"}, {"min": 9223372036854775807},
]  # fmt: skip


@pytest.fixture(scope="module")
def kind(cluster: ControlPlane) -> Resource:
    definition = {
        "metadata": {"name": f"ruleds.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"kind": "Ruled", "plural": "ruleds", "singular": "ruled", "listKind": "RuledList"},
            "versions": [{
                "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": ROOT},
                "subresources": {"status": {}},
            }],
        },
    }  # fmt: skip
    cluster.create(DEFINITIONS, definition)
    return Resource(group=GROUP, version="v1", plural="ruleds", kind="Ruled", namespaced=False)


def ours(value: dict[str, Any]) -> set[str]:
    return {each.words.removeprefix("By the kind's own rule: ") for each in broken_rules(with_metadata(ROOT), value)}


async def test_what_is_called_broken_is_what_the_api_server_refuses(cluster: ControlPlane, kind: Resource) -> None:
    missed: list[Any] = []
    async with CarefulClient(load_kubeconfig(cluster.kubeconfig)) as client:

        async def refused(value: dict[str, Any]) -> set[str] | None:
            try:
                await client.create(kind, value, "", dry_run=True)
            except Invalid as error:
                return {cause.message for cause in error.causes}
            return set()

        async def is_served() -> bool:
            return cluster.exists(f"/apis/{GROUP}/v1/ruleds")

        await eventually(is_served, within=60.0)
        named = [{"metadata": {"name": name}, "spec": {}} for name in ("right", "wrong", "nostatus")]
        for value in [*named, *({"metadata": {"name": "x"}, "spec": spec} for spec in SPECS)]:
            whole = {"apiVersion": f"{GROUP}/v1", "kind": "Ruled", **value}
            theirs, found = await refused(whole) or set(), ours(whole)
            wrong = {rule for rule in found if not any(rule.rstrip(".") in message for message in theirs)}
            assert not wrong, f"{value}: {theirs}"
            missed += [(value, theirs)] if theirs and not found else []
    left = [value.get("spec") or value["metadata"] for value, _ in missed]
    assert left == [{"name": "nostatus"}, {"when": "2019-01-01T00:00:00Z"}, {"for": "2h"}], (
        "what cannot be told without doubt is left to it"
    )


def test_a_mydemos_address_is_marked_at_its_field_by_the_message_of_its_rule() -> None:
    rule = {"rule": "isIP(self)", "message": "must be an address"}
    spec = {"type": "object", "properties": {"ip": {"type": "string", "x-kubernetes-validations": [rule]}}}
    schema = with_metadata({"type": "object", "properties": {"spec": spec}})
    refusal = objected(schema, parse("kind: Mydemo\nspec:\n  ip: 10.0.0.300\n"), {})
    assert refusal is not None
    (problem,) = refusal.problems
    assert (problem.field, problem.line, problem.column) == ("spec.ip", 3, 3)
    assert problem.words == "By the kind's own rule: must be an address."
    assert objected(schema, parse("kind: Mydemo\nspec:\n  ip: 10.0.0.3\n"), {}) is None


def test_what_did_not_change_is_not_held_to_its_rules() -> None:
    schema = Schema({"type": "object", "properties": {"a": ruled(TEXT, "self == 'x'"), "b": WHOLE}})
    assert not broken_rules(schema, {"a": "y", "b": 2}, {"a": "y", "b": 1})
    assert [each.field for each in broken_rules(schema, {"a": "z"}, {"a": "y"})] == ["a"]


@pytest.mark.parametrize(
    "rule",
    ["self.nope == 1", "self ==", "unknown(self)", "self + 1", "oldSelf == self", "self == 'x'" + " " * 3000, "'a'"],
)
def test_what_cannot_be_judged_is_not_told(rule: str) -> None:
    assert not broken_rules(Schema(ruled(TEXT, rule)), "y")


@pytest.mark.parametrize("value", [None, 2**70, "\ud800"])
def test_values_that_a_rule_cannot_be_shown_are_not_judged(value: Any) -> None:
    assert not broken_rules(Schema({"type": "object", "properties": {"a": ruled({}, "self == 1")}}), {"a": value})


def test_neither_many_items_nor_a_rule_without_end_take_long() -> None:
    items = {"type": "array", "items": ruled(WHOLE, "self > 0")}
    assert len(broken_rules(Schema(items), list(range(-MOST_TRIED - 50, 0)))) == 50
    nested = "self.all(a, self.all(b, self.all(c, self.all(d, self.all(e, a + b + c + d + e >= 0)))))"
    assert cel.holds(nested, list(range(100))) is None


def test_without_the_package_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel, "cel", None)
    assert not broken_rules(Schema(ruled(TEXT, "self == 'x'")), "y")
