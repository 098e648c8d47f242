"""Tests of the question in which namespaces the account may list a kind, with scripted answers of the API server."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import msgspec
import pytest

from dashboard.live.replication.publisher import Publisher
from dashboard.live.worker.namespace_access import NamespaceAccess, near_namespaces
from dashboard.live.worker.namespace_counts import MAX_COUNTED, NamespaceCounts
from dashboard.live.worker.namespace_pages import NamespacePages
from dashboard.live.worker.poller import Poller
from dashboard.live.worker.row_handler import RowHandler
from informerd.cache.list_watch import ListWatch, Page
from informerd.cache.pager import list_all
from informerd.errors import Forbidden, Status, Unreachable
from informerd.objects import Object, ObjectMeta
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.response import Response
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer

RULE = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["pods"]}
REFUSED = Forbidden(Status(code=403, reason="Forbidden", message="no"))


def response(body: dict[str, Any]) -> Response:
    return cast("Response", _Body(body))


class _Body:
    def __init__(self, body: dict[str, Any]) -> None:
        self._body = body

    def object(self) -> dict[str, Any]:
        return self._body

    def decode(self, type_: Any) -> Any:
        return msgspec.json.decode(msgspec.json.encode(self._body), type=type_)


class Answers:
    """A client whose API server gives these answers; it counts what it is asked."""

    def __init__(self, **rules: dict[str, Any]) -> None:
        self.rules = rules
        """By namespace the status of a SelfSubjectRulesReview."""
        self.namespaces: list[str] | None = None
        """What a list of Namespaces has; None where it is forbidden."""
        self.allowed: set[tuple[str, str]] = set()
        """Verb and namespace that a SelfSubjectAccessReview allows."""
        self.pods: dict[str, int] = {}
        """Number of pods by namespace; others may not be listed."""
        self.asked: list[str] = []
        self.error: Exception | None = None

    async def create(self, resource: Resource, review: dict[str, Any]) -> Response:
        if self.error is not None:
            raise self.error
        if resource.plural == "selfsubjectrulesreviews":
            namespace = review["spec"]["namespace"]
            self.asked.append(namespace)
            return response({"status": self.rules.get(namespace, {"resourceRules": []})})
        attributes = review["spec"]["resourceAttributes"]
        return response({"status": {"allowed": (attributes["verb"], attributes["namespace"]) in self.allowed}})

    async def list(
        self, resource: Resource, namespace: str = "", params: Any = None, *, headers: Any = None
    ) -> Response:
        if resource.plural == "namespaces" and self.namespaces is not None:
            return response({"items": [{"metadata": {"name": name}} for name in self.namespaces]})
        if namespace not in self.pods:
            raise REFUSED
        number = self.pods[namespace]
        more = {"continue": "x", "remainingItemCount": number - 1} if number > 1 else {}
        return response({"metadata": more, "items": [{}] * min(number, 1)})


def access(answers: Answers, *chosen: str, near: tuple[str, ...] = ("default",)) -> NamespaceAccess:
    return NamespaceAccess(cast("Client", answers), FakeClock(), chosen=chosen, near=near)


async def test_the_namespaces_whose_rules_allow_list_and_watch_are_found() -> None:
    answers = Answers(
        a={"resourceRules": [RULE]},
        b={"resourceRules": [{**RULE, "verbs": ["list"]}]},
        c={"resourceRules": [{**RULE, "resourceNames": ["one"]}]},
        d={"resourceRules": [{**RULE, "resources": ["pods/log"]}]},
        e={"resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]},
        f={"resourceRules": [{**RULE, "verbs": ["list"]}, {**RULE, "verbs": ["watch"]}]},
    )
    answers.namespaces = [*"abcdef"]
    found = await access(answers).allowed(PODS)
    assert (found.is_everywhere, found.namespaces) == (False, ("a", "e", "f"))


async def test_a_kind_that_cannot_be_watched_needs_the_verb_list_only() -> None:
    listed_only = msgspec.structs.replace(PODS, verbs=frozenset({"list"}))
    answers = Answers(default={"resourceRules": [{**RULE, "verbs": ["list"]}]})
    assert (await access(answers).allowed(listed_only)).namespaces == ("default",)


async def test_the_whole_cluster_is_asked_for_first_unless_namespaces_are_chosen() -> None:
    answers = Answers(a={"resourceRules": [RULE]})
    answers.allowed = {("list", ""), ("watch", "")}
    assert (await access(answers, near=("a",)).allowed(PODS)).is_everywhere
    found = await access(answers, "a", "b").allowed(PODS)
    assert (found.is_everywhere, found.namespaces) == (False, ("a",))


async def test_where_rules_are_not_complete_the_kind_is_asked_for() -> None:
    answers = Answers(a={"resourceRules": [], "incomplete": True}, b={"resourceRules": [], "incomplete": True})
    answers.allowed = {("list", "a"), ("watch", "a"), ("list", "b")}
    assert (await access(answers, "a", "b").allowed(PODS)).namespaces == ("a",)


async def test_namespaces_that_may_be_got_by_name_are_candidates() -> None:
    named = {"verbs": ["get"], "apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["team"]}
    answers = Answers(default={"resourceRules": [named]}, team={"resourceRules": [RULE]})
    assert (await access(answers).allowed(PODS)).namespaces == ("team",)


async def test_an_api_server_that_does_not_answer_says_nothing_about_rights() -> None:
    answers = Answers()
    answers.error = Unreachable("no answer")
    assert (await access(answers, "a").allowed(PODS)).unknown == {"a"}
    with pytest.raises(Unreachable):
        await access(answers).allowed(PODS)


async def test_kinds_share_the_answers_until_newer_ones_are_wanted() -> None:
    clock, answers = FakeClock(), Answers(a={"resourceRules": [RULE]})
    asking = NamespaceAccess(cast("Client", answers), clock, chosen=("a", "b"))
    await asking.allowed(PODS)
    await asking.allowed(msgspec.structs.replace(PODS, plural="secrets"))
    assert answers.asked == ["a", "b"]
    await clock.advance(5)
    await asking.allowed(PODS, after=clock.now())
    assert answers.asked == ["a", "b"] * 2


async def test_counts_are_the_sums_of_the_namespaces() -> None:
    answers = Answers(a={"resourceRules": [RULE]}, b={"resourceRules": [RULE]})
    answers.pods = {"a": 3, "b": 1}
    for asking in (access(answers, "a", "b", "c"), access(answers, near=("a", "b", "c"))):
        assert await NamespaceCounts(answers, asking, FakeClock()).count(PODS) == 4
    with pytest.raises(Forbidden):
        await NamespaceCounts(answers, access(answers, "c"), FakeClock()).count(PODS)
    many = [f"n{number}" for number in range(MAX_COUNTED + 1)]
    assert await NamespaceCounts(answers, access(answers, *many), FakeClock()).count(PODS) is None
    answers.pods[""] = 9
    assert await NamespaceCounts(answers, access(answers), FakeClock()).count(PODS) == 9


def test_the_namespaces_nearby_are_those_of_the_context_and_of_the_pod(tmp_path: Any) -> None:
    assert near_namespaces("team", tmp_path) == ("team",)
    (tmp_path / "namespace").write_text("own\n")
    assert near_namespaces("team", tmp_path) == ("team", "own")
    assert near_namespaces("own", tmp_path) == ("own",)


class Pages(ListWatch[Any]):
    """Pods of one namespace, in pages of one; others may not be listed."""

    def __init__(self, names: dict[str, list[str]], namespace: str) -> None:
        self.names = names
        self.namespace = namespace

    async def page(self, resource_version: str, *, continue_token: str = "", **_: Any) -> Page[Any]:
        if self.namespace not in self.names:
            raise REFUSED
        at, names = int(continue_token or 0), self.names[self.namespace]
        found = [Object(metadata=ObjectMeta(name=name, namespace=self.namespace)) for name in names[at : at + 1]]
        return Page(found, "1", str(at + 1) if at + 1 < len(names) else "")


async def listed(pages: NamespacePages) -> list[str]:
    found = await list_all(pages, "", limit=1, progress=lambda _count, _remaining: None, clock=FakeClock())
    return sorted(found.objects)


async def test_a_list_goes_from_namespace_to_namespace_and_leaves_out_forbidden_ones() -> None:
    names = {"a": ["1", "2"], "b": [], "d": ["3"]}
    chosen = NamespacePages(partial(Pages, names), PODS, access(Answers(), *"abcd"), FakeClock())
    assert await listed(chosen) == ["a/1", "a/2", "d/3"]
    assert (chosen.namespaces, chosen.forbidden) == (("a", "b", "d"), ("c",))
    found = Answers(a={"resourceRules": [RULE]}, d={"resourceRules": [RULE]})
    asked = NamespacePages(partial(Pages, names), PODS, access(found, near=(*"abcd",)), FakeClock())
    assert await listed(asked) == ["a/1", "a/2", "d/3"]
    assert asked.namespaces == ("a", "d")
    everything = NamespacePages(partial(Pages, {"": ["1", "2"]}), PODS, access(Answers()), FakeClock())
    assert await listed(everything) == ["1", "2"]
    assert everything.namespaces == ()


async def test_what_may_be_listed_nowhere_is_forbidden() -> None:
    for asking in (access(Answers(), "a", "b"), access(Answers()), None):
        with pytest.raises(Forbidden):
            await listed(NamespacePages(partial(Pages, {}), PODS, asking, FakeClock()))


async def test_a_polled_namespace_that_may_no_longer_be_listed_is_forgotten_and_not_deleted() -> None:
    names = {"a": ["1"], "b": ["2"]}
    publisher = Publisher("pods", RecordingLayer(), FakeClock())
    pages = NamespacePages(partial(Pages, names), PODS, access(Answers(), "a", "b"), FakeClock())
    lost: list[str] = []
    polling = Poller(pages, RowHandler("pods", publisher), FakeClock(), publisher.request_frame, lost.append)
    assert await polling.list_once()
    assert {row.name for row in publisher.rows.values()} == {"1", "2"}
    del names["b"]
    assert await polling.list_once()
    assert lost == ["b"]
    assert publisher._pending.entries == []
    assert (polling().namespaces, polling().forbidden_namespaces) == (("a",), ("b",))
