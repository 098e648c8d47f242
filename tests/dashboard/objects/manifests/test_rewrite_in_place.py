"""Tests of rewriting: a change in the object changes its own lines of the text and no others."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from dashboard.objects.fields.field_access import same
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import dump
from tests.support.edit.random_objects import changed, random_object

TEXT = """\
# above
apiVersion: crddemo.k8s.io/v1
kind: Mydemo # which kind
metadata:
  name: alpha
  labels:   # the labels
    # the team
    team: payments
spec:
  # the address
  ip: 10.0.0.1   # behind the address
  port: 8080     # behind the port

  list:
  - a   # first
  # second
  - b
  -   name: x   # third
      # its value
      v: 1
  flow: {a: 1, b: [1,2]}   # in one line
  text: |
    hello
      there
  'quoted': "as it \\x77as"
  empty:
# below
"""


def edited(change: Callable[[dict[str, Any]], object]) -> str:
    document = parse(TEXT)
    value = copy.deepcopy(document.value)
    change(value)
    text = rewrite(document, value)
    assert same(parse(text).value, value)
    return text


def lines_changed(text: str) -> tuple[list[str], list[str]]:
    """The lines that are not in both: of TEXT, and of the new text."""
    before, after = TEXT.splitlines(), text.splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


def test_a_text_that_holds_the_object_already_is_given_back_as_it_is() -> None:
    assert edited(lambda value: None) == TEXT


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        (
            lambda value: value["spec"].update(port=9090),
            ["  port: 8080     # behind the port"],
            ["  port: 9090     # behind the port"],
        ),
        (lambda value: value["spec"].update(empty="full"), ["  empty:"], ["  empty: full"]),
        (lambda value: value["spec"].pop("ip"), ["  ip: 10.0.0.1   # behind the address"], []),
        (lambda value: value["metadata"]["labels"].update(a="on"), [], ['    a: "on"']),
        (lambda value: value["spec"]["list"].pop(1), ["  - b"], []),
        (lambda value: value["spec"]["list"].append({"z": [1]}), [], ["  - z:", "    - 1"]),
        (lambda value: value["spec"]["list"].insert(1, "between"), [], ["  - between"]),
        (lambda value: value["spec"]["list"][2].update(v=2), ["      v: 1"], ["      v: 2"]),
        (
            lambda value: value["spec"]["flow"]["b"].__setitem__(0, 7),
            ["  flow: {a: 1, b: [1,2]}   # in one line"],
            ["  flow: {a: 1, b: [7,2]}   # in one line"],
        ),
        (lambda value: value["spec"].update(text="bye\nnow\n"), ["    hello", "      there"], ["    bye", "    now"]),
        (
            lambda value: value["metadata"].update(labels={}),
            ["  labels:   # the labels", "    # the team", "    team: payments"],
            ["  labels: {}   # the labels"],
        ),
        (
            lambda value: value["spec"].update(ip={"v4": "10.0.0.1"}),
            ["  ip: 10.0.0.1   # behind the address"],
            ["  ip:   # behind the address", "    v4: 10.0.0.1"],
        ),
    ],
)
def test_only_the_lines_of_what_changed_change(
    change: Callable[[dict[str, Any]], object], gone: list[str], come: list[str]
) -> None:
    assert lines_changed(edited(change)) == (gone, come)


def test_a_new_field_comes_behind_the_one_it_follows_in_the_object() -> None:
    def insert(value: dict[str, Any]) -> None:
        spec = value["spec"]
        value["spec"] = {"ip": spec.pop("ip"), "tls": {"on": True}, **spec}

    text = edited(insert)
    assert '  ip: 10.0.0.1   # behind the address\n  tls:\n    "on": true\n  port: 8080' in text


def test_a_field_that_others_refer_to_is_changed_for_itself_alone() -> None:
    document = parse("# kept only where it can be\na: &x {n: 1}\nb: *x\nc: *x\n")
    text = rewrite(document, {"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 1}})
    assert parse(text).value == {"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 1}}
    assert text.startswith("# kept")


def test_an_anchor_that_goes_while_others_need_it_costs_the_comments_but_not_the_object() -> None:
    document = parse("# lost\na: &x 1\nb: *x\n")
    assert parse(rewrite(document, {"a": 2, "b": 1})).value == {"a": 2, "b": 1}


@pytest.mark.slow
def test_whatever_changes_the_text_holds_exactly_the_new_object_and_keeps_the_other_lines() -> None:
    for seed in range(400):
        rng = random.Random(seed)
        before = random_object(rng)
        document = parse(_with_comments(dump(before), rng))
        after = changed(rng, before)
        text = rewrite(document, after)
        assert same(parse(text).value, after), seed
        if same(before, after):
            assert text == document.text, seed


@pytest.mark.slow
def test_comments_survive_a_change_of_one_field_anywhere() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        before = random_object(rng)
        document = parse(_with_comments(dump(before), rng))
        after = copy.deepcopy(before)
        after["spec"][rng.choice(sorted(after["spec"]))] = "changed"
        kept = rewrite(document, after).count("# c")
        inside = 1 + sum(line.startswith((" ", "-")) for line in dump(before["spec"]).splitlines())
        assert kept >= document.text.count("# c") - inside, seed


def _with_comments(text: str, rng: random.Random) -> str:
    """Comment lines before the top fields and behind their one-line values, which change nothing."""
    lines: list[str] = []
    for line in text.splitlines():
        if line[:1].isalpha() and ":" in line and rng.random() < 0.7:
            lines.append(f"# c{len(lines)}")
        lines.append(line)
    commented = "\n".join(lines) + "\n"
    return commented if same(parse(commented).value, parse(text).value) else text


def test_an_item_changed_beside_a_new_one_keeps_its_comments() -> None:
    document = parse("list:\n- name: a # first\n  image: a:1\n  args: # why\n  - x\n- name: z # last\n")
    changed = {"list": [{"name": "new"}, {"name": "a", "image": "a:2", "args": ["x"]}, {"name": "z"}]}
    text = rewrite(document, changed)
    assert text == "list:\n- name: new\n- name: a # first\n  image: a:2\n  args: # why\n  - x\n- name: z # last\n"


def calls_to_rewrite(number: int) -> int:
    """Functions called to change so many fields, each of them."""
    document = parse(dump({"spec": {f"k{field}": "a" * 20 for field in range(number)}}))
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        text = rewrite(document, {"spec": {f"k{field}": "b" for field in range(number)}})
    finally:
        sys.setprofile(None)
    assert text.count("\n") == document.text.count("\n")
    return calls


@pytest.mark.slow
def test_many_changes_take_as_long_as_the_text_is_and_not_its_square() -> None:
    assert calls_to_rewrite(2_000) < 3 * calls_to_rewrite(1_000)
