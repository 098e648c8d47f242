"""kubectl commands for one object, quoted for a POSIX shell. They carry no precondition unless they show one."""

from __future__ import annotations

import json
import shlex

from dashboard.objects.fields.field_access import Path, Value
from dashboard.pages.writes.target import Target


def object_command(target: Target, *words: str) -> str:
    """``kubectl`` with these arguments and the object's namespace."""
    return shlex.join(["kubectl", *words, *(["-n", target.namespace] if target.namespace else [])])


def command_text(kubeconfig: str, command: str) -> str:
    """The command for a sentence: with the kubeconfig that it needs, as other pages show it."""
    program = shlex.join(["kubectl", "--kubeconfig", kubeconfig]) if kubeconfig else "kubectl"
    return program + command.removeprefix("kubectl")


def patch_command(target: Target, path: Path, value: Value) -> str:
    """``kubectl patch`` of one field."""
    text = json.dumps(merge_patch(path, value), separators=(",", ":"), ensure_ascii=False)
    return object_command(target, "patch", target.kind.key, target.name, "--type=merge", "-p", text)


def kind_slash_name(target: Target) -> str:
    """``deployments.apps/web``, the argument of ``kubectl rollout``."""
    return f"{target.kind.key}/{target.name}"


def merge_patch(path: Path, value: Value) -> dict[str, Value]:
    """A merge patch that sets one field; null removes it, ABSENT is not allowed."""
    for segment in reversed(path):
        value = {str(segment): value}
    return dict(value)


def eviction_command(target: Target, uid: str) -> str:
    """A command that posts an Eviction: kubectl has no command of its own for one pod."""
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": target.name, "namespace": target.namespace},
        "deleteOptions": {"preconditions": {"uid": uid}},
    }
    path = target.kind.resource.path(target.namespace, target.name, "eviction")
    return f"kubectl create --raw {shlex.quote(path)} -f - <<'END'\n{json.dumps(eviction)}\nEND"
