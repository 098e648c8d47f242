"""Clients that act for people: each request says for whom it is, and the API server judges it by their rights."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.access.person import Person
from informerd.rest.client import Client
from informerd.rest.cluster_config import Impersonation


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
