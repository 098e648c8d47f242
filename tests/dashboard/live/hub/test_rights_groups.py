"""Tests of people with the same rights: their pages are those of a cluster that has nothing but what they may see."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import msgspec
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dashboard.access.rights import Rights, Rule
from dashboard.live.hub.browser_socket import Message, Socket
from dashboard.live.hub.rights_groups import GROUP_TTL, RightsGroups
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.unwatched_list import KindList
from dashboard.live.usage.scoped_usage import ScopedUsage
from dashboard.objects.kinds.catalog import KINDS, find_builtin_kind
from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import open_list
from tests.support.live.fake_usage import FakeUsage, usage
from tests.support.live.replica_feeder import pod as pod_row
from tests.support.long_tests import examples
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.site_without_cluster import Site, WiredClient
from tests.support.wait import eventually

Object = tuple[str, Json]

NAMESPACES = ("shop", "bank", "search")
PAGES = (
    "/", "/?namespace=shop", "/feed/", "/feed/?q=web", "/feed/?namespace=bank", "/kinds/", "/namespaces/",
    "/freshness/", "/search/?q=web", "/search/?q=mark", "/resources/pods/", "/resources/pods/?q=mark&sort=-name",
    "/resources/pods/?q=status%3DRunning", "/resources/events/", "/resources/secrets/", "/resources/nodes/",
    "/resources/deployments.apps/", "/resources/namespaces/", "/resources/pods/export.csv",
    "/resources/events/export.json", "/resources/pods/complete?q=node%3D", "/resources/pods/complete?q=label%3A",
    "/resources/pods/matching/",
    "/resources/pods/?sort=-cpu", "/resources/pods/?q=memory>0.1Gi", "/resources/pods/?q=cpu%3D",
)  # fmt: skip
"""Pages and files; each object's details and YAML come on top."""
PASSING = re.compile(
    r'''seq=[0-9a-f]+-[0-9]+|data-seq="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|"X-CSRFToken": *"[^"]*"'''
    r"""|<li id="e[0-9a-z_-]+"|<div class="empty" id="quiet-.*?</div>""",
    re.DOTALL,
)
"""What differs from one page to the next, whoever asks; the numbers of lines of the feed, which count all changes of a
kind; and what the feed says where it shows nothing: somebody who may see a part is not told how many changes are known.
"""


def objects() -> list[Object]:
    """Two of each kind in each namespace; each name has a mark that says where it is."""
    found: list[Object] = [("namespaces", made("Namespace", name, namespace="")) for name in NAMESPACES]
    found += [("nodes", made("Node", f"mark-node-{number}", namespace="")) for number in (1, 2)]
    for namespace in NAMESPACES:
        for number in (1, 2):
            name = f"web-mark-{namespace}-{number}"
            parts: Json = {
                "metadata": {"labels": {"app": f"mark-{namespace}"}},
                "spec": {"nodeName": f"mark-node-{number}"},
                "status": {"phase": "Running" if number == 1 else "Failed"},
            }
            pod = made("Pod", name, namespace=namespace, **parts)
            found += [
                ("pods", pod),
                ("secrets", made("Secret", f"key-mark-{namespace}-{number}", namespace=namespace, data={"a": "bQ=="})),
                ("deployments.apps", made("Deployment", name, namespace=namespace, api_version="apps/v1")),
                ("events", event_about("Pod", name, namespace)),
                ("events", event_about("Secret", f"key-mark-{namespace}-{number}", namespace)),
            ]
    found.append(("events", event_about("Node", "mark-node-1", "", of="shop")))
    return found


def event_about(kind: str, name: str, namespace: str, *, of: str = "") -> Json:
    about = {"apiVersion": "v1", "kind": kind, "name": name, "namespace": namespace}
    parts: Json = {"involvedObject": about, "type": "Warning", "reason": "Marked", "message": f"about {name}"}
    return made("Event", f"event-{kind.lower()}-{name}", namespace=of or namespace, **parts)


def rule(verbs: str, resources: str, names: Iterable[str] = ()) -> Rule:
    return Rule(
        frozenset(verbs.split()),
        frozenset({"", "apps", "metrics.k8s.io"}),
        frozenset(resources.split()),
        frozenset(names),
    )


RULES = st.builds(
    rule,
    st.sampled_from(["list", "watch", "get", "*", "get list watch", "create"]),
    st.sampled_from(
        ["pods", "events", "secrets", "nodes", "namespaces", "deployments", "pods events", "*", "pods/log"]
    ),
    st.one_of(st.just(()), st.just(("web-mark-shop-1",)), st.just(("mark-node-1", "shop", "key-mark-bank-2"))),
)
RIGHTS = st.builds(
    lambda everywhere, own: Rights(everywhere, own),
    st.lists(RULES, max_size=2),
    st.dictionaries(st.sampled_from(NAMESPACES), st.lists(RULES, min_size=1, max_size=3), max_size=2),
)


def is_visible(rights: Rights, key: str, obj: Json) -> bool:
    """The same as of a row, told from the object itself."""
    place = place_of(obj)
    if not rights.scope_of(key).includes(*place):
        return False
    if key != "events":
        return True
    about = obj["involvedObject"]
    subject = find_builtin_kind(about["kind"], "")
    assert subject is not None
    return rights.scope_of(subject.key).includes(about["namespace"], about["name"])


class _VisibleUsage(FakeUsage):
    """With the sentences about missing rights, which are there and not "nothing is used"."""

    def __init__(self, rights: Rights) -> None:
        super().__init__()
        self.missing_right = ScopedUsage(FakeUsage(), rights).missing_right  # type: ignore[method-assign]


def used(visible_to: Rights | None = None) -> FakeUsage:
    """What each object uses, as far as somebody with these rights may read it."""
    told = FakeUsage() if visible_to is None else _VisibleUsage(visible_to)
    found = ((key, *place_of(obj)) for key, obj in objects() if key not in ("events", "secrets"))
    told.state_all(
        (key, usage(f"{namespace}/{name}" if namespace else name, 0.1 * len(name), 7 * len(name), of_mebibytes=900))
        for key, namespace, name in found
        if visible_to is None or is_usage_visible(visible_to, key, namespace, name)
    )
    return told


def is_usage_visible(rights: Rights, key: str, namespace: str, name: str) -> bool:
    """Whether `kubectl top` would print it, or all that a sum is of."""
    if key in ("pods", "nodes"):
        return rights.scope_of(f"{key}.metrics.k8s.io").includes(namespace, name)
    summed = name if key == "namespaces" else namespace
    return any(rights.allows(verb, "pods.metrics.k8s.io", summed) for verb in ("list", "watch"))


def place_of(obj: Json) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def is_hidden(rights: Rights, key: str) -> bool:
    """Whether no object of a kind may be seen, whatever there is."""
    scope = rights.scope_of(key)
    if key in ("nodes", "namespaces"):
        return not (scope.is_everything or scope.names_anywhere or any(not where for where, _ in scope.names))
    return scope.is_empty


@dataclass
class Person:
    """A site, and the pages of somebody with these rights."""

    site: Site
    groups: RightsGroups
    client: WiredClient
    rights: Rights


@asynccontextmanager
async def person(rights: Rights) -> AsyncIterator[Person]:
    known = used()
    site = Site(*objects(), usage=known)
    groups = RightsGroups(
        site.feeds, site.parts.hub, site.clock, find_kind=find_builtin_kind, note_of=lambda *_: "", usage=known
    )
    group = groups.get(rights)
    parts = replace(site.parts, replicas=group.replicas, hub=group.hub)  # type: ignore[arg-type] # the same protocol
    running = asyncio.create_task(groups.run())
    try:
        yield Person(site, groups, WiredClient(parts), rights)
    finally:
        running.cancel()
        await asyncio.wait([running])


async def content(client: WiredClient, path: str) -> tuple[int, str]:
    """Status and text of a page, without what passes."""
    response = await client.get(path)
    body = b"".join([each async for each in response]) if response.streaming else response.content  # type: ignore[attr-defined]
    return response.status_code, PASSING.sub("", body.decode())


def paths() -> Iterable[str]:
    yield from PAGES
    for key, obj in objects():
        metadata = obj["metadata"]
        path = f"/resources/{key}/{metadata.get('namespace') or '-'}/{metadata['name']}/"
        yield from (path, f"{path}yaml/")


def change_all(site: Site, visible: Iterable[Object]) -> None:
    """A change of each object, in the order of all of them."""
    for key, obj in visible:
        target = obj.get("involvedObject")
        about = EventSubject(target["kind"], "", target["namespace"], target["name"]) if target else None
        site.feeder(key).put(row_of(key, obj), about=about)


MANY = 15_000
"""Rows that take many slices to count."""
OBJECTS = objects()
PATHS = [*paths()]


@pytest.mark.long
@settings(
    max_examples=examples(90),
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(RIGHTS, st.lists(st.sampled_from(PATHS), min_size=8, max_size=8, unique=True))
@pytest.mark.slow
def test_pages_are_those_of_a_cluster_that_has_what_one_may_see(rights: Rights, paths: list[str]) -> None:
    async def compare() -> None:
        async with person(rights) as somebody:
            visible = [each for each in OBJECTS if is_visible(rights, *each)]
            small = Site(*visible, usage=used(rights))
            for feeder in small.feeds.feeders.values():  # no right to a kind is said, and is not "there is none"
                feeder.replica.is_hidden = is_hidden(rights, feeder.key)
            change_all(somebody.site, OBJECTS)
            change_all(small, visible)
            for path in ["/", "/feed/", *paths]:
                assert await content(somebody.client, path) == await content(small.client, path), path

    asyncio.run(compare())


@pytest.mark.slow
async def test_whoever_may_see_everything_gets_the_pages_of_everybody() -> None:
    everything = Rights([Rule(frozenset("*"), frozenset("*"), frozenset("*"))])
    async with person(everything) as somebody:
        change_all(somebody.site, OBJECTS)
        for path in PATHS:
            assert await content(somebody.client, path) == await content(somebody.site.client, path), path


async def test_who_may_see_nothing_of_a_kind_is_told_so_and_not_that_there_is_none() -> None:
    async with person(Rights([], {"shop": [rule("list", "pods")]})) as somebody:
        _, overview = await content(somebody.client, "/")
        assert "not yours to see" in overview
        assert 'title="Your rights do not include them."' in overview
        assert "Pods are covered." in overview
        assert "Nodes" not in overview.partition("are covered.")[0].rpartition("<p")[2]
        _, nodes = await content(somebody.client, "/resources/nodes/")
        assert "You may not see Nodes" in nodes
        assert "The first one appears here" not in nodes
        _, pods = await content(somebody.client, "/resources/pods/?namespace=bank")
        assert "You may not see" not in pods


async def test_a_role_within_a_namespace_shows_nothing_that_has_none() -> None:
    async with person(Rights([], {"shop": [Rule(frozenset("*"), frozenset("*"), frozenset("*"))]})) as somebody:
        _, nodes = await content(somebody.client, "/resources/nodes/")
        assert "You may not see Nodes" in nodes


async def test_while_rights_are_not_known_nothing_is_said_about_them() -> None:
    async with person(Rights([])) as somebody:
        group = somebody.groups.get(Rights([]), problem="Deltaboard is asking.")
        parts = replace(somebody.site.parts, replicas=group.replicas, hub=group.hub)  # type: ignore[arg-type]
        for path in ("/", "/resources/pods/"):
            _, html = await content(WiredClient(parts), path)
            assert "It is not known what you may see" in html
            assert "not yours to see" not in html
            assert "You may not see" not in html


async def test_who_may_see_nothing_is_not_told_that_the_cluster_is_empty() -> None:
    async with person(Rights([])) as somebody:
        _, overview = await content(somebody.client, "/")
        assert "You may see none of the kinds that are followed" in overview
        assert "create deployment" not in overview
        assert "is wrong" not in overview


SHOP = Rights([], {"shop": [rule("list", "pods")]})
SHOP_AND_SECRETS = Rights([rule("list", "secrets")], {"shop": [rule("list", "pods")]})


async def test_people_with_the_same_rights_share_a_hub_and_others_do_not() -> None:
    async with person(SHOP) as somebody:
        same = Rights([], {"shop": [rule("list", "pods"), rule("list", "pods")]})
        assert somebody.groups.get(same) is somebody.groups.get(SHOP)
        assert somebody.groups.get(Rights([], {"bank": [rule("list", "pods")]})) is not somebody.groups.get(SHOP)
        assert len(somebody.groups) == 2


async def test_a_frame_comes_for_a_change_of_what_is_visible_and_for_no_other() -> None:
    async with person(SHOP) as somebody:
        hub = somebody.groups.get(SHOP).hub
        view = open_list(hub, KINDS["pods"], Query.parse(QueryDict(), "pods"))
        render = Renderer(render_to_string)
        await hub.wait_for_rows(KINDS["pods"], Query.parse(QueryDict(), "pods"))
        view.update(render)
        pods = {obj["metadata"]["name"]: obj for key, obj in OBJECTS if key == "pods"}
        hidden = {**pods["web-mark-bank-1"], "status": {"phase": "Failed", "reason": "Evicted"}}
        somebody.site.feeder("pods").put(row_of("pods", hidden))
        assert not view.dirty
        shown = {**pods["web-mark-shop-1"], "status": {"phase": "Failed", "reason": "Evicted"}}
        somebody.site.feeder("pods").put(row_of("pods", shown))
        html = view.update(render)
        assert "Evicted" in html
        assert "bank" not in html


async def test_a_kind_that_is_followed_later_is_scoped_too_and_goes_with_its_kind() -> None:
    async with person(SHOP) as somebody:
        group, hub = somebody.groups.get(SHOP), somebody.site.parts.hub
        leases = KINDS["leases.coordination.k8s.io"]
        somebody.site.feeds.follow(leases)
        hub.follow(leases)
        assert leases in group.hub.kinds
        replica, heard = group.replicas.get(leases.key), list[Change]()
        assert isinstance(replica, ScopedReplica)
        replica.on_change(heard.append)
        base = somebody.site.feeds.get(leases.key)
        hub.unfollow(leases.key)
        somebody.site.feeds.unfollow(leases.key)
        assert leases not in group.hub.kinds
        base.show_list(KindList(0.0, (pod_row("a"),), None), "for a test")
        assert heard == []


async def test_kinds_that_a_group_views_are_viewed() -> None:
    async with person(SHOP) as somebody:
        hub = somebody.groups.get(SHOP).hub
        socket = Socket(no_delivery, no_end, somebody.site.clock)
        hub.join(socket, open_list(hub, KINDS["pods"], Query.parse(QueryDict(), "pods")))
        assert somebody.site.parts.hub.viewed_keys == {"pods"}
        assert somebody.site.parts.hub.metrics.sockets_opened == 1
        hub.leave(socket)


async def no_delivery(message: Message) -> None: ...


async def no_end(code: int) -> None: ...


async def test_a_group_ends_two_minutes_after_its_last_page_and_hears_nothing_more() -> None:
    async with person(SHOP) as somebody:
        group = somebody.groups.get(SHOP_AND_SECRETS)
        replica, heard = group.replicas.get("pods"), list[Change]()
        replica.on_change(heard.append)
        with somebody.groups.hold(SHOP_AND_SECRETS):
            await somebody.site.clock.advance(2 * GROUP_TTL)
            await somebody.groups.sweep()
        await somebody.site.clock.advance(GROUP_TTL - 1)
        await somebody.groups.sweep()
        assert not group.task.done()
        await somebody.site.clock.advance(1)
        await somebody.groups.sweep()
        assert group.task.cancelled()
        summaries = {key: summary.tones.copy() for key, summary in group.hub.summaries.items()}
        change_all(somebody.site, [("secrets", made("Secret", "new")), ("pods", made("Pod", "new"))])
        assert heard == []
        assert {key: summary.tones for key, summary in group.hub.summaries.items()} == summaries
        with pytest.raises(RuntimeError, match="no longer in use"):
            group.replicas.get("pods")


async def test_the_history_of_a_part_says_no_number_of_hidden_changes() -> None:
    async with person(SHOP_AND_SECRETS) as somebody:
        history, base = somebody.groups.get(SHOP_AND_SECRETS).hub.history, somebody.site.parts.hub.history
        for key in ("pods", "secrets"):
            somebody.site.feeder(key).lose_entries(5)
        change_all(somebody.site, OBJECTS)
        now = somebody.site.clock.time()
        assert [base.missed([key], 0, now) for key in ("pods", "secrets")] == [5, 5]
        assert [history.missed([key], 0, now) for key in ("pods", "secrets")] == [0, 5]
        assert history.unannounced_periods(["pods"], 0, now) == [(now, now)]
        assert history.unannounced_periods(["secrets"], 0, now) == []
        assert (history.entry_count(["pods"]), history.entry_count(["secrets"])) == (None, 6)
        names = [entry.name for chunk in history.chunks(["pods"], 0, now) for entry in chunk.entries()]
        assert names == ["web-mark-shop-1", "web-mark-shop-2"]
        assert sum(modified for _, _, modified, _ in history.rates(["pods"], now)) == 2


async def test_rates_of_a_new_group_are_those_of_before_once_they_are_counted() -> None:
    async with person(SHOP) as somebody:
        change_all(somebody.site, OBJECTS)
        everywhere = Rights([], {"bank": [rule("list", "pods")], "shop": [rule("list", "pods")]})
        history, now = somebody.groups.get(everywhere).hub.history, somebody.site.clock.time()
        await eventually(lambda: history.rates_from(["pods"], now) < math.inf)
        assert sum(modified for _, _, modified, _ in history.rates(["pods"], now)) == 4


@pytest.mark.slow
async def test_a_group_of_people_who_see_much_is_counted_while_others_go_on() -> None:
    async with person(SHOP) as somebody:
        rows = [pod_row(f"pod-{number}", namespace="bank") for number in range(MANY)]
        somebody.site.feeder("pods").put_and_drop(rows, ())
        group = somebody.groups.get(Rights([], {"bank": [rule("list", "pods")]}))
        heard: list[bool] = []
        group.on_counted(lambda: heard.append(True))
        assert not group.counted.is_set()
        first, second = rows[0], rows[1]
        somebody.site.feeder("pods").drop(first.uid)
        somebody.site.feeder("pods").put(msgspec.structs.replace(second, version="2", tone="bad"))
        await eventually(group.counted.is_set)
        assert heard == [True]
        assert group.hub.summaries["pods"].tones["bad"] == 2
        assert sum(group.hub.summaries["pods"].tones.values()) == len(group.replicas.get("pods").rows) == MANY + 1
        pods, query = KINDS["pods"], Query.parse(QueryDict(), "pods")
        assert await group.hub.count_rows(pods, query) == MANY + 1
