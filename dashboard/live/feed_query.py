"""What the feed's address asks for: kinds, namespaces and a filter over entries.

The filter's grammar is the lists': words are parts of a name (or of namespace/name), then ``op=deleted``,
``ns=team-1``, ``kind=pods``, ``name=web-*``, ``tone=bad`` and ``words=*Running*``; commas for any of several, stars for
anything, a minus in front for not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from dashboard.live.messages import Entry, Operation, Tone
from dashboard.resources.addressed import Addressed, Pairs
from dashboard.resources.kinds import find_kind
from dashboard.resources.params import Params, split_values, values_of
from dashboard.resources.pattern import Pattern
from dashboard.resources.tokens import Mistake, Problem, Token, tokens

FIELDS = ("op", "namespace", "kind", "name", "tone", "words")
_ALIASES = {"ns": "namespace", "operation": "op", "resource": "kind"}
_VALUES: Mapping[str, tuple[str, ...]] = {"op": get_args(Operation), "tone": get_args(Tone)}
"""Fields of which all values are known."""
LONGEST = 2000
"""Characters of a filter that are read."""


@dataclass(frozen=True)
class EntryTerm:
    """A field of an entry fits one of the patterns; the field "" means part of the name."""

    field: str
    patterns: tuple[Pattern, ...]
    negative: bool

    def matches(self, key: str, entry: Entry) -> bool:
        return any(self._fits(pattern, key, entry) for pattern in self.patterns) != self.negative

    def _fits(self, pattern: Pattern, key: str, entry: Entry) -> bool:
        match self.field:
            case "":
                slash = any("/" in piece for piece in pattern.pieces)
                return pattern.within(f"{entry.namespace}/{entry.name}" if slash else entry.name)
            case "op":
                return pattern.fits(entry.op)
            case "namespace":
                return pattern.fits(entry.namespace)
            case "kind":
                return pattern.fits(key) or pattern.fits(key.partition(".")[0])
            case "tone":
                return pattern.fits(entry.tone)
            case "words":
                return pattern.fits(entry.words)
            case _:
                return pattern.fits(entry.name)

    def __str__(self) -> str:
        values = ",".join(pattern.written() for pattern in self.patterns)
        return ("-" if self.negative else "") + (f"{self.field}={values}" if self.field else values)


@dataclass(frozen=True)
class FeedQuery(Addressed):
    """What a feed shows. Equal states are equal and have one address."""

    kinds: tuple[str, ...] = ()
    """Keys, sorted; empty means all that are watched."""
    namespaces: tuple[str, ...] = ()
    """Sorted; empty means all."""
    terms: tuple[EntryTerm, ...] = ()
    typed: str = field(default="", compare=False)
    """The filter as it came."""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, params: Params) -> FeedQuery:
        """The query of an address's parameters. Malformed parts are reported in `problems` and left out."""
        problems: list[Problem] = []
        typed = " ".join(values_of(params, "q")).strip()[:LONGEST]
        terms: dict[EntryTerm, None] = {}
        for token in tokens(typed, problems):
            try:
                terms[_term(token)] = None
            except Mistake as mistake:
                problems.append(Problem("q", mistake.start, mistake.end, mistake.message))
        return cls(
            kinds=_kinds(params, problems),
            namespaces=tuple(sorted({*split_values(params, "namespace"), *split_values(params, "ns")})),
            terms=tuple(sorted(terms, key=str)),
            typed=typed,
            problems=tuple(problems),
        )

    @property
    def all(self) -> bool:
        """Whether every entry of the chosen kinds matches."""
        return not self.namespaces and not self.terms

    def matches(self, key: str, entry: Entry) -> bool:
        """Whether an entry of kind `key` belongs to the feed."""
        if self.kinds and key not in self.kinds:
            return False
        if self.namespaces and entry.namespace not in self.namespaces:
            return False
        return all(term.matches(key, entry) for term in self.terms)

    def every_param(self) -> Pairs:
        return (
            ("kind", ",".join(self.kinds)),
            ("namespace", ",".join(self.namespaces)),
            ("q", self.canonical),
        )


def _term(token: Token) -> EntryTerm:
    begin = 1 if token.text[0] == "-" and not token.quoted[0] and len(token.text) > 1 else 0
    operator = token.find_operator()
    if operator is None:
        return EntryTerm("", (token.pattern(begin),), begin == 1)
    name = token.text[begin : operator.start()].lower()
    found = _ALIASES.get(name, name)
    if found not in FIELDS:
        expected = ", ".join(f"{known}=" for known in FIELDS)
        raise Mistake(f"entries have no {name!r}: expected one of {expected}", token.start, token.place(operator.end()))
    if operator.group() not in {"=", "!="}:
        raise Mistake(f"{found} takes = or !=", token.place(operator.start()), token.place(operator.end()))
    patterns = token.patterns(operator.end())
    for pattern in patterns if found in _VALUES else ():
        if not any(pattern.fits(value) for value in _VALUES[found]):
            message = f"no {found} is called {pattern.written()!r}: expected one of {', '.join(_VALUES[found])}"
            raise Mistake(message, token.place(operator.end()), token.end)
    return EntryTerm(found, patterns, (begin == 1) != (operator.group() == "!="))


def _kinds(params: Params, problems: list[Problem]) -> tuple[str, ...]:
    found = set()
    for name in split_values(params, "kind"):
        kind = find_kind(name)
        if kind is None:
            problems.append(Problem("kind", 0, len(name), f"{name!r} is no kind: write it as kubectl does, as in pods"))
        else:
            found.add(kind.key)
    return tuple(sorted(found))
