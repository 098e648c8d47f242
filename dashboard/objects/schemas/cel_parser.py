"""Evaluation of simple CEL rules (x-kubernetes-validations) on a value, without types and without most functions.

It serves to look for a sample that the API server accepts; the API server has the last word. What is not read here is
unknown, which is neither true nor false (KEP-2876; cel-spec's langdef for the order of operators and for errors that a
true side of ``||`` absorbs).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dashboard.objects.fields.field_access import Path, Value
from dashboard.objects.fields.work_budget import WorkBudget
from dashboard.objects.schemas.cel_evaluation import (
    Evaluate,
    Failed,
    Scope,
    Unknown,
    any_of,
    call,
    computed,
    constant,
    contained,
    field,
    is_there,
    item,
    number,
    optional_field,
    over_items,
    related,
    truth,
    variable,
)

MAX_CODE_LENGTH = 2_000
"""Maximum characters of a rule that is read."""


@dataclass(frozen=True, slots=True)
class CelRule:
    """One rule that was read."""

    run: Evaluate
    fields: tuple[Path, ...]
    """Paths of the fields of ``self`` that it names, in its order; ``()`` is ``self``. 0 stands for each item of a list
    that a macro goes through.
    """
    literals: tuple[Value, ...]
    """Texts and numbers in it, in its order."""
    functions: frozenset[str]
    """Names of its functions."""

    def holds(self, value: Value, budget: WorkBudget) -> bool | None:
        """Whether `value` fulfils the rule; None where that is not known. Raises BudgetExceeded."""
        try:
            result = self.run(Scope({"self": value}, budget))
        except Unknown:
            return None
        except (Failed, RecursionError):
            return False
        return result if isinstance(result, bool) else None


@lru_cache(maxsize=512)
def read_rule(code: str) -> CelRule | None:
    """The rule; None where it has something that is not read here."""
    if len(code) > MAX_CODE_LENGTH:
        return None
    try:
        parser = _Parser(code)
        return CelRule(parser.whole(), tuple(parser.fields), tuple(parser.literals), frozenset(parser.functions))
    except (Unknown, RecursionError):
        return None


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.\d+|\d+)(?P<unsigned>u?)"
    r"|(?P<raw>[rR]?)(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>&&|\|\||[=!<>]=|\.\?|[-+*/%!<>?:.,()\[\]{}]))"
)
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "`": "`", "?": "?"}
_NAME_PARTS = (("__dot__", "."), ("__dash__", "-"), ("__slash__", "/"), ("__underscores__", "__"))
_KEYWORD = re.compile(r"__([a-z]+)__")
_MACROS = frozenset(("all", "exists", "exists_one", "filter", "map"))


def _field_name(name: str) -> str:
    """The property that a name of CEL stands for (apiextensions' cel/model.Unescape)."""
    keyword = _KEYWORD.fullmatch(name)
    if keyword is not None and keyword[1] not in ("dot", "dash", "slash", "underscores"):
        return keyword[1]
    for part, character in _NAME_PARTS:
        name = name.replace(part, character)
    return name


class _Parser:
    """A parser by recursive descent. Each part becomes a function of a scope."""

    def __init__(self, code: str) -> None:
        self.fields: dict[Path, None] = {}
        self.literals: dict[Value, None] = {}
        self.functions: set[str] = set()
        self._tokens = _tokens(code)
        self._at = 0
        self._paths: dict[str, Path] = {"self": ()}
        """Path of what each variable stands for, as far as it is known."""
        self._selected: tuple[Evaluate, str] | None = None
        """The map and the field's name of the expression that was just read, where it is a field."""

    def whole(self) -> Evaluate:
        tree = self._ternary()
        if self._at < len(self._tokens):
            raise Unknown
        return tree

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) and self._tokens[self._at][0] == "sign" else ""

    def _next(self) -> tuple[str, Any]:
        if self._at >= len(self._tokens):
            raise Unknown
        self._at += 1
        return self._tokens[self._at - 1]

    def _has(self, *signs: str) -> str:
        sign = self._peek()
        if sign and sign in signs:
            self._at += 1
            return sign
        return ""

    def _expect(self, sign: str) -> None:
        if not self._has(sign):
            raise Unknown

    def _name(self) -> str:
        kind, name = self._next()
        if kind != "name":
            raise Unknown
        return str(name)

    def _ternary(self) -> Evaluate:
        condition = self._either()
        if not self._has("?"):
            return condition
        yes = self._either()
        self._expect(":")
        no = self._ternary()
        return lambda scope: yes(scope) if truth(condition(scope)) else no(scope)

    def _either(self) -> Evaluate:
        parts = [self._both()]
        while self._has("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda scope: any_of(parts, scope, decisive=True)

    def _both(self) -> Evaluate:
        parts = [self._relation()]
        while self._has("&&"):
            parts.append(self._relation())
        return parts[0] if len(parts) == 1 else lambda scope: any_of(parts, scope, decisive=False)

    def _relation(self) -> Evaluate:
        left = self._sum()
        while True:
            if sign := self._has("==", "!=", "<", "<=", ">", ">="):
                left = related(sign, left, self._sum())
            elif self._at < len(self._tokens) and self._tokens[self._at] == ("name", "in"):
                self._at += 1
                left = contained(left, self._sum())
            else:
                return left

    def _sum(self) -> Evaluate:
        left = self._product()
        while sign := self._has("+", "-"):
            left = computed(sign, left, self._product())
        return left

    def _product(self) -> Evaluate:
        left = self._unary()
        while sign := self._has("*", "/", "%"):
            left = computed(sign, left, self._unary())
        return left

    def _unary(self) -> Evaluate:
        if self._has("!"):
            inner = self._unary()
            return lambda scope: not truth(inner(scope))
        if self._has("-"):
            inner = self._unary()
            return lambda scope: -number(inner(scope))
        return self._member()

    def _member(self) -> Evaluate:
        path: Path | None = None
        kind, token = self._next()
        if kind == "name" and self._peek() == "(":
            value = self._function(str(token))
        elif kind == "name":
            path = self._paths.get(str(token))
            value = _variable(str(token))
        else:
            value = self._primary(kind, token)
        selected: tuple[Evaluate, str] | None = None
        while sign := self._has(".", ".?", "["):
            selected = None
            if sign == "[":
                self._note(path)
                value, path = self._item(value), None
                continue
            name = self._name()
            if self._peek() == "(" and sign == ".":
                self._note(path)
                value, path = self._method(value, name, path), None
                continue
            name = _field_name(name)
            path = (*path, name) if path is not None else None
            selected = (value, name)
            value = optional_field(value, name) if sign == ".?" else field(value, name)
        self._note(path)
        self._selected = selected
        return value

    def _note(self, path: Path | None) -> None:
        if path is not None:
            self.fields[path] = None

    def _primary(self, kind: str, token: Any) -> Evaluate:
        if kind in ("text", "number"):
            self.literals[token] = None
            return constant(token)
        if token == "(":  # noqa: S105 - a parenthesis
            inner = self._ternary()
            self._expect(")")
            return inner
        if token == "[":  # noqa: S105 - a bracket
            items = self._arguments("]")
            return lambda scope: [each(scope) for each in items]
        raise Unknown

    def _arguments(self, end: str) -> list[Evaluate]:
        arguments: list[Evaluate] = []
        while not self._has(end):
            if arguments:
                self._expect(",")
            arguments.append(self._ternary())
        return arguments

    def _item(self, value: Evaluate) -> Evaluate:
        index = self._ternary()
        self._expect("]")
        return lambda scope: item(value(scope), index(scope))

    def _function(self, name: str) -> Evaluate:
        self._expect("(")
        self.functions.add(name)
        if name == "has":
            self._selected = None
            self._ternary()
            self._expect(")")
            if self._selected is None:
                raise Unknown
            return is_there(*self._selected)
        arguments = self._arguments(")")
        return lambda scope: call(name, [argument(scope) for argument in arguments], scope)

    def _method(self, value: Evaluate, name: str, path: Path | None) -> Evaluate:
        self._expect("(")
        self.functions.add(name)
        if name in _MACROS:
            return self._macro(value, name, path)
        arguments = self._arguments(")")
        return lambda scope: call(name, [value(scope), *(argument(scope) for argument in arguments)], scope)

    def _macro(self, value: Evaluate, name: str, path: Path | None) -> Evaluate:
        name_of_item = self._name()
        self._paths.pop(name_of_item, None)
        if path is not None:
            self._paths[name_of_item] = (*path, 0)
        self._expect(",")
        *before, last = self._arguments(")") or [constant(None)]
        if len(before) > (1 if name == "map" else 0):
            raise Unknown
        keep = before[0] if before else None
        return lambda scope: over_items(name, value(scope), name_of_item, keep, last, scope)


def _variable(name: str) -> Evaluate:
    if name in ("true", "false", "null"):
        return constant({"true": True, "false": False, "null": None}[name])
    return lambda scope: variable(scope, name)


def _tokens(code: str) -> list[tuple[str, Any]]:
    tokens: list[tuple[str, Any]] = []
    at, code = 0, code.rstrip()
    while at < len(code):
        match = _TOKEN.match(code, at)
        if match is None:
            raise Unknown
        at = match.end()
        if match["number"] is not None:
            tokens.append(("number", float(match["number"]) if "." in match["number"] else int(match["number"])))
        elif match["text"] is not None:
            tokens.append(("text", match["text"][1:-1] if match["raw"] else _unescaped(match["text"][1:-1])))
        elif match["name"] is not None:
            tokens.append(("name", match["name"]))
        else:
            tokens.append(("sign", match["sign"]))
    return tokens


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise Unknown
        return _ESCAPES[match[1]]

    return _ESCAPED.sub(character, text)
