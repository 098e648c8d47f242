"""Clients that act for people: each request says for whom it is, and the API server judges it by their rights."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.access.person import Person
from dashboard.cluster.connection import ClusterAccess
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, Impersonation
from informerd.rest.discovery import Discovery


class PersonClients:
    """Makes them of the account's client, which `client` returns.

    Unless it `impersonates`, everybody acts with the rights of the account.
    """

    def __init__(self, client: Callable[[], Client | None], *, impersonates: bool) -> None:
        self._client = client
        self.impersonates = impersonates

    def client_of(self, person: Person) -> Client | None:
        """The client that acts for `person`; None without a cluster, and for nobody where people act for themselves."""
        client = self._client()
        if client is None or not self.impersonates:
            return client
        if not person.name:
            return None
        return client.impersonate(Impersonation(user=person.name, groups=person.groups, uid=person.uid))


class PersonConnection:
    """The cluster of `connection`, with a client that acts for one person."""

    def __init__(self, connection: ClusterAccess, clients: PersonClients, person: Person) -> None:
        self._connection = connection
        self._clients = clients
        self._person = person

    @property
    def client(self) -> Client | None:
        return self._clients.client_of(self._person)

    @property
    def discovery(self) -> Discovery | None:
        """The account's own: everybody who is signed in may read it."""
        return self._connection.discovery

    @property
    def cluster(self) -> ClusterConfig:
        return self._connection.cluster

    @property
    def version(self) -> str:
        return self._connection.version

    @property
    def kubectl(self) -> str:
        return self._connection.kubectl

    @property
    def is_demo(self) -> bool:
        return self._connection.is_demo
