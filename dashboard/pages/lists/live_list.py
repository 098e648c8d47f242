"""The view of a list: one kind, filtered, sorted and cut to a window of rows.

Templates see it as ``view``. Ids that frames aim at: ``#list`` carries data-view and data-seq; ``#total-<view.id>``
(resources/_total.html, root element), ``#new-<view.id>`` (_new.html, root element), ``tbody#rows-<view.id>``
(_row.html for each line, which sees ``line``), and the contents of ``#facets-<view.id>`` (_facets.html),
``#pager-<view.id>`` (_pager.html) and ``#empty-<view.id>`` (_empty.html).
"""

from __future__ import annotations

import copy
from typing import ClassVar
from urllib.parse import urlencode

from dashboard.access.rights import Denied, offered
from dashboard.live.change import Change
from dashboard.live.create_right import CreateRight
from dashboard.live.facets import Facet, facets_of
from dashboard.live.followed_kind import NOT_FOLLOWED
from dashboard.live.hints import Hint, Hints
from dashboard.live.lines import Head, Line, Share, line_of, partial, shares, tone_counts
from dashboard.live.paging import WINDOW, Paging
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Replica
from dashboard.live.result import Result
from dashboard.live.shown_rows import ShownRows
from dashboard.live.view import View
from dashboard.resources.absent import Absent, absent_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.offers import Offer, offers_of
from dashboard.resources.query import Query
from dashboard.resources.rows.field_path import FieldPath
from informerd.cache.health import Health
from informerd.cache.recovery import REFUSED
from informerd.clock import Clock

SUMS = (("total", "outerMorph"), ("facets", "innerMorph"), ("pager", "innerMorph"), ("empty", "innerMorph"))
"""The parts beside the rows, and how each is swapped."""

Sums = tuple[object, ...]


class ListView(View):
    """What `view` is in resources/list.html and the fragments it includes.

    id, seq · kind: KindInfo · query · head: tuple[Head, ...] · lines: tuple[Line, ...] · total: int (matching) · all:
    int (in the kind) · paging: Paging · facets: tuple[Facet, ...] · spread: tuple[Share, ...] · clear_href: str ·
    namespaces: tuple[str, ...] that are in the query · health: Health (the informer's) · expected: int | None (objects,
    while they are being listed) · looking: tuple[int, int] | None (rows looked at so far and rows, while matching ones
    are being found) · looking_at: str (the field by path that is looked at meanwhile) · absent: tuple[Absent, ...]
    (paths no object has) · hints: tuple[Hint, ...] (parts of the filter that no row has, where nothing matches).
    """

    template: ClassVar[str] = "list"

    def __init__(
        self,
        kind: KindInfo,
        query: Query,
        result: Result,
        replica: Replica,
        clock: Clock,
        *,
        denied: Denied = offered,
    ) -> None:
        super().__init__(self.state_of(kind, query), keys=(kind.key,), clock=clock)
        self.kind = kind
        self.query = query
        self._columns = query.shown_columns()
        self._replica = replica
        self._result = result
        self._create = CreateRight(kind, query.namespaces, denied, clock, self._stir)
        self._shown = ShownRows(self.id, self._window, self._row)
        self._sums = self._sums_now()
        self._new_told = ""
        self._absent_told: tuple[tuple[FieldPath, ...], tuple[Absent, ...]] = ((), ())

    @staticmethod
    def state_of(kind: KindInfo, query: Query) -> str:
        """What tells this view from others."""
        return f"{kind.key} {query.query_string()}"

    def seen_by(self, query: Query) -> ListView:
        """This view for one page whose filter was typed as in `query`, mistakes included. Only to render at once."""
        seen = copy.copy(self)
        seen.query = query
        return seen

    # --- what templates see ---

    @property
    def head(self) -> tuple[Head, ...]:
        by, descending = self.query.sort
        return tuple(
            Head(
                id=column.id,
                header=column.header,
                href=self.query.with_sort(column.id).href(),
                sorted="" if column.id != by else "desc" if descending else "asc",
                numeric=column.numeric,
                wide=column.wide,
                css=column.css,
            )
            for _, column in self.query.shown_columns()
        )

    @property
    def lines(self) -> tuple[Line, ...]:
        rows = self._result.rows
        return tuple(line_of(self.kind, rows[uid], self._columns) for uid in self._window())

    @property
    def total(self) -> int:
        return len(self._result) if self._result.ready else 0

    @property
    def all(self) -> int:
        return len(self._result.rows)

    @property
    def looking(self) -> tuple[int, int] | None:
        return None if self._result.ready else (self._result.looked_at, self.all)

    @property
    def looking_at(self) -> str:
        column = self._result.looking_at
        return column.path.text if column is not None else ""

    @property
    def absent(self) -> tuple[Absent, ...]:
        """What was meant is looked for once, until other paths are absent."""
        paths, told = self._absent(), self._absent_told
        if paths != told[0]:
            told = self._absent_told = (paths, absent_of(self.query, paths, self._result.rows))
        return told[1]

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What may have been meant, where nothing matches."""
        values = self._result.values
        if self.total or not self._result.ready or values is None:
            return ()
        return Hints(self.kind, self.query, values, self._stir).found()

    @property
    def paging(self) -> Paging:
        return Paging(self.query, self.total)

    @property
    def facets(self) -> tuple[Facet, ...]:
        return facets_of(self._result.facets, self.query)

    @property
    def spread(self) -> tuple[Share, ...]:
        return shares(tone_counts((tone, count) for (_, tone), count in self._result.facets.items()))

    @property
    def clear_href(self) -> str:
        """The same list without a filter."""
        return self.kind.path

    @property
    def actions(self) -> tuple[Offer, ...]:
        """Quick actions that objects of this kind have."""
        return offers_of(self.kind)

    @property
    def new_href(self) -> str:
        """Where one is made, in the namespace of the list or among those of it; empty where none can be."""
        if not self.kind.creatable:
            return ""
        shown = self.query.namespaces if self.kind.namespaced else ()
        asked = {"namespace": shown[0]} if len(shown) == 1 else {"among": ",".join(shown)} if shown else {}
        return f"{self.kind.new_path}?{urlencode(asked, safe=',')}" if asked else self.kind.new_path

    @property
    def new_denied(self) -> str:
        """Why none may be made, as a sentence; empty where it may, as far as is known when it is drawn."""
        return self._create.ask()

    @property
    def export_links(self) -> tuple[tuple[str, str], ...]:
        """The list as a file: its suffix and its address."""
        encoded = self.query.with_(page=1).query_string()
        rest = f"?{encoded}" if encoded else ""
        return tuple((suffix, f"{self.kind.path}export.{suffix}{rest}") for suffix in ("csv", "json", "yaml"))

    @property
    def namespaces(self) -> tuple[str, ...]:
        return self.query.namespaces

    @property
    def health(self) -> Health:
        return self._replica.health

    @property
    def refused(self) -> bool:
        """Whether it cannot be listed because the API server does not accept the credentials."""
        return self.health.problem.startswith(REFUSED)

    @property
    def unfollowed(self) -> str:
        """Why the worker does not follow it, as a sentence; empty where it does."""
        before, _, why = self.health.problem.partition(": ")
        return f"{why[:1].upper()}{why[1:]}." if before == NOT_FOLLOWED else ""

    @property
    def unread(self) -> str:
        """Why its first list cannot even be asked for, as a sentence; empty where it can or has come."""
        return self.trouble() if self.health.state == "starting" else ""

    @property
    def expected(self) -> int | None:
        health = self.health
        return None if health.remaining is None else health.listed + health.remaining

    # --- changes ---

    @property
    def keeps_paths(self) -> bool:
        """Whether its rows have been found by fields by path, which are kept for it."""
        return self._result.by_path and self._result.ready

    def open(self) -> None:
        self._create.ask()
        if self._result.sightings is not None:
            self._result.sightings.watch(self, self.query.paths, self._stir)
        if self not in self._result.views:
            self._result.views[self] = self._touched
            self.skip_update()  # what came in between was not heard: let pages have the window

    def close(self) -> None:
        if self._result.sightings is not None:
            self._result.sightings.leave(self)
        self._result.views.pop(self, None)

    def apply(self, key: str, change: Change) -> None:  # noqa: ARG002 -- of rows it hears from its result
        self.dirty = self.dirty or change.state

    def next_due(self) -> float | None:
        """At once where rows that the filter holds back have changed what is said beside those it lets through.

        Nobody tells of such rows, since a change would cost each list something then; they are counted each second.
        """
        _, told_of, _, told, *_ = self._sums
        return 0.0 if (self.all, self._result.facets) != (told_of, told) else None

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- due because of others
        self.dirty = True

    def look_again(self) -> None:
        self._create.look_again()

    def _stir(self) -> None:
        self.dirty = True
        self.on_dirty()

    def _touched(self, changed: set[str], gone: set[str]) -> None:
        self._shown.touched(changed, gone)
        self._stir()

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        html = self._shown.render_window(render) + self._render_sums(render) + self._render_new(render)
        if self._replica.described is not None:  # the page may have been made before anybody knew these columns
            html += partial(f"#head-{self.id}", "innerMorph", render("resources/_head.html", self.context()))
        return html

    def _render_update(self, render: Renderer) -> str:
        html = self._shown.render_update(render)
        sums = self._sums_now()
        if sums != self._sums:
            self._sums = sums
            html += self._render_sums(render)
        if self._new_told != self.new_denied:
            html += self._render_new(render)
        return html

    def _forget_update(self) -> None:
        self._shown.forget()
        self._sums = self._sums_now()
        self._new_told = self.new_denied

    def _render_sums(self, render: Renderer) -> str:
        context = self.context()
        parts = SUMS if not self.query.paths else (*SUMS, ("paths", "innerMorph"))
        return "".join(
            partial(f"#{part}-{self.id}", swap, render(f"resources/_{part}.html", context)) for part, swap in parts
        )

    def _render_new(self, render: Renderer) -> str:
        self._new_told = self.new_denied
        return partial(f"#new-{self.id}", "outerMorph", render("resources/_new.html", self.context()))

    def _row(self, render: Renderer, uid: str) -> str:
        return render.row(self.kind, self._result.rows[uid], self._columns)

    def _window(self) -> list[str]:
        return self._result.window(self.paging.start, WINDOW)

    def _sums_now(self) -> Sums:
        """Whatever the parts beside the rows depend on; health only where it is shown, in the empty list."""
        now = self.health
        health = (
            None if self.total else (now.state, now.problem, now.listed, now.remaining, self.unread, self.new_denied)
        )
        return (
            self.total,
            self.all,
            self.paging.page,
            dict(self._result.facets),
            health,
            self.looking,
            self._absent(),
            self.hints,
        )

    def _absent(self) -> tuple[FieldPath, ...]:
        sightings = self._result.sightings
        return sightings.absent(self.query.paths) if sightings is not None else ()
