"""Expected final content of pages, computed anew from the cluster's objects."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

from django.http import QueryDict

from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.index.matches import FacetCounts
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.objects.kinds.row import Row
from dashboard.objects.kinds.row_owners import owner_uids
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.facets import facets_of
from dashboard.pages.lists.paging import PAGE_SIZE
from tests.support.live.model.browser import ModelBrowser
from tests.support.live.model.simulation import Web, World


def check(world: World) -> None:
    """Every replica, count, view and browser shows what there is, and every gap was noticed and healed."""
    for web in world.webs:
        _check_web(world, web)
    for browser in world.browsers:
        assert browser.beats[-1]["state"] == "live"
        assert browser.beats[-1]["counts"]["pods"] == len(world.cluster.rows)
        if "/team-1/" in browser.address:
            _check_detail(world, browser)
        elif browser.address.startswith("/resources/"):
            _check_list(world, browser)


def _check_web(world: World, web: Web) -> None:
    replica, publisher = web.replica, max((each.publisher for each in world.workers), key=lambda each: each.epoch)
    assert (replica.state, replica.health.state) == ("live", "live")
    assert (replica.epoch, replica.seq) == (publisher.epoch, publisher.seq)
    assert replica.rows == world.cluster.rows
    owners = {uid for row in replica.rows.values() for uid in owner_uids(row)}
    for uid in owners:
        mine = {row.uid for row in replica.rows.values() if uid in owner_uids(row)}
        assert set(replica.by_owner.uids_of(uid)) == mine
    assert len(replica.by_owner) == len(owners), "an owner of nothing is remembered"
    assert replica.gaps == replica.gaps_healed >= web.gaps
    assert web.hub.metrics.view_errors == 0
    fresh = KindSummary("pods")
    fresh.fill(world.cluster.rows.values(), world.clock.time())
    summary = web.hub.summaries["pods"]
    assert +summary.tones == +fresh.tones
    assert summary.unhealthy_rows == fresh.unhealthy_rows
    assert web.doubled == 0, "a change was told twice"
    least, most = web.lost(world.cluster)
    seconds = Counter(int(moment) for moment, _ in world.cluster.changes)  # where a hole begins is known to a second
    most += web.holes * max(seconds.values(), default=0)
    assert web.missed <= most, "more changes are said to be missed than are"
    assert world.summed_up or web.missed >= least, "a change was neither told nor counted"


def _check_list(world: World, browser: ModelBrowser) -> None:
    query = Query.parse(QueryDict(urlsplit(browser.address).query), "pods")
    rows = _matching(world, query)
    pages = max(1, -(-len(rows) // PAGE_SIZE))
    page = min(query.page, pages)
    window = rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    shown = browser.page
    assert shown.standing == [dom_id(row.uid) for row in window]
    for row in window:
        assert f">{row.version} {row.status}<" in shown.html[dom_id(row.uid)]
    facets = FacetCounts((row.status, row.tone) for row in _matching(world, query.without_statuses()))
    counted = sorted((facet.status, facet.count) for facet in facets_of(facets, query))
    view = browser.socket.view
    assert view is not None
    expected = f"lists/_total.html {len(rows)} of {len(world.cluster.rows)}: {counted} {page}"
    assert browser.parts[f"#total-{view.id}"] == expected


def _check_detail(world: World, browser: ModelBrowser) -> None:
    namespace, name = browser.address.strip("/").split("/")[-2:]
    row = next((each for each in world.cluster.rows.values() if (each.namespace, each.name) == (namespace, name)), None)
    view = browser.socket.view
    assert view is not None
    assert browser.parts[f"#detail-{view.id}"] == f"details/_detail.html {row.version if row else 'none'}"


def _matching(world: World, query: Query) -> list[Row]:
    now = world.clock.time()
    return sorted((row for row in world.cluster.rows.values() if query.matches(row, now)), key=query.sort_key)
