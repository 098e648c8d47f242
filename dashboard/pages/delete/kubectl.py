"""The kubectl commands that do the same."""

from __future__ import annotations

import json
import shlex

from dashboard.edits.editable import Target
from dashboard.removal.choice import Choice


def delete_command(target: Target, choice: Choice) -> str:
    """``kubectl delete``. kubectl sends no uid and no resourceVersion: it deletes whatever has the name by then."""
    words = ["kubectl", "delete", target.kind.key, target.name, *namespace_words(target)]
    if choice.propagation != "Background":
        words.append(f"--cascade={choice.propagation.lower()}")
    if choice.grace is not None:
        words.append(f"--grace-period={choice.grace}")
    if choice.grace == 0:
        words.append("--force")
    return shlex.join(words)


def finalizer_command(target: Target, uid: str, version: str, finalizers: list[str]) -> str:
    """``kubectl patch``, with the same preconditions."""
    patch = {"metadata": {"uid": uid, "resourceVersion": version, "finalizers": finalizers}}
    words = ["kubectl", "patch", target.kind.key, target.name, *namespace_words(target), "--type=merge"]
    return shlex.join([*words, "-p", json.dumps(patch, separators=(",", ":"))])


def namespace_words(target: Target) -> list[str]:
    """``-n`` and the namespace, where the object has one."""
    return ["-n", target.namespace] if target.namespace else []
