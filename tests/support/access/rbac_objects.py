"""Roles and bindings of a real cluster, written for tests, and deleted at their end."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from uuid import uuid4

from tests.support.controlplane import ApiFailure, ControlPlane

GROUP = "rbac.authorization.k8s.io"
PATH = f"/apis/{GROUP}/v1"

PolicyRule = dict[str, Any]


def policy_rule(verbs: str, resources: str = "pods", *, group: str = "", names: Iterable[str] = ()) -> PolicyRule:
    """A rule of words, such as ``policy_rule("get list", "pods pods/log")``."""
    rule: PolicyRule = {"verbs": verbs.split(), "apiGroups": [group], "resources": resources.split()}
    return {**rule, "resourceNames": [*names]} if names else rule


class RbacObjects:
    """Makes roles with a binding each. As a context manager it deletes all of them."""

    def __init__(self, cluster: ControlPlane) -> None:
        self._cluster = cluster
        self._paths: list[str] = []

    def __enter__(self) -> RbacObjects:
        return self

    def __exit__(self, *_: object) -> None:
        for path in reversed(self._paths):
            with suppress(ApiFailure):
                self._cluster.delete(path)

    def grant(self, subject: str, *rules: PolicyRule, namespace: str = "") -> str:
        """Give ``User/name`` or ``Group/name`` these rights, in one namespace or everywhere.

        Returns the path of the binding.
        """
        name = f"test-{uuid4().hex[:12]}"
        role, binding = ("Role", "RoleBinding") if namespace else ("ClusterRole", "ClusterRoleBinding")
        folder = f"{PATH}/namespaces/{namespace}" if namespace else PATH
        self._create(f"{folder}/{role.lower()}s", {"kind": role, "metadata": {"name": name}, "rules": [*rules]})
        kind, _, who = subject.partition("/")
        subjects = [{"kind": kind, "name": who, "apiGroup": GROUP}]
        body = {"kind": binding, "subjects": subjects, "roleRef": {"kind": role, "name": name, "apiGroup": GROUP}}
        return self._create(f"{folder}/{binding.lower()}s", {**body, "metadata": {"name": name}})

    def role_of(self, binding: str) -> str:
        """The path of the role that `grant` made for a binding."""
        return binding.replace("rolebindings/", "roles/")

    def _create(self, collection: str, body: dict[str, Any]) -> str:
        created = self._cluster.create(collection, {"apiVersion": f"{GROUP}/v1", **body})
        path = f"{collection}/{created['metadata']['name']}"
        self._paths.append(path)
        return path
