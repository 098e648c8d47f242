"""What the feed's address asks for: kinds, namespaces, a filter over entries and a span of time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.live.feed_terms import FeedTerm, read_term
from dashboard.live.messages import Entry
from dashboard.live.span import ANY_TIME, Span, read_span
from dashboard.resources.addressed import Addressed, Pairs
from dashboard.resources.kinds import find_kind
from dashboard.resources.params import Params, read_namespaces, read_page, split_values, values_of
from dashboard.resources.tokens import Mistake, Problem, tokens

LONGEST = 2000
"""Characters of a filter that are read."""
MOST_TERMS = 50


@dataclass(frozen=True)
class FeedQuery(Addressed):
    """What a feed shows. Equal states are equal and have one address."""

    kinds: tuple[str, ...] = ()
    """Keys, sorted; empty means all that are watched."""
    namespaces: tuple[str, ...] = ()
    """Sorted; empty means all."""
    terms: tuple[FeedTerm, ...] = ()
    span: Span = ANY_TIME
    folds: bool = True
    """Whether bursts are folded."""
    page: int = 1
    """Of a span that has ended; any other has one."""
    typed: str = field(default="", compare=False)
    """The filter as it came."""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, params: Params) -> FeedQuery:
        """The query of an address's parameters. Malformed parts are reported in `problems` and left out."""
        problems: list[Problem] = []
        whole = " ".join(values_of(params, "q")).strip()
        typed = whole[:LONGEST]
        span = read_span(params, problems)
        return cls(
            kinds=_kinds(params, problems),
            namespaces=tuple(sorted(set(read_namespaces(params, problems)))),
            terms=_terms(typed, len(whole), problems),
            span=span,
            folds="off" not in values_of(params, "folds"),
            page=read_page(params, problems) if span.is_fixed else 1,
            typed=typed,
            problems=tuple(problems),
        )

    @property
    def all(self) -> bool:
        """Whether every entry of the chosen kinds matches."""
        return not self.namespaces and not self.terms

    def matches(self, key: str, entry: Entry) -> bool:
        """Whether an entry of kind `key` belongs to the feed, whenever it came."""
        if self.kinds and key not in self.kinds:
            return False
        if self.namespaces and entry.namespace not in self.namespaces:
            return False
        for term in self.terms:  # noqa: SIM110 - all() would make a generator for each of many entries
            if not term.matches(key, entry):
                return False
        return True

    def with_(self, **changes: Any) -> FeedQuery:
        """The same query with other fields; on page 1 unless given."""
        return replace(self, typed="", problems=(), **{"page": 1, **changes})

    def href(self) -> str:
        """Address of the feed in this state."""
        encoded = self.query_string()
        return f"/feed/?{encoded}" if encoded else "/feed/"

    @property
    def hidden(self) -> Pairs:
        """Names and values that a filter form has to carry along: everything but the filter and the page."""
        return tuple((name, value) for name, value in self.to_params() if name not in ("q", "page"))

    @property
    def beside_span(self) -> Pairs:
        """What the form that chooses a span has to carry along."""
        return tuple((name, value) for name, value in self.to_params() if name not in ("from", "to", "last", "page"))

    def every_param(self) -> Pairs:
        return (
            ("kind", ",".join(self.kinds)),
            ("namespace", ",".join(self.namespaces)),
            ("q", self.canonical),
            *self.span.to_params(),
            ("folds", "" if self.folds else "off"),
            ("page", str(self.page) if self.page > 1 else ""),
        )


def _terms(typed: str, length: int, problems: list[Problem]) -> tuple[FeedTerm, ...]:
    terms: dict[FeedTerm, None] = {}
    for token in tokens(typed, problems):
        try:
            terms[read_term(token)] = None
        except Mistake as mistake:
            problems.append(Problem("q", mistake.start, mistake.end, mistake.message))
        if len(terms) > MOST_TERMS:
            terms.popitem()
            problems.append(Problem("q", token.start, len(typed), f"only the first {MOST_TERMS} parts are used"))
            break
    if length > LONGEST:
        problems.append(Problem("q", LONGEST, length, f"only the first {LONGEST} characters are read"))
    return tuple(sorted(terms, key=str))


def _kinds(params: Params, problems: list[Problem]) -> tuple[str, ...]:
    found = set()
    for name in split_values(params, "kind"):
        kind = find_kind(name)
        if kind is None:
            problems.append(Problem("kind", 0, len(name), f"{name!r} is no kind: write it as kubectl does, as in pods"))
        else:
            found.add(kind.key)
    return tuple(sorted(found))
