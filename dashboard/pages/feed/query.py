"""Feed query in an address: kinds, namespaces, a filter over entries and a span of time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.access.rights import EVENT_KINDS
from dashboard.objects.kinds.catalog import find_kind
from dashboard.objects.kinds.feed_entry import Entry, Operation
from dashboard.objects.query.params import Params, param_values, read_namespaces, read_page, split_values
from dashboard.objects.query.tokenizer import FilterSyntaxError, QueryProblem, tokenize
from dashboard.objects.query.url_state import Pairs, UrlState
from dashboard.pages.feed.terms import EntryTerm, FeedTerm, read_term
from dashboard.pages.feed.time_range import ANY_TIME, TimeRange, read_time_range

MAX_FILTER_LENGTH = 2000
"""Longest filter that is read, in characters."""
MAX_TERMS = 50
_COUNTABLE = frozenset({"op", "kind"})
"""Fields of terms that counts of changes can answer."""
_NAMED = _COUNTABLE | {"", "name", "namespace"}
"""Fields that the name of an object answers, where it is no Event."""


@dataclass(frozen=True)
class FeedQuery(UrlState):
    """The state of a feed. Equal states compare equal and have one address."""

    kinds: tuple[str, ...] = ()
    """Kind keys, sorted; empty means all watched kinds."""
    namespaces: tuple[str, ...] = ()
    """Sorted; empty means all."""
    terms: tuple[FeedTerm, ...] = ()
    span: TimeRange = ANY_TIME
    folds: bool = True
    """Whether bursts are folded."""
    page: int = 1
    """Page of a span that has ended; a live feed has only one."""
    input_text: str = field(default="", compare=False)
    """The filter as typed."""
    problems: tuple[QueryProblem, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, params: Params) -> FeedQuery:
        """The query of an address's parameters. Malformed parts are reported in `problems` and ignored."""
        problems: list[QueryProblem] = []
        whole = " ".join(param_values(params, "q")).strip()
        typed = whole[:MAX_FILTER_LENGTH]
        span = read_time_range(params, problems)
        return cls(
            kinds=_kinds(params, problems),
            namespaces=tuple(sorted(set(read_namespaces(params, problems)))),
            terms=_terms(typed, len(whole), problems),
            span=span,
            folds="off" not in param_values(params, "folds"),
            page=read_page(params, problems) if span.is_fixed else 1,
            input_text=typed,
            problems=tuple(problems),
        )

    @property
    def all(self) -> bool:
        """Whether every entry of the chosen kinds matches."""
        return not self.namespaces and not self.terms

    def matches(self, key: str, entry: Entry) -> bool:
        """Whether an entry of the kind `key` belongs to the feed, whatever its time."""
        if self.kinds and key not in self.kinds:
            return False
        if self.namespaces and entry.namespace not in self.namespaces:
            return False
        for term in self.terms:  # noqa: SIM110 - all() would make a generator for each of many entries
            if not term.matches(key, entry):
                return False
        return True

    @property
    def is_countable(self) -> bool:
        """Whether it is known of a change by its kind, namespace and operation alone that it matches."""
        return all(isinstance(term, EntryTerm) and term.field in _COUNTABLE for term in self.terms)

    def may_match(self, key: str, op: Operation, namespace: str, name: str = "") -> bool:
        """Whether a change of an object may match, as far as this says; without `name`, whether one of any object may.
        An Event may be about an object of another name and namespace.
        """
        if (self.kinds and key not in self.kinds) or (self.namespaces and namespace not in self.namespaces):
            return False
        known = _COUNTABLE if key in EVENT_KINDS or not name else _NAMED
        entry = Entry(0, 0.0, op, namespace, name, "", "", "", "idle")
        return all(
            term.matches(key, entry) for term in self.terms if isinstance(term, EntryTerm) and term.field in known
        )

    def with_(self, **changes: Any) -> FeedQuery:
        """The same query with other fields; on page 1 unless given."""
        return replace(self, input_text="", problems=(), **{"page": 1, **changes})

    def href(self) -> str:
        """Address of the feed in this state."""
        encoded = self.query_string()
        return f"/feed/?{encoded}" if encoded else "/feed/"

    @property
    def hidden_inputs(self) -> Pairs:
        """Names and values of a filter form's hidden fields: everything but the filter and the page."""
        return tuple((name, value) for name, value in self.to_params() if name not in ("q", "page"))

    @property
    def params_beside_span(self) -> Pairs:
        """Names and values of the hidden fields of the form that chooses a span."""
        return tuple((name, value) for name, value in self.to_params() if name not in ("from", "to", "last", "page"))

    def all_params(self) -> Pairs:
        return (
            ("kind", ",".join(self.kinds)),
            ("namespace", ",".join(self.namespaces)),
            ("q", self.canonical),
            *self.span.to_params(),
            ("folds", "" if self.folds else "off"),
            ("page", str(self.page) if self.page > 1 else ""),
        )


def _terms(typed: str, length: int, problems: list[QueryProblem]) -> tuple[FeedTerm, ...]:
    terms: dict[FeedTerm, None] = {}
    for token in tokenize(typed, problems):
        try:
            terms[read_term(token)] = None
        except FilterSyntaxError as mistake:
            problems.append(QueryProblem("q", mistake.start, mistake.end, mistake.message))
        if len(terms) > MAX_TERMS:
            terms.popitem()
            problems.append(QueryProblem("q", token.start, len(typed), f"Only the first {MAX_TERMS} parts are used."))
            break
    if length > MAX_FILTER_LENGTH:
        problems.append(
            QueryProblem("q", MAX_FILTER_LENGTH, length, f"Only the first {MAX_FILTER_LENGTH} characters are read.")
        )
    return tuple(sorted(terms, key=str))


def _kinds(params: Params, problems: list[QueryProblem]) -> tuple[str, ...]:
    keys = set()
    for name in split_values(params, "kind"):
        kind = find_kind(name)
        if kind is None:
            problems.append(
                QueryProblem("kind", 0, len(name), f"{name!r} is not a kind. Write it as kubectl does, as in pods.")
            )
        else:
            keys.add(kind.key)
    return tuple(sorted(keys))
