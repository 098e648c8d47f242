"""Health of a pod: why it is unhealthy, in words, since when, and how severe that is."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.kinds.row import Tone
from dashboard.objects.printers.pod_projection import Condition, ContainerStatus, Pod, Terminated
from dashboard.objects.printers.printer import to_unix_seconds

_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
BACK_OFF_MEMORY = 600.0
"""Seconds that a container has to run until the kubelet forgets its back-off (twice the longest back-off).

Source: hasExpired in client-go's util/flowcontrol/backoff.go, and MaxContainerBackOff in the kubelet.
"""


class PodHealth(msgspec.Struct, frozen=True, gc=False):
    """A tone and, unless all is well, a sentence and Unix seconds since when."""

    tone: Tone
    words: str = ""
    since: float | None = None
    until: float | None = None
    """Unix seconds until when its crash loop is not over; None where it runs after none."""


def pod_health(pod: Pod, status: str, restarts: int) -> PodHealth:
    """Health of a pod with that status word."""
    if pod.metadata.deletion_timestamp is not None:
        return _terminating(pod, status)
    if pod.status.phase == "Failed":
        return PodHealth("bad", _failed(pod, status), _since(pod, "Ready"))
    if pod.status.phase == "Succeeded":
        return PodHealth("idle")
    if status == "SchedulingGated":
        return PodHealth("busy", "waiting: scheduling gates hold it back", _since(pod, "PodScheduled"))
    if status == "Pending":
        return _pending(pod)
    if status in _STARTING or (status.startswith("Init:") and status[5:6].isdigit()):
        return PodHealth("busy", "", _since(pod, "PodScheduled"), _crash_loop_until(pod))
    troubled = _troubled(pod, status)
    if troubled is not None:
        return PodHealth("bad", _container_words(troubled, status, restarts), _trouble_since(pod, troubled))
    return _running(pod, status)


def _terminating(pod: Pod, status: str) -> PodHealth:
    deleting = to_unix_seconds(pod.metadata.deletion_timestamp)
    if pod.metadata.finalizers:
        return PodHealth("busy", f"being deleted, held by finalizers: {', '.join(pod.metadata.finalizers)}", deleting)
    return PodHealth(
        "bad" if status == "Unknown" else "busy", "its node is lost" if status == "Unknown" else "", deleting
    )


def _pending(pod: Pod) -> PodHealth:
    scheduled = pod.condition("PodScheduled")
    created = to_unix_seconds(pod.metadata.creation_timestamp)
    if scheduled is not None and scheduled.status == "False":
        message = scheduled.message or scheduled.reason or "no node takes it"
        return PodHealth("warn", f"pending: {message}", to_unix_seconds(scheduled.last_transition_time) or created)
    if pod.spec.node_name:
        return PodHealth("busy", f"pending: waiting for {pod.spec.node_name} to start it", created)
    return PodHealth("warn", "pending: no node chosen yet", created)


def _failed(pod: Pod, status: str) -> str:
    if pod.status.message:
        return f"{_word(status)}: {pod.status.message}"
    for container in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        ended = container.state.terminated
        if ended is not None and ended.exit_code != 0:
            return f"failed: {container.name} {_exit(ended.exit_code, ended.reason)}"
    return f"failed: {status}" if status != "Failed" else "failed"


def _troubled(pod: Pod, status: str) -> ContainerStatus | None:
    """The container that gave the pod its status word."""
    word = status.removeprefix("Init:")
    containers = pod.status.init_container_statuses if word != status else pod.status.container_statuses
    for container in containers:
        waiting, ended = container.state.waiting, container.state.terminated
        if waiting is not None and waiting.reason == word:
            return container
        if ended is not None and ended.reason_word == word and word != "Completed":
            return container
    return None


def _container_words(container: ContainerStatus, status: str, restarts: int) -> str:
    waiting, ended = container.state.waiting, container.state.terminated
    last = ended or container.last_state.terminated
    ending = f"{container.name} {_exit(last.exit_code, last.reason)}" if last is not None else container.name
    times = f", restarted {'once' if restarts == 1 else f'{restarts} times'}" if restarts else ""
    if waiting is not None and waiting.reason == "CrashLoopBackOff":
        return f"crash loop: {ending}{times}"
    if waiting is not None:
        kind = "image" if waiting.reason in _IMAGE else _word(waiting.reason)
        return (
            f"{kind}: {container.name}{': ' + waiting.message if waiting.message else f' is waiting, {waiting.reason}'}"
        )
    return f"{'init container' if status.startswith('Init:') else 'container'} ended: {ending}{times}"


def _trouble_since(pod: Pod, container: ContainerStatus) -> float | None:
    """Since when the pod has not been ready or its container ends again and again; None where neither is known: a
    container may be ready between two crashes, and its status has its last two ends only.
    """
    ready = pod.condition("Ready")
    ends, has_first = _known_ends(container)
    if not ends:
        return _since(pod, "Ready")
    unready = to_unix_seconds(ready.last_transition_time) if ready is not None and ready.status != "True" else None
    if unready is not None and unready < ends[-1]:
        return unready
    return ends[-1] if has_first else None


def _known_ends(container: ContainerStatus) -> tuple[list[float], bool]:
    """When its last runs ended, the last first, and whether the first end is among them. A run of BACK_OFF_MEMORY
    seconds has nothing to do with the ends before it.
    """
    ends: list[float] = []
    for run in (container.state.terminated, container.last_state.terminated):
        ended = to_unix_seconds(run.finished_at) if run is not None else None
        if run is not None and ended is not None:
            ends.append(ended)
            if _lasted(run) >= BACK_OFF_MEMORY:
                return ends, True
    return ends, len(ends) >= container.restart_count + (container.state.terminated is not None)


def _lasted(run: Terminated) -> float:
    """Seconds that a run lasted; 0 of one that could not be started: it says 1970, or nothing."""
    begin, end = to_unix_seconds(run.started_at), to_unix_seconds(run.finished_at)
    return end - begin if begin and end else 0.0


def _running(pod: Pod, status: str) -> PodHealth:
    if status in ("Unknown", "NodeLost"):
        return PodHealth("bad", pod.status.message or "the state of its node is unknown", _since(pod, "Ready"))
    ready, until = pod.condition("Ready"), _crash_loop_until(pod)
    if ready is None or ready.status == "True":
        return (
            PodHealth("ok", until=until)
            if status in ("Running", "Completed")
            else PodHealth("warn", _word(status), _since(pod, "Ready"))
        )
    unready = [c for c in pod.status.container_statuses if not c.ready and c.state.terminated is None]
    names = ", ".join(container.name for container in unready)
    which = f"{names} {'is' if len(unready) == 1 else 'are'} not ready" if unready else ready.message or ready.reason
    since = to_unix_seconds(ready.last_transition_time)
    if unready and all(_is_starting(container, ready) for container in unready):
        return PodHealth("busy", f"starting: {which} yet", since)
    return PodHealth("warn", f"not ready: {which}".removesuffix(": "), None if until else since, until)


def _crash_loop_until(pod: Pod) -> float | None:
    """Unix seconds until when the crash loop of a container that runs is not over; None where there is none."""
    containers = (*pod.status.init_container_statuses, *pod.status.container_statuses)
    return max((until for each in containers if (until := _loop_until(each)) is not None), default=None)


def _loop_until(container: ContainerStatus) -> float | None:
    """The same of one container: it was restarted twice or more, and ran for less than BACK_OFF_MEMORY before that."""
    running, last = container.state.running, container.last_state.terminated
    if running is None or last is None or container.restart_count < 2:
        return None
    started = to_unix_seconds(running.started_at)
    if started is None or last.finished_at is None:
        return None
    return started + BACK_OFF_MEMORY if _lasted(last) < BACK_OFF_MEMORY else None


def _is_starting(container: ContainerStatus, ready: Condition) -> bool:
    """Whether the container runs for the first time and the pod has not been ready since."""
    running, changed = container.state.running, ready.last_transition_time
    if container.restart_count or running is None or running.started_at is None or changed is None:
        return False
    return changed <= running.started_at


def _since(pod: Pod, condition: str) -> float | None:
    match = pod.condition(condition)
    changed = to_unix_seconds(match.last_transition_time) if match is not None else None
    return changed or to_unix_seconds(_start(pod))


def _start(pod: Pod) -> datetime | None:
    return pod.status.start_time or pod.metadata.creation_timestamp


def _exit(code: int, reason: str) -> str:
    return f"exited {code}" + (f" ({reason})" if reason not in ("", "Error", "Completed") else "")


def _word(name: str) -> str:
    """``CreateContainerConfigError`` as ``create container config error``."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return spaced.strip()
