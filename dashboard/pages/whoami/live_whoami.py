"""Live view of /whoami/: the matrix of what somebody may do, which follows their rights.

Templates see it as ``view``. The fragment that frames replace whole is the root element of whoami/_matrix.html,
``#matrix-<view.id>``.
"""

from __future__ import annotations

from typing import ClassVar

from dashboard.access.rights import Rights
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.live_view import LiveView
from dashboard.live.rendering.hx_partials import hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.whoami.access_matrix import AccessMatrix, access_matrix


class LiveWhoami(LiveView):
    """Value of `view` in whoami/page.html and _matrix.html.

    It never changes: whoever gets other rights is shown the view of these (dashboard.server.person_states).
    """

    template: ClassVar[str] = "whoami"

    def __init__(self, hub: Hub, rights: Rights, kinds: tuple[KindInfo, ...], namespaces: tuple[str, ...]) -> None:
        super().__init__(state_key(namespaces), keys=(), clock=hub.clock)
        self.namespaces = namespaces
        self.matrix: AccessMatrix = access_matrix(rights, kinds, namespaces)

    def apply(self, key: str, change: Change) -> None:
        """Does nothing: the page shows no objects."""

    def render_window(self, render: Renderer) -> str:
        html = render("whoami/_matrix.html", self.context())
        return hx_partial(f"#matrix-{self.id}", "outerMorph", html)

    def _render_update(self, render: Renderer) -> str:  # noqa: ARG002 -- it never changes
        return ""

    def _forget_update(self) -> None:
        """There is none."""


def state_key(namespaces: tuple[str, ...]) -> str:
    return ",".join(namespaces)


def open_whoami(hub: Hub, rights: Rights, kinds: tuple[KindInfo, ...], namespaces: tuple[str, ...]) -> LiveWhoami:
    """The view of what these rights allow. All people of a hub have the same."""
    return hub.open_view(LiveWhoami, state_key(namespaces), lambda: LiveWhoami(hub, rights, kinds, namespaces))
