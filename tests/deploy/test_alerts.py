"""Tests of the alert rules: promtool's, what they are made of, and their runbooks."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.docs.test_documents import anchors
from tests.support.metric_queries import unknown_in
from tests.support.program import ROOT
from tests.support.skip_if_missing import missing

FOLDER = ROOT / "deploy" / "prometheus"
RUNBOOKS = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")
RULES: list[dict[str, Any]] = [
    rule for group in YAML(typ="safe").load(FOLDER / "alerts.yaml")["groups"] for rule in group["rules"]
]
PARTS = ("Meaning", "Users see", "Cause", "Mend", "Over")


def section(alert: str) -> str:
    found = re.search(rf"^## {alert}\n(.*?)(?=^## |\Z)", RUNBOOKS, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/runbooks.md has no section {alert}"
    return found[1]


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("promtool") or missing("promtool", "install Debian's prometheus")
    return subprocess.run([program, *arguments], cwd=FOLDER, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.program
def test_promtool_takes_the_rules_and_their_tests_pass() -> None:
    checked = promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    tested = promtool("test", "rules", "alerts.test.yaml")
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_each_rule_has_a_test_in_which_it_fires() -> None:
    tests = YAML(typ="safe").load(FOLDER / "alerts.test.yaml")["tests"]
    queries = [each for test in tests for each in test["promql_expr_test"] if each["exp_samples"]]
    fired = {name for each in queries for name in re.findall(r'alertname="(\w+)"', each["expr"])}
    assert fired == {rule["alert"] for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["alert"]))
def test_a_rule_says_what_is_wrong_and_has_a_whole_runbook(rule: dict[str, Any]) -> None:
    assert unknown_in(rule["expr"]) == set()
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}
    anchor = rule["alert"].lower()
    assert rule["annotations"]["runbook_url"] == f"docs/runbooks.md#{anchor}"
    assert anchor in anchors(RUNBOOKS)
    assert [part for part in PARTS if f"**{part}**" not in section(rule["alert"])] == []


def test_each_runbook_is_one_of_a_rule_and_speaks_of_metrics_that_exist() -> None:
    assert re.findall(r"^## (\w+)$", RUNBOOKS, re.MULTILINE) == [rule["alert"] for rule in RULES]
    assert {link for link in re.findall(r"\]\(#(\w+)\)", RUNBOOKS) if link not in anchors(RUNBOOKS)} == set()
    named = set(re.findall(r"\b(?:deltaboard|informerd|process)_\w+", RUNBOOKS))
    assert {each for name in named for each in unknown_in(name)} == set()
