"""What has to be shown in the end, worked out anew from what the cluster has."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

from django.http import QueryDict

from dashboard.live.facets import facets_of
from dashboard.live.lines import dom_id
from dashboard.live.matches import Facets
from dashboard.live.messages import Row
from dashboard.live.ownership import owner_uids
from dashboard.live.paging import WINDOW
from dashboard.live.wrong_rows import Summary
from dashboard.resources.query import Query
from tests.live.model.browser import ModelBrowser
from tests.live.model.world import Web, World


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
        assert set(replica.by_owner.of(uid)) == mine
    assert len(replica.by_owner) == len(owners), "an owner of nothing is remembered"
    assert replica.gaps == replica.gaps_healed >= web.gaps
    assert web.hub.metrics.view_errors == 0
    fresh = Summary("pods")
    fresh.fill(world.cluster.rows.values(), world.clock.time())
    summary = web.hub.summaries["pods"]
    assert +summary.tones == +fresh.tones
    assert summary.wrong == fresh.wrong
    assert web.doubled == 0, "a change was told twice"
    least, most = web.lost(world.cluster)
    seconds = Counter(int(moment) for moment, _ in world.cluster.changes)  # where a hole begins is known to a second
    most += web.holes * max(seconds.values(), default=0)
    assert web.missed <= most, "more changes are said to be missed than are"
    assert world.summed_up or web.missed >= least, "a change was neither told nor counted"


def _check_list(world: World, browser: ModelBrowser) -> None:
    query = Query.parse(QueryDict(urlsplit(browser.address).query), "pods")
    rows = _matching(world, query)
    pages = max(1, -(-len(rows) // WINDOW))
    page = min(query.page, pages)
    window = rows[(page - 1) * WINDOW : page * WINDOW]
    shown = browser.page
    assert shown.standing == [dom_id(row.uid) for row in window]
    for row in window:
        assert f">{row.version} {row.status}<" in shown.html[dom_id(row.uid)]
    facets = Facets((row.status, row.tone) for row in _matching(world, query.without_statuses()))
    counted = sorted((facet.status, facet.count) for facet in facets_of(facets, query))
    view = browser.socket.view
    assert view is not None
    expected = f"resources/_total.html {len(rows)} of {len(world.cluster.rows)}: {counted} {page}"
    assert browser.parts[f"#total-{view.id}"] == expected


def _check_detail(world: World, browser: ModelBrowser) -> None:
    namespace, name = browser.address.strip("/").split("/")[-2:]
    row = next((each for each in world.cluster.rows.values() if (each.namespace, each.name) == (namespace, name)), None)
    view = browser.socket.view
    assert view is not None
    assert browser.parts[f"#detail-{view.id}"] == f"resources/_detail.html {row.version if row else 'none'}"


def _matching(world: World, query: Query) -> list[Row]:
    now = world.clock.time()
    return sorted((row for row in world.cluster.rows.values() if query.matches(row, now)), key=query.sort_key)
