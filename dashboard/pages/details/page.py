"""One object as pages show it: its parts in words, the addresses of its pages, and what may be done with it.

What follows it through time is in detail_view.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from dashboard.access.rights import ASKED_AGAIN, Denied, Right
from dashboard.live.family import Kinds
from dashboard.live.lines import CellText, all_columns, cells_of, rfc3339
from dashboard.live.messages import Row
from dashboard.live.replica import Replica
from dashboard.live.view import View
from dashboard.resources.depth import TOO_DEEP, cut_deeper
from dashboard.resources.details import Details, Owner, describe
from dashboard.resources.kinds import KindInfo
from dashboard.resources.offers import Offer, offers_of
from dashboard.resources.rows.column import path_column
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.set_by import SetBy, set_by
from dashboard.resources.words import object_href
from dashboard.resources.yaml_text import to_yaml
from informerd.clock import Clock


@dataclass(frozen=True, slots=True)
class Link:
    """A name with the address of its details; `href` is empty where that kind is not watched."""

    kind: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Denials:
    """What of an object's pages may not be done, each with why as a sentence; empty where it may."""

    edit: str = ""
    clone: str = ""
    delete: str = ""
    actions: tuple[Offer, ...] = ()
    """Quick actions, as they are called in its present state; what `path` adds to its `href` is their address."""

    @property
    def titles(self) -> tuple[str, ...]:
        """What cannot be pressed."""
        named = {"Edit": self.edit, "Clone": self.clone}
        named |= {offer.title: offer.denied for offer in self.actions}
        named |= {"Delete": self.delete}
        return tuple(title for title, words in named.items() if words)


class ObjectView(View):
    """The half of a DetailView that depends on nothing but the object's newest row, `row`.

    `replica` is that of its kind, `paths` are fields that are shown beside the kind's columns, `kinds` are those whose
    objects can be linked to, `denied` knows what the account may not do.
    """

    def __init__(
        self,
        kind: KindInfo,
        namespace: str,
        name: str,
        replica: Replica,
        clock: Clock,
        *,
        paths: tuple[FieldPath, ...],
        kinds: Kinds,
        denied: Denied,
    ) -> None:
        super().__init__(self.state_of(kind, namespace, name, paths), keys=(kind.key,), clock=clock)
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.gone = ""
        self._replica = replica
        self.row = replica.get(namespace, name)
        self.found = self.row is not None
        self.object = whole(self.row)
        self._paths = tuple((-1, path_column(path)) for path in paths)
        self._details: tuple[Row, Details] | None = None
        self._kinds = kinds
        self._right = denied
        self._denials = Denials()
        """As they were drawn last."""
        self._asked = clock.now()
        self._set_by: tuple[Row, SetBy] | None = None

    @staticmethod
    def state_of(kind: KindInfo, namespace: str, name: str, paths: tuple[FieldPath, ...] = ()) -> str:
        """What tells this view from others."""
        return " ".join((kind.key, f"{namespace}/{name}", *(path.text for path in paths)))

    # --- the object ---

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
    def polled(self) -> float:
        """Seconds between two lists of a kind that nobody may watch; 0 where it is watched."""
        return self._replica.health.polled

    @property
    def yaml(self) -> str:
        return to_yaml(self.object) if self.object else ""

    @property
    def set_by(self) -> SetBy | None:
        """The YAML again, with who set what of it; made anew with each version."""
        if self.row is None:
            return None
        if self._set_by is None or self._set_by[0] is not self.row:
            self._set_by = (self.row, set_by(self.object, self._set_by[1] if self._set_by is not None else None))
        return self._set_by[1]

    @property
    def yaml_html(self) -> str:
        """The YAML with who set what, for a pre element."""
        return self.set_by.html(f"yaml-{self.id}") if self.set_by else ""

    @property
    def managed_html(self) -> str:
        """The YAML of managedFields, for a pre element."""
        return self.set_by.managed_html(f"managed-{self.id}") if self.set_by else ""

    @property
    def details(self) -> Details | None:
        """The object in words, made anew with each version."""
        if self.row is None:
            return None
        if self._details is None or self._details[0] is not self.row:
            self._details = (self.row, describe(self.kind.key, self.row, self.object, self.clock.time()))
        return self._details[1]

    @property
    def cells(self) -> tuple[CellText, ...]:
        return cells_of(self.row, (*all_columns(self.kind.key), *self._paths)) if self.row is not None else ()

    @property
    def owners(self) -> tuple[Link, ...]:
        """Its controller first."""
        return tuple(map(self._owner, self.details.owners)) if self.details else ()

    @property
    def created(self) -> str:
        return rfc3339(self.row.created) if self.row is not None and self.row.created is not None else ""

    @property
    def deleting(self) -> str:
        asked = self.details.deletion if self.details else None
        return rfc3339(asked.asked) if asked is not None else ""

    # --- its pages, and what may be done with it ---

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
        return f"{self.href}edit/" if self.kind.editable and self.found else ""

    @property
    def clone_href(self) -> str:
        """Where a copy is made of it; empty where none can be, or it is not there."""
        if not (self.kind.creatable and self.found):
            return ""
        source = urlencode({"from": f"{self.namespace or '-'}/{self.name}"})
        return f"{self.kind.new_path}?{source}"

    @property
    def delete_href(self) -> str:
        return f"{self.href}delete/" if self.kind.deletable and self.found else ""

    @property
    def denials(self) -> Denials:
        """What may not be done, as far as is known; worked out anew: once for each drawing."""
        self._asked, self._denials = self.clock.now(), self._worked_out()
        return self._denials

    def look_again(self) -> None:
        """Ask once more what may be done: an object that does not change is not drawn for hours."""
        if self.clock.now() - self._asked >= ASKED_AGAIN:
            before = self._denials
            if self.denials != before:
                self._stir()

    def rights_changed(self) -> None:
        self._stir()

    def _worked_out(self) -> Denials:
        offers = offers_of(self.kind, self.object) if self.found else ()
        clone = Right("create", self.kind.resource, self.namespace)
        return Denials(
            edit=self._denied("update") if self.edit_href else "",
            clone=self._right(clone, self) if self.clone_href else "",
            delete=self._denied("delete") if self.delete_href else "",
            actions=tuple(replace(offer, denied=self._denied(*offer.right)) for offer in offers),
        )

    def _denied(self, verb: str, subresource: str = "") -> str:
        return self._right(Right(verb, self.kind.resource, self.namespace, self.name, subresource), self)

    def _owner(self, owner: Owner) -> Link:
        kind = next((kind for kind, _ in self._kinds() if kind.key == owner.key), None)
        namespace = self.namespace if kind is not None and kind.namespaced else ""
        return Link(owner.kind, owner.name, object_href(kind.key, namespace, owner.name) if kind is not None else "")

    def _stir(self) -> None:
        self.dirty = True
        self.on_dirty()


def whole(row: Row | None) -> dict[str, Any]:
    """The object itself, see resources/depth.py; empty where there is none."""
    if row is None:
        return {}
    try:
        return cut_deeper(row.whole())
    except RecursionError:
        return {"metadata": {"name": row.name, "namespace": row.namespace}, "spec": TOO_DEEP}
