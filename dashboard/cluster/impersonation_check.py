"""Whether Deltaboard's account may impersonate people, and in which form; logged at the start."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

from dashboard.cluster.access_reviews import ResourceAttributes, is_allowed
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

RETRY_INTERVAL = 5.0
Form = Literal["constrained", "plain", "none"]
"""constrained: verb impersonate:user-info, of Kubernetes 1.36 and later · plain: verb impersonate."""
WORDS: dict[Form, str] = {
    "constrained": "People act with their own rights, by constrained impersonation: the account may do for them what "
    "its role lists, and nothing else.",
    "plain": "People act with their own rights, by plain impersonation: whoever gets hold of the account has the "
    "rights of everybody. From Kubernetes 1.36 on, apply deploy/rbac/people.yaml instead.",
    "none": "Deltaboard's account may not impersonate anybody, so nobody is shown anything. "
    "Apply deploy/rbac/people.yaml (before Kubernetes 1.36 people-before-1.36.yaml), or set DELTABOARD_RIGHTS=account.",
}


def _resource(group: str, plural: str, kind: str) -> Resource:
    return Resource(group=group, version="v1", plural=plural, kind=kind, namespaced=False)


_CONSTRAINED = (
    ResourceAttributes("impersonate:user-info", _resource("authentication.k8s.io", "users", "User")),
    ResourceAttributes(
        "impersonate-on:user-info:create",
        _resource("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview"),
    ),
)
_EVERYTHING = ResourceAttributes("*", _resource("*", "*", "*"))
ADMINISTRATOR = (
    "Deltaboard's account may do everything in the cluster, as an administrator's: whoever gets hold of it may, too. "
    "Use an account with the rights of deploy/rbac/people.yaml (docs/access.md)."
)
_PLAIN = (ResourceAttributes("impersonate", _resource("", "users", "User")),)


async def impersonation_form(client: Client) -> Form:
    """How the client's user may act for others. Raises ApiError and Unreachable."""
    if all([await is_allowed(client, each) for each in _CONSTRAINED]):
        return "constrained"
    return "plain" if all([await is_allowed(client, each) for each in _PLAIN]) else "none"


async def log_impersonation_form(client: Callable[[], Client | None], clock: Clock) -> None:
    """Log it once, as soon as the cluster answers."""
    while True:
        if (known := client()) is not None:
            try:
                form = await impersonation_form(known)
                is_administrator = await is_allowed(known, _EVERYTHING)
            except InformerdError as error:
                logger.debug("it is not known yet how the account may act for people: %s", error)
            else:
                logger.log(logging.WARNING if form == "none" else logging.INFO, "%s", WORDS[form])
                if is_administrator:
                    logger.warning("%s", ADMINISTRATOR)
                return
        await clock.sleep(RETRY_INTERVAL)
