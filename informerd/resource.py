"""Resource: a kind of object as the API server serves it (group, version, plural and what discovery adds)."""

from __future__ import annotations

from urllib.parse import quote

import msgspec

from informerd.errors import InvalidCall

_OUT_OF_PLACE = frozenset("/%?#")


def check_path_segment(what: str, text: object, problem: str = "") -> None:
    """Raises InvalidCall for a name that cannot stand in an address: it would be another object's, or a subresource.

    Those are the names that apimachinery's IsValidPathSegmentName refuses (``.``, ``..``, and all with ``/`` or ``%``),
    and all with ``?`` or ``#``, which no API server takes and which end a path.
    """
    if not isinstance(text, str) or not text or text in {".", ".."} or not _OUT_OF_PLACE.isdisjoint(text):
        problem = problem or f"is not a valid {what}"
        raise InvalidCall(f"{text!r} {problem}: it may not be empty, '.' or '..', nor hold / % ? or #")


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A group/version/resource with the names and abilities that discovery gives it."""

    group: str = ""
    version: str
    plural: str
    kind: str
    singular: str = ""
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Names of groups of kinds that kubectl knows, such as ``all``; empty without discovery."""
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

        An empty namespace means all namespaces, or none for cluster-scoped resources. Raises InvalidCall for names that
        would lead elsewhere, see `check_path_segment`.
        """
        for what, text in (("namespace", namespace), ("name", name)):
            if text:
                check_path_segment(what, text)
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


PODS = Resource(
    version="v1",
    plural="pods",
    kind="Pod",
    singular="pod",
    short_names=("po",),
    categories=("all",),
    verbs=frozenset(("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")),
    subresources=frozenset(
        (
            "attach",
            "binding",
            "ephemeralcontainers",
            "eviction",
            "exec",
            "log",
            "portforward",
            "proxy",
            "resize",
            "status",
        )
    ),
)
"""The resource of pods, as `informerd.resources` has those of the other built-in kinds."""
MYDEMOS = Resource(group="crddemo.k8s.io", version="v1", plural="mydemos", kind="Mydemo", singular="mydemo")
"""The resource of the sample kind that docs and sample controllers use."""
