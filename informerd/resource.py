"""Resource: a kind of object as the API server serves it (group, version, plural and what discovery adds)."""

from __future__ import annotations

from urllib.parse import quote

import msgspec


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A group/version/resource with the names and abilities that discovery gives it."""

    group: str = ""
    version: str
    plural: str
    kind: str
    singular: str = ""
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    verbs: frozenset[str] = frozenset()
    subresources: frozenset[str] = frozenset()
    """``status``, ``scale``, …; empty without discovery."""

    @property
    def key(self) -> str:
        """kubectl's name for it: ``pods``, ``mydemos.crddemo.k8s.io``. Used in addresses, feeds and settings."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        """As written in a manifest: ``v1``, ``crddemo.k8s.io/v1``."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL path of the collection, of one object or of its subresource.

        An empty namespace means all namespaces, or none for cluster-scoped resources.
        """
        prefix = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        parts = [prefix]
        if namespace and self.namespaced:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        if subresource:
            parts.append(quote(subresource, safe="/"))
        return "/".join(parts)


PODS = Resource(version="v1", plural="pods", kind="Pod", singular="pod", short_names=("po",))
MYDEMOS = Resource(group="crddemo.k8s.io", version="v1", plural="mydemos", kind="Mydemo", singular="mydemo")
