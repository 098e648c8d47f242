"""RBAC permissions for one user in a rig's namespace, granted and revoked."""

from __future__ import annotations

from informerd.resource import Resource
from tests.support.informerd.faults.informer_rig import Json, Rig

ROLES = Resource(group="rbac.authorization.k8s.io", version="v1", plural="roles", kind="Role")
BINDINGS = Resource(group="rbac.authorization.k8s.io", version="v1", plural="rolebindings", kind="RoleBinding")
READER = "reader"


async def allow(rig: Rig, user: str) -> None:
    """Let `user` get, list and watch everything of the core group in the rig's namespace."""
    rules = [{"apiGroups": [""], "resources": ["*"], "verbs": ["get", "list", "watch"]}]
    role: Json = {"apiVersion": ROLES.api_version, "kind": "Role", "metadata": {"name": READER}, "rules": rules}
    if rig.key(READER) not in await rig.served(ROLES, rig.namespace):
        await rig.client.create(ROLES, role, rig.namespace)
    binding: Json = {
        "apiVersion": BINDINGS.api_version,
        "kind": "RoleBinding",
        "metadata": {"name": _name(user)},
        "roleRef": {"apiGroup": ROLES.group, "kind": "Role", "name": READER},
        "subjects": [{"apiGroup": ROLES.group, "kind": "User", "name": user}],
    }
    await rig.client.create(BINDINGS, binding, rig.namespace)


async def forbid(rig: Rig, user: str) -> None:
    """Take it away."""
    await rig.client.delete(BINDINGS, _name(user), rig.namespace)


def _name(user: str) -> str:
    return f"{READER}-{user.replace(':', '-')}"
