"""Denials of somebody whose rights are known: pages say at once what the cluster forbids, without a request."""

from __future__ import annotations

from dashboard.access.rights import Rights
from dashboard.cluster.access_reviews import YOU, AccessListener, ResourceAttributes, denial_text


class RightsDenials:
    """What AccessReviews would answer. The rights never change: who has others is in another group."""

    def __init__(self, rights: Rights) -> None:
        self._rights = rights

    async def denial(self, access: ResourceAttributes) -> str:
        """Why the action is not allowed, as a sentence; empty where it is."""
        return self._denial(access)

    def cached_denial(self, access: ResourceAttributes, listener: AccessListener) -> str:  # noqa: ARG002
        """The same without waiting."""
        return self._denial(access)

    def _denial(self, access: ResourceAttributes) -> str:
        key, subresource = access.resource.key, access.subresource
        namespaces = ("", *self._rights.by_namespace) if access.is_anywhere else (access.namespace,)
        if any(self._rights.allows(access.verb, key, each, access.name, subresource) for each in namespaces):
            return ""
        return denial_text(access, YOU)
