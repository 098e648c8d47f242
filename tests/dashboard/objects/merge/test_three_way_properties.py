"""Property tests of the three-way merge: plain maps, maps with free names, lists with keys, sets, and atomic lists."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, Value, format_path, get, same
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import dump
from dashboard.objects.merge.three_way import merge
from dashboard.objects.schemas.schema import METADATA, Schema
from tests.support.long_tests import examples

pytestmark = pytest.mark.slow

Json = dict[str, Any]

_TEXT = {"type": "string"}
_CONTAINER = {
    "properties": {
        "name": _TEXT,
        "image": _TEXT,
        "command": {"type": "array", "items": _TEXT},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol"],
            "items": {"properties": {"port": {}, "protocol": {"type": "string", "default": "TCP"}, "note": {}}},
        },
    }
}
SCHEMA = Schema({
    "properties": {
        "metadata": METADATA.node,
        "spec": {
            "properties": {
                "containers": {"type": "array", "x-kubernetes-patch-merge-key": "name", "items": _CONTAINER},
                "args": {"type": "array", "items": _TEXT},
                "limits": {"type": "object", "additionalProperties": {}},
                "selector": {"type": "object", "additionalProperties": _TEXT, "x-kubernetes-map-type": "atomic"},
                "tls": {"type": "object", "properties": {"on": {}, "host": {}}},
            }
        },
        "status": {
            "properties": {
                "conditions": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    "items": {"properties": {"type": {}, "status": {}}},
                }
            }
        },
    }
})  # fmt: skip
"""A pod's shape, made small: the API server's own schemas tell merge keys in both of these ways."""

FAST = settings(
    max_examples=int(os.environ.get("EXPLORE") or examples(300)),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
WORDS = ("a", "b", "on", "1", "two words", "# no comment", "")
SCALARS = (*WORDS, 0, 1, 80, "80", 1.5, True, False, None)
ODD: tuple[Any, ...] = (
    None,
    "word",
    80,
    {},
    [],
    [{"note": 1}],
    [{"note": 1}, {"note": 2}],
    ["word", {}],
    [[1]],
    [None],
)
"""What may stand where a list or map is expected, until the API server objects."""


class Dice:
    """Choices read from bytes, which draws and shrinks far faster than a strategy for each field; zeros in the end."""

    def __init__(self, drawn: bytes) -> None:
        self._left = list(reversed(drawn))

    def below(self, sides: int) -> int:
        return self._left.pop() % sides if self._left else 0

    def one_of(self, choices: Sequence[Any]) -> Any:
        return choices[self.below(len(choices))]

    def several(self, choices: Sequence[Any]) -> list[Any]:
        """Some of the choices, each once, in any order."""
        left = list(choices)
        return [left.pop(self.below(len(left))) for _ in range(self.below(len(choices) + 1))]

    def words(self) -> list[str]:
        return [self.one_of(WORDS) for _ in range(self.below(4))]

    def keyed(self, key: str, names: Sequence[Any], fields: Callable[[], Json]) -> list[Json]:
        return [{key: name, **fields()} for name in self.several(names)]

    def either(self, usual: Callable[[], Any], odd: Sequence[Any] = ODD) -> Any:
        """Something odd, once in eight times."""
        return usual() if self.below(8) < 7 else copy.deepcopy(self.one_of(odd))

    def some(self, **fields: Callable[[], Any]) -> Json:
        """A map with any of the fields."""
        return {name: make() for name, make in fields.items() if self.below(4)}


def an_object(drawn: bytes) -> Json:
    """An object of SCHEMA's shape."""
    dice = Dice(drawn)

    def scalar() -> Any:
        return dice.one_of(SCALARS)

    def ports() -> list[Json]:
        def fields() -> Json:
            return dice.some(protocol=lambda: dice.one_of(("TCP", "UDP", None)), note=scalar)

        again: list[Json] = dice.one_of(([], [], [], [{"port": 1}]))
        return dice.keyed("port", (1, 2, "1"), fields) + again

    def container() -> Json:
        return dice.some(image=scalar, command=dice.words, ports=lambda: dice.either(ports))

    def spec() -> Json:
        return dice.some(
            containers=lambda: dice.either(lambda: dice.keyed("name", "xyz", container)),
            args=dice.words,
            limits=lambda: dice.either(lambda: {name: scalar() for name in dice.several(("cpu", "memory"))}),
            selector=lambda: dice.either(lambda: {name: scalar() for name in dice.several("ab")}),
            tls=lambda: dice.either(lambda: dice.some(on=scalar, host=scalar)),
            other=lambda: dice.some(a=scalar, b=lambda: dice.either(lambda: dice.some(c=scalar, d=scalar))),
        )

    def metadata() -> Json:
        labels = dice.either(lambda: {name: dice.one_of(WORDS) for name in dice.several(("a", "example.com/b.c[0]"))})
        return (
            {"labels": labels, "finalizers": dice.several("abc")} if dice.below(3) else dice.some(labels=lambda: labels)
        )

    def status() -> Json:
        return {"conditions": dice.keyed("type", ("Ready", "Synced"), lambda: {"status": scalar()})}

    parts = dice.some(spec=lambda: dice.either(spec), metadata=metadata, status=status)
    return {"kind": "Pod", **parts}


OBJECTS = st.binary(max_size=80).map(an_object)


def labelled(**labels: str) -> Json:
    return {"kind": "Pod", "metadata": {"labels": labels}}


RENAMED = (
    (labelled(a=""), labelled(b=""), {**labelled(a=""), "spec": {}}),
    (labelled(a="1", c=""), labelled(b="1", c=""), labelled(a="1", c="x")),
    ({"kind": "Pod", "spec": {"tls": {"on": True}}}, {"kind": "Pod", "spec": {"tls": {"host": True}}},
     {"kind": "Pod", "spec": {"tls": {"on": True}, "args": []}}),
)  # fmt: skip
"""A base, and what one side moved to another name, where equal values are one object; the other side left it."""


def both_ways(test: Callable[..., None]) -> Callable[..., None]:
    """Try those for certain, whoever is who."""
    for base, one, other in RENAMED:
        test = example(base, one, other)(example(base, other, one)(test))
    return test


@given(OBJECTS, OBJECTS)
@FAST
def test_the_same_on_both_sides_is_that(base: Json, one: Json) -> None:
    merged = merge(base, one, copy.deepcopy(one), schema=SCHEMA)
    assert same(merged.value, one)
    assert not merged.conflicts


@given(OBJECTS, OBJECTS)
@example(labelled(a=""), labelled(b=""))
@example({"spec": {"tls": {"on": True}}}, {"spec": {"tls": {"host": True}}})
@FAST
def test_what_only_one_side_changed_is_taken_as_it_is(base: Json, one: Json) -> None:
    for merged in (
        merge(base, copy.deepcopy(base), one, schema=SCHEMA),
        merge(base, one, copy.deepcopy(base), schema=SCHEMA),
    ):
        assert same(merged.value, one)
        assert not merged.conflicts


@given(OBJECTS, OBJECTS, OBJECTS)
@both_ways
@FAST
def test_exchanged_sides_are_exchanged_in_the_questions_and_nowhere_else(base: Json, one: Json, other: Json) -> None:
    there, back = merge(base, one, other, schema=SCHEMA), merge(base, other, one, schema=SCHEMA)
    assert {conflict.path for conflict in there.conflicts} == {conflict.path for conflict in back.conflicts}
    turned = {conflict.path: conflict for conflict in back.conflicts}
    for conflict in there.conflicts:
        assert same(conflict.theirs, turned[conflict.path].mine)
        assert same(conflict.mine, turned[conflict.path].theirs)
    there = merge(base, one, other, schema=SCHEMA, choices=dict.fromkeys(turned, "mine"))
    back = merge(base, other, one, schema=SCHEMA, choices=dict.fromkeys(turned, "theirs"))
    assert same(there.value, back.value)


@given(OBJECTS, OBJECTS, OBJECTS)
@both_ways
@FAST
def test_every_change_of_either_side_is_in_the_result_or_in_a_question(base: Json, theirs: Json, mine: Json) -> None:
    merged = merge(base, theirs, mine, schema=SCHEMA)
    asked = {conflict.path for conflict in merged.conflicts}
    for side in (theirs, mine):
        for path, wanted in diff(base, side, SCHEMA):
            if not any(path[:length] in asked for length in range(len(path) + 1)):
                assert holds(found(merged.value, path), wanted), format_path(path)


@given(OBJECTS, OBJECTS, OBJECTS)
@both_ways
@FAST
def test_no_order_that_either_side_made_is_lost_without_a_question(base: Json, theirs: Json, mine: Json) -> None:
    merged = merge(base, theirs, mine, schema=SCHEMA)
    path: Path = ("spec", "containers")
    lists = [by_key(get(each, path), SCHEMA.at(path)) for each in (base, theirs, mine, merged.value)]
    if None in lists or any(conflict.path == path[: len(conflict.path)] for conflict in merged.conflicts):
        return
    before, other, own, after = (list(each or ()) for each in lists)
    both = set(other) & set(own)
    before, other, own, after = ([key for key in each if key in both] for each in (before, other, own, after))
    assert after in (other, own)
    assert all(side in (after, before) for side in (other, own))


@given(OBJECTS, OBJECTS)
@FAST
def test_a_text_put_over_an_object_leaves_what_it_does_not_name(live: Json, text: Json) -> None:
    merged = merge({}, live, text, schema=SCHEMA, order="mine").value
    for path, value in diff({}, text, SCHEMA):
        assert holds(found(merged, path), value), format_path(path)
    for path, value in diff({}, live, SCHEMA):
        if not any(replaced(live, text, path[:length]) for length in range(len(path) + 1)):
            assert holds(found(merged, path), value), format_path(path)


@given(OBJECTS, OBJECTS, OBJECTS)
@both_ways
@FAST
def test_nothing_comes_that_no_side_has(base: Json, theirs: Json, mine: Json) -> None:
    merged = merge(base, theirs, mine, schema=SCHEMA)
    for path, value in diff({}, merged.value, SCHEMA):
        assert any(holds(found(side, path), value) for side in (theirs, mine)), format_path(path)


@given(OBJECTS, OBJECTS, OBJECTS)
@both_ways
@FAST
def test_a_merge_written_into_the_text_keeps_the_comments_of_what_it_left_alone(
    base: Json, theirs: Json, mine: Json
) -> None:
    text, comments = commented(mine)
    document = parse(text)
    assert same(document.value, mine)
    merged = merge(base, theirs, mine, schema=SCHEMA).value
    after = rewrite(document, merged)
    assert same(parse(after).value, merged)
    stayed = [comment for comment, path in comments if in_place(mine, merged, path)]
    places = [after.find(f"# {comment}\n") for comment in stayed]
    assert -1 not in places
    assert places == sorted(places)


def diff(base: Value, side: Value, schema: Schema, path: Path = ()) -> list[tuple[Path, Value]]:
    """What `side` did, as deep as a merge looks: the places and what it left there."""
    before, after = by_key([] if base is ABSENT else base, schema), by_key(side, schema)
    if before is not None and after is not None:
        return [
            each
            for key in {**before, **after}
            for each in diff(before.get(key, ABSENT), after.get(key, ABSENT), schema.child(0), (*path, key))
        ]
    if schema.is_atomic:
        return [] if same(base, side) else [(path, side)]
    side = {} if schema.is_map and side is ABSENT and isinstance(base, dict) else side
    if isinstance(side, dict) and (isinstance(base, dict) or base is ABSENT):
        made = [(path, side)] if base is ABSENT and not side else []
        base = {} if base is ABSENT else base
        return made + [
            each
            for name in {**base, **side}
            for each in diff(base.get(name, ABSENT), side.get(name, ABSENT), schema.child(name), (*path, name))
        ]
    return [] if same(base, side) else [(path, side)]


def replaced(live: Value, text: Value, path: Path) -> bool:
    """Whether the text says all of what stands there: unless both have a map, or a list whose items have keys."""
    schema = SCHEMA.at(path)
    there, said = found(live, path), found(text, path)
    if said is ABSENT:
        return False
    if isinstance(there, dict) and isinstance(said, dict):
        return schema.is_atomic
    return by_key(there, schema) is None or by_key(said, schema) is None


def holds(value: Value, wanted: Value) -> bool:
    """Whether it is there; a map that one side made empty may have what the other side put into it."""
    return isinstance(value, dict) if wanted == {} else same(value, wanted)


def by_key(items: Value, schema: Schema) -> dict[ItemKey, Value] | None:
    """The items by their keys; None where they are no list, or their keys do not tell them apart."""
    if not schema.list_keys or not isinstance(items, list):
        return None
    keys = [key_of(item, schema) for item in items]
    told = [key for key in keys if key is not None]
    return dict(zip(told, items, strict=True)) if len(set(told)) == len(items) else None


def key_of(item: Value, schema: Schema) -> ItemKey | None:
    if schema.list_keys == ("",):
        return ItemKey((("", item),))
    if not isinstance(item, dict):
        return None
    fields = {name: item.get(name) for name in schema.list_keys}
    for name, value in fields.items():
        if value is None:
            fields[name] = schema.child(0).child(name).node.get("default")
    return ItemKey(tuple(fields.items())) if None not in fields.values() else None


def found(value: Value, path: Path) -> Value:
    """What stands at the path, where a keyed item's defaults may have been left out."""
    schema = SCHEMA
    for segment in path:
        if isinstance(segment, ItemKey):
            value = (by_key(value, schema) or {}).get(segment, ABSENT)
        else:
            value = get(value, (segment,))
        schema = schema.child(segment)
    return value


def commented(value: Json) -> tuple[str, list[tuple[str, Path]]]:
    """Its YAML in which every line that ends in a scalar has a comment, and which field each is at."""
    numbers = count()
    lines: list[str] = []
    comments: list[tuple[str, Path]] = []

    def write(value: Value, pad: str, path: Path) -> None:
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in entries:
            lead = f"{pad}-" if isinstance(value, list) else f"{pad}{dump({name: 0}).split(': ')[0]}:"
            if isinstance(item, dict | list) and item:
                lines.append(lead)
                write(item, f"{pad}  ", (*path, name))
                continue
            comment = f"c{next(numbers)}"
            comments.append((comment, (*path, name)))
            lines.append(f"{lead} {dump([item]).removeprefix('- ').rstrip()} # {comment}")

    write(value, "", ())
    return "\n".join(lines) + "\n", comments


def in_place(before: Value, after: Value, path: Path) -> bool:
    """Whether the field is as it was, and each list on the way to it has the same items in the same places by name."""
    for segment in path:
        if isinstance(before, list):
            if not isinstance(after, list) or list(map(name_of, before)) != list(map(name_of, after)):
                return False
        elif not isinstance(after, dict):
            return False
        before, after = get(before, (segment,)), get(after, (segment,))
    return same(before, after)


def name_of(item: Value) -> Value:
    """What tells an item from its neighbours: one of its fields, else all of it."""
    if not isinstance(item, dict):
        return item
    return next((item[key] for key in ("name", "port", "type") if key in item), item)
