"""Sample views for templates, made by hand: every page in every state without a cluster, for tests and for viewing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace as Made
from typing import Any

import msgspec
from django.http import QueryDict

from dashboard.live.rendering.cells import ColumnHeader, RowLine, all_columns, cells_of, row_line
from dashboard.live.rendering.charts import BarSegment
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.replica import Replica
from dashboard.objects.describers.containers import ContainerLine
from dashboard.objects.describers.fact import make_fact, make_section
from dashboard.objects.kinds.catalog import KINDS, KindInfo, parse_kinds
from dashboard.objects.kinds.feed_entry import Entry, EventSubject
from dashboard.objects.kinds.quick_actions import quick_actions_of
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers import columns_for
from dashboard.objects.query.list_query import Query
from dashboard.pages.causes.last_change import LastChange
from dashboard.pages.causes.rules import CauseKey
from dashboard.pages.causes.shown_causes import Cause, Causes, UnhealthyGroup
from dashboard.pages.causes.top_owner import Subject
from dashboard.pages.causes.unhealthy_object import UnhealthyObject
from dashboard.pages.details.change_log import ChangeLine, FieldLine
from dashboard.pages.details.object_presenter import Denials, ObjectView
from dashboard.pages.feed.lines import FeedLine, feed_line
from dashboard.pages.feed.live_feed import LiveFeed
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.timestamp import moment_of
from dashboard.pages.followed_kinds.views import FollowChoice
from dashboard.pages.layout.kinds_sidebar import KindFold, KindGroup, KindItem
from dashboard.pages.layout.namespaces import NamespacePicker
from dashboard.pages.lists.facets import Facet, FacetShare
from dashboard.pages.lists.kubectl import kubectl_command
from dashboard.pages.overview.change_gaps import ChartGap, SparkGap
from dashboard.pages.overview.tiles import Tile
from dashboard.runtime.text_with_links import Link as Way
from dashboard.runtime.text_with_links import TextPiece
from dashboard.runtime.time_slicing import TimeSlicer
from informerd.cache.health import Health, State
from tests.support.clock import FakeClock

NOW = 1_795_248_000.0
LONG = "checkout-service-with-a-really-long-name-66d9f8b7c-qv7mm-and-then-some"

Pod = tuple[str, str, str, Tone, str, int, float, str]
PODS: tuple[Pod, ...] = (
    ("payments", "api-6f9c4d7b8-2xkqp", "1/1", "ok", "Running", 0, 12 * 86400, "node-117"),
    ("payments", "api-6f9c4d7b8-9vd4s", "0/1", "bad", "CrashLoopBackOff", 14, 38 * 60, "node-031"),
    ("payments", "ledger-0", "2/2", "ok", "Running", 1, 41 * 86400, "node-204"),
    ("payments", "settle-29381-mx7wq", "0/1", "idle", "Completed", 0, 6 * 60 + 12, "node-009"),
    ("search", "indexer-7c5d9b6f4-8mk2l", "0/1", "busy", "ContainerCreating", 0, 4, "node-388"),
    ("search", "indexer-7c5d9b6f4-tt9vx", "0/1", "warn", "Pending", 0, 7 * 60, ""),
    ("search", "query-5d8f7c9b5-zz1px", "1/1", "busy", "Terminating", 0, 9 * 86400, "node-414"),
    ("shop", LONG, "0/1", "bad", "Init:CrashLoopBackOff", 1206, 3600, "ip-10-6-2-30.eu-central-1.compute.internal"),
    ("shop-with-a-long-namespace-name", "web-79b8d6f5c-5cz8g", "1/1", "ok", "Running", 0, 5 * 3600, "node-533"),
)


FOLLOW = FollowChoice("/resources/pods/follow-always/", is_always=False)
KUBECTL_COMMAND = kubectl_command(KINDS["pods"], Query(key="pods"))
"""Command of a list of pods, which its page offers."""


def pod_row(number: int) -> Row:
    namespace, name, ready, tone, status, restarts, age, node = PODS[number % len(PODS)]
    name = name if number < len(PODS) else f"{name[:40]}-{number}"
    values: dict[str, Any] = {
        "namespace": namespace,
        "name": name,
        "ready": ready,
        "status": status,
        "restarts": restarts,
        "age": NOW - age,
        "ip": f"10.4.{number % 250}.21",
        "node": node,
    }
    return Row(
        uid=f"uid-{number}",
        namespace=namespace,
        name=name,
        version=str(1000 + number),
        created=NOW - age,
        status=status,
        tone=tone,
        cells=tuple(values.get(column.id) for column in columns_for("pods")),
        labels={"app": "web"},
        reason="exit 1, 14 restarts: config key DB_URL missing" if tone == "bad" else "",
        since=NOW - age,
    )


FOLDED = KindGroup(
    "Storage",
    (),
    (
        KindFold(
            "",
            "storage",
            (
                (
                    "",
                    (
                        KindItem(
                            "storageclasses.storage.k8s.io",
                            "StorageClasses",
                            "storage",
                            "/resources/sc/",
                            12,
                            counted_at=rfc3339(NOW),
                            counted_at_clock="08:00",
                            words="They are not watched",
                        ),
                        KindItem(
                            "persistentvolumes", "PersistentVolumes", "storage", "/resources/pv/", None, words="may not"
                        ),
                    ),
                ),
            ),
        ),
    ),
)


def page_info(kind: str = "", **changes: Any) -> Made:
    """Value of `page` in templates; `changes` replace attributes."""
    kinds = parse_kinds(["pods", "deployments", "replicasets", "mydemos", "nodes", "namespaces", "events"])
    groups: dict[str, list[KindItem]] = {}
    for number, info in enumerate(kinds):
        item = KindItem(
            key=info.key,
            title=info.title,
            href=info.path,
            icon=info.icon,
            count=(48213, 1204, 3377, 36, 640, 58, None)[number],
            unhealthy_count=(0, 0, 0, 0, 3, 0, 0)[number],
            state="live",
        )
        groups.setdefault(info.group_title, []).append(item)
    page = Made(
        title="Pods",
        path="/resources/pods/",
        live="offline",
        problem="",
        user="alice",
        key=kind,
        theme="auto",
        cluster=Made(
            name="staging",
            version="v1.37.1",
            colour="blue",
            server="https://10.0.0.1:6443",
            why="KUBECONFIG=/home/alice/.kube/config, current context staging",
            user="client certificate",
            kubectl="kubectl --context staging",
            own=False,
            kinds="a1b2",
        ),
        groups=[KindGroup(title, tuple(items)) for title, items in groups.items()] + [FOLDED],
        namespaces=NamespacePicker(
            "?",
            "/resources/pods/",
            (),
            tuple(
                Way(name, f"?namespace={name}")
                for name in ("default", "payments", "search", "shop-with-a-long-namespace-name")
            ),
            4,
        ),
        namespace_query="",
        selected_namespaces=(),
        socket="",
    )
    page.__dict__.update(changes)
    return page


def health(state: State = "live", **changes: Any) -> Health:
    return Health(state=state, since=NOW, **changes)


def heads(key: str, by: str = "") -> tuple[ColumnHeader, ...]:
    return tuple(
        ColumnHeader(
            column.id,
            column.header,
            f"?sort={column.id}",
            "desc" if column.id == by else "",
            column.numeric,
            column.wide,
            column.css,
        )
        for column in columns_for(key)
        if column.priority < 2
    )


_PIECES: tuple[tuple[Tone, float, float], ...] = (
    ("ok", 0, 93.3),
    ("busy", 93.6, 1.8),
    ("warn", 95.7, 1.3),
    ("bad", 97.3, 1.1),
    ("idle", 98.7, 1.0),
)
SPREAD = tuple(BarSegment(tone, f"{x:.2f}", f"{width:.2f}", 10) for tone, x, width in _PIECES)
FACETS = (
    Facet(
        "Running",
        "ok",
        45127,
        "?q=status%3DRunning",
        is_active=False,
        worse_shares=(FacetShare("busy", 12), FacetShare("warn", 3)),
    ),
    Facet("ContainerCreating", "busy", 1013, "?q=a", is_active=False),
    Facet("Pending", "warn", 771, "?q=b", is_active=False),
    Facet("CrashLoopBackOff", "bad", 412, "?q=c", is_active=True),
    Facet("OOMKilled", "bad", 263, "?q=d", is_active=False),
    Facet("Completed", "idle", 627, "?q=e", is_active=False),
)


def list_view(rows: int = 9, *, text: str = "", problems: Iterable[Made] = (), **changes: Any) -> Made:
    """A list of pods with `rows` rows in its window."""
    kind = KINDS["pods"]
    shown = Query(key=kind.key).visible_columns()
    lines: tuple[RowLine, ...] = tuple(row_line(kind, pod_row(number), shown) for number in range(rows))
    view = Made(
        id="a1b2c3",
        seq="t-1",
        kind=kind,
        head=heads("pods", "restarts"),
        lines=lines,
        total=rows and 48213,
        all=48213 if rows else 0,
        first=1 if rows else 0,
        last=rows,
        facets=FACETS if rows else (),
        spread=SPREAD if rows else (),
        previous_href="",
        next_href="?page=2" if rows == 100 else "",
        clear_href=kind.path,
        health=health(),
        expected=None,
        search_progress=None,
        export_links=(("csv", "?csv"), ("json", "?json"), ("yaml", "?yaml")),
        namespaces=(),
        query=Made(text=text, problems=tuple(problems), namespaces=(), hidden=()),
    )
    view.__dict__.update(changes)
    return view


FED: tuple[tuple[str, Any, str, str, str, Tone], ...] = (
    (
        "pods",
        "modified",
        "payments",
        "api-6f9c4d7b8-9vd4s",
        "Restarts 13 → 14, Status Running → CrashLoopBackOff",
        "bad",
    ),
    ("pods", "added", "search", "indexer-7c5d9b6f4-8mk2l", "by ReplicaSet indexer-7c5d9b6f4", "busy"),
    ("mydemos.crddemo.k8s.io", "modified", "default", "alpha", "spec.port 8080 → 9090", "ok"),
    ("events", "added", "default", "alpha.17f2", "Synced: Mydemo synced successfully", "idle"),
    ("pods", "deleted", "search", "query-5d8f7c9b5-zz1px", "was Terminating", "idle"),
    (
        "events",
        "added",
        "shop",
        LONG,
        "FailedScheduling: 0/640 nodes are available: 640 Insufficient memory. " * 2,
        "warn",
    ),
)
ABOUT = {
    "alpha.17f2": EventSubject("Mydemo", "crddemo.k8s.io", "default", "alpha"),
    LONG: EventSubject("Pod", "", "shop", LONG.replace("checkout", "till")),
}


def entry(number: int) -> tuple[str, Entry]:
    """A kind and one of its entries, the newer the lower the number; between them the pods of a rollout."""
    resource, op, namespace, name, words, tone = FED[number % len(FED)]
    moment = NOW - number * 0.73
    if number % len(FED) == 1 and number > len(FED):
        return resource, Entry(
            1000 - number, moment, op, "shop", f"web-79b8d6f5c-{number}", f"u{number}", "1", words, tone, "e1",
            owner="ReplicaSet/web-79b8d6f5c",
        )  # fmt: skip
    made = Entry(1000 - number, moment, op, namespace, name, f"u{number}", "1", words, tone, "e1")
    return resource, msgspec.structs.replace(made, about=ABOUT.get(name))


def feed_line_of(number: int) -> FeedLine:
    """An entry as overview and feed show it."""
    resource, made = entry(number)
    return feed_line(KINDS[resource], made)


def feed_view(entries: int = 40, params: str = "", burst: int = 12) -> LiveFeed:
    """The feed with so many entries and a burst before them."""
    clock = FakeClock()
    clock.jump(NOW - clock.time())
    kinds = parse_kinds(["pods", "mydemos", "events"])
    replicas = {kind.key: Replica(kind.key, clock) for kind in kinds}
    for number in reversed(range(entries)):
        resource, made = entry(number)
        replicas[resource].entries.append(made)
    for number in range(burst if entries else 0):
        one = Entry(
            1000 + number, NOW - 0.5 + number * 0.04, "modified", "shop", f"web-79b8d6f5c-{number}", f"b{number}", "1",
            "Status Pending → Running", "ok", "e1", owner="ReplicaSet/web-79b8d6f5c",
        )  # fmt: skip
        replicas["pods"].entries.append(one)
    for replica in replicas.values():
        replica.state = "live"
    query = FeedQuery.parse(QueryDict(params))
    return LiveFeed(query, kinds, FeedHistory(replicas.values(), clock), TimeSlicer(), clock)


def tile(kind: KindInfo, count: int, facts: str, tone: Tone = "idle", state: str = "live") -> Tile:
    spark = "M0 20 L10 18 20 19 30 12 40 15 50 9 60 14 70 10 80 12 90 6 100 9"
    return Tile(
        kind,
        kind.path,
        count,
        SPREAD,
        "45,127 well, 412 bad",
        facts,
        tone,
        spark,
        (SparkGap("10.00", "5.00"),),
        3.0,
        state,
    )


def overview_view(*, empty: bool = False, wrong: int = 5, **changes: Any) -> Made:
    pods, deployments, replicasets, mydemos, nodes, namespaces, events = parse_kinds(
        ["pods", "deployments", "replicasets", "mydemos", "nodes", "namespaces", "events"]
    )
    tiles = (
        tile(pods, 48213, "31 changes/s"),
        tile(deployments, 1204, "3 rolling out", "busy"),
        tile(replicasets, 3377, "quiet"),
        tile(mydemos, 0, "not in this cluster", state="absent"),
        tile(nodes, 640, "1 not ready", "bad"),
        tile(namespaces, 58, "quiet"),
        tile(events, 9120, "12 changes/s"),
    )
    wrongs = [pod_row(number) for number in (1, 7, 5, 1, 7, 5)][:wrong]
    samples = 180
    view = Made(
        id="0ver",
        seq="t-1",
        tiles=tiles,
        empty=empty,
        namespaces=(),
        causes=Causes(
            shown=tuple(
                Cause(
                    CauseKey("owner", ("pods", row.namespace, f"{row.name}-{number}")),
                    Subject(pods, row.namespace, row.name, row),
                    UnhealthyObject(pods, msgspec.structs.replace(row, uid=f"{row.uid}-{number}"), 0, NOW),
                    (UnhealthyObject(pods, msgspec.structs.replace(row, uid=f"{row.uid}-{number}"), 0, NOW),),
                    1 + number % 2,
                    "1 pod cannot pull image registry.example.com/web:1.5",
                    NOW,
                    LastChange("images web:1.4 → web:1.5", rfc3339(NOW), "2m after", is_before=True),
                )
                for number, row in enumerate(wrongs)
            ),
            total=1446 if wrong else 0,
            cause_count=len(wrongs),
            is_cut=False,
            groups=(
                UnhealthyGroup(pods, "CrashLoopBackOff", "bad", 1441, "/resources/pods/?q=status%3DCrashLoopBackOff"),
            )
            if wrong
            else (),
            more_count=0,
        ),
        latest=() if empty else tuple(feed_line_of(number) for number in range(12)),
        rates={
            "start": NOW - 900,
            "step": 5,
            "added": [n * 5 % 9 for n in range(samples)],
            "modified": [60 + n * 7 % 40 + (120 if 90 < n < 108 else 0) for n in range(samples)],
            "deleted": [n * 3 % 5 for n in range(samples)],
            "gaps": [[NOW - 300, NOW - 240]],
        },
        gaps=Made(named=(ChartGap(moment_of(NOW - 300), moment_of(NOW - 240), "Pods", "no worker ran"),)),
    )
    view.__dict__.update(changes)
    return view


YAML = "\n".join(
    [
        "apiVersion: v1",
        "kind: Pod",
        "metadata:",
        f"  name: {LONG}",
        "  namespace: shop",
        "  labels:",
        "    app: checkout",
    ]
    + ["spec:", "  containers:", "    - name: app", "      image: registry.example.com/shop/checkout:4.18.2"]
    + [
        f"      # line {number} of a long object that goes on and on, wider than its card in many windows"
        for number in range(60)
    ]
)


def _made(fields: str) -> Any:
    """A maker of objects with these attributes, given in order; what is missing is empty."""
    names = fields.split()
    return lambda *values: Made(**dict.fromkeys(names, "") | dict(zip(names, values, strict=False)))


Condition = _made("type status reason message tone since")
Link = _made("kind name href")
EventLine = _made("id time reason message tone count")


def detail_view(**changes: Any) -> Made:
    kind = KINDS["pods"]
    row = pod_row(7)
    href = f"/resources/pods/shop/{LONG}/"
    view = Made(
        id="de7a11",
        seq="t-1",
        kind=kind,
        namespace="shop",
        name=LONG,
        row=row,
        found=True,
        object={},
        yaml=YAML,
        summary=(
            TextPiece("CrashLoopBackOff on node-031 for "),
            TextPiece("1h", rfc3339(NOW - 3600)),
            TextPiece(", restarted 1,206 times, last exit 137 OOMKilled, "),
            TextPiece("3m", rfc3339(NOW - 180)),
            TextPiece(" ago."),
        ),
        cells=cells_of(row, all_columns("pods")),
        labels=(("app", "checkout"), ("tier", "backend"), ("app.kubernetes.io/managed-by", "Helm")),
        conditions=(
            Condition(
                "Ready",
                "False",
                "ContainersNotReady",
                "containers with unready status: [app]",
                "bad",
                rfc3339(NOW - 300),
            ),
            Condition("PodScheduled", "True", "", "", "ok", rfc3339(NOW - 3600)),
        ),
        containers=(
            ContainerLine(
                "app",
                "registry.example.com/shop/checkout:4.18.2",
                "container",
                "Waiting: CrashLoopBackOff",
                "bad",
                False,
                1206,
                "cpu 500m, memory 1Gi · limit memory 2Gi",
                "",
                ((TextPiece("before that exited 137, "), TextPiece("3m", rfc3339(NOW - 180)), TextPiece(" ago")),),
                make_section("setup", "Setup", make_fact("Runs", "/bin/app --port 80"))[0].facts,
            ),
            ContainerLine(
                "migrate",
                "registry.example.com/shop/migrate:4.18.2",
                "init",
                "Exited 0: Completed",
                "ok",
                True,
                0,
                "",
                rfc3339(NOW - 3600),
            ),
        ),
        facts=make_section(
            "replicas",
            "Replicas",
            make_fact("Pods", [TextPiece("1 of "), TextPiece("2 pods", href="/resources/pods/")]),
        )
        + make_section("volumes", "Volumes", make_fact("data", "an empty folder", "app at /data", is_user_named=True)),
        pods=None,
        annotations=(("prometheus.io/scrape", "true"), ("note", "x" * 300)),
        finalizers=("example.com/hold",),
        owner=Link("ReplicaSet", "checkout-66d9f8b7c", "/resources/replicasets.apps/shop/checkout-66d9f8b7c/"),
        created=rfc3339(NOW - 3600),
        deleting="",
        gone="",
        replacement=None,
        event_state=Made(more=1950, complete=True, stale=False, watched=True),
        events_href="/resources/events/?q=object%3Dpod%2Fx",
        is_recreated=False,
        events=(
            EventLine("e1", rfc3339(NOW - 60), "BackOff", "Back-off restarting failed container app", "warn", 9),
            EventLine("e2", rfc3339(NOW - 3600), "Scheduled", "Assigned to node-031", "idle", 1),
        ),
        changes=(
            ChangeLine(
                rfc3339(NOW - 12),
                "7",
                "",
                (
                    FieldLine("status.containerStatuses[app].restartCount", "1205", "1206"),
                    FieldLine("metadata.labels.canary", "true", ""),
                ),
            ),
        ),
        href=href,
        list_href="/resources/pods/",
        yaml_href=f"{href}yaml/",
        edit_href=f"{href}edit/",
        delete_href=f"{href}delete/",
        denials=Denials(actions=quick_actions_of(KINDS["pods"])),
    )
    view.__dict__.update(changes)
    view.details = view  # what is said of an object is all here
    view.get_command = vars(ObjectView)["get_command"].__get__(view)
    return view


def problem(start: int, end: int, message: str, param: str = "q") -> Made:
    return Made(param=param, start=start, end=end, message=message)


def with_age(line: RowLine, moment: str) -> RowLine:
    """The line with another moment of creation, RFC 3339."""
    cells = tuple(replace(cell, datetime=moment) if cell.column == "age" else cell for cell in line.cells)
    return replace(line, cells=cells)
