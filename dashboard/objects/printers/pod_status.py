"""Why a pod is not well, in words, since when, and how bad that is."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.live.messages import Tone
from dashboard.resources.rows.pod_types import Condition, ContainerStatus, Pod
from dashboard.resources.rows.shape import seconds

_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})


class Why(msgspec.Struct, frozen=True, gc=False):
    """A tone and, unless all is well, a sentence and Unix seconds since when."""

    tone: Tone
    words: str = ""
    since: float | None = None


def reason_of(pod: Pod, status: str, restarts: int) -> Why:
    """How a pod with that status word is doing."""
    if pod.metadata.deletion_timestamp is not None:
        return _terminating(pod, status)
    if pod.status.phase == "Failed":
        return Why("bad", _failed(pod, status), _since(pod, "Ready"))
    if pod.status.phase == "Succeeded":
        return Why("idle")
    if status == "SchedulingGated":
        return Why("busy", "waiting: scheduling gates hold it back", _since(pod, "PodScheduled"))
    if status == "Pending":
        return _pending(pod)
    if status in _STARTING or (status.startswith("Init:") and status[5:6].isdigit()):
        return Why("busy", "", _since(pod, "PodScheduled"))
    troubled = _troubled(pod, status)
    if troubled is not None:
        return Why("bad", _container_words(troubled, status, restarts), _trouble_since(pod, troubled))
    return _running(pod, status)


def _terminating(pod: Pod, status: str) -> Why:
    deleting = seconds(pod.metadata.deletion_timestamp)
    if pod.metadata.finalizers:
        return Why("busy", f"being deleted, held by finalizers: {', '.join(pod.metadata.finalizers)}", deleting)
    return Why("bad" if status == "Unknown" else "busy", "its node is lost" if status == "Unknown" else "", deleting)


def _pending(pod: Pod) -> Why:
    scheduled = pod.condition("PodScheduled")
    created = seconds(pod.metadata.creation_timestamp)
    if scheduled is not None and scheduled.status == "False":
        said = scheduled.message or scheduled.reason or "no node takes it"
        return Why("warn", f"pending: {said}", seconds(scheduled.last_transition_time) or created)
    if pod.spec.node_name:
        return Why("busy", f"pending: waiting for {pod.spec.node_name} to start it", created)
    return Why("warn", "pending: no node chosen yet", created)


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
        if ended is not None and ended.word == word and word != "Completed":
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
    """Since when it has not been ready: that outlasts the single restarts of a crash loop."""
    ended = container.state.terminated or container.last_state.terminated
    return _since(pod, "Ready") or (seconds(ended.finished_at) if ended else None) or seconds(_start(pod))


def _running(pod: Pod, status: str) -> Why:
    if status in ("Unknown", "NodeLost"):
        return Why("bad", pod.status.message or "the state of its node is unknown", _since(pod, "Ready"))
    ready = pod.condition("Ready")
    if ready is None or ready.status == "True":
        return Why("ok") if status in ("Running", "Completed") else Why("warn", _word(status), _since(pod, "Ready"))
    unready = [c for c in pod.status.container_statuses if not c.ready and c.state.terminated is None]
    names = ", ".join(container.name for container in unready)
    which = f"{names} {'is' if len(unready) == 1 else 'are'} not ready" if unready else ready.message or ready.reason
    since = seconds(ready.last_transition_time)
    if unready and all(_is_starting(container, ready) for container in unready):
        return Why("busy", f"starting: {which} yet", since)
    return Why("warn", f"not ready: {which}".removesuffix(": "), since)


def _is_starting(container: ContainerStatus, ready: Condition) -> bool:
    """Whether it runs for the first time and the pod has not been ready since that began."""
    running, changed = container.state.running, ready.last_transition_time
    if container.restart_count or running is None or running.started_at is None or changed is None:
        return False
    return changed <= running.started_at


def _since(pod: Pod, condition: str) -> float | None:
    found = pod.condition(condition)
    changed = seconds(found.last_transition_time) if found is not None else None
    return changed or seconds(_start(pod))


def _start(pod: Pod) -> datetime | None:
    return pod.status.start_time or pod.metadata.creation_timestamp


def _exit(code: int, reason: str) -> str:
    return f"exited {code}" + (f" ({reason})" if reason not in ("", "Error", "Completed") else "")


def _word(name: str) -> str:
    """``CreateContainerConfigError`` as ``create container config error``."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return spaced.strip()
