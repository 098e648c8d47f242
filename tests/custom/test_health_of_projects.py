"""Health of objects of fifteen projects: as their controllers report it, and each shipped rule tried."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

import dashboard.objects.health
from dashboard.objects.health import read_rules, rules_of
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import is_unhealthy, printer_from_columns
from dashboard.objects.printers.default_printers import Custom
from informerd.objects import Blob
from tests.custom.health_cases import ALL, APPLICATION, Json, c, conditions

SHIPPED = Path(dashboard.objects.health.__file__).with_name("project_rules.yaml")


def row_of(key: str, status: Any, spec: Any = None, **others: Any) -> Row:
    """The row of an object of the third generation with this status, as the worker makes it."""
    obj = {"metadata": {"name": "web", "generation": 3}, "spec": spec or {}, "status": status, **others}
    projected = msgspec.convert(obj, Custom)
    whole = msgspec.structs.replace(projected, blob=Blob(zstandard.compress(msgspec.json.encode(obj))))
    return printer_from_columns(TableDefinition(True), rules_of(key)).row(whole)


@pytest.mark.parametrize(("key", "fields", "word", "tone"), ALL)
def test_an_object_is_shown_as_its_controller_reports_it(key: str, fields: Json, word: str, tone: str) -> None:
    row = row_of(key, **fields)
    assert (row.status, row.tone) == (word, tone), row.reason
    assert row.reason or tone not in ("bad", "warn"), "what is wrong is told in words"


@pytest.mark.parametrize(("key", "fields"), [(key, fields) for key, fields, _, tone in ALL if tone in ("bad", "warn")])
def test_what_is_wrong_is_a_problem_of_the_cluster(key: str, fields: Json) -> None:
    assert is_unhealthy(key, row_of(key, **fields), time.time())


@pytest.mark.parametrize("pattern", read_rules(SHIPPED))
def test_each_rule_is_tried_on_three_states_and_each_of_its_patterns_on_one(pattern: str) -> None:
    tried = [each for each in ALL if fnmatchcase(each[0], pattern)]
    assert len({word for _, _, word, _ in tried}) >= 3
    rules = read_rules(SHIPPED)[pattern]
    written = {(number, tone) for number, check in enumerate(rules.checks) for tone, _ in check.patterns}
    found = {
        (number, health.tone)
        for _, fields, _, _ in tried
        for number, check in enumerate(rules.checks)
        if (health := check.judge(fields)) is not None
    }
    assert written == found


def test_what_is_wrong_is_told_with_its_moment_and_message() -> None:
    wrong = c("Ready", "False", "InstallFailed", "the chart has no values", lastTransitionTime="2026-01-01T00:00:00Z")
    row = row_of("things.example.com", conditions(wrong))
    assert (row.reason, row.since) == ("not ready: the chart has no values", 1767225600.0)
    degraded = row_of(APPLICATION, {"health": {"status": "Degraded", "message": "2 pods crash"}})
    assert degraded.reason == "degraded: 2 pods crash"
