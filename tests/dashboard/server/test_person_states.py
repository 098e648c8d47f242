"""Tests of people's states: what a page has while the rows that its person may see are being counted."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest

from dashboard.access.person import Person
from dashboard.cluster.access_probe import AccessProbe
from dashboard.cluster.connection import CONNECTION, Connection
from dashboard.cluster.people_rights import PeopleRights
from dashboard.cluster.person_clients import PersonClients
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.rights_groups import RightsGroups
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.replication.replicas import REPLICAS, Replicas
from dashboard.objects.kinds.catalog import find_builtin_kind
from dashboard.runtime import time_slicing
from dashboard.runtime.app_state import CLOCK, AppState
from dashboard.server.person_states import COUNTING, PersonState, PersonStates
from informerd.resource import Resource
from informerd.rest.client import Client
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site
from tests.support.wait import eventually

RULES = [{"verbs": ["list"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["web"]}]


class Cluster:
    """Lets everybody see the pods that are called web."""

    async def create(self, resource: Resource, review: object) -> Cluster:
        return self

    def decode(self, kind: type[object]) -> object:
        return msgspec.convert({"status": {"incomplete": False, "resourceRules": RULES}}, kind)


async def test_until_rows_are_counted_a_page_shows_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_slicing, "EAGER_STEPS", 0)
    site = Site(*(("pods", made("Pod", name)) for name in ("web", "db")))
    client = cast("Client", Cluster())
    rights = PeopleRights(
        lambda: None, lambda _: client, site.clock, namespaces=list, probe=AccessProbe(list)
    )  # fmt: skip
    groups = RightsGroups(site.feeds, site.parts.hub, site.clock, find_kind=find_builtin_kind)
    base = AppState(
        {
            HUB: site.parts.hub, REPLICAS: cast("Replicas", site.feeds), CLOCK: site.clock, OBJECT_COUNTS: site.census,
            CONNECTION: cast("Connection", site.parts),
        }
    )  # fmt: skip
    states = PersonStates(base, rights, groups, PersonClients(lambda: None, impersonates=True))
    page = PersonState(states, await rights.find(Person("anna")), "/")
    assert page.state[HUB].connection_problem() == COUNTING
    assert len(page.state[REPLICAS].get("pods").rows) == 0
    heard: list[bool] = []
    page.on_change = lambda: heard.append(page.renew())
    await eventually(lambda: heard)
    assert heard == [True]
    assert page.state[HUB].connection_problem() == ""
    assert [row.name for row in page.state[REPLICAS].get("pods").rows.values()] == ["web"]
    other = await states.open(Person("ben"), "/")
    assert other.state[HUB] is page.state[HUB]
    for each in (page, other):
        each.close()
    await rights.sweep()
