"""The view of one object.

Templates see it as ``view``; the attributes of `DetailView` are what they may use. Fragments that frames replace whole:
``#detail-<view.id>`` (resources/_detail.html, which has that element as its root) and ``#yaml-<view.id>``.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.live.messages import Tone


@dataclass(frozen=True, slots=True)
class Condition:
    """An entry of status.conditions. `tone` says whether its status is good news."""

    type: str
    status: str
    reason: str
    message: str
    tone: Tone
    since: str
    """RFC 3339 of lastTransitionTime; empty where it has none."""


@dataclass(frozen=True, slots=True)
class ContainerLine:
    """A container of a pod, or of the pod template of a workload (`state` is empty then)."""

    name: str
    image: str
    kind: str
    """container, init or ephemeral."""
    state: str
    """``Running``, ``Waiting: CrashLoopBackOff``, ``Exited 137: OOMKilled``."""
    tone: Tone
    ready: bool | None
    restarts: int | None
    resources: str
    """``cpu 500m, memory 1Gi · limit memory 2Gi``; empty where none are set."""
    since: str
    """RFC 3339 of the moment the state began; empty where unknown."""


@dataclass(frozen=True, slots=True)
class Link:
    """A name with the address of its details; `href` is empty where that kind is not watched."""

    kind: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class EventLine:
    """A Kubernetes event about the object."""

    time: str
    """RFC 3339 of its last occurrence."""
    reason: str
    message: str
    tone: Tone
    """warn for type Warning, idle otherwise."""
    count: int


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that changed while the view was open: ``spec.port`` 8080 → 9090. Empty `was`: added; empty `now`: removed."""

    path: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One modification since the view was opened."""

    time: str
    """RFC 3339."""
    version: str
    words: str
    """What happened where no field says it: ``created again``, ``deleted``; empty otherwise."""
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of a sentence. With a `datetime` it is an age: `<time data-age="object" datetime="…">{{ text }}</time>`."""

    text: str
    datetime: str = ""
    """RFC 3339."""


class DetailView:
    """What `view` is in resources/detail.html, _detail.html and yaml.html.

    kind: KindInfo · namespace, name · row: Row | None (None: never seen) · found: bool · object: dict · yaml: str ·
    summary: tuple[Words, ...] (a sentence, such as Running on node-3 for <time>…</time>, restarted 4 times) · cells: tuple[CellText, ...] (the list's columns, for pairs of term and text) ·
    conditions: tuple[Condition, ...] · containers: tuple[ContainerLine, ...] · labels, annotations:
    tuple[tuple[str, str], ...] · finalizers: tuple[str, ...] · owner: Link | None · created: RFC 3339 ·
    deleting: RFC 3339 or "" · events: tuple[EventLine, ...] (newest first) ·
    changes: tuple[ChangeLine, ...] (newest first, at most 50) · gone: RFC 3339 of the deletion or "" ·
    again: bool (re-created under the same name since the page was opened) ·
    href, list_href, yaml_href, edit_href, delete_href: addresses, the last two empty where not editable.
    """
