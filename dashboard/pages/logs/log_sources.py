"""The containers of a page of logs: which there are, which are read, and what state each log is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.live.logs.container_stream import ContainerId, ContainerStream
from dashboard.objects.kinds.row import Row
from dashboard.pages.logs.line_buffer import sort_key
from dashboard.pages.logs.query import LogsQuery, chooses_pod
from informerd.logs.container_runs import ContainerRuns, containers_of

COLOURS = 8
"""Number of colours of containers; one more takes the first again."""

SourceState = Literal["reading", "live", "waiting", "ended", "interrupted", "gone", "refused", "failed", "full", "done"]
"""reading: its first lines are awaited · live: its lines come · waiting: it does not run and has no log yet · ended:
its run is over · interrupted: it cannot be read for the moment · gone: its pod does not exist any more · refused: it
may not be read · failed: Deltaboard failed to follow it · full: there is no room for one more log · done: it was read
to its end, and is not followed."""


@dataclass(eq=False, slots=True)
class LogSource:
    """One container's log on a page."""

    number: int
    container: ContainerId
    role: str
    colour: int
    restarts: int = 0
    state: SourceState = "reading"
    words: str = ""
    """What was said last about its state."""
    refusal: str = ""
    """Why it could not be read when that was marked last: asking again in vain is no news."""
    stream: ContainerStream | None = None
    first_line: bytes = b""
    """The oldest line of it that came by the stream: what is older is read from the kubelet."""
    begins_within: bool = False
    """Whether the log may have lines of before the first one."""
    last_line: bytes = b""
    had_until: bytes = b""
    """Where it is followed anew: the time up to which the page has its lines. They come again, and are left out."""
    has_history: bool = False
    """Whether what was before the followed lines is among the page's lines."""
    is_read: bool = False
    """Whether the reading of its history is over."""
    is_whole: bool = False
    """Whether its history was read to the end."""
    newest_time: bytes = b""
    """Time of the newest line that the kubelet had when its history was read."""

    def note_newest(self, line: bytes) -> None:
        """The newest line that the kubelet has."""
        self.newest_time = sort_key(line)

    @property
    def is_behind(self) -> bool:
        """Whether its followed lines have begun, and have not come to the newest that the kubelet had."""
        return self.stream is not None and bool(self.first_line) and sort_key(self.last_line) < self.newest_time

    @property
    def missing_before(self) -> bytes:
        """Time of before which the page may lack lines of it; empty where it lacks none."""
        return sort_key(self.first_line) if self.begins_within and self.first_line and not self.has_history else b""

    @property
    def read_words(self) -> str:
        """How much of it was read; where it is less than all, `missing_before` follows."""
        if not self.is_read:
            return "being read"
        if not self.first_line and not self.has_history:
            return "not read" if self.state in ("refused", "full", "failed") else "nothing yet"
        if self.has_history and not self.is_whole:
            return "not all read"
        return "read from" if self.missing_before else "all read"

    @property
    def can_begin_again(self) -> bool:
        """Whether it is not read, and may be read after all."""
        return self.state in ("refused", "failed", "full") and (self.stream is None or self.stream.has_ended)


@dataclass(frozen=True, slots=True)
class WantedContainer:
    """A container that the address asks for."""

    container: ContainerId
    runs: ContainerRuns


def pod_names(containers: Sequence[ContainerId]) -> list[str]:
    """The name of each container's pod, after its namespace where pods of several namespaces have that name."""
    namespaces: dict[str, set[str]] = {}
    for each in containers:
        namespaces.setdefault(each.pod, set()).add(each.namespace)
    return [each.pod if len(namespaces[each.pod]) == 1 else f"{each.namespace}/{each.pod}" for each in containers]


def container_labels(containers: Sequence[ContainerId]) -> list[str]:
    """What tells each container apart from the others: its name, after its pod's where there are several pods."""
    pods = pod_names(containers)
    has_one_pod = len(set(pods)) == 1
    return [
        each.container if has_one_pod else f"{pod}/{each.container}" for each, pod in zip(containers, pods, strict=True)
    ]


def wanted_containers(pods: Iterable[Row], query: LogsQuery) -> list[WantedContainer]:
    """The containers of these pods that the query chooses, in the order of the pods."""
    return [
        WantedContainer(ContainerId(row.namespace, row.name, row.uid, runs.name), runs)
        for row in pods
        if chooses_pod(query.pods, row.namespace, row.name)
        for runs in containers_of(row.decode_object())
        if not query.containers or runs.name in query.containers
    ]
