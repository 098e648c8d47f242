"""Tests of rules for health: how they are read, which one counts, and what is said of those that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.objects.health import InvalidHealthRules, KindRules, add_rules, custom_health, read_rules, rules_of
from dashboard.objects.health.rules import HealthRules, parse_rules


@pytest.fixture(autouse=True)
def only_shipped_rules() -> Iterator[None]:
    yield
    add_rules({})


def test_a_rule_of_the_setting_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    degraded = {"status": {"health": {"status": "Degraded"}}}
    assert custom_health(degraded, 1, rules_of("applications.argoproj.io")).tone == "bad"
    path = tmp_path / "health.yaml"
    path.write_text("applications.argoproj.io: {generic: false, checks: [{path: .spec.fine, ok: 'true', word: Fine}]}")
    add_rules(read_rules(path))
    rules = rules_of("applications.argoproj.io")
    assert custom_health({**degraded, "spec": {"fine": True}}, 1, rules)[:2] == ("Fine", "ok")
    assert custom_health(degraded, 1, rules)[:2] == ("Degraded", "idle")
    assert rules_of("applicationsets.argoproj.io").checks, "other kinds keep the shipped rules"


def test_the_worst_of_all_values_and_checks_counts_with_its_message_and_moment() -> None:
    rules = parse_rules("""
        things.example.com:
          checks:
            - {path: '.status.parts[*].mode', ok: up, bad: broken, message: .status.why, since: .status.at}
            - {path: .status.size, warn: '[0-4]'}
    """)["things.example.com"]
    status = {"parts": [{"mode": "up"}, {"mode": "broken"}, {"mode": "waiting"}], "why": "no disk", "size": 3}
    found = custom_health({"status": {**status, "at": "2026-01-01T00:00:00Z"}}, 1, rules)
    assert found == ("broken", "bad", "broken: no disk", 1767225600.0)
    assert custom_health({"status": {"size": 3, "parts": [{"mode": "up"}]}}, 1, rules)[:2] == ("3", "warn")
    assert custom_health({"status": {"size": 5, "parts": [{"mode": "UP"}]}}, 1, rules)[:2] == ("No verdict", "idle")


def test_an_exact_kind_comes_before_a_group_and_an_earlier_file_before_a_later_one() -> None:
    def rules(words: dict[str, str]) -> dict[str, KindRules]:
        lines = (f"'{key}': {{checks: [{{path: .a, ok: x, word: {word}}}]}}" for key, word in words.items())
        return parse_rules("\n".join(lines))

    found = HealthRules(rules({"*.example.com": "first"}), rules({"a.example.com": "second", "*.org": "third"}))
    assert [found.find(key).checks[0].word for key in ("a.example.com", "b.c.example.com", "a.org")] == [
        "first", "first", "third",
    ]  # fmt: skip
    assert found.find("a.net").checks == ()
    exact = HealthRules(rules({"*.example.com": "star", "a.example.com": "exact"}))
    assert exact.find("a.example.com").checks[0].word == "exact"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "expected a map of kinds, each with its checks: "),
        ("a.b.c: {chekcs: []}", "unknown field `chekcs`"),
        ("a.b.c: {checks: [{ok: x}]}", "a.b.c: check 1 needs a path or a condition, and not both"),
        ("a.b.c: {checks: [{path: .a, condition: B, ok: x}]}", "check 1 needs a path or a condition, and not both"),
        ("a.b.c: {idle_reasons: '('}", "a.b.c: idle_reasons: '(' is no RE2 pattern"),
        ("a.b.c: {in_progress_phases: '('}", "a.b.c: in_progress_phases: '(' is no RE2 pattern"),
        ("a.b.c: {checks: [{path: .a}]}", "a.b.c: check 1 has no pattern: write one for ok, idle, busy, warn or bad"),
        ("a.b.c: {checks: [{path: .a, ok: x}, {path: '..a', ok: x}]}", "a.b.c: check 2: path: '..a' cannot be read"),
        ("a.b.c: {checks: [{path: .a, bad: '(?=x)'}]}", "a.b.c: check 1: bad: '(?=x)' is no RE2 pattern"),
        ("a.b.c: {in_progress_reasons: '('}", "a.b.c: in_progress_reasons: '(' is no RE2 pattern"),
    ],
)
def test_rules_that_cannot_be_used_are_refused_with_the_kind_and_the_field(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "health.yaml"
    path.write_text(text)
    with pytest.raises(InvalidHealthRules) as refused:
        read_rules(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)
