"""Base class of views: a view is what one page shows of the cluster, kept current while a browser shows it.

Views with the same address state have the same `id` in every process, so that a page rendered by one web process can be
continued by another. `seq` names one state of one view object: a random token of the object, then a number that grows
with each update. A page that has the current `seq` needs nothing; any other gets the whole content. The first response
and the frames that follow are rendered from the same `context()` by the same templates.
"""

from __future__ import annotations

import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from informerd.clock import Clock


class LiveView(ABC):
    """One page's content. Subclasses keep what `context()` shows and say what changed.

    Nothing here waits, and nothing is thread-safe: everything runs on the event loop.
    """

    template: ClassVar[str] = ""
    """Name of the kind of view, part of its id."""
    interval: ClassVar[float] = 0.0
    """Minimum seconds between two updates of this view; 0 leaves it to the hub's tick."""
    forgotten_with_kind: ClassVar[bool] = False
    """Whether it ends when its kind is removed, so that its page connects again."""
    stirred_by_kinds: ClassVar[bool] = False
    """Whether it may change when another kind is added or removed."""

    def __init__(self, state: str, *, keys: tuple[str, ...], clock: Clock) -> None:
        self.id = self.id_of(state)
        self.keys = keys
        """Kinds whose freshness decides whether this page is live."""
        self.clock = clock
        self.token = secrets.token_hex(4)
        self.number = 0
        self.dirty = False
        self.on_dirty: Callable[[], None] = _nothing
        """Called when the view becomes dirty by itself, not by `apply`."""
        self.cluster_problem: Callable[[], str] = lambda: ""
        """Returns what keeps the whole dashboard from the cluster, as a sentence; empty when nothing does."""
        self.rights_problem = ""
        """Why it is not known, or not counted, what the page's people may see, as a sentence; empty where it is."""
        self.visibility_note = ""
        """What the page's people see of its kinds, as a sentence, where that is not everything; else empty."""

    @classmethod
    def id_of(cls, state: str) -> str:
        """The id of the view whose canonical state is `state`, the same in every process.

        It is long enough that nobody finds an address with the id of another one, whose view it would be given.
        """
        return hashlib.blake2b(f"{cls.template} {state}".encode(), digest_size=8).hexdigest()

    @property
    def seq(self) -> str:
        """Names this state: ``token-number``. Compare for equality only."""
        return f"{self.token}-{self.number}"

    @property
    def keeps_paths(self) -> bool:
        """Whether it needs fields by path of all rows, which use memory even while nobody views it."""
        return False

    @property
    def listened_keys(self) -> tuple[str, ...]:
        """Keys whose changes this view needs: `keys` and anything else it shows."""
        return self.keys

    def listens_to(self, key: str) -> bool:
        """Whether `apply` is to be called with changes of this kind."""
        return key in self.listened_keys

    def context(self) -> dict[str, object]:
        """Context of the templates: ``view``."""
        return {"view": self}

    def extras(self) -> dict[str, object]:
        """Data that a frame carries beside its HTML, for scripts."""
        return {}

    @abstractmethod
    def apply(self, key: str, change: Change) -> None:
        """Apply a change of kind `key`; sets `dirty` where that may be visible."""

    def next_due(self) -> float | None:
        """Unix seconds of the next change that comes from time alone; None: never."""
        return None

    def pass_time(self, now: float) -> None:  # noqa: B027 -- most views do not age
        """Apply what time alone has changed by `now` (Unix seconds); sets `dirty` where that may be visible."""

    def refresh(self) -> None:  # noqa: B027
        """Called once a second while the view is shown: ask for what is not announced, such as the account's
        permissions.
        """

    def update(self, render: Renderer) -> str:
        """The hx-partials since the last update, and a new `seq`; empty, with the old `seq`, where nothing visible
        changed.
        """
        self.number += 1
        html = self._render_update(render)
        self.dirty = False
        if not html:
            self.number -= 1
        return html

    def skip_update(self) -> None:
        """As `update`, but without rendering, because nobody views it."""
        self._forget_update()
        self.dirty = False
        self.number += 1

    def set_baseline(self, render: Renderer) -> None:  # noqa: B027 -- most views know what pages show
        """Note that all viewers have the whole present state: later updates build on it."""

    def take_kinds(self, kinds: tuple[KindInfo, ...]) -> None:  # noqa: B027
        """Called when a kind is followed or no longer followed; sets `dirty` where that may be visible."""

    def refresh_usage(self) -> None:  # noqa: B027
        """Called when it is known anew what objects use; sets `dirty` where that may be visible."""

    def open(self) -> None:  # noqa: B027 -- most views hear of everything by `apply`
        """Called when the view is needed, for the first time or again after `close`."""

    def close(self) -> None:  # noqa: B027
        """Called when the view is no longer needed."""

    @abstractmethod
    def render_window(self, render: Renderer) -> str:
        """hx-partials that replace everything the view shows, whatever the page showed before."""

    @abstractmethod
    def _render_update(self, render: Renderer) -> str: ...

    @abstractmethod
    def _forget_update(self) -> None: ...


def _nothing() -> None:
    pass
