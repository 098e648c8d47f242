"""The view of one object, followed through changes, deletion and re-creation under the same name.

Templates see it as ``view``. A window replaces ``#detail-<view.id>`` (resources/_detail.html, which has that element as
its root), and on the page that shows the YAML alone ``#yaml-top-<view.id>`` (resources/_yaml_top.html) and
``#set-by-<view.id>`` (resources/_yaml.html). The frames that follow replace the parts that differ, see html_parts.py;
what changes in resources/_yaml_top.html is in no part of resources/_detail.html, so that a window brings it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from dashboard.access.rights import Denied, offered
from dashboard.live.change import Change
from dashboard.live.change_log import UNSERVED, ChangeLine, ChangeLog
from dashboard.live.family import Family, Kinds
from dashboard.live.family_tree import Relative
from dashboard.live.html_parts import Part, partials_between, read_parts
from dashboard.live.lines import partial, rfc3339
from dashboard.live.messages import Row
from dashboard.live.node_pods import PODS, Asked, NodePods
from dashboard.live.object_events import EVENTS, EventLine, ObjectEvents
from dashboard.live.object_view import ObjectView, whole
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Replica
from dashboard.live.slices import Work, at_once
from dashboard.live.successor import Found, Successor
from dashboard.resources.facts.selectors import list_href
from dashboard.resources.kinds import KindInfo
from dashboard.resources.loose import mapping
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.words import object_href
from informerd.clock import Clock


class DetailView(ObjectView):
    """What `view` is in resources/detail.html, _detail.html and yaml.html.

    kind: KindInfo · namespace, name · row: Row | None (None: never seen) · found: bool · loading: bool (nobody can
    tell yet) · problem: str · polled: float (seconds between two lists, or 0) · object: dict · yaml: str ·
    details: Details | None (the object in words and parts) ·
    cells: tuple[CellText, ...] (all columns, and the paths) ·
    set_by: SetBy | None (the YAML in runs, and who set it) · yaml_html, managed_html: the same for a pre element ·
    relatives: tuple[Relative, ...] (the tree of owners and of what it owns, while family.looking not all of it) ·
    owners: tuple[Link, ...] (its controller first) · created, deleting: RFC 3339, or "" ·
    pods: NodePods | None (those on the node), pods_asked: what they ask of it ·
    events: tuple[EventLine, ...] (newest first, those about what it owns too) ·
    changes: tuple[ChangeLine, ...] (newest first, at most 50) ·
    gone: RFC 3339 of the deletion or "" · unserved: bool (its kind is gone, and nobody knows whether it is) ·
    successor: Found | None (what stands in its place since, at successor_href) ·
    again: bool (re-created under the same name since the page was opened) ·
    denials: Denials (the quick actions, and what may not be done; worked out anew each time) ·
    href, list_href, yaml_href, edit_href, delete_href: addresses; empty where gone, or not for this kind.
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
        paths: tuple[FieldPath, ...] = (),
        kinds: Kinds = tuple,
        later: Callable[[Work], None] = at_once,
        denied: Denied = offered,
    ) -> None:
        """`paths` are fields that are shown beside the kind's columns: those that the list beside it has as columns.

        `kinds` are those among which the object's family is found, and the events about it; `later` does what takes
        long, in slices; `denied` knows what the account may not do.
        """
        super().__init__(kind, namespace, name, replica, clock, paths=paths, kinds=kinds, denied=denied)
        self.again = self.unserved = False
        self._log = ChangeLog(clock)
        self._events = ObjectEvents(self._replica_of_events, later)
        self._events.found = self._stir
        self.family = Family(kinds, later)
        self.family.found = self._with_family
        self.pods = NodePods(self._replica_of_pods, later) if kind.key == "nodes" else None
        """Those on the node; None for what is none."""
        if self.pods is not None:
            self.pods.found = self._stir
        self._successor = Successor(replica, later)
        self._successor.found = self._stir
        self._awaited = self.loading
        """Whether nobody could tell yet what there is: what comes then was there before, and is no news."""
        self._shown: Part | None = None
        """What all who look have; None where nobody knows."""
        if self.row is not None:
            self._follow(self.row)

    def hears(self, key: str) -> bool:  # noqa: ARG002 - what belongs to the object may be of any kind
        return True

    # --- what templates see ---

    @property
    def relatives(self) -> tuple[Relative, ...]:
        """The tree of its owners and of what it owns; empty where there is nobody but itself."""
        lines = self.family.lines
        return lines if len(lines) > 1 else ()

    @property
    def pods_asked(self) -> tuple[Asked, ...]:
        """What the pods on a node ask of it together."""
        room = mapping(mapping(self.object.get("status")).get("allocatable"))
        return self.pods.asked(room) if self.pods is not None else ()

    @property
    def successor(self) -> Found | None:
        """What stands in its place, where it is gone."""
        return self._successor.one

    @property
    def successor_href(self) -> str:
        one = self.successor
        return object_href(self.kind.key, one.row.namespace, one.row.name) if one is not None else ""

    @property
    def events(self) -> tuple[EventLine, ...]:
        return self._events.lines

    @property
    def about(self) -> ObjectEvents:
        """How the events are that `events` has the newest of."""
        return self._events

    @property
    def events_href(self) -> str:
        """The list of events about the object itself, all of them."""
        return list_href(EVENTS, self.namespace, f"object={self.kind.singular.lower()}/{self.name}")

    @property
    def changes(self) -> tuple[ChangeLine, ...]:
        return self._log.lines

    # --- changes ---

    def apply(self, key: str, change: Change) -> None:
        if key == self.kind.key:
            for old, new in change.rows:
                if self._is_mine(old) or self._is_mine(new):
                    self._take(old, new, UNSERVED if change.unserved else "deleted")
            self.dirty = self._successor.apply(change.rows) or self.dirty
            self.dirty = self.dirty or change.state
        if key == EVENTS and self._events.watched and (self._events.apply(change) or change.state):
            self.dirty = True
        if key == PODS and self.pods is not None and (self.pods.apply(change) or change.state):
            self.dirty = True
        if self.family.apply(key, change):
            self._events.include(self.family.below)
            self.dirty = True
        self.dirty = self.dirty or (change.state and self.family.has(key))
        self._awaited = self.loading

    def _replica_of_events(self) -> Replica | None:
        if self.kind.key == EVENTS:
            return None
        return next((replica for kind, replica in self._kinds() if kind.key == EVENTS), None)

    def _replica_of_pods(self) -> Replica | None:
        return next((replica for kind, replica in self._kinds() if kind.key == PODS), None)

    def _is_mine(self, row: Row | None) -> bool:
        return row is not None and row.name == self.name and row.namespace == self.namespace

    def _take(self, old: Row | None, new: Row | None, going: str) -> None:
        if new is None:
            if self.row is not None and old is not None and old.uid == self.row.uid:
                self._deleted(going)
        elif not self._is_mine(new):
            if self.row is not None and new.uid == self.row.uid:
                self._deleted("has another name now")
                self._successor.renamed(new)
        elif self.row is None or new.uid == self.row.uid:
            self._modified(new)
        else:
            self._created_again(new)
        self.dirty = True

    def _deleted(self, words: str = "deleted") -> None:
        self.found, self.gone, self.again = False, rfc3339(round(self.clock.time(), 3)), False
        self.unserved = words == UNSERVED
        self._log.note(words, self.row)
        if self.row is not None:
            self._successor.look(self.row, self.object, self.clock.time())

    def _modified(self, new: Row) -> None:
        before, first = self.object, self.row is None
        self.row, self.found, self.gone, self.object = new, True, "", whole(new)
        self._successor.forget()
        self._successor.ends(new, self.object)
        if first:
            self._follow(new)
            if not self._awaited:
                self._log.note("created", new)
        else:
            self._log.compare(before, self.object, new)

    def _created_again(self, new: Row) -> None:
        if self.found:
            self._deleted()
        self._successor.forget()
        self.row, self.found, self.gone, self.again, self.object = new, True, "", True, whole(new)
        self._follow(new)
        self._log.note("created again under the same name", new)

    def _follow(self, row: Row) -> None:
        self._events.follow(row)
        self.family.follow(self.kind, row)
        self._events.include(self.family.below)
        if self.pods is not None:
            self.pods.follow(self.name)

    def _with_family(self) -> None:
        self._events.include(self.family.below)
        self._stir()

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        self._shown = self._rendered(render, self._shown)
        return self._window(self._shown, render)

    def _window(self, shown: Part, render: Renderer) -> str:
        whole = partial(f"#{shown.id}", "outerMorph", shown.html)
        top = partial(f"#yaml-top-{self.id}", "outerMorph", render("resources/_yaml_top.html", self.context()))
        yaml = shown.find(name := f"set-by-{self.id}")  # in details only where there is, or was, an object
        html = yaml.html if yaml is not None else render("resources/_yaml.html", self.context())
        return whole + top + partial(f".yaml-page>#{name}", "outerMorph", html)

    def remember(self, render: Renderer) -> None:
        if self._shown is None:
            self._shown = self._rendered(render, None)

    def _render_update(self, render: Renderer) -> str:
        before, self._shown = self._shown, self._rendered(render, self._shown)
        steps = partials_between(before, self._shown) if before is not None else None
        return self._window(self._shown, render) if steps is None else steps

    def _forget_update(self) -> None:
        self._shown = None

    def _rendered(self, render: Renderer, before: Part | None) -> Part:
        return read_parts(render("resources/_detail.html", self.context()), f"detail-{self.id}", before)
