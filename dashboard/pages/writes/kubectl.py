"""kubectl commands, quoted for a POSIX shell. They carry no precondition unless they say so."""

from __future__ import annotations

import json
import shlex

from dashboard.edits.editable import Target
from dashboard.edits.fields import Path, Value


def kubectl(target: Target, *words: str) -> str:
    """``kubectl`` with these words and the object's namespace."""
    return shlex.join(["kubectl", *words, *(["-n", target.namespace] if target.namespace else [])])


def in_words(kubeconfig: str, command: str) -> str:
    """The command as it stands in a sentence: with the kubeconfig that it needs, as pages show others."""
    program = shlex.join(["kubectl", "--kubeconfig", kubeconfig]) if kubeconfig else "kubectl"
    return program + command.removeprefix("kubectl")


def patch_command(target: Target, path: Path, value: Value) -> str:
    """``kubectl patch`` of one field."""
    text = json.dumps(nested(path, value), separators=(",", ":"), ensure_ascii=False)
    return kubectl(target, "patch", target.kind.key, target.name, "--type=merge", "-p", text)


def slashed(target: Target) -> str:
    """``deployments.apps/web``, as ``kubectl rollout`` wants it."""
    return f"{target.kind.key}/{target.name}"


def nested(path: Path, value: Value) -> dict[str, Value]:
    """A merge patch that sets one field; ABSENT is not for it, null takes a field out."""
    for segment in reversed(path):
        value = {str(segment): value}
    return dict(value)


def eviction_command(target: Target, uid: str) -> str:
    """kubectl has no word for the eviction of one pod: it sends the API's own object."""
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": target.name, "namespace": target.namespace},
        "deleteOptions": {"preconditions": {"uid": uid}},
    }
    path = target.kind.resource.path(target.namespace, target.name, "eviction")
    return f"kubectl create --raw {shlex.quote(path)} -f - <<'END'\n{json.dumps(eviction)}\nEND"
