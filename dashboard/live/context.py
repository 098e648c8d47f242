"""How views and consumers reach the process's live parts: they travel in the ASGI scope, nothing is global."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from django.http import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.access.rights import Rights
    from dashboard.authors.authors import Authors
    from dashboard.bulk.runner import Bulks
    from dashboard.census.link import CensusLink
    from dashboard.controllers.link import ControllerLink
    from dashboard.drafts.shelf import Shelf
    from dashboard.drains.runner import Drains
    from dashboard.edits.remembered import Remembered
    from dashboard.edits.schemas import Schemas
    from dashboard.live.hub import Hub
    from dashboard.live.interest import Interest
    from dashboard.live.replicas import Replicas
    from dashboard.resources.kinds import KindInfo
    from informerd.clock import Clock
    from informerd.rest.client import Client
    from informerd.rest.cluster import ClusterConfig
    from informerd.rest.discovery import Discovery

SCOPE_KEY = "deltaboard"
USER_KEY = "deltaboard.user"


class LiveParts(Protocol):
    """What dashboard/wiring.py puts together for one process."""

    @property
    def replicas(self) -> Replicas: ...

    @property
    def hub(self) -> Hub: ...

    @property
    def interest(self) -> Interest: ...

    @property
    def client(self) -> Client | None:
        """None only while the cluster's configuration cannot be used; `problem` then says why."""

    @property
    def discovery(self) -> Discovery | None: ...

    @property
    def cluster(self) -> ClusterConfig: ...

    @property
    def kinds(self) -> tuple[KindInfo, ...]: ...

    @property
    def schemas(self) -> Schemas: ...

    @property
    def texts(self) -> Remembered[Any]:
        """The objects of documents that were checked (dashboard.creating.seen_texts)."""

    @property
    def drafts(self) -> Shelf: ...

    @property
    def authors(self) -> Authors: ...

    @property
    def drains(self) -> Drains: ...

    @property
    def bulks(self) -> Bulks: ...

    @property
    def rights(self) -> Rights: ...

    @property
    def controllers(self) -> ControllerLink: ...

    @property
    def census(self) -> CensusLink: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def problem(self) -> str:
        """What keeps the whole dashboard from the cluster, as a sentence; empty when nothing does."""

    @property
    def cannot_watch(self) -> bool:
        """Whether the worker is this process's own and cannot begin; `problem` says why, no replica hears of it."""

    def metrics(self) -> tuple[bytes, str]:
        """What this process counts, for Prometheus, and its content type."""

    @property
    def kubeconfig(self) -> str:
        """The file without which kubectl does not find this cluster, as a demo cluster's; empty: it needs none."""

    @property
    def version(self) -> str:
        """The API server's version, ``v1.37.1``; empty until it answered."""


def live_of(carrier: HttpRequest | Mapping[str, Any]) -> LiveParts:
    """The live parts that belong to a request or an ASGI scope.

    Raises LookupError where the application was not wired, as in a test that calls a view with a bare request.
    """
    scope = _scope(carrier)
    try:
        return cast("LiveParts", scope[SCOPE_KEY])
    except KeyError:
        raise LookupError("this scope was not wired: dashboard/wiring.py puts the live parts there") from None


def user_of(carrier: HttpRequest | Mapping[str, Any]) -> str:
    """Who a signing-in proxy says this is (DELTABOARD_TRUST_PROXY_USER); empty where no proxy signs in."""
    return str(_scope(carrier).get(USER_KEY, ""))


def _scope(carrier: HttpRequest | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(carrier, HttpRequest):
        return cast("Mapping[str, Any]", getattr(carrier, "scope", {}))
    return carrier
