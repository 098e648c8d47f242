"""State of a page of logs, as its address has it: which containers, which lines, from when."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.objects.logs.line_filter import ANY_LINE, LineFilter, parse_line_filter
from dashboard.objects.query.params import Params, param_values, split_values
from dashboard.objects.query.tokenizer import QueryProblem
from dashboard.objects.query.url_state import Pairs, UrlState
from dashboard.pages.feed.time_range import ANY_TIME, TimeRange, read_time_range

MAX_NAMES = 50
"""Most containers, and most pods, that an address chooses."""


@dataclass(frozen=True)
class LogsQuery(UrlState):
    """Which lines of an object's logs are shown. Equal states are equal and have one address."""

    containers: tuple[str, ...] = ()
    """Names of containers, sorted; empty means all."""
    pods: tuple[str, ...] = ()
    """Names of pods, or namespace/name, sorted; empty means all of the object's."""
    previous: bool = False
    """Whether the run before the last restart is shown."""
    filter: LineFilter = ANY_LINE
    span: TimeRange = ANY_TIME
    marks: bool = True
    """Whether Events of the cluster and rollouts stand between the lines."""
    input_text: str = field(default="", compare=False)
    problems: tuple[QueryProblem, ...] = field(default=(), compare=False)
    filter_name: str = field(default="q", compare=False)
    """Name of the filter's parameter."""

    @classmethod
    def parse(cls, params: Params, filter_name: str = "q") -> LogsQuery:
        """The query of an address's parameters. Malformed parts are reported in `problems` and ignored."""
        problems: list[QueryProblem] = []
        typed = " ".join(param_values(params, filter_name)).strip()
        parsed = parse_line_filter(typed)
        span = read_time_range(_with_since(params), problems)
        return cls(
            containers=_names(params, "container", problems),
            pods=_names(params, "pod", problems),
            previous=param_values(params, "previous")[-1:] in (["1"], ["true"]),
            filter=replace(parsed, problems=()),
            span=span,
            marks=param_values(params, "events")[-1:] != ["0"],
            input_text=parsed.input_text,
            problems=(*parsed.problems, *problems),
            filter_name=filter_name,
        )

    @property
    def terms(self) -> tuple[object, ...]:  # type: ignore[override]
        return self.filter.terms

    @property
    def reads_history(self) -> bool:
        """Whether more is read than the newest lines: all that the kubelet has, or all of a span."""
        return bool(self.filter) or self.previous or not self.span.is_default

    @property
    def is_live(self) -> bool:
        """Whether new lines belong to it."""
        return not self.previous and not self.span.is_fixed

    def with_(self, **changes: Any) -> LogsQuery:
        return replace(self, input_text="", problems=(), **changes)

    @property
    def hidden_inputs(self) -> Pairs:
        """Names and values of a filter form's hidden fields: everything but the filter."""
        return tuple((name, value) for name, value in self.to_params() if name != self.filter_name)

    def all_params(self) -> Pairs:
        span = dict(self.span.to_params())
        return (
            ("container", ",".join(self.containers)),
            ("pod", ",".join(self.pods)),
            ("previous", "1" if self.previous else ""),
            (self.filter_name, self.canonical),
            ("since", span["last"]),
            ("from", span["from"]),
            ("to", span["to"]),
            ("events", "" if self.marks else "0"),
        )


def chooses_pod(names: Collection[str], namespace: str, name: str) -> bool:
    """Whether a pod is among those that an address names; all are where it names none."""
    return not names or name in names or f"{namespace}/{name}" in names


def _with_since(params: Params) -> dict[str, list[str]]:
    """The span's parameters, by the names that the feed has: ``since=15m`` is its ``last``."""
    return {name: param_values(params, given) for name, given in (("last", "since"), ("from", "from"), ("to", "to"))}


def _names(params: Params, name: str, problems: list[QueryProblem]) -> tuple[str, ...]:
    names = sorted(set(split_values(params, name)))
    if len(names) > MAX_NAMES:
        problems.append(QueryProblem(name, 0, 0, f"Only the first {MAX_NAMES} of {len(names)} names are used."))
    return tuple(names[:MAX_NAMES])
