"""Health of custom resources: from their conditions, their generation, known words, and rules of each kind."""

from __future__ import annotations

from dashboard.objects.health.custom_health import custom_health
from dashboard.objects.health.health import WITHOUT_VERDICT, Health
from dashboard.objects.health.registry import add_rules, rules_of
from dashboard.objects.health.rules import NO_RULES, InvalidHealthRules, KindRules, read_rules

__all__ = [
    "NO_RULES",
    "WITHOUT_VERDICT",
    "Health",
    "InvalidHealthRules",
    "KindRules",
    "add_rules",
    "custom_health",
    "read_rules",
    "rules_of",
]
