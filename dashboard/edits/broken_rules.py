"""Which rules of its kind (x-kubernetes-validations) a value breaks, as far as that can be told without the API server.

The value is made what the API server shows to a rule (apiextensions-apiserver's pkg/apiserver/schema/cel): with the
defaults of the schema, names of fields escaped, of metadata the name alone. Rules about what was before (oldSelf) are
left to it, and so is all that has to do with values which it shows to rules in another way than here.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from dashboard.edits.cel import holds
from dashboard.edits.fields import ABSENT, Path, Value, get, parse_path, same
from dashboard.edits.problems import Problem
from dashboard.edits.schema import Schema

MOST_TRIED = 400
"""Times that a rule is judged in one value; one takes some 50 µs."""
MOST = 50
_BETWEEN = re.compile(r"self[\w.\[\]]*\s*[!=]=\s*self")
_KEYWORDS = frozenset((
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
    "loop", "package", "namespace", "return", "var", "void", "while",
))  # fmt: skip
_ESCAPES = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))


class _UnclearError(Exception):
    """Rules are shown something else of such a value than is known here."""


def broken_rules(schema: Schema, value: Value, base: Value = ABSENT) -> tuple[Problem, ...]:
    """The first MOST that `value` breaks and `base`, what was there before, did not have as it is.

    It has to be a value to which the schema has no other objections.
    """
    tried = islice(_rules(schema, value, base, ()), MOST_TRIED)
    return tuple(islice((problem for found in tried for problem in found), MOST))


def _rules(schema: Schema, value: Value, base: Value, path: Path) -> Iterator[tuple[Problem, ...]]:
    """What each rule says. What did not change is not held to a rule that came later (KEP-4008)."""
    if not schema or same(value, base):
        return
    for rule in schema.node.get("x-kubernetes-validations", ()):
        if isinstance(rule, Mapping) and isinstance(rule.get("rule"), str):
            yield _broken(rule, schema, value, path)
    if isinstance(value, dict):
        inner: Iterator[tuple[str | int, Value]] = iter(value.items())
    elif isinstance(value, list):
        inner = iter(enumerate(value))
    else:
        return
    for segment, each in inner:
        before = get(base, (segment,)) if isinstance(segment, str) and isinstance(base, dict) else ABSENT
        yield from _rules(schema.child(segment), each, before, (*path, segment))


def _broken(rule: Mapping[str, Any], schema: Schema, value: Value, path: Path) -> tuple[Problem, ...]:
    text = str(rule["rule"])
    if "oldSelf" in text or (not path and "status" in text):
        return ()
    try:
        shown = _shown(schema, value, text) if path else _whole(schema, value, text)
    except (_UnclearError, ValueError):
        return ()
    if holds(text, shown) is not False:
        return ()
    message = str(rule.get("message") or text).strip()
    field = str(rule.get("fieldPath") or "").removeprefix(".")
    words = f"By the kind's own rule: {message if message.endswith(('.', '!', '?')) else f'{message}.'}"
    return (Problem(words, path=(*path, *parse_path(field))),)


def _whole(schema: Schema, value: Value, rule: str) -> Any:
    if not isinstance(value, dict):
        raise _UnclearError
    shown = _shown(schema, {name: each for name, each in value.items() if name != "metadata"}, rule)
    metadata = value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    return {**shown, "metadata": {name: named[name] for name in ("name", "generateName") if name in named}}


def _shown(schema: Schema, value: Value, rule: str) -> Any:
    """The value as a rule has it."""
    if value is None or schema.node.get("x-kubernetes-embedded-resource"):
        raise _UnclearError
    if isinstance(value, dict):
        return _fields(schema, value, rule)
    if isinstance(value, list):
        if schema.list_keys and len(value) > 1 and _BETWEEN.search(rule):
            raise _UnclearError  # such lists are equal in any order
        return [_shown(schema.child(0), each, rule) for each in value]
    if isinstance(value, str):
        return _text(schema, value)
    if isinstance(value, bool):
        return value
    if schema.types == ("number",):
        return float(value)
    if not -(2**63) <= value < 2**63:
        raise _UnclearError
    return int(value) if schema.types == ("integer",) else value


def _fields(schema: Schema, value: dict[str, Value], rule: str) -> dict[str, Any]:
    known = schema.node.get("properties")
    if not known:
        return {name: _shown(schema.child(name), each, rule) for name, each in value.items()}
    found = {}
    for name, node in known.items():
        if name in value:
            found[_escaped(name)] = _shown(schema.child(name), value[name], rule)
        elif isinstance(node, Mapping) and node.get("default") is not None:
            found[_escaped(name)] = _shown(schema.child(name), node["default"], rule)
    return found


def _text(schema: Schema, value: str) -> Any:
    if schema.types != ("string",):
        return value
    match schema.node.get("format"):
        case "byte":
            return b64decode(value, validate=True)
        case "date-time" | "date" | "duration":
            raise _UnclearError  # times to a rule, which cannot be given to the runtime
    return value


def _escaped(name: str) -> str:
    """As CEL can say it (apiserver's pkg/cel/escaping.go)."""
    if name in _KEYWORDS:
        return f"__{name}__"
    for sign, word in _ESCAPES:
        name = name.replace(sign, word)
    return name
