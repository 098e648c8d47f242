"""Rules that are in force in this process: the project's own, and before them those that a setting adds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dashboard.objects.health.rules import HealthRules, KindRules, read_rules

_SHIPPED = read_rules(Path(__file__).with_name("project_rules.yaml"))
_in_force = HealthRules(_SHIPPED)


def rules_of(key: str) -> KindRules:
    """The rules for objects of a kind; empty ones where there are none."""
    return _in_force.find(key)


def add_rules(added: Mapping[str, KindRules]) -> None:
    """Use these rules before the shipped ones, in place of those added before. Call it before printers are made."""
    global _in_force
    _in_force = HealthRules(added, _SHIPPED)
