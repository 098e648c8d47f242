"""Help for a field, as sentences from its schema."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from dashboard.objects.schemas.formats import format_words
from dashboard.objects.schemas.pattern_words import pattern_words
from dashboard.objects.schemas.rules_and_immutability import Rule, rules_of
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.controls import Control, input_text

SHORT = 140
"""Longest part of a description that always shows, in characters."""
_PATTERN = "Pattern "
_WITH_PATTERN: tuple[Control, ...] = ("text", "int-or-string")
_SENTENCE = re.compile(r"(?<=[a-z0-9)\]`'\"])\.(?=\s|$)|\n\s*\n")
_HINTS: dict[str, str] = {
    "date-time": "2026-11-21T20:30:00Z", "date": "2026-11-21", "ipv4": "10.0.0.1", "cidr": "10.0.0.0/24",
    "uri": "https://", "quantity": "500m, 2Gi", "duration": "1h30m",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Help:
    """`summary` always shows; `details`, with the pattern and the rules without message, is folded."""

    summary: str = ""
    details: str = ""
    rules: tuple[Rule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.summary or self.details or self.rules)

    @property
    def fold_label(self) -> str:
        """What the fold is called."""
        has_only_pattern = self.details.startswith(_PATTERN) and "\n" not in self.details and not self.rules
        return "pattern" if has_only_pattern else "more"


def help_of(schema: Schema, control: Control) -> Help:
    """The description's first sentence, the bounds and the rules' messages; then the rest of the description."""
    description = " ".join(str(schema.node.get("description", "")).split(" ")).strip()
    first, rest = _first_sentence(description)
    rules = rules_of(schema)
    sentences = [
        first,
        _bounds(schema, control, has_rule_messages=any(rule.words for rule in rules)),
        *(rule.words for rule in rules),
    ]
    sentences.append(_whole_default(schema))
    unsaid = tuple(rule for rule in rules if not rule.words and rule.code)
    summary = " ".join(part for part in sentences if part)
    pattern = _pattern(schema) if control in _WITH_PATTERN else ""
    rest = "\n".join(part for part in (rest, "" if pattern and summary.endswith(pattern) else pattern) if part)
    return Help(summary, rest, unsaid)


def default_of(schema: Schema) -> str:
    """The default as input text; empty where there is no plain default."""
    value = schema.node.get("default")
    return "" if value is None or isinstance(value, dict | list) else input_text(value)


def example_of(schema: Schema) -> str:
    """Placeholder of an empty input: the default, marked as such, else an example of the format."""
    default = default_of(schema)
    return f"default: {default}" if default else _HINTS.get(schema.format, "")


def _first_sentence(description: str) -> tuple[str, str]:
    match = _SENTENCE.search(description)
    if match is None or not match.start():
        return (description, "") if len(description) <= SHORT else _split(description)
    first = description[: match.start()] + "."
    rest = description[match.end() :].strip()
    if len(first) > SHORT:
        return _split(description)
    return first, rest


def _split(description: str) -> tuple[str, str]:
    spot = description.rfind(" ", 0, SHORT)
    return f"{description[: spot if spot > 0 else SHORT]}…", description


def _bounds(schema: Schema, control: Control, *, has_rule_messages: bool) -> str:
    """Bounds as sentences. `has_rule_messages`: a rule's message explains the pattern."""
    node = schema.node
    sentences: list[str] = []
    if control in ("integer", "number", "int-or-string"):
        sentences += [_range(node), f"A multiple of {node['multipleOf']}." if node.get("multipleOf") else ""]
    if control in _WITH_PATTERN:
        sentences += [_span(node, "Length", "character"), _looks(schema, has_rule_messages=has_rule_messages)]
    elif control == "quantity":
        sentences += [_capital(format_words("quantity"))]
    elif control == "list":
        sentences += [_span(node, "Items", "item"), _keys(schema)]
    elif control == "map":
        sentences += [_span(node, "Properties", "entry")]
    elif control == "group" and node.get("maxProperties") == 1:
        sentences += ["One of these fields." if node.get("minProperties") == 1 else "At most one of these fields."]
    return " ".join(part for part in sentences if part)


def _range(node: Any) -> str:
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum") is True, node.get("exclusiveMaximum") is True
    if low is not None and high is not None and not above and not below:
        return f"{low} to {high}."
    parts = [f"{'more than' if above else 'at least'} {low}"] if low is not None else []
    parts += [f"{'less than' if below else 'at most'} {high}"] if high is not None else []
    return _capital(" and ".join(parts))


def _span(node: Any, what: str, word: str) -> str:
    low, high = node.get(f"min{what}") or 0, node.get(f"max{what}")
    if not low and high is None:
        return ""
    if high is None:
        return f"At least {low} {_plural(low, word)}." if what != "Length" or low > 1 else ""
    return f"{low} to {high} {_plural(high, word)}." if low else f"At most {high} {_plural(high, word)}."


def _plural(count: int, word: str) -> str:
    if count == 1:
        return word
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _looks(schema: Schema, *, has_rule_messages: bool) -> str:
    """The text's format or pattern in words; the pattern itself only where there are none for it."""
    if words := format_words(schema.format):
        return _capital(words)
    pattern = _pattern(schema)
    if not pattern or has_rule_messages:
        return ""
    node = schema.node
    words = pattern_words(str(node["pattern"]), node.get("minLength") or 0, node.get("maxLength"))
    return _capital(words) if words else pattern if len(pattern) <= SHORT else ""


def _pattern(schema: Schema) -> str:
    pattern = str(schema.node.get("pattern", ""))
    return f"{_PATTERN}{pattern}" if pattern else ""


def _whole_default(schema: Schema) -> str:
    """The default of a map or list, which no input can show; empty where that is empty."""
    value = schema.node.get("default")
    if not isinstance(value, dict | list) or not value:
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return f"Default: {text if len(text) <= SHORT else f'{text[:SHORT]}…'}"


def _keys(schema: Schema) -> str:
    if schema.node.get("x-kubernetes-list-type") == "set":
        return "Each value once."
    keys = schema.list_keys
    return f"Each {' and '.join(keys)} once." if keys and keys != ("",) else ""


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else ""
