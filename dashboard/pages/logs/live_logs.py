"""View of logs: the lines of one or many containers by time, followed, searched, and counted.

Templates see it as ``view``. ``#logs`` carries data-view and data-seq. Its lines are not in frames as HTML: a frame
carries them as data (`extras`), for static/js/logs/, which draws those that fit the window. Fragments that frames
replace: ``#log-status-<view.id>`` (logs/_status.html), ``#log-kubectl-<view.id>`` (_kubectl.html),
``#log-sources-<view.id>`` (_sources.html), ``#log-histogram-<view.id>`` (_histogram.html), ``#log-empty-<view.id>``
(_empty.html).
"""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB, Hub
from dashboard.live.hub.live_view import LiveView
from dashboard.live.logs.container_streams import LOG_STREAMS
from dashboard.live.rendering.hx_partials import Fragment, SentFragments, hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo, find_kind
from dashboard.objects.kinds.row import Row
from dashboard.objects.logs.line_filter import LineFilter
from dashboard.objects.logs.severity import SEVERITIES
from dashboard.pages.details.events import EVENTS
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.logs.event_marks import EventMarks
from dashboard.pages.logs.filtered_log_reader import LineSpan, ReadProgress
from dashboard.pages.logs.histogram import LogBars
from dashboard.pages.logs.kubectl import logs_commands
from dashboard.pages.logs.line_buffer import Entry, LineBuffer, LogPageMark, just_after, sort_key
from dashboard.pages.logs.line_formats import JsonEntry, SeverityJudge, SourceName, as_json
from dashboard.pages.logs.line_store import FRAME_LINES
from dashboard.pages.logs.links import LogLinks
from dashboard.pages.logs.log_source_reader import LogSourceReader, judge_of
from dashboard.pages.logs.log_sources import LogSource, SourceState, container_labels, pod_names
from dashboard.pages.logs.log_subject import LogSubject
from dashboard.pages.logs.query import LogsQuery
from dashboard.pages.logs.rollout_marks import RolloutMarks
from dashboard.runtime.app_state import AppState
from informerd.clock import Clock, sleep_or

logger = logging.getLogger(__name__)

WINDOW_LINES = 500
"""Most lines of a whole window."""
IDLE_SECONDS = 10.0
"""Seconds without a page after which a view reads nothing more."""
HISTOGRAM_SECONDS = 1.0
"""Seconds between two pictures of the histogram."""
CHECK_SECONDS = 10.0
"""Seconds after which rights are checked again, and logs begun again that could not be read."""
LOOK_SECONDS = 0.5
"""Seconds between two looks at the pods, while they change."""
MAX_CHIPS, MAX_NARROW_CHIPS = 8, 3
"""Most containers that a page names at first; the list of all has the others. The second one is for narrow windows."""
MAX_LISTED = 100
"""Most containers in the list of all."""

_STATE_WORDS: Mapping[SourceState, str] = {
    "reading": "being read", "live": "live", "waiting": "no log yet", "ended": "ended",
    "interrupted": "cannot be read now", "gone": "pod is gone", "refused": "not allowed", "failed": "failed",
    "full": "not read", "done": "read to its end",
}  # fmt: skip
_SEVERITY_WORDS = {"none": "other", "unjudged": "not judged"}
_ORDER: Mapping[SourceState, int] = {"refused": 0, "failed": 0, "full": 0, "interrupted": 0, "ended": 2, "gone": 3}


class ChosenPods(Protocol):
    """The pods of a page, see chosen_pods.py."""

    subject: Row | None
    exists: bool

    @property
    def is_searching(self) -> bool: ...

    @property
    def more_pods(self) -> int: ...

    def rows(self) -> list[Row]: ...

    def apply(self, key: str, change: Change) -> None: ...

    def close(self) -> None: ...


class Marks(Protocol):
    """Marks among the lines that come from elsewhere: Events of the cluster, rollouts."""

    def include(self, subject: tuple[KindInfo, Row] | None, pods: Sequence[tuple[KindInfo, Row]]) -> None: ...

    def apply(self, key: str, change: Change) -> None: ...


@dataclass(frozen=True, slots=True)
class SourceChip:
    """A container as the page names it."""

    source: LogSource
    label: str
    href: str
    """Address of its log alone."""

    @property
    def state_words(self) -> str:
        return _STATE_WORDS[self.source.state]

    @property
    def read_from(self) -> str:
        """RFC 3339, of a log of which earlier lines were not read; else empty."""
        return self.source.missing_before.decode()


@dataclass(frozen=True, slots=True)
class SeverityCount:
    """Lines of one severity, and the address of the page of these alone."""

    name: str
    words: str
    count: int
    href: str
    """Empty where no filter means these lines. Where the page has only these, the address of all."""
    is_chosen: bool


class LiveLogs(LiveView):
    """Value of `view` in logs/page.html and the fragments.

    subject · query · sources: the containers · chips: those that the page names, more_chips: how many it does not at
    first, more_listed: nor in the list of all · missing, unreadable_count, all_read_from, unread_share,
    last_hour_href: of what was not read · severity_counts: list of SeverityCount ·
    left_out: containers that are not read, at least · buffer: the kept lines · total: lines so far · dropped: lines
    that match and are not kept · bars: LogBars | None · is_reading: whether history is being read · unread_count: of
    how many logs · progress: ReadProgress · is_searching: whether pods are being found · exists · has_restarts ·
    has_begun, has_read_all, history · all_href, previous_href, unfiltered_href, any_time_href · kubectl_command ·
    refusal: why nothing may be read, or "".
    """

    template: ClassVar[str] = "logs"
    interval: ClassVar[float] = 0.25
    forgotten_with_kind: ClassVar[bool] = True

    def __init__(
        self,
        subject: LogSubject,
        query: LogsQuery,
        make_readers: Callable[[Callable[[], None]], LogSourceReader],
        make_pods: Callable[[Callable[[], None]], ChosenPods],
        clock: Clock,
        *,
        make_marks: Callable[[Callable[[list[LogPageMark]], None]], Sequence[Marks]],
    ) -> None:
        """`make_readers` and `make_pods` are given what to call when something has changed, `make_marks` what to call
        with new marks.
        """
        keys = (PODS,) if subject.kind is None or subject.kind.key == PODS else (PODS, subject.kind.key)
        super().__init__(self.state_key(subject, query), keys=keys, clock=clock)
        self.subject = subject
        self.query = query
        self.readers = make_readers(self._stir)
        self._make_pods = make_pods
        self._pods: ChosenPods | None = None
        """None while nothing is read."""
        self._make_marks = make_marks
        self._marks: Sequence[Marks] = ()
        self._bars: LogBars | None = None
        self._bars_at = float("-inf")
        self._bars_total = 0
        """Lines that `_bars` has."""
        self._fragments = SentFragments()
        self._frame: dict[str, object] = {}
        self._sent_names: list[SourceName] = []
        self._sent_missing: dict[int, bytes] = {}
        self._task: asyncio.Task[None] | None = None
        self._pods_changed = asyncio.Event()
        self._has_looked = False
        """Whether the pods have been looked at."""
        self._needed_at = clock.now()

    @staticmethod
    def state_key(subject: LogSubject, query: LogsQuery) -> str:
        return f"{subject.href}?{query.query_string()}"

    # --- what templates see ---

    @property
    def sources(self) -> list[LogSource]:
        return self.readers.sources

    @property
    def left_out(self) -> int:
        return self.readers.left_out + self.more_pods

    @property
    def more_pods(self) -> int:
        """Number of pods that are not looked at: each has a container at least."""
        return self._pods.more_pods if self._pods is not None else 0

    @property
    def buffer(self) -> LineBuffer:
        return self.readers.store.buffer

    @property
    def progress(self) -> ReadProgress:
        return self.readers.progress

    @property
    def total(self) -> int:
        return self.readers.store.histogram.total

    @property
    def dropped(self) -> int:
        return self.readers.store.dropped

    @property
    def bars(self) -> LogBars | None:
        if self.clock.now() - self._bars_at >= HISTOGRAM_SECONDS:
            self._bars, self._bars_at = self.readers.store.histogram.bars(), self.clock.now()
            self._bars_total = self.total
        return self._bars

    @property
    def is_reading(self) -> bool:
        return self.query.reads_history and self.unread_count > 0

    @property
    def unread_count(self) -> int:
        return sum(not source.is_read for source in self.sources)

    @property
    def has_read_all(self) -> bool:
        """Whether all that the kubelets have of what the query asks for was read."""
        is_whole = self.query.reads_history and not self.left_out and all(source.is_whole for source in self.sources)
        return is_whole and not self.is_searching

    @property
    def history(self) -> str:
        """What is known of before the kept lines: ``reading``, ``all`` where no older line matches, or nothing."""
        if self.is_reading:
            return "reading"
        return "all" if self.has_read_all and self.readers.store.keeps_all else ""

    @property
    def has_begun(self) -> bool:
        """Whether the first lines of all containers have come, and all that is read of before."""
        is_begun = not self.is_reading and all(source.state != "reading" for source in self.sources)
        return not self.is_searching and is_begun

    @property
    def is_searching(self) -> bool:
        return not self._has_looked or (self._pods is not None and self._pods.is_searching)

    @property
    def exists(self) -> bool:
        return self._pods is None or self._pods.exists

    @property
    def has_restarts(self) -> bool:
        return any(source.restarts for source in self.sources)

    @property
    def chips(self) -> list[SourceChip]:
        """Those that cannot be read first, then those that run, MAX_LISTED at most."""
        links = LogLinks(self.subject.href, self.query)
        containers = [source.container for source in self.sources]
        labels, pods = container_labels(containers), pod_names(containers)
        chosen = sorted(self.sources, key=lambda source: (_ORDER.get(source.state, 1), source.number))[:MAX_LISTED]
        return [
            SourceChip(
                source,
                label := labels[source.number],
                links.only(pods[source.number] if "/" in label else "", source.container.container),
            )
            for source in chosen
        ]

    @property
    def more_chips(self) -> tuple[int, int]:
        """How many containers a page does not name at first: a wide one, and a narrow one."""
        return max(0, len(self.sources) - MAX_CHIPS), max(0, len(self.sources) - MAX_NARROW_CHIPS)

    @property
    def more_listed(self) -> int:
        return max(0, len(self.sources) - MAX_LISTED)

    @property
    def missing(self) -> dict[int, bytes]:
        """Times from which on the lines of those containers are counted of which earlier ones may be there."""
        return self.readers.missing_before

    @property
    def unreadable_count(self) -> int:
        """Number of containers whose logs cannot be read, and were not."""
        return sum(
            source.state in ("refused", "full", "failed") and not source.first_line and not source.has_history
            for source in self.sources
        )

    @property
    def all_read_from(self) -> str:
        """Since when the lines of all containers are counted (RFC 3339); empty where that is true of all times."""
        return max(self.missing.values(), default=b"").decode()

    @property
    def unread_share(self) -> float:
        """Percentage of the histogram's width in which lines of containers may not be counted."""
        if self.bars is None:
            return 0.0
        return 100.0 if self.is_reading else self.bars.share_before(self.all_read_from.encode())

    @property
    def severity_counts(self) -> list[SeverityCount]:
        """Those of the histogram, the worst first."""
        links, terms = LogLinks(self.subject.href, self.query), [str(term) for term in self.query.filter.terms]
        return [
            SeverityCount(
                name,
                _SEVERITY_WORDS.get(name, name),
                count,
                links.severity(name) if name in SEVERITIES else "",
                f"severity={name}" in terms,
            )
            for name, count in (self.bars.totals if self.bars is not None else ())
        ]

    @property
    def last_hour_href(self) -> str:
        return LogLinks(self.subject.href, self.query).last_hour

    @property
    def all_href(self) -> str:
        return LogLinks(self.subject.href, self.query).all_containers

    @property
    def kubectl_command(self) -> str:
        """What follows ``kubectl`` to print the same, a command a line; empty while no pod is known."""
        pods = sorted({(each.container.namespace, each.container.pod) for each in self.sources if each.state != "gone"})
        return logs_commands(self.subject, self.query, pods)

    @property
    def previous_href(self) -> str:
        """Address of the run before the last restart; from there, of the present one."""
        return LogLinks(self.subject.href, self.query).previous

    @property
    def unfiltered_href(self) -> str:
        return LogLinks(self.subject.href, self.query).unfiltered

    @property
    def any_time_href(self) -> str:
        return LogLinks(self.subject.href, self.query).any_time

    @property
    def refusal(self) -> str:
        refused = [source.words for source in self.sources if source.state == "refused"]
        return refused[0] if refused and len(refused) == len(self.sources) else ""

    @property
    def names(self) -> list[SourceName]:
        """Those of the sources, by their numbers."""
        containers = [each.container for each in self.sources]
        labels = container_labels(containers)
        return [
            (each.namespace, each.pod, each.container, label, source.colour)
            for source, each, label in zip(self.sources, containers, labels, strict=True)
        ]

    def with_query(self, query: LogsQuery) -> LiveLogs:
        """A copy of this view for one page whose filter was typed as in `query`, mistakes included; to be rendered
        immediately.
        """
        seen = copy.copy(self)
        seen.query = query
        return seen

    # --- life ---

    def listens_to(self, key: str) -> bool:  # noqa: ARG002 -- what owns pods may be of any kind
        return True

    def open(self) -> None:
        self.need()

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._stop()

    def refresh(self) -> None:
        self.need()

    def need(self) -> None:
        """Read on, or again: a page shows this."""
        self._needed_at = self.clock.now()
        if self._pods is None:
            self.readers.span = LineSpan.of(self.query.span.since(self.clock.time()), self.query.span.end)
            self._pods = pods = self._make_pods(self._pods_changed.set)
            # searches in slices outlive what they were begun for
            self._marks = self._make_marks(lambda marks: self._take_marks(marks) if self._pods is pods else None)
            self._pods_changed.set()
            self._task = asyncio.get_running_loop().create_task(self._run(), name="logs of a page")

    async def wait_until_begun(self, seconds: float) -> None:
        """Wait until the first lines of the containers have come, at most so many seconds."""
        until = self.clock.now() + seconds
        while self.clock.now() < until and not self.has_begun:
            await self.clock.sleep(0.01)

    async def _run(self) -> None:
        """Follow the pods until nobody needs the view."""
        try:
            checked = self.clock.now()
            while self.clock.now() - self._needed_at <= IDLE_SECONDS:
                if self._pods_changed.is_set():
                    self._pods_changed.clear()
                    await self._look_at_pods()
                    await self.clock.sleep(LOOK_SECONDS)
                if self.clock.now() - checked >= CHECK_SECONDS:
                    checked = self.clock.now()
                    await self.readers.ask_again()
                if self._bars_total != self.total:  # they were drawn a moment before the last lines came
                    self._stir()
                await sleep_or(self._pods_changed, HISTOGRAM_SECONDS, self.clock)
        except Exception:
            logger.exception("a page's logs could not be read further")
        self._stop()

    async def _look_at_pods(self) -> None:
        if self._pods is None:
            return
        rows = self._pods.rows()
        subject, kind, pods = self._pods.subject, self.subject.kind, find_kind(PODS)
        for marks in self._marks:
            marks.include(
                (kind, subject) if kind is not None and subject is not None else None,
                [(pods, row) for row in rows] if pods is not None else [],
            )
        await self.readers.update(rows)
        self._has_looked = True
        self._stir()

    def _stop(self) -> None:
        """Read nothing more, and forget what was read: what comes meanwhile would be missing in it."""
        if self._pods is None:
            return
        self._pods.close()
        self._pods, self._marks, self._task, self._has_looked = None, (), None, False
        self.readers.stop()
        self._bars, self._bars_at = None, float("-inf")
        self.number += 1  # no page has what comes next

    # --- marks from elsewhere ---

    def _take_marks(self, marks: list[LogPageMark]) -> None:
        span = self.readers.span
        within = [each for each in marks if span.begin <= each.time and (not span.end or each.time <= span.end)]
        window = self.buffer.newest(WINDOW_LINES)
        after = sort_key(window[0][1][1]) if window else b""  # pages have what is later, and put a mark in its place
        self.readers.store.add(-1, [each for each in within if each.time >= after])
        if earlier := [each for each in within if each.time < after]:
            self.readers.store.merge([(-1, each) for each in earlier])
        self._stir()

    # --- changes ---

    def apply(self, key: str, change: Change) -> None:
        if self._pods is None:
            return
        if key == PODS and not change.affected_uids.isdisjoint(self.readers.pod_uids):
            self._pods_changed.set()
        self._pods.apply(key, change)
        for marks in self._marks:
            marks.apply(key, change)
        self.dirty = self.dirty or (change.has_new_health and key in self.keys)

    def _stir(self) -> None:
        if not self.dirty:
            self.dirty = True
            self.on_dirty()

    # --- rendering ---

    def extras(self) -> dict[str, object]:
        return {"log": self._frame}

    def render_window(self, render: Renderer) -> str:
        self._frame = self.window()
        return "".join(hx_partial(*fragment) for fragment in self._rendered(render))

    def window(self) -> dict[str, object]:
        """All that a page needs: the newest lines, and the names of their sources."""
        numbered = self.buffer.newest(WINDOW_LINES)
        since = self.missing_before(numbered)
        return {"whole": True, **self._lines(numbered), "since": since.decode(), "sources": self.names}

    def missing_before(self, numbered: Sequence[tuple[int, Entry]]) -> bytes:
        """Time of before which a page with these entries, the newest, may lack lines; empty where it lacks none."""
        lost = self.buffer.newest_before(numbered[0][0] if numbered else self.buffer.next_number)
        return max([just_after(lost) if lost else b"", *self.readers.missing_before.values()])

    def _render_update(self, render: Renderer) -> str:
        store = self.readers.store
        entries = store.flush()
        known, self._sent_missing = self._sent_missing, self.readers.missing_before
        if store.is_whole:
            store.is_whole = False
            self._frame = self.window()
        else:
            shown = entries[-FRAME_LINES:]
            self._frame = self._lines(list(enumerate(shown, self.buffer.next_number - len(shown))))
            if self._sent_names != (names := self.names):  # of pods that came and went there may be thousands
                self._sent_names = names
                self._frame["sources"] = names
            if new := [time for number, time in self._sent_missing.items() if known.get(number) != time]:
                self._frame["since"] = max(new).decode()
        html = self._fragments.changed_partials(self._rendered(render))
        return html if html or not self._frame["entries"] else hx_partial(*self._status(render))

    def _forget_update(self) -> None:
        self.readers.store.flush()
        self.readers.store.is_whole = False
        self._sent_names, self._sent_missing = [], {}
        self._fragments.forget()

    def _lines(self, numbered: Sequence[tuple[int, Entry]]) -> dict[str, object]:
        return {
            "entries": entries_as_json(numbered, self.query.filter),
            "next": self.buffer.next_number,
            "first": self.buffer.first_number,
            "history": self.history,
        }

    def _rendered(self, render: Renderer) -> list[Fragment]:
        context = self.context()
        return [
            self._status(render),
            (f"#log-kubectl-{self.id}", "outerMorph", render("logs/_kubectl.html", context)),
            (f"#log-sources-{self.id}", "outerMorph", render("logs/_sources.html", context)),
            (f"#log-histogram-{self.id}", "outerMorph", render("logs/_histogram.html", context)),
            (f"#log-empty-{self.id}", "outerMorph", render("logs/_empty.html", context)),
        ]

    def _status(self, render: Renderer) -> Fragment:
        return f"#log-status-{self.id}", "outerMorph", render("logs/_status.html", self.context())


def entries_as_json(numbered: Sequence[tuple[int | None, Entry]], lines: LineFilter) -> list[JsonEntry]:
    """Entries for the page's script, in which what the filter finds is marked."""
    severities = SeverityJudge().judge(entry for _, entry in numbered)
    return [
        as_json(number, entry, severity, lines) for (number, entry), severity in zip(numbered, severities, strict=True)
    ]


def open_logs(
    state: AppState,
    subject: LogSubject,
    query: LogsQuery,
    make_pods: Callable[[Hub, Callable[[], None]], ChosenPods],
) -> LiveLogs:
    """The view of the logs, as whoever has this state may read them. Raises KeyError where a kind that it needs is not
    followed.
    """
    hub, connection = state[HUB], state[CONNECTION]
    hub.hub_kinds.replica(PODS)

    def make() -> LiveLogs:
        def make_readers(changed: Callable[[], None]) -> LogSourceReader:
            readers = LogSourceReader(query, state[LOG_STREAMS], judge_of(state), hub.clock, changed)
            readers.add_reader(connection)
            return readers

        def events() -> ReadableReplica | None:
            return next((replica for kind, replica in hub.hub_kinds.with_replicas() if kind.key == EVENTS), None)

        def make_marks(on_new: Callable[[list[LogPageMark]], None]) -> Sequence[Marks]:
            if not query.marks:
                return ()
            schedule, kinds = hub.index.slices.add, hub.hub_kinds.with_replicas
            return EventMarks(events, on_new, schedule), RolloutMarks(hub.history, kinds, on_new, schedule)

        return LiveLogs(
            subject, query, make_readers, lambda changed: make_pods(hub, changed), hub.clock, make_marks=make_marks
        )

    view = hub.open_view(LiveLogs, LiveLogs.state_key(subject, query), make)
    view.readers.add_reader(connection)
    view.need()
    return view
