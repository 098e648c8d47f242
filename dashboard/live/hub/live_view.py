"""A view: what one page shows of the cluster, kept current while somebody looks.

Views with the same address state have the same `id` in every process, so that a page rendered by one web process
can be continued by another. `seq` names one state of one view object: an unguessed token of the object, then a number
that grows with each update. A page that carries the current `seq` needs nothing; any other gets the whole content.
The page of the first request and the frames that follow are made from the same `context()` by the same templates.
"""

from __future__ import annotations

import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from dashboard.live.change import Change
from dashboard.live.renderer import Renderer
from informerd.clock import Clock


class View(ABC):
    """One page's content. Subclasses keep what `context()` shows and say what changed.

    Nothing here waits, and nothing is thread-safe: everything runs on the event loop.
    """

    template: ClassVar[str] = ""
    """Name of the kind of view, part of its id."""
    interval: ClassVar[float] = 0.0
    """Seconds between two updates of this view at least; 0 leaves it to the hub's tick."""

    def __init__(self, state: str, *, keys: tuple[str, ...], clock: Clock) -> None:
        self.id = self.id_of(state)
        self.keys = keys
        """Kinds whose freshness decides whether this page is live."""
        self.clock = clock
        self.token = secrets.token_hex(4)
        self.number = 0
        self.dirty = False
        self.on_dirty: Callable[[], None] = _nothing
        """Called when the view has become dirty by itself, not by `apply`."""
        self.trouble: Callable[[], str] = lambda: ""
        """Says what keeps the whole dashboard from the cluster, as a sentence; empty when nothing does."""

    @classmethod
    def id_of(cls, state: str) -> str:
        """The id of the view whose canonical state is `state`, the same in every process."""
        return hashlib.blake2b(f"{cls.template} {state}".encode(), digest_size=6).hexdigest()

    @property
    def seq(self) -> str:
        """Names this state: ``token-number``. Compare for equality only."""
        return f"{self.token}-{self.number}"

    @property
    def listens(self) -> tuple[str, ...]:
        """Kinds whose changes this view wants to hear of; `keys` and whatever else it shows."""
        return self.keys

    def hears(self, key: str) -> bool:
        """Whether `apply` is to be called with what changes in this kind."""
        return key in self.listens

    def context(self) -> dict[str, object]:
        """What the templates see: ``view``."""
        return {"view": self}

    def extras(self) -> dict[str, object]:
        """What a frame carries beside its HTML, for scripts."""
        return {}

    @abstractmethod
    def apply(self, key: str, change: Change) -> None:
        """Take in what changed in kind `key`; sets `dirty` where that may show."""

    def next_due(self) -> float | None:
        """Unix seconds at which time alone will change this view; None: never."""
        return None

    def pass_time(self, now: float) -> None:  # noqa: B027 -- most views do not age
        """`now` (Unix seconds) has come: take in what time alone changed; sets `dirty` where that may show."""

    def look_again(self) -> None:  # noqa: B027
        """Called once a second while somebody looks: ask anew what nobody tells, such as what the account may do."""

    def update(self, render: Renderer) -> str:
        """The hx-partials since the last update, and a new `seq`; empty, with the old `seq`, where nothing shows."""
        self.number += 1
        html = self._render_update(render)
        self.dirty = False
        if not html:
            self.number -= 1
        return html

    def skip_update(self) -> None:
        """Nobody looks: as `update`, but nothing is rendered."""
        self._forget_update()
        self.dirty = False
        self.number += 1

    def remember(self, render: Renderer) -> None:  # noqa: B027 -- most views know what pages show
        """All who look have the whole of its present state: what follows may build upon it."""

    def open(self) -> None:  # noqa: B027 -- most views hear of everything by `apply`
        """Somebody wants it, for the first time or again after `close`."""

    def close(self) -> None:  # noqa: B027
        """Nobody wants it any more."""

    @abstractmethod
    def render_window(self, render: Renderer) -> str:
        """hx-partials that replace everything the view shows, whatever the page showed before."""

    @abstractmethod
    def _render_update(self, render: Renderer) -> str: ...

    @abstractmethod
    def _forget_update(self) -> None: ...


def _nothing() -> None:
    pass
