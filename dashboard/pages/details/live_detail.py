"""View of one object, followed through changes, deletion and re-creation under the same name.

Templates see it as ``view``. A window replaces ``#detail-<view.id>`` (details/_detail.html, which has that element as
its root), and on the page that shows the YAML alone ``#yaml-top-<view.id>`` (details/_yaml_header.html) and
``#set-by-<view.id>`` (details/_yaml_by_manager.html). The frames that follow replace the parts that differ (see
dashboard/live/rendering/html_diff.py). Changes of details/_yaml_header.html are in no part of details/_detail.html: a
window brings them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable
from typing import ClassVar

from dashboard.cluster.access_reviews import DenialLookup, allow_all
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.hub.hub import Hub
from dashboard.live.index.usage_lookup import NO_USAGE, UsageLookup
from dashboard.live.moments.recorded_feed import SEAM, RecordedFeed
from dashboard.live.rendering.html_diff import HtmlPart, diff_partials, parse_parts
from dashboard.live.rendering.hx_partials import hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.describers.selector_text import list_href
from dashboard.objects.fields.unstructured import as_map
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers import USAGE_KINDS
from dashboard.pages.details.change_log import MAX_CHANGES, NOT_SERVED_TEXT, ChangeLine, ChangeLog, EarlierChanges
from dashboard.pages.details.events import EVENTS, EventLine, ObjectEvents
from dashboard.pages.details.node_pods import PODS, NodePods, NodeResourceRequest
from dashboard.pages.details.object_presenter import ObjectView
from dashboard.pages.details.owner_graph import KindReplicas, OwnerGraph
from dashboard.pages.details.owner_tree import OwnerTreeLine
from dashboard.pages.details.replacement import Replacement, ReplacementSearch
from dashboard.pages.details.usage_chart import UsageCharts, usage_charts
from dashboard.pages.details.usage_marks import UsageMarks
from dashboard.runtime.read_only import is_past_shown
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.clock import Clock, within

logger = logging.getLogger(__name__)

READ_WAIT = 0.5
"""Seconds that a page waits for the changes that history has, so that they are there without scripts, too."""
WITH_LOGS = frozenset(
    {
        PODS, "deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "jobs.batch",
        "cronjobs.batch", "replicationcontrollers", "services",
    }
)  # fmt: skip
"""Kinds that have pods, or will have some."""


class LiveDetail(ObjectView):
    """Value of `view` in details/detail.html, _detail.html and yaml.html.

    kind: KindInfo · namespace, name · row: Row | None (None: never seen) · exists: bool · loading: bool (nobody can
    tell yet) · problem: str · polled: float (seconds between two lists, or 0) · object: dict (as its YAML shows it) ·
    is_cut: bool (parts are left out of it; the file at download_href has them) · lacks_managers: bool (managedFields
    are) · details: Details | None (the whole object in words and parts) · cells: tuple[CellText, ...] (all columns, and
    the paths) · yaml_by_manager: YamlByManager | None (the YAML in runs with their managers) · yaml_html, managed_html:
    the same for a pre element · owner_tree: tuple[OwnerTreeLine, ...] (owners and descendants, incomplete while
    owner_graph.is_searching) · owners: tuple[ObjectLink, ...] (its controller first) · created_at,
    deletion_requested_at: RFC 3339, or "" · pods: NodePods | None (those on the node), pod_requests: their resource
    requests · events: tuple[EventLine, ...] (newest first, those of descendants too) · changes: tuple[ChangeLine, ...]
    (newest first, at most 50) · usage: UsageCharts | None (None for kinds that use nothing) · changes_since: RFC 3339
    or "" · gone_since: RFC 3339 of the deletion or "" · unserved: bool (its kind is gone, so its own state is unknown)
    · replacement: Replacement | None (at replacement_href) ·
    is_recreated: bool (re-created under the same name since the page was opened) · denials: Denials (quick actions and
    denied actions; computed each time) ·
    href, list_href, yaml_href, logs_href, edit_href, delete_href: addresses; empty where gone, or not for this kind ·
    get_command: what follows kubectl.
    """

    template: ClassVar[str] = "detail"
    forgotten_with_kind: ClassVar[bool] = True
    stirred_by_kinds: ClassVar[bool] = True

    def __init__(
        self,
        kind: KindInfo,
        namespace: str,
        name: str,
        replica: ReadableReplica,
        clock: Clock,
        *,
        paths: tuple[FieldPath, ...] = (),
        kinds: KindReplicas = tuple,
        schedule: Callable[[SlicedWork], None] = run_at_once,
        denial_of: DenialLookup = allow_all,
        history: ReadableHistory | None = None,
        usage: UsageLookup = NO_USAGE,
    ) -> None:
        """`paths` are fields that are shown beside the kind's columns: the path columns of the list beside it.

        `history` has the changes before the page was opened; `kinds` are those among which the object's family and its
        events are found; `schedule` runs long work in slices; `denial_of` knows the account's denials; `usage` knows
        what objects use.
        """
        super().__init__(kind, namespace, name, replica, clock, paths=paths, kinds=kinds, denial_of=denial_of)
        self.is_recreated = self.unserved = False
        self._log = ChangeLog(clock)
        self._history = history
        self._usage = usage
        self._marks = UsageMarks(history, clock)
        self._has_marks_searched = False
        self._schedule = schedule
        self._events = ObjectEvents(self._replica_of_events, schedule)
        self._events.on_found = self._stir
        self.owner_graph = OwnerGraph(kinds, schedule)
        self.owner_graph.on_found = self._with_family
        self.owner_graph.on_descendant = self._marks.include
        self.pods = NodePods(self._replica_of_pods, schedule) if kind.key == "nodes" else None
        """Pods on the node; None for objects of other kinds."""
        if self.pods is not None:
            self.pods.on_found = self._stir
        self._replacement_search = ReplacementSearch(replica, schedule)
        self._replacement_search.on_found = self._stir
        self._awaited = self.loading
        """Whether the object's existence was unknown so far: what comes then existed before, and is no news."""
        self._shown: HtmlPart | None = None
        """State that all viewers share; None where it is unknown."""
        if self.row is not None:
            self._follow(self.row)
        self.recorded_done = asyncio.Event()
        """Set when the changes that are older than what is in memory have been read."""
        self._recorded_since: float | None = None
        self._reader: asyncio.Task[None] | None = None
        if history is not None:
            schedule(self._find_changes(EarlierChanges(history, kind.key, namespace, name)))

    def listens_to(self, key: str) -> bool:  # noqa: ARG002 - what belongs to the object may be of any kind
        return True

    # --- what templates see ---

    @property
    def owner_tree(self) -> tuple[OwnerTreeLine, ...]:
        """The tree of its owners and descendants; empty where it has neither."""
        lines = self.owner_graph.lines
        return lines if len(lines) > 1 else ()

    @property
    def pod_requests(self) -> tuple[NodeResourceRequest, ...]:
        """Resources that the pods on a node request together."""
        room = as_map(as_map(self.object.get("status")).get("allocatable"))
        return self.pods.resource_requests(room) if self.pods is not None else ()

    @property
    def replacement(self) -> Replacement | None:
        """The replacement of a deleted object."""
        return self._replacement_search.replacement

    @property
    def replacement_href(self) -> str:
        replacement = self.replacement
        return (
            object_href(self.kind.key, replacement.row.namespace, replacement.row.name)
            if replacement is not None
            else ""
        )

    @property
    def logs_href(self) -> str:
        """Address of the logs of its pods; empty where it has none, and in the past, whose logs are not kept."""
        if is_past_shown():
            return ""
        return f"{self.href}logs/" if self.kind.key in WITH_LOGS or self.owner_graph.has_kind(PODS) else ""

    @property
    def usage(self) -> UsageCharts | None:
        """What it uses; None for kinds that use nothing."""
        if self.row is None or not (self.kind.key in USAGE_KINDS or self._usage.get(self.kind.key, self.row)):
            return None
        if self.kind.key == PODS:
            self._marks.note_object(self.object, self.name)
        of = (self.kind.key, (self.namespace,) if self.namespace else (), self.name)
        missing = self._usage.missing_right(*of)
        return usage_charts(
            self._usage.get(self.kind.key, self.row) if self.exists else None,
            self._usage.known_past(self.kind.key, self.row, self._stir),
            self._marks.marks(self.row.created if self.kind.key == PODS else None),
            self.clock.time(),
            missing or self._usage.problem_of(*of),
            None if missing else self._usage.poll_times,
        )

    @property
    def events(self) -> tuple[EventLine, ...]:
        return self._events.lines

    @property
    def event_state(self) -> ObjectEvents:
        """State of the family that `events` covers."""
        return self._events

    @property
    def events_href(self) -> str:
        """The list of all events about the object itself."""
        resource = self.kind.resource
        query = f"object={resource.kind.lower()}/{self.name} object-group={resource.group}"  # empty: the core group
        return list_href(EVENTS, self.namespace, query)

    @property
    def changes(self) -> tuple[ChangeLine, ...]:
        return self._log.lines

    @property
    def changes_since(self) -> str:
        """RFC 3339 time from when on every change of the kind is known; empty while none is."""
        if self._history is None or self._replica.listed is not None:
            return ""
        known = self._history.complete_from(self.kind.key)
        known = known if self._recorded_since is None else min(known, self._recorded_since)
        return rfc3339(round(known, 3)) if math.isfinite(known) else ""

    # --- changes ---

    def apply(self, key: str, change: Change) -> None:
        if key == self.kind.key:
            for old, new in change.rows:
                if self._is_mine(old) or self._is_mine(new):
                    self._apply_row(old, new, NOT_SERVED_TEXT if change.unserved else "deleted")
            self.dirty = self._replacement_search.apply(change.rows) or self.dirty
            if change.has_new_health and self.is_unseen:
                self._forget_unseen()
            self.dirty = self.dirty or change.has_new_health
        if key == EVENTS and self._events.is_watched and (self._events.apply(change) or change.has_new_health):
            self.dirty = True
        if key == PODS and self.pods is not None and (self.pods.apply(change) or change.has_new_health):
            self.dirty = True
        if self._marks.apply(key, change):
            self.dirty = True
        if self.owner_graph.apply(key, change):
            self._note_family()
            self._events.include_members(self.owner_graph.descendants)
            self.dirty = True
        self.dirty = self.dirty or (change.has_new_health and self.owner_graph.has_kind(key))
        if key == self.kind.key and change.is_first_snapshot and self._history is not None:
            mine = [each for each in change.entries if (each.namespace, each.name) == (self.namespace, self.name)]
            self._log.add_earlier(reversed(mine))
            self.dirty = True  # since when changes are known
        self._awaited = self.loading

    def read_recorded(self, recorded: RecordedFeed | None) -> None:
        """Begin to read the changes that are older than what is in memory, unless that was begun before."""
        if recorded is not None and self._reader is None and self._history is not None:
            name = f"reading the changes of {self.name} from history"
            self._reader = asyncio.get_running_loop().create_task(
                self._read_recorded(recorded, self._history), name=name
            )

    async def wait_for_recorded(self) -> None:
        """Wait until they are read, READ_WAIT seconds at most."""
        if self._reader is not None and not self.recorded_done.is_set():
            with contextlib.suppress(TimeoutError):
                async with within(READ_WAIT, self.clock):
                    await self.recorded_done.wait()

    async def _read_recorded(self, recorded: RecordedFeed, history: ReadableHistory) -> None:
        key, now = self.kind.key, self.clock.time()
        known_from = min(history.complete_from(key), now)
        try:
            since = (await recorded.recorded_since([key])).get(key)
            if since is not None and since < known_from:
                before = min(known_from + SEAM, now)
                found = await recorded.entries_of(key, self.namespace, self.name, before, MAX_CHANGES)
                older = [each for _, each in found if each.op != "deleted" or each.time < known_from]
                self._log.add_earlier(older)
                gaps = await recorded.gaps([key], older[-1].time if older else since, known_from)
                self._log.add_gaps(gap for gap in gaps if gap.since < known_from)
                self._recorded_since = since
                self._stir()
        except HistoryUnavailable as error:
            logger.info("the changes of %s could not be read from history: %s", self.name, error)
        self.recorded_done.set()

    def close(self) -> None:
        """Stop to read history."""
        super().close()
        if self._reader is not None and not self.recorded_done.is_set():
            self._reader.cancel()
            self._reader = None

    def _find_changes(self, earlier: EarlierChanges) -> SlicedWork:
        """Search the changes that are known from before this view."""
        yield from earlier.run()
        if earlier.entries:
            self._log.add_earlier(earlier.entries)
            self._stir()

    def _replica_of_events(self) -> ReadableReplica | None:
        if self.kind.key == EVENTS:
            return None
        return next((replica for kind, replica in self._kinds() if kind.key == EVENTS), None)

    def _replica_of_pods(self) -> ReadableReplica | None:
        return next((replica for kind, replica in self._kinds() if kind.key == PODS), None)

    def _is_mine(self, row: Row | None) -> bool:
        return row is not None and row.name == self.name and row.namespace == self.namespace

    def _apply_row(self, old: Row | None, new: Row | None, deletion_text: str) -> None:
        if new is None:
            if self.row is not None and old is not None and old.uid == self.row.uid:
                self._deleted(deletion_text)
        elif not self._is_mine(new):
            if self.row is not None and new.uid == self.row.uid:
                self._deleted("has another name now")
                self._replacement_search.note_renamed(new)
        elif self.row is None or new.uid == self.row.uid:
            self._modified(new)
        else:
            self._created_again(new)
        self.dirty = True

    def _deleted(self, words: str = "deleted") -> None:
        self.exists, self.gone_since, self.is_recreated = False, rfc3339(round(self.clock.time(), 3)), False
        self.unserved = words == NOT_SERVED_TEXT
        self._log.note(words, self.row)
        if self.row is not None:
            self._replacement_search.start(self.row, self.object, self.clock.time())

    def _forget_unseen(self) -> None:
        """Show nothing of the object: its namespace may no longer be seen."""
        self.row, self.exists, self.gone_since, self.is_recreated, self.unserved = None, False, "", False, False
        self._take(None)
        self._log = ChangeLog(self.clock)
        self._replacement_search.forget()

    def _modified(self, new: Row) -> None:
        old, was_asked_for = self.row, self.deletion is not None
        self._take(new)
        self.exists, self.gone_since = True, ""
        self._replacement_search.forget()
        self._replacement_search.note_deletion(new, self.object)
        if old is None:
            self._follow(new)
            if not self._awaited:
                self._log.note("created", new)
        else:
            self._log.note_modification(old, new, None if was_asked_for else self.deletion)

    def _created_again(self, new: Row) -> None:
        if self.exists:
            self._deleted()
        self._replacement_search.forget()
        self._take(new)
        self.exists, self.gone_since, self.is_recreated = True, "", True
        self._follow(new)
        self._log.note("created again under the same name", new)

    def _follow(self, row: Row) -> None:
        self._events.follow(self.kind, row)
        self.owner_graph.follow(self.kind, row)
        if self._usage is not NO_USAGE:
            self._marks.include((self.kind, row))
            self._note_family()
        self._events.include_members(self.owner_graph.descendants)
        if self.pods is not None:
            self.pods.follow(self.name)

    def refresh_usage(self) -> None:
        if self._usage is not NO_USAGE:
            self._stir()

    def _note_family(self) -> None:
        """Mark what happens to its family in its usage, and look once for what has happened before."""
        for member in self.owner_graph.ancestors:
            self._marks.include(member)
        if not self._has_marks_searched and not self.owner_graph.is_searching and self.kind.key in USAGE_KINDS:
            self._has_marks_searched = True
            self._schedule(self._marks.search(self._stir))

    def _with_family(self) -> None:
        self._note_family()
        self._events.include_members(self.owner_graph.descendants)
        self._stir()

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        self._shown = self._rendered(render, self._shown)
        return self._window(self._shown, render)

    def _window(self, shown: HtmlPart, render: Renderer) -> str:
        whole = hx_partial(f"#{shown.id}", "outerMorph", shown.html)
        top = hx_partial(f"#yaml-top-{self.id}", "outerMorph", render("details/_yaml_header.html", self.context()))
        yaml = shown.find(name := f"set-by-{self.id}")  # in details only where there is, or was, an object
        html = yaml.html if yaml is not None else render("details/_yaml_by_manager.html", self.context())
        return whole + top + hx_partial(f".yaml-page>#{name}", "outerMorph", html)

    def set_baseline(self, render: Renderer) -> None:
        if self._shown is None:
            self._shown = self._rendered(render, None)

    def _render_update(self, render: Renderer) -> str:
        before, self._shown = self._shown, self._rendered(render, self._shown)
        steps = diff_partials(before, self._shown) if before is not None else None
        return self._window(self._shown, render) if steps is None else steps

    def _forget_update(self) -> None:
        self._shown = None

    def _rendered(self, render: Renderer, before: HtmlPart | None) -> HtmlPart:
        return parse_parts(render("details/_detail.html", self.context()), f"detail-{self.id}", before)


def open_detail(hub: Hub, kind: KindInfo, namespace: str, name: str, paths: tuple[FieldPath, ...] = ()) -> LiveDetail:
    """The object's view, whether the object exists or not (see its `exists`); `paths` are shown with its columns.

    Raises KeyError where the kind is not followed.
    """
    replica = hub.hub_kinds.replica(kind.key)

    def make() -> LiveDetail:
        return LiveDetail(
            kind,
            namespace,
            name,
            replica,
            hub.clock,
            paths=paths,
            kinds=hub.hub_kinds.with_replicas,
            schedule=hub.index.slices.add,
            denial_of=hub.denial_of,
            history=hub.history,
            usage=hub.usage,
        )

    return hub.open_view(LiveDetail, LiveDetail.state_key(kind, namespace, name, paths), make)
