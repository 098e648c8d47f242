"""Terms of the feed's filter and their parser.

The grammar is that of lists, applied to entries. Terms are separated by spaces and all of them are needed::

    web                 part of the object's name, or of that which an Event is about; shop/web: with the namespace
    op=deleted  ns=shop  kind=pods  name=web-*      what happened, to which objects
    status=Running,Error  reason=BackOff  health=bad  how the object was after it; an Event's reason
    label:app=web  label:app  owner=ReplicaSet/web-*  about=pod/web-*
    .spec.port  spec.port  .spec.port=9090  changed=restarts    a field that changed, and to what
    words=*Running*     what the line says
    -op=modified        not; the same as op!=modified
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from dashboard.objects.kinds.feed_entry import Entry, Operation
from dashboard.objects.kinds.row import Tone
from dashboard.objects.query.tokenizer import FilterSyntaxError, Token
from dashboard.objects.query.wildcard import Pattern
from informerd.selectors.label_requirement import label_key_problem
from informerd.suggest import suggest_names

FIELDS = ("op", "namespace", "kind", "name", "status", "reason", "health", "owner", "about", "changed", "words")
_ALIASES = {"ns": "namespace", "operation": "op", "resource": "kind", "object": "about", "tone": "health"}
_VALUES: Mapping[str, tuple[str, ...]] = {"op": get_args(Operation), "health": get_args(Tone)}
"""Fields with a fixed set of values."""
_LABEL = "label:"
_PATH = re.compile(r"\.?(?:[A-Za-z_][\w-]*+|\.|\[[^\]\s]*\])+")
_ROOTS = re.compile(r"(?:spec|status|metadata|data|stringData)[.\[].+")
"""Prefixes of a word that names a field of an object, and not an object."""

_TEXTS: Mapping[str, Callable[[str, Entry], tuple[str, ...]]] = {
    "op": lambda _, entry: (entry.op,),
    "namespace": lambda _, entry: (entry.namespace, entry.about.namespace if entry.about else entry.namespace),
    "kind": lambda key, _: (key, key.partition(".")[0]),
    "name": lambda _, entry: (entry.name, entry.about.name if entry.about else entry.name),
    "status": lambda _, entry: (entry.status,),
    "reason": lambda _, entry: (entry.reason,),
    "health": lambda _, entry: (entry.tone,),
    "owner": lambda _, entry: (entry.owner, entry.owner.partition("/")[2]),
    "about": lambda _, entry: (subject_text(entry), entry.about.name if entry.about else ""),
    "changed": lambda _, entry: tuple(path for path, _value in entry.fields) or ("",),
    "words": lambda _, entry: (entry.words,),
}


def subject_text(entry: Entry) -> str:
    """``pod/web-1`` for an Event; empty for any other entry."""
    return f"{entry.about.kind.lower()}/{entry.about.name}" if entry.about else ""


@dataclass(frozen=True)
class EntryTerm:
    """Condition on a field of an entry: one of several patterns; the field "" means part of the name."""

    field: str
    patterns: tuple[Pattern, ...]
    negative: bool

    def matches(self, key: str, entry: Entry) -> bool:
        if not self.field:
            return self._names(self.patterns[0], entry) != self.negative
        if self.field == "op":  # what is asked most often
            return any(pattern.matches(entry.op) for pattern in self.patterns) != self.negative
        texts = _TEXTS[self.field](key, entry)
        return any(pattern.matches(text) for pattern in self.patterns for text in texts) != self.negative

    @cached_property
    def _plain(self) -> str | None:
        """The part of a name, where the term is nothing else; it is tested on every entry of each feed."""
        pattern = self.patterns[0]
        return pattern.text.casefold() if pattern.is_literal and "/" not in pattern.text else None

    def _names(self, pattern: Pattern, entry: Entry) -> bool:
        about, plain = entry.about, self._plain
        if plain is not None:
            return plain in entry.name.casefold() or (about is not None and plain in about.name.casefold())
        if any("/" in piece for piece in pattern.pieces):
            is_within = pattern.is_within(f"{entry.namespace}/{entry.name}")
            return is_within or (about is not None and pattern.is_within(f"{about.namespace}/{about.name}"))
        return pattern.matches(entry.name) or (about is not None and pattern.matches(about.name))

    def __str__(self) -> str:
        values = ",".join(pattern.written() for pattern in self.patterns)
        return ("-" if self.negative else "") + (f"{self.field}={values}" if self.field else values)


@dataclass(frozen=True)
class EntryLabel:
    """``label:app``, ``label:app=web,api``. Keys and values are compared exactly, except for wildcards."""

    label: str
    values: tuple[Pattern, ...] | None
    negative: bool

    def matches(self, key: str, entry: Entry) -> bool:  # noqa: ARG002
        value = entry.labels.get(self.label)
        is_match = value is not None and (self.values is None or any(_same(each, value) for each in self.values))
        return is_match != self.negative

    def __str__(self) -> str:
        values = "" if self.values is None else "=" + ",".join(pattern.written() for pattern in self.values)
        return f"{'-' if self.negative else ''}{_LABEL}{self.label}{values}"


@dataclass(frozen=True)
class EntryField:
    """``.spec.port``: the field, or one inside it, changed; ``.spec.port=9090``: to this value."""

    path: Pattern
    values: tuple[Pattern, ...] | None
    negative: bool

    def matches(self, key: str, entry: Entry) -> bool:  # noqa: ARG002
        return any(self._fits(path, value) for path, value in entry.fields) != self.negative

    def _fits(self, path: str, value: str) -> bool:
        if self.values is not None:
            return self.path.matches(path) and any(pattern.matches(value) for pattern in self.values)
        inside = self.path.is_literal and path.startswith((f"{self.path.text}.", f"{self.path.text}["))
        return inside or self.path.matches(path)

    def __str__(self) -> str:
        values = "" if self.values is None else "=" + ",".join(pattern.written() for pattern in self.values)
        return f"{'-' if self.negative else ''}.{self.path.written()}{values}"


FeedTerm = EntryTerm | EntryLabel | EntryField


def read_term(token: Token) -> FeedTerm:
    """The term of a token. Raises Mistake where the token is malformed."""
    begin = 1 if token.text[0] == "-" and not token.quoted[0] and len(token.text) > 1 else 0
    operator = token.find_operator()
    end = operator.start() if operator else len(token.text)
    if operator is not None and operator.group() not in {"=", "==", "!="}:
        message = f"Compare {token.text[begin:end] or 'a field'} with = or !=."
        raise FilterSyntaxError(message, token.position(operator.start()), token.position(operator.end()))
    negative = (begin == 1) != (operator is not None and operator.group() == "!=")
    values = token.patterns(operator.end()) if operator is not None else None
    name = token.text[begin:end]
    if any(token.quoted[begin:end]):
        return _word(token, begin, negative, operator is None)
    if name.startswith(_LABEL):
        return _label(token, begin + len(_LABEL), end, values, negative)
    if name.startswith(".") or _ROOTS.fullmatch(name):
        return _field(token, begin, end, values, negative)
    if values is None:
        return _word(token, begin, negative, True)
    return _term(token, begin, end, values, negative)


def _word(token: Token, begin: int, negative: bool, alone: bool) -> EntryTerm:
    token.refuse_connective(begin)
    if not alone:
        raise FilterSyntaxError("Write the name of a field before =, without quotation marks.", token.start, token.end)
    return EntryTerm("", (token.pattern(begin),), negative)


def _label(token: Token, begin: int, end: int, values: tuple[Pattern, ...] | None, negative: bool) -> EntryLabel:
    key = token.text[begin:end]
    if label_key_problem(key):
        raise FilterSyntaxError(
            "Write a label's name after label:, as in label:app=web.", token.position(begin), token.position(end)
        )
    return EntryLabel(key, values, negative)


def _field(token: Token, begin: int, end: int, values: tuple[Pattern, ...] | None, negative: bool) -> EntryField:
    path = token.pattern(begin + token.text.startswith(".", begin), end)
    if not _PATH.fullmatch(token.text[begin:end]) or path == Pattern(("",)):
        message = "Write a field's path, as in .spec.port or .spec.containers[*].image."
        raise FilterSyntaxError(message, token.position(begin), token.position(end))
    return EntryField(path, values, negative)


def _term(token: Token, begin: int, end: int, values: tuple[Pattern, ...], negative: bool) -> EntryTerm:
    name = token.text[begin:end].lower()
    kind = _ALIASES.get(name, name)
    if kind not in FIELDS:
        near = suggest_names(name, FIELDS)
        hint = f"Did you mean {near[0]}=? " if near else ""
        names = ", ".join(f"{known}=" for known in FIELDS)
        expected = f"A filter may name {names}, label: or a field path such as .spec.port."
        raise FilterSyntaxError(
            f"The feed has no field {name!r}. {hint}{expected}", token.start, token.position(end + 1)
        )
    for pattern in values if kind in _VALUES else ():
        if not any(pattern.matches(value) for value in _VALUES[kind]):
            values_text = f"{', '.join(_VALUES[kind][:-1])} or {_VALUES[kind][-1]}"
            written = pattern.written()
            message = f"Write {values_text} after {kind}=" + (f", not {written!r}." if written else ".")
            raise FilterSyntaxError(message, token.position(end + 1), token.end)
    return EntryTerm(kind, values, negative)


def _same(pattern: Pattern, value: str) -> bool:
    return pattern.text == value if pattern.is_literal else pattern.matches(value)
