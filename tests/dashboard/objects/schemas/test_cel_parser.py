"""Tests of simple CEL rules, evaluated on a value."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.fields.work_budget import BudgetExceeded, WorkBudget
from dashboard.objects.schemas.cel_parser import read_rule


def holds(code: str, value: Any) -> bool | None:
    rule = read_rule(code)
    return rule.holds(value, WorkBudget(1_000, 1)) if rule is not None else None


@pytest.mark.parametrize(
    ("code", "value", "expected"),
    [
        ("has(self.a) || has(self.b)", {"a": 1}, True),
        ("has(self.a) != has(self.b)", {}, False),
        ("has(self.a.b)", {}, False),
        ("!has(self.a.b)", {}, False),
        ("!has(self.a) || self.a.b == 1", {}, True),
        ("self.a.b == 1 || !has(self.a)", {}, True),
        ("!(has(self.a) && has(self.b))", {"a": 1}, True),
        ("[has(self.a), has(self.b)].filter(x, x == true).size() == 1", {"a": 1}, True),
        ("[has(self.a), has(self.b)].exists_one(x, x)", {"a": 1, "b": 1}, False),
        ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", {"a": 1, "b": 1}, False),
        ("self.type == 'X' ? has(self.x) : !has(self.x)", {"type": "X"}, False),
        ("self.min <= self.max", {"min": 1, "max": 2}, True),
        ("self.min <= self.max", {"min": "a", "max": 2}, False),
        ("self.x.y in ['a', 'b']", {"x": {"y": "a"}}, True),
        ("'a' in self", {"a": 1}, True),
        ("self.all(each, each.port > 0 && each.port % 2 == 0)", [{"port": 1}], False),
        ("self.exists(each, self.all(other, other == each))", [1, 1], True),
        ("self.map(each, each.name) == ['a']", [{"name": "a"}], True),
        ("self[0] == 1 && self.size() + 1 == 2", [1], True),
        ("self[1] == 1", [1], False),
        ("self.startsWith('a') && self.endsWith(\"b\") && self.contains(r'\\.')", "a\\.b", True),
        ("self.matches('^[a-z]+$')", "9", False),
        ("duration(self) >= duration('1s')", "500ms", False),
        ("duration(self) > duration('1h')", "1h30m", True),
        ("isIP(self) || isCIDR(self) || isURL(self) || isQuantity(self)", "10.0.0.1", True),
        ("self.?a.?b.orValue('c') == 'c'", {"a": {}}, True),
        ("!self.?a.hasValue()", {}, True),
        ("self.__namespace__ == 'x' && self.a__dash__b == 1", {"namespace": "x", "a-b": 1}, True),
        ("int(self) == 5 && string(5) == self && self != '6'", "5", True),
        ("true == 1", {}, False),
        ("-self < 0 && 7 / 2 == 3", 1, True),
        ("1 / 0 == 1", {}, False),
        # what is not read is neither true nor false
        ("self == oldSelf", 1, None),
        ("self == oldSelf || self == 1", 1, True),
        ("cel.bind(a, self, a == 1)", 1, None),
        ("url(self).getScheme() == 'https'", "https://example.com", None),
        ("isURL(self) && url(self).getScheme() == 'https'", "", False),
        ("has(self)", {}, None),
        ("(" * 1_500, {}, None),
        ("self == 'open", {}, None),
        ("self @ 1", {}, None),
        ("", {}, None),
        ("x" * 3_000, {}, None),
    ],
)
def test_a_rule_is_true_false_or_not_known(code: str, value: Any, expected: bool | None) -> None:
    assert holds(code, value) is expected


def test_a_rule_names_fields_texts_and_functions() -> None:
    rule = read_rule("has(self.a.b) && self.c.size() > 2 || self.d == 'X'")
    assert rule is not None
    assert rule.fields == (("a", "b"), ("c",), ("d",))
    assert rule.literals == (2, "X")
    assert rule.functions == {"has", "size"}


def test_a_rule_over_all_pairs_of_items_ends() -> None:
    rule = read_rule("self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d >= 0))))")
    assert rule is not None
    with pytest.raises(BudgetExceeded):
        rule.holds(list(range(100)), WorkBudget(10_000, 1))


def test_a_text_that_doubles_ends() -> None:
    code = "'" + "a" * 200 + "'"
    for _ in range(3):
        code = f"[{code}, {code}].map(x, x + x)[0]"
    assert holds(f"{code} == ''", {}) in (False, None)
