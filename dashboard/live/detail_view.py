"""The view of one object, followed through changes, deletion and re-creation under the same name.

Templates see it as ``view``. Fragments that frames replace whole: ``#detail-<view.id>`` (resources/_detail.html, which
has that element as its root); ``#yaml-<view.id>`` gets the YAML's text, for the page that shows nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.html import escape

from dashboard.live.change_log import ChangeLine, ChangeLog
from dashboard.live.fragments import Fragment, Fragments
from dashboard.live.lines import CellText, all_columns, cells_of, object_href, partial, rfc3339
from dashboard.live.messages import Row
from dashboard.live.object_events import EventLine, ObjectEvents
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Change, Replica
from dashboard.live.view import View
from dashboard.resources.containers import ContainerLine
from dashboard.resources.details import Condition, Details, describe
from dashboard.resources.kinds import KindInfo
from dashboard.resources.sentences import Words
from dashboard.resources.yaml_text import to_yaml
from informerd.clock import Clock

EVENTS = "events"


@dataclass(frozen=True, slots=True)
class Link:
    """A name with the address of its details; `href` is empty where that kind is not watched."""

    kind: str
    name: str
    href: str


class DetailView(View):
    """What `view` is in resources/detail.html, _detail.html and yaml.html.

    kind: KindInfo · namespace, name · row: Row | None (None: never seen) · found: bool · loading: bool (nobody can
    tell yet) · problem: str · object: dict · yaml: str ·
    summary: tuple[Words, ...] (a sentence; pieces with a datetime are ages) ·
    cells: tuple[CellText, ...] (all columns) ·
    conditions: tuple[Condition, ...] · containers: tuple[ContainerLine, ...] · labels, annotations:
    tuple[tuple[str, str], ...] · finalizers: tuple[str, ...] · owner: Link | None · created: RFC 3339 ·
    deleting: RFC 3339 or "" · events: tuple[EventLine, ...] (newest first) ·
    changes: tuple[ChangeLine, ...] (newest first, at most 50) · gone: RFC 3339 of the deletion or "" ·
    again: bool (re-created under the same name since the page was opened) ·
    href, list_href, yaml_href, edit_href, delete_href: addresses, the last two empty where not editable or gone.
    """

    template: ClassVar[str] = "detail"

    def __init__(
        self,
        kind: KindInfo,
        namespace: str,
        name: str,
        replica: Replica,
        clock: Clock,
        *,
        events: Replica | None = None,
        watched: tuple[KindInfo, ...] = (),
    ) -> None:
        super().__init__(self.state_of(kind, namespace, name), keys=(kind.key,), clock=clock)
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.again = False
        self.gone = ""
        self._replica = replica
        self.row = replica.get(namespace, name)
        self.found = self.row is not None
        self.object = _object(self.row)
        self._details: tuple[Row, Details] | None = None
        self._watched = {one.key: one for one in watched}
        self._log = ChangeLog(clock)
        self._events = ObjectEvents(events, self.row)
        self._fragments = Fragments()
        self._watches_events = events is not None and kind.key != EVENTS

    @staticmethod
    def state_of(kind: KindInfo, namespace: str, name: str) -> str:
        """What tells this view from others."""
        return f"{kind.key} {namespace}/{name}"

    @property
    def listens(self) -> tuple[str, ...]:
        return (*self.keys, EVENTS) if self._watches_events else self.keys

    # --- what templates see ---

    @property
    def loading(self) -> bool:
        """Whether nobody can tell yet if the object exists: its kind has not been listed."""
        known = self._replica.state != "starting" and self._replica.health.state in ("live", "stale", "absent")
        return not self.found and not self.gone and not known

    @property
    def problem(self) -> str:
        """What keeps the kind from being listed, as a sentence; empty when nothing does."""
        return self._replica.health.problem

    @property
    def yaml(self) -> str:
        return to_yaml(self.object) if self.object else ""

    @property
    def details(self) -> Details | None:
        """The object in words, made anew with each version."""
        if self.row is None:
            return None
        if self._details is None or self._details[0] is not self.row:
            self._details = (self.row, describe(self.kind.key, self.row, self.object, self.clock.time()))
        return self._details[1]

    @property
    def summary(self) -> tuple[Words, ...]:
        return self.details.summary if self.details else ()

    @property
    def cells(self) -> tuple[CellText, ...]:
        return cells_of(self.row, all_columns(self.kind.key)) if self.row is not None else ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.details.conditions if self.details else ()

    @property
    def containers(self) -> tuple[ContainerLine, ...]:
        return self.details.containers if self.details else ()

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        return self.details.labels if self.details else ()

    @property
    def annotations(self) -> tuple[tuple[str, str], ...]:
        return self.details.annotations if self.details else ()

    @property
    def finalizers(self) -> tuple[str, ...]:
        return self.details.finalizers if self.details else ()

    @property
    def owner(self) -> Link | None:
        owner = self.details.owner if self.details else None
        if owner is None:
            return None
        kind = self._watched.get(owner.key)
        namespace = self.namespace if kind is not None and kind.namespaced else ""
        return Link(owner.kind, owner.name, object_href(kind.key, namespace, owner.name) if kind is not None else "")

    @property
    def created(self) -> str:
        return rfc3339(self.row.created) if self.row is not None and self.row.created is not None else ""

    @property
    def deleting(self) -> str:
        return rfc3339(self.row.deleting) if self.row is not None and self.row.deleting is not None else ""

    @property
    def events(self) -> tuple[EventLine, ...]:
        return self._events.lines

    @property
    def changes(self) -> tuple[ChangeLine, ...]:
        return self._log.lines

    @property
    def href(self) -> str:
        return object_href(self.kind.key, self.namespace, self.name)

    @property
    def list_href(self) -> str:
        return self.kind.path

    @property
    def yaml_href(self) -> str:
        return f"{self.href}yaml/"

    @property
    def edit_href(self) -> str:
        return f"{self.href}edit/" if self._editable else ""

    @property
    def delete_href(self) -> str:
        return f"{self.href}delete/" if self._editable else ""

    @property
    def _editable(self) -> bool:
        return self.kind.editable and self.found

    # --- changes ---

    def apply(self, key: str, change: Change) -> None:
        if key == self.kind.key:
            for old, new in change.rows:
                if self._is_mine(old) or self._is_mine(new):
                    self._take(old, new)
            self.dirty = self.dirty or (change.state and not self.found)
        if key == EVENTS and self._events.apply(change):
            self.dirty = True

    def _is_mine(self, row: Row | None) -> bool:
        return row is not None and row.name == self.name and row.namespace == self.namespace

    def _take(self, old: Row | None, new: Row | None) -> None:
        if new is None:
            if self.row is not None and old is not None and old.uid == self.row.uid:
                self._deleted()
        elif self.row is None or new.uid == self.row.uid:
            self._modified(new)
        else:
            self._created_again(new)
        self.dirty = True

    def _deleted(self) -> None:
        self.found, self.gone, self.again = False, rfc3339(round(self.clock.time(), 3)), False
        self._log.note("deleted", self.row)

    def _modified(self, new: Row) -> None:
        before, first = self.object, self.row is None
        self.row, self.found, self.gone, self.object = new, True, "", _object(new)
        if first:
            self._events.follow(new)
            self._log.note("created", new)
        else:
            self._log.compare(before, self.object, new)

    def _created_again(self, new: Row) -> None:
        if self.found:
            self._deleted()
        self.row, self.found, self.gone, self.again, self.object = new, True, "", True, _object(new)
        self._events.follow(new)
        self._log.note("created again under the same name", new)

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        return "".join(partial(*fragment) for fragment in self._all(render))

    def _render_update(self, render: Renderer) -> str:
        return self._fragments.changed(self._all(render))

    def _forget_update(self) -> None:
        self._fragments.forget()

    def _all(self, render: Renderer) -> list[Fragment]:
        return [
            (f"#detail-{self.id}", "outerMorph", render("resources/_detail.html", self.context())),
            (f"pre#yaml-{self.id}", "innerMorph", str(escape(self.yaml))),
        ]


def _object(row: Row | None) -> dict[str, Any]:
    return {} if row is None else row.whole()
