"""The right to end everybody's sessions: that to ``deletecollection`` ``sessions`` of the API group ``deltaboard``.

The cluster has no such kind. Its access rules may name it all the same, and the API server answers by them. Without its
yes nobody may: an answer that does not come is a no.
"""

from __future__ import annotations

import asyncio

from django.http import HttpRequest

from dashboard.cluster.access_reviews import REVIEW_TIMEOUT
from dashboard.cluster.connection import CONNECTION
from dashboard.runtime.app_state import state_of
from informerd.errors import InformerdError
from informerd.resource import Resource

REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectaccessreviews",
    kind="SelfSubjectAccessReview",
    namespaced=False,
)
ATTRIBUTES = {"verb": "deletecollection", "group": "deltaboard", "resource": "sessions"}
DENIED = (
    "The cluster's access rules do not let you end everybody's sessions: that needs the right to deletecollection "
    "sessions.deltaboard."
)


async def denial_of_ending_all(request: HttpRequest) -> str:
    """Why the person who asks may not end everybody's sessions, as a sentence; empty where they may."""
    client = state_of(request)[CONNECTION].client
    if client is None:
        return "There is no connection to the cluster, which has to say whether you may end everybody's sessions."
    review = {"apiVersion": REVIEWS.api_version, "kind": REVIEWS.kind, "spec": {"resourceAttributes": ATTRIBUTES}}
    try:
        async with asyncio.timeout(REVIEW_TIMEOUT):
            status = (await client.create(REVIEWS, review)).object().get("status") or {}
    except (InformerdError, TimeoutError) as error:
        return f"The cluster does not say whether you may end everybody's sessions: {error}"
    return "" if status.get("allowed") is True else DENIED
