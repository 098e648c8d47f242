"""Whether a key can be requeued: asked by the page, which knows the last report, and by the worker, which knows."""

from __future__ import annotations

from informerd.manager.state import ManagerState


def refusal(state: ManagerState, controller: str, key: str) -> str:
    """Why this key cannot be requeued, as a sentence; empty where it can: only what failed can."""
    found = next((each for each in state.controllers if each.name == controller), None)
    if found is None:
        running = ", ".join(each.name for each in state.controllers) or "none"
        return f"No controller {controller!r} runs here. Those that do: {running}."
    if not any(failed.key == key for failed in found.failed):
        return f"{key!r} is not among the keys of {controller} that failed: it may have succeeded or gone meanwhile."
    return ""
