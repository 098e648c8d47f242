"""Makers of requests to each address of Deltaboard, with what somebody may see and may not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from urllib.parse import quote, urlencode

from dashboard.objects.kinds.catalog import KINDS
from tests.support.access.failing_controller import NAME as CONTROLLER
from tests.support.access.marked_objects import (
    ALL_KINDS,
    CONFIG_MAPS,
    EVENTS,
    MYDEMOS,
    NAMESPACES,
    NODES,
    PODS,
    MarkedObject,
)
from tests.support.access.object_visits import (
    HTML,
    about,
    action_page,
    by_name,
    check,
    deletion,
    deletion_that_waits,
    detail,
    form_page,
    hidden_detail,
    incident,
    name_elsewhere,
    new_copy,
    object_page,
    owner,
    pod_page,
    row_menu,
    secret_values,
    take,
    unknown_kind_page,
)
from tests.support.access.others_runs import AUTHOR, FILTER, WRITTEN
from tests.support.access.tour import Tour, Visit

COMPLETED = (
    "ns=", "namespace=", "name=zq", "label:", "label:app=", "label:app=zq", "status=", "reason=", "node=", "object=",
    ".metadata.labels.app=", ".spec.nodeName=", "message=", "owner=",
)  # fmt: skip
"""Filters of which the rest is asked for."""
NO_ROLE = frozenset({"You may not see this page"})
NO_METRICS = frozenset({"You need the right to get the address /metrics"})


def _names(objects: Iterable[MarkedObject]) -> frozenset[str]:
    return frozenset(each.name for each in objects)


def _list(tour: Tour) -> Visit:
    key = tour.any_kind()
    return Visit(f"/resources/{key}/", expected=_names(tour.seen(key)), total_of=key)


def _filtered_list(tour: Tour) -> Visit:
    """A filter, namespace, order, column or page that leads to what is hidden."""
    key, target = tour.any_kind(), tour.random.choice(tour.objects.of(*ALL_KINDS))
    params = tour.random.choice(
        [
            {"q": target.name[:6]},
            {"q": f"-{target.name[:6]}"},
            {"q": f"label:app={target.name[:4]}*"},
            {"q": "zz-nothing-matches"},
            {"q": f".metadata.uid={target.uid}"},
            {"q": ".metadata.annotations.note~=zq"},
            {"namespace": target.namespace or target.name},
            {"sort": "-.metadata.annotations.note", "columns": "name,.metadata.labels.app,.spec.nodeName"},
            {"page": "2"},
            {"open": target.open_parameter},
        ]
    )
    return Visit(f"/resources/{key}/?{urlencode(params)}")


def _drawer(tour: Tour) -> Visit:
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    headers = {"HX-Request": "true", "HX-Target": "drawer"}
    address = f"/resources/{target.key}/?open={quote(target.open_parameter)}"
    return Visit(address, headers=headers, expected=about(tour, target))


def _list_again(tour: Tour) -> Visit:
    return Visit(f"/resources/{tour.any_kind()}/list-again/")


def _export(tour: Tour) -> Visit:
    key, suffix = tour.any_kind(), tour.random.choice(["csv", "json", "yaml"])
    return Visit(f"/resources/{key}/export.{suffix}", expected=_names(tour.seen(key)))


def _matching(tour: Tour) -> Visit:
    key = tour.any_kind()
    return Visit(f"/resources/{key}/matching/", expected=frozenset(each.uid for each in tour.seen(key)))


def _uids(objects: Iterable[MarkedObject]) -> dict[str, str]:
    return {"uid": ",".join(each.uid for each in objects), "words": "1"}


def _selected(tour: Tour) -> Visit:
    """A selection with hidden objects: it gets the names of the others only."""
    key = tour.any_kind()
    return Visit(f"/resources/{key}/selected/", _uids(tour.objects.of(key)), _names(tour.seen(key)))


def _selected_export(tour: Tour) -> Visit:
    key, suffix = tour.any_kind(), tour.random.choice(["csv", "json", "yaml"])
    return Visit(f"/resources/{key}/selected.{suffix}", _uids(tour.objects.of(key)), _names(tour.seen(key)))


def _logs_of_list(path: str) -> Callable[[Tour], Visit]:
    """What leads to the logs of hidden pods, and what there is of those that may be seen."""

    def made(tour: Tour) -> Visit:
        target = tour.random.choice(tour.objects.of(PODS))
        params = tour.random.choice(
            [{}, {"q": target.name[:6]}, {"namespace": target.namespace}, {"q": "status=Running"}]
        )
        return Visit(f"/logs/{path}?{urlencode({**params, 'before': '2099-01-01T00:00:00.000000000Z'})}")

    return made


def _completion(tour: Tour) -> Visit:
    key = tour.any_kind()
    q = tour.random.choice(COMPLETED)
    return Visit(f"/resources/{key}/complete?{urlencode({'q': q, 'caret': len(q)})}")


def _completed_namespace(tour: Tour) -> Visit:
    return Visit("/resources/pods/complete?q=ns%3D&caret=3", expected=_names(tour.seen(NAMESPACES)))


def _completed_path(tour: Tour) -> Visit:
    path = tour.random.choice([".", ".metadata.labels.", ".metadata.annotations.", ".data.", ".spec."])
    return Visit(f"/resources/{tour.any_kind()}/complete?{urlencode({'path': path})}")


def _search(tour: Tour) -> Visit:
    """The palette: a name that may be seen is found, all that begin alike are cut."""
    seen = [each for each in tour.seen() if each.key != EVENTS]
    if not seen or tour.random.random() < 0.4:
        return Visit(f"/search/?q={tour.random.choice(['zq', 'q', *(each.name[:5] for each in tour.objects)])}")
    target = tour.random.choice(seen)
    return Visit(f"/search/?q={target.name}", expected=frozenset([target.address]))


def _check_new(tour: Tour) -> Visit:
    key = tour.random.choice([PODS, CONFIG_MAPS, MYDEMOS])
    return Visit(f"/resources/{key}/new/check/", {"yaml": "kind: Pod\nmetadata:\n  name: a\n"})


def _schema(tour: Tour) -> Visit:
    path = tour.random.choice(['["metadata","namespace"]', '["metadata","name"]', '["spec","nodeName"]', "[]"])
    return Visit(f"/resources/{tour.random.choice([PODS, CONFIG_MAPS, MYDEMOS])}/schema?{urlencode({'path': path})}")


def _schema_of_kind(tour: Tour) -> Visit:
    path = tour.random.choice(['["kind"]', '["metadata","namespace"]', '["spec","nodeName"]'])
    return Visit(f"/new/schema/?{urlencode({'path': path, 'apiVersion': 'v1', 'kind': 'Pod'})}")


def _check_several(tour: Tour) -> Visit:
    target = tour.random.choice(tour.hidden(NAMESPACES) or tour.objects.of(NAMESPACES))
    text = f"kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n  namespace: {target.name[:6]}\n"
    return Visit("/new/check/", {"yaml": text})


def _bulk(tour: Tour) -> Visit:
    """All matches of a list; the page says how many."""
    return Visit(f"/resources/{tour.any_kind()}/bulk/?{urlencode({'q': ''})}")


def _bulk_start(tour: Tour) -> Visit:
    key = tour.any_kind()
    return Visit(f"/resources/{key}/bulk/", _uids(tour.objects.of(key)))


def _runs(tour: Tour) -> Visit:
    """The list of runs: those of somebody else that wrote what may be seen, with the number of that."""
    expected, absent = set[str](), {WRITTEN, FILTER}
    for run in tour.runs.values():
        seen, hidden = tour.visible.of(run.objects), [each for each in run.objects if tour.visible.hides(each)]
        if any(not each.is_deleted for each in seen):
            expected.add(run.address)
        title, most = KINDS[run.key].title, len(run.objects) - len(hidden)
        absent |= {f"Labels: {number} {title}" for number in range(most + 1, len(run.objects) + 1)}
        absent |= set() if most else {run.address}
    return Visit("/runs/", expected=frozenset(expected), absent=frozenset(absent))


def _others_run(place: str = "", form: Mapping[str, str] | None = None) -> Callable[[Tour], Visit]:
    """A run of somebody else: what it wrote and may be seen, and nothing where there is nothing of that."""

    def made(tour: Tour) -> Visit:
        run = tour.runs[tour.any_kind()]
        seen = tour.visible.of(run.objects)
        shown = frozenset(each.name for each in seen if not each.is_deleted)
        absent = {WRITTEN, FILTER} | ({AUTHOR} if all(map(tour.visible.hides, run.objects)) else set())
        expected = frozenset[str]() if form is not None or place == "commands.txt" else shown
        return Visit(f"{run.address}{place}", form, expected, frozenset(absent))

    return made


def _feed(tour: Tour) -> Visit:
    """The feed with a filter: what changed and may be seen has lines."""
    target = tour.random.choice(tour.objects.objects)
    params = tour.random.choice(
        [{}, {"kind": target.key}, {"last": "15m"}, {"folds": "off"}, {"q": target.name[:5]}, {"q": "op=deleted"},
         {"namespace": target.namespace or target.name}, {"q": f"-name={target.name[:4]}*", "folds": "off"}]
    )  # fmt: skip
    return Visit(f"/feed/?{urlencode(params)}")


def _feed_of_one(tour: Tour) -> Visit:
    """The lines of one object that changed, found by its name."""
    changed = [each for each in tour.visible.of(tour.objects.changed) if not each.is_deleted]
    if not changed:
        return Visit("/feed/?folds=off")
    target = tour.random.choice(changed)
    return Visit(f"/feed/?folds=off&q={target.name}", expected=frozenset([f'data-name="{target.name}"']))


def _step(tour: Tour) -> Visit:
    """The way to the next change of a list or an object, which needs a moment."""
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    shown = tour.random.choice([f"/resources/{target.key}/", target.address, "/", f"/?namespace={target.namespace}"])
    return Visit(f"/moment/step/?{urlencode({'from': shown, 'to': tour.random.choice(['next', 'previous'])})}")


def _deleted_objects(tour: Tour) -> Visit:
    """Objects of a kind that are gone, all or those with a part of a name."""
    name = tour.random.choice(["", *(each.name[:5] for each in tour.objects.objects)])
    return Visit(f"/resources/{tour.any_kind()}/history/?{urlencode({'q': name})}", headers=HTML)


def _compared(tour: Tour, place: str) -> Visit:
    """A kind at the earliest and the latest moment, all of it, or what a filter or a namespace leads to."""
    target = tour.random.choice(tour.objects.objects)
    params = tour.random.choice(
        [
            {},
            {"q": target.name[:6]},
            {"namespace": target.namespace or target.name},
            {"q": "label:app", "show": "added"},
        ]
    )
    query = urlencode({"from": "2026-01-01T00:00:00Z", **params})
    return Visit(f"/resources/{tour.any_kind()}/{place}?{query}", headers=HTML)


def compared_list(tour: Tour) -> Visit:
    return _compared(tour, "compare/")


def compared_list_file(tour: Tour) -> Visit:
    return _compared(tour, f"compare.{tour.random.choice(['csv', 'json'])}")


def _kinds(tour: Tour) -> Visit:
    return Visit("/kinds/?all")


def _fixed(address: str, form: Mapping[str, str] | None = None) -> Callable[[Tour], Visit]:
    return lambda _: Visit(address, form)


def controllers(tour: Tour) -> Visit:
    """The page needs a role, which a right to all groups includes."""
    return Visit("/controllers/", expected=frozenset() if tour.world.has_all_groups else NO_ROLE)


def requeue(tour: Tour) -> Visit:
    """Nobody has the role that this needs."""
    pod = tour.random.choice(tour.objects.of(PODS))
    return Visit("/controllers/requeue/", {"item": f"{CONTROLLER}/{pod.namespace}/{pod.name}"}, expected=NO_ROLE)


def metrics(_: Tour) -> Visit:
    """Nobody has the role that this needs."""
    return Visit("/metrics", expected=NO_METRICS, absent=frozenset({"# HELP"}))


def status(_: Tour) -> Visit:
    """Nobody has the role that this needs."""
    return Visit("/status/", expected=NO_ROLE, absent=frozenset({"Open pages"}))


def _namespaces(tour: Tour) -> Visit:
    return Visit("/namespaces/", expected=_names(tour.seen(NAMESPACES)))


def _who_am_i(tour: Tour) -> Visit:
    """The matrix of all namespaces, or of one that may be seen or not."""
    namespace = tour.random.choice([each.name for each in tour.objects.of(NAMESPACES)])
    known = frozenset(text for grant in tour.world.grants for text in (grant.namespace, *grant.names))
    return Visit(tour.random.choice(["/whoami/", f"/whoami/?namespace={namespace}"]), known=known)


def _audit(tour: Tour) -> Visit:
    """What people tried to do to one object, or to any."""
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    query = tour.random.choice(["", f"?name={target.name}", f"?namespace={target.namespace or target.name}"])
    return Visit(f"/audit/{query}")


def _audit_export(tour: Tour) -> Visit:
    return Visit(f"/audit/export.{tour.random.choice(['csv', 'jsonl'])}")


def _unknown(tour: Tour) -> Visit:
    return Visit(f"/{tour.random.choice(tour.objects.objects).name[:5]}/")


VISITS: Mapping[str, Callable[[Tour], Visit]] = MappingProxyType({
    "overview": _fixed("/"),
    "feed": _feed,
    "feed of one object": _feed_of_one,
    "controllers": controllers,
    "requeue": requeue,
    "new from YAML": _fixed("/new/"),
    "check of new YAML": _check_several,
    "schema of a kind": _schema_of_kind,
    "drafts": _fixed("/drafts/"),
    "a draft": _fixed("/drafts/none/"),
    "runs": _runs,
    "a run of somebody else": _others_run(),
    "results of a run of somebody else": _others_run("results.csv"),
    "commands of a run of somebody else": _others_run("commands.txt"),
    "undo of a run of somebody else": _others_run("", {"undo": ""}),
    "step to a change": _step,
    "kinds": _kinds,
    "all kinds": _fixed("/kinds/all/"),
    "counts": _fixed("/kinds/counts/"),
    "namespaces": _namespaces,
    "freshness": _fixed("/freshness/"),
    "palette": _search,
    "theme": _fixed("/theme/", {"theme": "dark"}),
    "liveness": _fixed("/healthz"),
    "readiness": _fixed("/readyz"),
    "metrics": metrics,
    "status": status,
    "list": _list,
    "filtered list": _filtered_list,
    "drawer": _drawer,
    "list again": _list_again,
    "export": _export,
    "matching": _matching,
    "selection": _selected,
    "export of a selection": _selected_export,
    "completion": _completion,
    "completion of a namespace": _completed_namespace,
    "completion of a path": _completed_path,
    "copy": new_copy,
    "check of a new object": _check_new,
    "schema": _schema,
    "bulk": _bulk,
    "bulk of a selection": _bulk_start,
    "details": detail,
    "details of a hidden object": hidden_detail,
    "details by name": by_name("/resources"),
    "incident by name": by_name("/why"),
    "YAML page": object_page("yaml/", HTML),
    "YAML text": object_page("yaml/"),
    "history": object_page("history/", HTML),
    "who set each field": object_page("history/?blame", HTML),
    "deleted objects": _deleted_objects,
    "list at two moments": compared_list,
    "list at two moments as a file": compared_list_file,
    "edit": object_page("edit/"),
    "values of a Secret": secret_values,
    "edit status": object_page("edit/status/"),
    "check": check,
    "take": take,
    "owner of a field": owner,
    "row menu": row_menu,
    "incident": incident(""),
    "incident as Markdown": incident("?markdown"),
    "terminal": pod_page("terminal/"),
    "debug container": pod_page("terminal/debug/", {"image": "busybox:1.37", "target": "c"}),
    "drain": action_page(NODES, "drain"),
    "eviction": action_page(PODS, "evict"),
    "quick action": object_page("do/"),
    "delete": object_page("delete/"),
    "deletion with dependents": deletion,
    "deletion that waits": deletion_that_waits,
    "similar name": unknown_kind_page,
    "name elsewhere": name_elsewhere,
    "check of a status": form_page("edit/status/check/", {"yaml": "a: b\n", "original": "a: b\n"}),
    "take of a status": form_page("edit/status/take/", {"yaml": "a: b\n", "original": "a: b\n"}),
    "finalizer": form_page("delete/finalizer/", {"finalizer": "example.com/none"}),
    "keep a draft": _fixed("/drafts/keep/", {"yaml": "a: b\n"}),
    "throw drafts": _fixed("/drafts/throw/", {}),
    "throw a draft": _fixed("/drafts/none/throw/", {}),
    "follow always": _fixed("/resources/pods/follow-always/", {"follow": "on"}),
    "a run": _fixed("/resources/pods/bulk/none/"),
    "results of a run": _fixed("/resources/pods/bulk/none/results.csv"),
    "commands of a run": _fixed("/resources/pods/bulk/none/commands.txt"),
    "who am I": _who_am_i,
    "audit": _audit,
    "export of the audit": _audit_export,
    "sign-in": _fixed("/sign-in/"),
    "sign-out": _fixed("/accounts/sign-out/", {}),
    "back-channel logout": _fixed("/accounts/logout/none/", {"logout_token": "none"}),
    "login of a provider": _fixed("/accounts/none/sign-in/", {}),
    "callback of a provider": _fixed("/accounts/none/callback/?code=a&state=b"),
    "sessions": _fixed("/sessions/"),
    "end of sessions": _fixed("/sessions/end/", {"which": "all"}),
    "logs": object_page("logs/"),
    "a line of a log": object_page("logs/lines/?line=0"),
    "older lines": object_page("logs/lines/?before=2099-01-01T00:00:00.000000000Z"),
    "lines around a moment": object_page("logs/lines/?around=2099-01-01T00:00:00.000000000Z"),
    "later lines": object_page("logs/lines/?after=2099-01-01T00:00:00.000000000Z"),
    "download of a log": object_page("logs/logs.txt"),
    "logs of a list": _logs_of_list(""),
    "lines of a list's logs": _logs_of_list("lines/"),
    "download of a list's logs": _logs_of_list("logs.ndjson"),
    "no such page": _unknown,
})  # fmt: skip
"""Makers of requests, by a name of the test's own. Together they reach each URL pattern."""
