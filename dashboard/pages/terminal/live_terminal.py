"""Live view of a terminal's page: what becomes of the pod and of its containers.

Frames replace the root elements of terminal/_pod.html (``#terminal-pod``) and terminal/_containers.html
(``#terminal-containers``), and nothing of the terminal itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from dashboard.live.hub.hub import Hub
from dashboard.live.rendering.hx_partials import Fragment, SentFragments, hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.details.live_detail import LiveDetail
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.terminal.container_choices import choices_of
from dashboard.runtime.time_slicing import SlicedWork
from informerd.clock import Clock


class LiveTerminal(LiveDetail):
    """Value of `view` in terminal/page.html: of the details it has the pod, its deletion and its replacement."""

    template: ClassVar[str] = "terminal"

    def __init__(
        self,
        kind: KindInfo,
        namespace: str,
        name: str,
        replica: ReadableReplica,
        clock: Clock,
        *,
        schedule: Callable[[SlicedWork], None],
    ) -> None:
        super().__init__(kind, namespace, name, replica, clock, schedule=schedule)
        self._fragments = SentFragments()

    def listens_to(self, key: str) -> bool:
        return key == self.kind.key

    def context(self) -> dict[str, object]:
        """Context of _pod.html and _containers.html; no container is chosen, which each browser does itself."""
        pod = whole_object(self.row) or {}
        uid = self.row.uid if self.row is not None else ""
        return {"view": self, "pod_uid": uid, "choices": choices_of(pod), "chosen": ""}

    def render_window(self, render: Renderer) -> str:
        return "".join(hx_partial(*fragment) for fragment in self._rendered_fragments(render))

    def set_baseline(self, render: Renderer) -> None:
        """Does nothing: a page may show a newer pod than this view, as it was read for it."""

    def _render_update(self, render: Renderer) -> str:
        return self._fragments.changed_partials(self._rendered_fragments(render))

    def _forget_update(self) -> None:
        self._fragments.forget()

    def _rendered_fragments(self, render: Renderer) -> Iterator[Fragment]:
        context = self.context()
        if self.row is not None:  # else it is not known which containers it has: the page keeps what it shows
            yield "#terminal-containers", "outerMorph", render("terminal/_containers.html", context)
        yield "#terminal-pod", "outerMorph", render("terminal/_pod.html", context)


def open_terminal(hub: Hub, kind: KindInfo, namespace: str, name: str) -> LiveTerminal:
    """The view of a pod's terminal page, whether the pod exists or not. Raises KeyError where pods are not followed."""
    replica = hub.hub_kinds.replica(kind.key)

    def make() -> LiveTerminal:
        return LiveTerminal(kind, namespace, name, replica, hub.clock, schedule=hub.index.slices.add)

    return hub.open_view(LiveTerminal, LiveTerminal.state_key(kind, namespace, name), make)
