"""A view: what one page shows of the cluster, kept current while somebody looks.

Views with the same address state have the same `id` in every process, so that a page rendered by one web process
can be continued by another. `seq` names one state of one view object: an unguessed token of the object, then a number
that grows with each update. A page that carries the current `seq` needs nothing; any other gets the whole content.
The page of the first request and the frames that follow are made from the same `context()` by the same templates.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Protocol

from django.utils.html import escape

from dashboard.live.replica import Change
from informerd.clock import Clock

_SAFE_ID = re.compile(r"[A-Za-z0-9._-]+")


class Render(Protocol):
    """Renders a template, as django.template.loader.render_to_string does."""

    def __call__(self, template_name: str, context: Mapping[str, object]) -> str: ...


class View(ABC):
    """One page's content. Subclasses keep what `context()` shows and say what changed.

    Nothing here waits, and nothing is thread-safe: everything runs on the event loop.
    """

    template: ClassVar[str] = ""
    """Name of the kind of view, part of its id."""
    interval: ClassVar[float] = 0.0
    """Seconds between two updates of this view at least; 0 leaves it to the hub's tick."""

    def __init__(self, state: str, *, keys: tuple[str, ...], clock: Clock) -> None:
        self.id = hashlib.blake2b(f"{self.template} {state}".encode(), digest_size=6).hexdigest()
        self.keys = keys
        """Kinds whose freshness decides whether this page is live."""
        self.clock = clock
        self.token = secrets.token_hex(4)
        self.number = 0
        self.dirty = False

    @property
    def seq(self) -> str:
        """Names this state: ``token-number``. Compare for equality only."""
        return f"{self.token}-{self.number}"

    @property
    def listens(self) -> tuple[str, ...]:
        """Kinds whose changes this view wants to hear of; `keys` and whatever else it shows."""
        return self.keys

    def context(self) -> dict[str, object]:
        """What the templates see: ``view``."""
        return {"view": self}

    @abstractmethod
    def apply(self, key: str, change: Change) -> None:
        """Take in what changed in kind `key`; sets `dirty` where that may show."""

    def next_due(self) -> float | None:
        """Unix seconds at which time alone will change this view; None: never."""
        return None

    def pass_time(self, now: float) -> None:
        """`now` (Unix seconds) has come: take in what time alone changed; sets `dirty` where that may show."""

    def update(self, render: Render) -> str:
        """The hx-partials since the last update, and a new `seq`; empty, with the old `seq`, where nothing shows."""
        html = self._render_update(render)
        self.dirty = False
        if html:
            self.number += 1
        return html

    def skip_update(self) -> None:
        """Nobody looks: as `update`, but nothing is rendered."""
        self._forget_update()
        self.dirty = False
        self.number += 1

    @abstractmethod
    def render_window(self, render: Render) -> str:
        """hx-partials that replace everything the view shows, whatever the page showed before."""

    @abstractmethod
    def _render_update(self, render: Render) -> str: ...

    @abstractmethod
    def _forget_update(self) -> None: ...


def dom_id(uid: str) -> str:
    """`uid` as a part of an element's id that needs no escaping in a selector; uids are that already, but for odd ones."""
    if _SAFE_ID.fullmatch(uid):
        return uid
    return hashlib.blake2b(uid.encode(), digest_size=12).hexdigest()


def partial(target: str, swap: str, html: str = "") -> str:
    """One hx-partial: `html` goes to the elements that selector `target` finds, by swap style `swap`."""
    return f'<hx-partial hx-target="{escape(target)}" hx-swap="{escape(swap)}">{html}</hx-partial>'
