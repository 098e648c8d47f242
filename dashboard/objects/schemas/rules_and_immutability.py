"""Rules of a schema (x-kubernetes-validations): their messages, and the fields that they make immutable.

CEL is not evaluated here; the API server does that. One rule is read: ``self == oldSelf``, which is how a CRD makes a
field immutable once it is set (KEP-2876, transition rules).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import re2

from dashboard.objects.schemas.schema import Schema

_SAME = re2.compile(r"\(*\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*\)*")
_SAME_FIELD = re2.compile(
    r"\(*\s*(?:!\s*has\(\s*oldSelf\.(?P<unless>\w+)\s*\)\s*\|\|\s*)?"
    r"\(*\s*(?:self\.(?P<one>\w+)\s*==\s*oldSelf\.(?P<other>\w+)|oldSelf\.(?P<old>\w+)\s*==\s*self\.(?P<new>\w+))\s*\)*"
)
MAX_RULE_LENGTH = 10_000
"""Maximum characters of a rule that is read; apiextensions-apiserver's CEL compiler limits its cost, too."""
IMMUTABLE = "It cannot be changed once it is set."


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a field: its message, or the CEL text where it has none."""

    words: str
    code: str


def rules_of(schema: Schema) -> tuple[Rule, ...]:
    """The rules of a node, without those that make it immutable, which are shown in another way."""
    rules = (rule for rule in schema.node.get("x-kubernetes-validations", ()) if isinstance(rule, dict))
    return tuple(
        Rule(_sentence(str(rule.get("message", ""))), str(rule.get("rule", "")))
        for rule in rules
        if not _is_same(str(rule.get("rule", "")))
    )


def immutable_reason(schema: Schema, name: str) -> str:
    """Why the field `name` of this map never changes once it is set, as sentences; empty where it may change.

    A rule of the field itself still allows its removal: the API server evaluates it only where the field was and is
    set.
    """
    for rule in schema.child(name).node.get("x-kubernetes-validations", ()):
        if _is_same(str(rule.get("rule", ""))) and not rule.get("optionalOldSelf"):
            return _rule_text(rule)
    return map_immutable_reason(schema, name)


def map_immutable_reason(schema: Schema, name: str) -> str:
    """As `immutable_reason`, by a rule of the map itself, which does not allow the removal of the field, either."""
    for rule in schema.node.get("x-kubernetes-validations", ()):
        if name in _same_fields(str(rule.get("rule", ""))):
            return _rule_text(rule)
    return ""


def _is_same(rule: str) -> bool:
    """Whether the rule is ``self == oldSelf``."""
    return len(rule) <= MAX_RULE_LENGTH and _SAME.fullmatch(rule.strip()) is not None


@lru_cache(maxsize=256)
def _same_fields(rule: str) -> frozenset[str]:
    """The fields that must not change by the rule; empty where it says anything else."""
    names: set[str] = set()
    for part in rule.split("&&") if len(rule) <= MAX_RULE_LENGTH else ():
        match = _SAME_FIELD.fullmatch(part.strip())
        fields = {name for name in match.groups() if name} if match else set()
        if len(fields) != 1:
            return frozenset()
        names |= fields
    return frozenset(names)


def _rule_text(rule: dict[str, object]) -> str:
    message = _sentence(str(rule.get("message", "")))
    return f"{IMMUTABLE} {message}".strip() if "immutable" not in message.lower() else IMMUTABLE


def _sentence(message: str) -> str:
    """``must be an IP`` as ``It must be an IP.``"""
    message = message.strip()
    if not message:
        return ""
    message = f"It {message}" if message.startswith(("must ", "should ", "may ", "cannot ", "is ")) else message
    return message if message.endswith((".", "!", "?")) else f"{message}."
