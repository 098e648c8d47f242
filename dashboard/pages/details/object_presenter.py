"""State of one object as pages show it: its parts in words, the addresses of its pages, and the permitted actions.

live_detail.py follows the object over time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

from dashboard.cluster.access_reviews import REFRESH_SECONDS, DenialLookup, ResourceAttributes
from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.live.hub.freshness import ListedNote, listed_note
from dashboard.live.hub.live_view import LiveView
from dashboard.live.hub.namespace_limits import NamespaceLimit, is_outside, limit_of
from dashboard.live.rendering.cells import CellText, all_columns, cells_of
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.describers.deletion import Deletion, deletion_of
from dashboard.objects.describers.describe import Details, OwnerLink, describe, describe_large
from dashboard.objects.fields.object_display_limit import TOO_DEEP_TEXT, LimitedObject, is_too_deep, limit_object
from dashboard.objects.fields.unstructured import as_map
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.quick_actions import QuickAction, quick_actions_of
from dashboard.objects.kinds.row import Row
from dashboard.objects.manifests.yaml_writer import json_document, to_yaml
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers.printer import path_column
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.details.owner_graph import KindReplicas
from dashboard.pages.details.yaml_by_manager import YamlByManager, yaml_by_manager
from dashboard.pages.layout.shown_moment import restore_href
from dashboard.runtime.read_only import is_past_shown, is_read_only
from dashboard.runtime.text_with_links import incident_href, object_href
from informerd.clock import Clock


@dataclass(frozen=True, slots=True)
class ObjectLink:
    """A name with the address of its details; `href` is empty where that kind is not watched."""

    kind: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Denials:
    """Denied actions of an object's pages, each with the reason as a sentence; empty where the action is allowed."""

    edit: str = ""
    clone: str = ""
    delete: str = ""
    terminal: str = ""
    actions: tuple[QuickAction, ...] = ()
    """Quick actions by the names of the object's present state; `path` appended to `href` is an action's address."""

    @property
    def titles(self) -> tuple[str, ...]:
        """Labels of the disabled buttons."""
        named = {"Edit": self.edit, "Clone": self.clone}
        named |= {offer.title: offer.denial for offer in self.actions}
        named |= {"Delete": self.delete, "Terminal": self.terminal}
        return tuple(title for title, words in named.items() if words)


class ObjectView(LiveView):
    """The half of a LiveDetail that depends only on the object's newest row, `row`.

    `replica` is that of its kind, `paths` are fields that are shown beside the kind's columns, `kinds` are those whose
    objects can be linked, `denial_of` knows the account's denials.
    """

    def __init__(
        self,
        kind: KindInfo,
        namespace: str,
        name: str,
        replica: ReadableReplica,
        clock: Clock,
        *,
        paths: tuple[FieldPath, ...],
        kinds: KindReplicas,
        denial_of: DenialLookup,
    ) -> None:
        super().__init__(self.state_key(kind, namespace, name, paths), keys=(kind.key,), clock=clock)
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.gone_since = ""
        self._replica = replica
        self.row = replica.get(namespace, name)
        self.exists = self.row is not None
        self.object: dict[str, Any] = {}
        """As its YAML shows it: what is read from it may be false while `is_cut`."""
        self.is_cut = False
        """Whether parts of `object` are left out because it is too large or too deep."""
        self.lacks_managers = False
        """Whether its managedFields are left out because they are too long."""
        self.deletion: Deletion | None = None
        """Its pending deletion."""
        self._actions: tuple[QuickAction, ...] = ()
        self._details: tuple[Row, Details] | None = None
        self._take(self.row)
        self._paths = tuple((-1, path_column(path)) for path in paths)
        self._kinds = kinds
        self._denial_of = denial_of
        self._denials = Denials()
        """As rendered last."""
        self._denials_at = clock.now()
        self._yaml_by_manager: tuple[Row, YamlByManager] | None = None

    @staticmethod
    def state_key(kind: KindInfo, namespace: str, name: str, paths: tuple[FieldPath, ...] = ()) -> str:
        """Key that distinguishes this view from others: names of some kinds may hold spaces, and look like paths."""
        return json.dumps([kind.key, namespace, name, *(path.text for path in paths)])

    # --- the object ---

    @property
    def loading(self) -> bool:
        """Whether the object's existence is unknown: its kind has not been listed."""
        known = self._replica.state != "starting" and self._replica.health.state in ("live", "stale", "absent")
        return not self.exists and not self.gone_since and not known

    @property
    def is_unseen(self) -> bool:
        """Whether the kind is not listed in the object's namespace, so that nothing is known of it."""
        return is_outside(self._replica.health, self.namespace)

    @property
    def limit(self) -> NamespaceLimit | None:
        """Namespaces in which the kind is listed; None where these are all."""
        return limit_of(self._replica.health)

    @property
    def get_command(self) -> str:
        """What follows ``kubectl`` to print its YAML in a terminal."""
        options = ["-o", "yaml"]
        return kubectl_arguments("get", self.kind.key, names=[self.name], namespace=self.namespace, options=options)

    @property
    def problem(self) -> str:
        """Why the kind cannot be listed, as a sentence; empty where it can."""
        return self._replica.health.problem

    @property
    def listed(self) -> ListedNote | None:
        """What the page says where the kind was listed once; None where it is followed."""
        return listed_note(self.kind, self._replica)

    @property
    def list_again_href(self) -> str:
        """Address that lists the kind again, for its list."""
        return f"{self.kind.path}list-again/"

    @property
    def unreadable_problem(self) -> str:
        """Why the object cannot be read though it exists; empty where it can."""
        key = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return self._replica.health.problem_of(key)

    @property
    def polled(self) -> float:
        """Seconds between two lists of a kind that cannot be watched; 0 where it is watched."""
        return self._replica.health.polled

    @property
    def download_href(self) -> str:
        """Address of all of the object, as a file."""
        return f"{self.yaml_href}?download"

    @property
    def yaml_by_manager(self) -> YamlByManager | None:
        """The YAML with the manager of each line; computed once for each version."""
        if self.row is None:
            return None
        if self._yaml_by_manager is None or self._yaml_by_manager[0] is not self.row:
            self._yaml_by_manager = (
                self.row,
                yaml_by_manager(self.object, self._yaml_by_manager[1] if self._yaml_by_manager is not None else None),
            )
        return self._yaml_by_manager[1]

    @property
    def yaml_html(self) -> str:
        """The YAML with the manager of each line, for a pre element."""
        return self.yaml_by_manager.html(f"yaml-{self.id}") if self.yaml_by_manager else ""

    @property
    def managed_html(self) -> str:
        """The YAML of managedFields, for a pre element."""
        return self.yaml_by_manager.managed_html(f"managed-{self.id}") if self.yaml_by_manager else ""

    @property
    def details(self) -> Details | None:
        """The object in words, computed once for each version."""
        if self.row is None:
            return None
        if self._details is None or self._details[0] is not self.row:
            self._details = (self.row, describe(self.kind.key, self.row, self.object, self.clock.time()))
        return self._details[1]

    @property
    def cells(self) -> tuple[CellText, ...]:
        return cells_of(self.row, (*all_columns(self.kind.key), *self._paths)) if self.row is not None else ()

    @property
    def owners(self) -> tuple[ObjectLink, ...]:
        """Its owners, the controller first."""
        return tuple(map(self._owner, self.details.owners)) if self.details else ()

    @property
    def created_at(self) -> str:
        return rfc3339(self.row.created) if self.row is not None and self.row.created is not None else ""

    @property
    def deletion_requested_at(self) -> str:
        deletion = self.details.deletion if self.details else None
        return rfc3339(deletion.requested_at) if deletion is not None else ""

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
    def audit_href(self) -> str:
        """Address of the audit log of who changed it; empty where none is kept, and in the past."""
        if self.row is None or settings.DELTABOARD_AUDIT == "off" or is_past_shown():
            return ""
        return f"/audit/?{urlencode({'uid': self.row.uid})}"

    @property
    def edit_href(self) -> str:
        return f"{self.href}edit/" if self.kind.editable and self._is_writable else ""

    @property
    def restore_href(self) -> str:
        """Address that brings this version back, on a page of the past; empty elsewhere, and where nothing can be."""
        if not is_past_shown() or not self.exists or settings.DELTABOARD_READ_ONLY:
            return ""
        return restore_href(self.kind, self.href, self.clock.time())

    @property
    def clone_href(self) -> str:
        """Address that creates a copy; empty where none can be created, or the object does not exist."""
        if not (self.kind.creatable and self._is_writable):
            return ""
        source = urlencode({"from": f"{self.namespace or '-'}/{self.name}"})
        return f"{self.kind.new_path}?{source}"

    @property
    def delete_href(self) -> str:
        return f"{self.href}delete/" if self.kind.deletable and self._is_writable else ""

    @property
    def incident_href(self) -> str:
        """Address of its incident page; empty for a Secret, whose changes tell nothing."""
        return incident_href(self.kind.key, self.namespace, self.name) if not self.kind.is_secret_kind else ""

    @property
    def history_href(self) -> str:
        """Address of its versions; empty where no history is kept."""
        return f"{self.href}history/" if settings.DELTABOARD_HISTORY else ""

    @property
    def terminal_href(self) -> str:
        """Address of a pod's terminal; empty for other kinds."""
        return f"{self.href}terminal/" if self.kind.key == PODS and self._is_writable else ""

    @property
    def _is_writable(self) -> bool:
        """Whether its pages offer changes: it exists, and Deltaboard is not read-only."""
        return self.exists and not is_read_only()

    @property
    def denials(self) -> Denials:
        """Denied actions, as far as they are known; computed once for each rendering."""
        self._denials_at, self._denials = self.clock.now(), self._find_denials()
        return self._denials

    def refresh(self) -> None:
        """Ask for the permissions again: an unchanged object is not rendered for hours."""
        if self.clock.now() - self._denials_at >= REFRESH_SECONDS:
            before = self._denials
            if self.denials != before:
                self._stir()

    def access_changed(self) -> None:
        self._stir()

    def _find_denials(self) -> Denials:
        offers = self._actions if self._is_writable else ()
        clone = ResourceAttributes("create", self.kind.resource, self.namespace)
        return Denials(
            edit=self._denial("update") if self.edit_href else "",
            clone=self._denial_of(clone, self) if self.clone_href else "",
            delete=self._denial("delete") if self.delete_href else "",
            terminal=self._denial("create", "exec") or self._denial("get", "exec") if self.terminal_href else "",
            actions=tuple(replace(offer, denial=self._denial(*offer.required_access)) for offer in offers),
        )

    def _denial(self, verb: str, subresource: str = "") -> str:
        return self._denial_of(
            ResourceAttributes(verb, self.kind.resource, self.namespace, self.name, subresource), self
        )

    def _owner(self, owner: OwnerLink) -> ObjectLink:
        kind = next((kind for kind, _ in self._kinds() if kind.key == owner.key), None)
        namespace = self.namespace if kind is not None and kind.namespaced else ""
        return ObjectLink(
            owner.kind, owner.name, object_href(kind.key, namespace, owner.name) if kind is not None else ""
        )

    def _take(self, row: Row | None) -> None:
        """Take the object of its newest row. The whole of a large object is read here and not kept."""
        self.row = row
        whole = whole_object(row)
        shown = limit_object(whole) if whole is not None else _unknown_object(row)
        self.object, self.is_cut, self.lacks_managers = shown.value, shown.is_cut, shown.lacks_managers
        told = shown.value if whole is None else whole
        self.deletion = deletion_of(told)
        self._actions = quick_actions_of(self.kind, whole)
        if row is not None and shown.is_cut:
            told = _with_labels_of(shown.value, told)
            self._details = (row, describe_large(self.kind.key, row, told, self.clock.time()))

    def _stir(self) -> None:
        self.dirty = True
        self.on_dirty()


def whole_object(row: Row | None) -> dict[str, Any] | None:
    """The whole object of a row; None where there is no row, or it is nested too deeply to decode."""
    try:
        return row.decode_object() if row is not None else None
    except RecursionError:
        return None


def object_as_yaml(row: Row) -> str:
    """The YAML of a whole object, however long. May be called from any thread."""
    obj = whole_object(row)
    return json_document(row.json_text()) if obj is None or is_too_deep(obj) else to_yaml(obj)


def _unknown_object(row: Row | None) -> LimitedObject:
    """What is known of an object that cannot be decoded; empty where there is none."""
    if row is None:
        return LimitedObject({})
    metadata = {"name": row.name, "namespace": row.namespace, "labels": row.labels}
    return replace(limit_object({"metadata": metadata, "spec": TOO_DEEP_TEXT}), is_cut=True)


def _with_labels_of(shown: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """The whole object without managedFields, and with the labels and annotations that its YAML shows."""
    short = as_map(shown.get("metadata"))
    labels = {name: short[name] for name in ("labels", "annotations") if name in short}
    metadata = {**as_map(whole.get("metadata")), **labels}
    metadata.pop("managedFields", None)
    return {**whole, "metadata": metadata}
