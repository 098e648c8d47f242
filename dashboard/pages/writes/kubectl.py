"""kubectl commands for one object, without ``kubectl`` itself. They carry no precondition unless they show one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dashboard.cluster.kubectl_commands import kubectl_arguments, shell_word
from dashboard.objects.fields.field_access import Path, Value
from dashboard.pages.writes.target import Target


def object_command(target: Target, *words: str, options: Sequence[str] = ()) -> str:
    """The verb, the kind and the object, in its namespace: ``delete pods web -n shop``."""
    return kubectl_arguments(*words, target.kind.key, names=[target.name], namespace=target.namespace, options=options)


def named_command(target: Target, *words: str, options: Sequence[str] = ()) -> str:
    """The verb and the object's name, for verbs of one kind: ``cordon node-1``."""
    return kubectl_arguments(*words, names=[target.name], namespace=target.namespace, options=options)


def slashed_command(target: Target, *words: str, options: Sequence[str] = ()) -> str:
    """The verb and the object in the form that ``kubectl rollout`` wants: ``rollout undo deployments.apps/web``."""
    name = f"{target.kind.key}/{target.name}"
    return kubectl_arguments(*words, names=[name], namespace=target.namespace, options=options)


def patch_command(target: Target, path: Path, value: Value) -> str:
    """``patch`` of one field."""
    text = json.dumps(merge_patch(path, value), separators=(",", ":"), ensure_ascii=False)
    return object_command(target, "patch", options=["--type=merge", "-p", text])


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
    return f"create --raw {shell_word(path)} -f - <<'END'\n{json.dumps(eviction)}\nEND"
