"""Charts of what an object used in the last day, drawn by the server: a line, the limit, and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.live.index.usage_lookup import PollTimes
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.kinds.row import Tone
from dashboard.objects.usage.past_usage import ERROR, PastUsage, Sample
from dashboard.objects.usage.usage import Usage, basis_text, measured_text, share_text
from dashboard.objects.usage.usage_field import CPU, MEMORY, UsageField
from dashboard.pages.details.usage_marks import DAY, MarkKind, UsageMark

WIDTH, HEIGHT, TOP = 1_000.0, 100.0, 8.0
"""Of the picture, in its own units."""
SPANS = 96
"""Spans of time that say what was used in them when the mouse is over them."""
SHORTEST = 15 * 60.0
"""Seconds that a chart shows at least."""
LIMIT_FROM = 0.2
"""Share of the limit from which on the chart reaches up to it."""
LISTED_MARKS = 6
"""Marks that are written out, the newest ones."""
MARK_TITLES: Mapping[MarkKind, str] = {
    "created": "Created", "restart": "Restart", "oom": "OOM killed", "rollout": "Rollout",
}  # fmt: skip
GAP = 3.0
"""Spans without a sample after which the line is broken."""


@dataclass(frozen=True, slots=True)
class ChartSpan:
    """A span of time, and what was used in it."""

    x: str
    width: str
    words: str


@dataclass(frozen=True, slots=True)
class ChartMark:
    """A mark, with its place."""

    x: str
    tone: Tone
    kind: MarkKind
    time: str
    """RFC 3339."""
    words: str

    @property
    def title(self) -> str:
        return MARK_TITLES[self.kind]


@dataclass(frozen=True, slots=True)
class UsageChart:
    """What was used of CPU or memory."""

    title: str
    now: str
    """What is used now; empty where that is not known."""
    share: str
    """``62% of the limit 256Mi``; empty where there is none."""
    share_of_all: float | None
    tone: Tone
    line: str
    """Path of the line, and of the area below it."""
    area: str
    limit_y: str
    """Height of the limit; empty where there is none, or it is above the picture."""
    limit_words: str
    """What the limit is: ``the limit``, or ``its node's allocatable``."""
    peak: str
    """The most that was used in the time shown; empty where that is not known."""
    spans: tuple[ChartSpan, ...]
    summary: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class UsageCharts:
    """Value of ``usage`` in details/_usage.html."""

    charts: tuple[UsageChart, ...]
    marks: tuple[ChartMark, ...]
    begin: str
    """RFC 3339 of the left end."""
    end: str
    measured_at: str
    """RFC 3339 of the newest measurement; empty where there is none."""
    window: str
    """Seconds over which CPU was measured."""
    problem: str
    """Why nothing newer is known."""
    poll_times: PollTimes | None
    """The last try and the next one, where the problem is that the metrics API does not answer."""
    measured: str
    """``38 of 40 pods measured``; empty where it is no sum, or all are."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever measured."""
        return not any(chart.line or chart.now for chart in self.charts)

    @property
    def dashed(self) -> str:
        """What the dashed lines are; empty where there are none."""
        return ", ".join(dict.fromkeys(chart.limit_words for chart in self.charts if chart.limit_y))

    @property
    def newest_marks(self) -> tuple[ChartMark, ...]:
        """The newest first."""
        return self.marks[: -LISTED_MARKS - 1 : -1]

    @property
    def more_marks(self) -> int:
        return max(0, len(self.marks) - LISTED_MARKS)


def usage_charts(
    usage: Usage | None,
    past: PastUsage | None,
    marks: Sequence[UsageMark],
    now: float,
    problem: str,
    poll_times: PollTimes | None = None,
) -> UsageCharts:
    """The charts up to `now` (Unix seconds). They begin with the first sample, a day before at most."""
    samples = past.samples if past is not None else ()
    begin = min(max(samples[0].at if samples else now, now - DAY), now - SHORTEST)
    shown = [sample for sample in samples if sample.at >= begin]
    return UsageCharts(
        charts=tuple(_chart(field, usage, shown, begin, now) for field in (CPU, MEMORY)),
        marks=tuple(
            ChartMark(_x(mark.at, begin, now), mark.tone, mark.kind, rfc3339(round(mark.at)), mark.words)
            for mark in marks
            if mark.at >= begin
        ),
        begin=rfc3339(round(begin)),
        end=rfc3339(round(now)),
        measured_at=rfc3339(round(usage.at)) if usage is not None else "",
        window=f"{usage.window:.0f}" if usage is not None else "",
        problem=" ".join(filter(None, (problem, past.problem if past is not None else ""))),
        poll_times=poll_times,
        measured=measured_text(usage) if usage is not None else "",
    )


def _chart(field: UsageField, usage: Usage | None, samples: Sequence[Sample], begin: float, end: float) -> UsageChart:
    capacity = field.capacity(usage) if usage is not None else 0.0
    current = field.value(usage) if usage is not None else None
    amounts = [_amount(field, sample) for sample in samples]
    peak = max([*amounts, current or 0.0], default=0.0)
    reaches = bool(capacity) and peak >= LIMIT_FROM * capacity
    top = max(peak, capacity if reaches else 0.0) or 1.0
    share = field.share.value(usage) if usage is not None else None
    basis = basis_text(usage, field.basis(usage)) if usage is not None else ""
    words = f"{share_text(share)} of {basis} {field.text(capacity)}" if share is not None else ""
    title = "CPU" if field is CPU else "Memory"
    lines = _runs(field, samples, begin, end, top)
    return UsageChart(
        title=title,
        now=field.text(current) if current is not None else "",
        share=words,
        share_of_all=share,
        tone="idle" if share is None else "bad" if share >= 0.95 else "warn" if share >= 0.8 else "ok",
        line=" ".join("M" + " L".join(run) for run in lines),
        area=" ".join(map(_closed, lines)),
        limit_y=_y(capacity, top) if reaches else "",
        limit_words=basis,
        peak=_peak(field, amounts, current),
        spans=_spans(field, samples, begin, end, capacity),
        summary=_summary(title, field, amounts, current, words),
    )


def _amount(field: UsageField, sample: Sample) -> float:
    return sample.cpu if field.resource == "cpu" else sample.memory


def _runs(field: UsageField, samples: Sequence[Sample], begin: float, end: float, top: float) -> list[list[str]]:
    """Points of the line, in runs without a gap. A run of one sample is as wide as its span."""
    runs: list[list[str]] = []
    last: Sample | None = None
    for sample in samples:
        if last is None or sample.at - last.at > GAP * max(sample.seconds, last.seconds):
            runs.append([])
        y = _y(_amount(field, sample), top)
        if not runs[-1]:
            runs[-1].append(f"{_x(sample.at, begin, end)},{y}")
        runs[-1].append(f"{_x(min(sample.at + sample.seconds, end), begin, end)},{y}")
        last = sample
    return runs


def _closed(run: Sequence[str]) -> str:
    """A run as an area down to the bottom."""
    left, right = (point.split(",")[0] for point in (run[0], run[-1]))
    return f"M{left},{HEIGHT:.0f} L{' L'.join(run)} L{right},{HEIGHT:.0f}Z"


def _spans(
    field: UsageField, samples: Sequence[Sample], begin: float, end: float, capacity: float
) -> tuple[ChartSpan, ...]:
    length = (end - begin) / SPANS
    most: dict[int, tuple[float, bool]] = {}
    for sample in samples:
        first = int((sample.at - begin) / length)
        last = int((min(sample.at + sample.seconds, end) - begin - 1e-6) / length)
        for number in range(max(first, 0), min(last, SPANS - 1) + 1):
            most[number] = max(most.get(number, (0.0, False)), (_amount(field, sample), sample.is_partial))
    return tuple(
        ChartSpan(
            _x(begin + number * length, begin, end),
            f"{WIDTH / SPANS:.1f}",
            f"{_clock_text(begin + number * length)} – {_clock_text(begin + (number + 1) * length)} UTC: "
            f"at most {field.past_text(amount)}{f', {share_text(amount / capacity)}' if capacity else ''}"
            f"{', not all pods measured' if is_partial else ''}",
        )
        for number, (amount, is_partial) in sorted(most.items())
    )


def _peak(field: UsageField, amounts: Sequence[float], current: float | None) -> str:
    """The most of the samples: the present amount where it is that, but for a sample's error."""
    if not amounts:
        return ""
    most, now = max(amounts), current or 0.0
    return field.text(now) if now >= most * (1 - 2 * ERROR) else field.past_text(most)


def _summary(title: str, field: UsageField, amounts: Sequence[float], current: float | None, share: str) -> str:
    parts = [f"now {field.text(current)}" if current is not None else "", share]
    parts.append(f"at most {_peak(field, amounts, current)} in the time shown" if amounts else "")
    return f"{title}: {', '.join(filter(None, parts)) or 'not measured'}"


def _x(at: float, begin: float, end: float) -> str:
    return f"{(at - begin) / (end - begin) * WIDTH:.1f}"


def _y(amount: float, top: float) -> str:
    return f"{HEIGHT - amount / top * (HEIGHT - TOP):.1f}"


def _clock_text(at: float) -> str:
    return rfc3339(round(at))[11:16]
