"""Denials of somebody whose rights are known: pages say at once what the cluster forbids, without a request."""

from __future__ import annotations

from dashboard.access.rights import Rights
from dashboard.cluster.access_reviews import YOU, AccessListener, ResourceAttributes, denial_text


class RightsDenials:
    """A DenialLookup. The rights never change: who has others is in another group."""

    def __init__(self, rights: Rights) -> None:
        self._rights = rights

    def __call__(self, access: ResourceAttributes, listener: AccessListener) -> str:  # noqa: ARG002
        """Why the action is not allowed, as a sentence; empty where it is."""
        is_allowed = self._rights.allows(
            access.verb, access.resource.key, access.namespace, access.name, access.subresource
        )
        return "" if is_allowed else denial_text(access, YOU)
