"""Attack: an object's name that kubectl takes for an option, in a command that a person copies from a page.

Names of roles may have any character but ``/`` and ``%``. ``kubectl delete clusterroles --all`` deletes every role.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dashboard.objects.kinds.catalog import KindInfo, find_kind
from dashboard.pages.bulk.kubectl import kubectl_commands
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import Item
from dashboard.pages.delete.kubectl import delete_command, finalizer_command
from dashboard.pages.delete.options import DeleteOptions
from dashboard.pages.lists.kubectl import object_commands
from dashboard.pages.writes.kubectl import patch_command
from dashboard.pages.writes.target import Target
from tests.support.controlplane import ControlPlane
from tests.support.kubectl import kubectl_binary
from tests.support.objects.rows import row_of
from tests.support.skip_if_missing import missing

pytestmark = [pytest.mark.controlplane, pytest.mark.program]

KEY = "clusterroles.rbac.authorization.k8s.io"
KIND = "clusterrole.rbac.authorization.k8s.io"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
NAMES = ["--all", "-A", "-", "plain", "a=b", "web-", "a,b", "a b; id", "it's", "l\nm", "e\x1b[31m", "turned\u202ex"]


@dataclass
class Shell:
    """A person's shell, with a kubectl that changes nothing."""

    folder: Path
    kubeconfig: Path

    def run(self, command: str) -> str:
        """What a command prints; an error of kubectl fails the test."""
        environ = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "KUBECONFIG": str(self.kubeconfig)}
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environ, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def shell(controlplane: ControlPlane, tmp_path: Path) -> Shell:
    binary = kubectl_binary()
    if binary is None:
        missing("kubectl", "none in KUBEBUILDER_ASSETS or PATH")
    wrapper = tmp_path / "kubectl"
    wrapper.write_text(f'#!/bin/sh\n[ "$1" = get ] && exec {binary} "$@"\nexec {binary} --dry-run=server "$@"\n')
    wrapper.chmod(0o755)
    return Shell(tmp_path, controlplane.kubeconfig)


@pytest.fixture(scope="module")
def roles(controlplane: ControlPlane) -> Iterator[list[dict[str, Any]]]:
    """Roles with all these names."""
    body = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": []}
    made = [controlplane.create(ROLES, {**body, "metadata": {"name": name}}) for name in NAMES]
    yield made
    for name in NAMES:
        controlplane.delete(role_path(name))


def role_path(name: str) -> str:
    return kind().resource.path("", name)


def kind() -> KindInfo:
    found = find_kind(KEY)
    assert found is not None
    return found


@pytest.mark.usefixtures("roles")
@pytest.mark.parametrize("name", NAMES)
def test_a_command_for_one_object_is_about_that_object_alone(shell: Shell, name: str) -> None:
    target = Target(kind(), "", name)
    deleted = shell.run(f"kubectl {delete_command(target, DeleteOptions('Orphan', 0))}")
    assert deleted == f'{KIND} "{name}" force deleted (server dry run)\n'
    assert shell.run(f"kubectl {patch_command(target, ('metadata', 'labels', 'a'), 'b')}").startswith(
        f"{KIND}/{name} patched"
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_command_that_removes_a_finalizer_is_about_that_object_alone(
    shell: Shell, roles: list[dict[str, Any]], name: str
) -> None:
    metadata = next(role["metadata"] for role in roles if role["metadata"]["name"] == name)
    command = finalizer_command(Target(kind(), "", name), metadata["uid"], metadata["resourceVersion"], [])
    assert shell.run(f"kubectl {command}").startswith(f"{KIND}/{name} patched")


def test_a_command_for_a_selection_lists_exactly_these(shell: Shell, roles: list[dict[str, Any]]) -> None:
    (command,) = object_commands(kind(), [row_of(KEY, role) for role in roles])
    listed = [line.split("  ")[0] for line in shell.run(f"kubectl {command}").splitlines()]
    assert listed[0] == "NAME"
    assert len(listed) == 1 + len(NAMES)
    assert {name for name in NAMES if name.isprintable()} <= set(listed)


@pytest.mark.long
@pytest.mark.usefixtures("roles")
@pytest.mark.parametrize(
    ("verb", "done"), [("delete", "deleted"), ("label", "labeled"), ("annotate", "annotated"), ("patch", "patched")]
)
def test_the_commands_of_a_bulk_run_are_about_its_objects_alone(shell: Shell, verb: Any, done: str) -> None:
    items = [Item("", name, str(number), "changed") for number, name in enumerate(NAMES)]
    patch = {"metadata": {"labels" if verb == "label" else "annotations": {"x": "1", "y": None}}}
    lines, number = kubectl_commands(KEY, BulkOperation(verb, {} if verb == "delete" else patch), items)
    assert number == len(lines)
    printed = "".join(shell.run(f"kubectl {line}") for line in lines)
    for name in NAMES:
        about = f'{KIND} "{name}" {done}' if verb == "delete" else f"{KIND}/{name} "
        assert printed.count(about) == 1, name
    assert printed.count(KIND) == len(NAMES)
