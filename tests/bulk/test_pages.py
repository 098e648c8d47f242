"""A run over many objects, from its choice to what became of each, on the real API server."""

from __future__ import annotations

import asyncio
import threading
from typing import Any
from unittest.mock import AsyncMock

import pytest

from dashboard.access.rights import Right
from dashboard.bulk.place import Place
from dashboard.bulk.review import by_words
from dashboard.bulk.run import DEAD_AFTER, Item
from dashboard.bulk.runner import AT_ONCE
from dashboard.edits.exchange import Exchange, Stored
from dashboard.live.hub import Hub
from informerd.clock import SystemClock
from informerd.errors import TooManyRequests, Unreachable
from informerd.errors.status import Status
from tests.bulk.conftest import PAGE, Demos, bulks_for
from tests.edits.browsing import Browser
from tests.edits.conftest import parts_for
from tests.live.feeder import Feeder
from tests.resources.made import row_of
from tests.wait import eventually


async def test_equal_changes_are_reviewed_as_one_then_written_and_told_for_each(demos: Demos) -> None:
    demos.make("a", "b", "c", labels={"team": "old"})
    demos.patch("c", {"metadata": {"labels": {"team": "new"}}})
    page = await demos.review(verb="label", label_set="team=new")
    assert "2 would be changed" in page.text
    assert "1 are so already" in page.text
    assert "metadata.labels.team old → new" in page.text
    assert "kubectl label mydemos.crddemo.k8s.io a b -n" in page.text
    assert demos.labels("a") == {"team": "old"}
    await demos.press("start")
    await demos.shows("2 changed.")
    assert [demos.labels(name) for name in "abc"] == [{"team": "new"}] * 3
    results = (await demos.browser.open(f"{demos.run}results.csv")).body
    assert ",a," in results
    assert results.count(",done,") == 2
    assert results.count(",same,") == 1
    commands = (await demos.browser.open(f"{demos.run}commands.txt")).body
    assert commands.endswith("--overwrite team=new\n")


async def test_a_review_and_an_outcome_of_many_are_put_together_beside_the_loop(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[bool] = []

    def noted(*given: Any) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return by_words(*given)

    monkeypatch.setattr("dashboard.bulk.pages.by_words", noted)
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    await demos.press("start")
    await demos.shows("1 changed.")
    assert threads
    assert not any(threads)


async def test_labels_and_annotations_are_set_and_removed(demos: Demos) -> None:
    demos.make("a", labels={"x": "1", "y": "2"}, annotations={"n": "1"})
    await demos.review(verb="label", label_set="z=", label_remove="x")
    await demos.press("start")
    await demos.shows("1 changed.")
    assert demos.labels("a") == {"y": "2", "z": ""}
    await demos.review(verb="annotate", annotate_set="text=a = b, and more", annotate_remove="n")
    await demos.press("start")
    await demos.shows("1 changed.")
    assert demos.get("a")["metadata"]["annotations"] == {"text": "a = b, and more"}


async def test_a_patch_is_refused_for_those_that_the_schema_forbids_in_the_servers_words(demos: Demos) -> None:
    demos.make("a", "b")
    page = await demos.review(verb="patch", patch="spec:\n  port: 99999")
    assert "2 refused" in page.text
    assert "99999" in page.text
    assert "should be less than or equal to" in page.text
    assert "There is nothing to do" in page.text
    page = await demos.press("choose")
    assert "port: 99999" in page.form.values["patch"]
    assert demos.get("a")["spec"]["port"] == 8080


async def test_objects_are_deleted_and_what_holds_them_is_said_before(demos: Demos) -> None:
    demos.make("a", "b")
    demos.patch("b", {"metadata": {"finalizers": ["example.com/hold"]}})
    page = await demos.review(verb="delete", grace="default", propagation="Background")
    assert "until these finalizers are taken away: example.com/hold" in page.text
    await demos.press("start")
    await demos.shows("2 deleted.")
    assert demos.names() == {"b"}
    assert "deletionTimestamp" in demos.get("b")["metadata"]
    demos.patch("b", {"metadata": {"finalizers": None}})


async def test_what_changed_after_the_review_is_asked_again_and_what_changed_elsewhere_goes_on(demos: Demos) -> None:
    demos.make("a", "b", "c")
    await demos.review(verb="patch", patch="spec: {port: 9090}")
    demos.patch("a", {"spec": {"port": 7777}})
    demos.patch("b", {"metadata": {"labels": {"other": "field"}}})
    demos.cluster.delete(f"{demos.collection}/c")
    await demos.press("start")
    page = await demos.shows("not all of it is done")
    assert "1 changed meanwhile" in page.text
    assert "1 gone" in page.text
    assert demos.get("a")["spec"]["port"] == 7777
    assert demos.get("b")["spec"]["port"] == 9090
    assert demos.labels("b") == {"other": "field"}
    await demos.press("look")
    page = await demos.shows("Review: ")
    assert "spec.port 7777 → 9090" in page.text
    await demos.press("start")
    await demos.shows("2 changed.")
    assert demos.get("a")["spec"]["port"] == 9090


async def test_one_made_again_under_the_same_name_is_left_alone(demos: Demos) -> None:
    demos.make("a")
    await demos.review(verb="delete", grace="default")
    demos.cluster.delete(f"{demos.collection}/a")
    demos.make("a")
    await demos.press("start")
    page = await demos.shows("1 gone")
    assert "another one has its name" in page.text
    assert demos.names() == {"a"}


class Held:
    """Lets so many writes through, then waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, through: int) -> None:
        self.sent = 0
        self.through = through
        self.patch = Exchange.patch
        monkeypatch.setattr(Exchange, "patch", self._made())

    def _made(self) -> object:
        held = self

        async def patch(
            exchange: Exchange, change: dict[str, object], uid: str, version: str, *, dry_run: bool
        ) -> Stored:
            if not dry_run:
                held.sent += 1
                if held.sent > held.through:
                    raise TooManyRequests(Status(code=429, message="too busy"), retry_after=0.2)
            return await held.patch(exchange, change, uid, version, dry_run=dry_run)

        return patch


async def test_it_says_that_the_server_is_busy_and_is_cancelled_in_the_middle_and_goes_on(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make(*(f"m-{number}" for number in range(4)))
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=1)
    monkeypatch.setattr("dashboard.bulk.taken.TRIES", 10_000)
    await demos.press("start")
    await demos.shows("The API server asks to wait")
    await demos.press("cancel")
    page = await demos.shows("Cancelled.")
    assert "3 are left as they were" in page.text
    assert sum(demos.labels(name) == {"x": "1"} for name in demos.names()) == 1
    held.through = 10_000
    await demos.press("start")
    await demos.shows("4 changed.")


async def test_of_what_was_sent_without_an_answer_a_cancelled_run_does_not_say_that_it_is_as_it_was(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    patch = Exchange.patch

    async def lost(exchange: Exchange, *given: Any, dry_run: bool, **named: Any) -> Stored:
        stored = await patch(exchange, *given, dry_run=dry_run, **named)
        if not dry_run:
            raise Unreachable("connection reset")
        return stored

    monkeypatch.setattr(Exchange, "patch", lost)
    await demos.press("start")
    await demos.shows("does not answer")
    await demos.press("cancel")
    page = await demos.shows("Cancelled.")
    assert "0 are left as they were" in page.text
    assert "Whether it was stored is not known." in page.text
    monkeypatch.undo()
    await demos.press("again")
    await demos.shows("were so already")


async def test_two_runs_together_send_no_more_at_once_than_one(demos: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos.make(*(f"m-{number:02}" for number in range(2 * AT_ONCE)))
    patch, sending, most, both = Exchange.patch, 0, 0, asyncio.Event()

    async def counted(exchange: Exchange, *given: Any, **named: Any) -> Stored:
        nonlocal sending, most
        sending += 1
        most = max(most, sending)
        await both.wait()
        try:
            return await patch(exchange, *given, **named)
        finally:
            sending -= 1

    monkeypatch.setattr(Exchange, "patch", counted)
    await demos.choose(verb="label", label_set="x=1")
    await demos.choose(verb="label", label_set="y=1")
    await eventually(lambda: sending >= AT_ONCE, what="as many are sent as may be")
    both.set()
    await demos.shows("Review: ")
    assert most == AT_ONCE


async def test_nothing_more_is_sent_once_the_server_asked_to_wait(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make(*(f"m-{number}" for number in range(AT_ONCE)))
    demos.parts.bulks._gate = asyncio.Semaphore(1)
    sent = 0

    async def busy(*_: Any, **__: Any) -> Stored:
        nonlocal sent
        sent += 1
        raise TooManyRequests(Status(code=429, message="too busy"), retry_after=60)

    monkeypatch.setattr(Exchange, "patch", busy)
    await demos.choose(verb="label", label_set="x=1")
    await demos.shows("The API server asks to wait")
    assert sent == 1


async def test_a_run_that_waits_for_other_runs_requests_beats_and_is_cancelled_before_it_sends_any(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    bulks, heard, sent = demos.parts.bulks, list[str | None](), AsyncMock()
    beat = bulks.records.beat

    async def noted(*given: Any) -> str | None:
        heard.append(await beat(*given))
        return heard[-1]

    monkeypatch.setattr(bulks.records, "beat", noted)
    monkeypatch.setattr(Exchange, "patch", sent)
    for _ in range(AT_ONCE):
        await bulks._gate.acquire()
    await demos.choose(verb="label", label_set="x=1")
    await eventually(lambda: len(heard) >= 2, what="it beats while it waits")
    await demos.press("cancel")
    await eventually(lambda: heard[-1] == "cancel", what="it hears while it waits")
    for _ in range(AT_ONCE):
        bulks._gate.release()
    await demos.shows("What is to be done")
    assert not sent.called


async def test_what_came_and_what_matches_no_longer_is_said_in_the_review(demos: Demos) -> None:
    demos.make("a", "b")
    page = await demos.review(verb="label", label_set="x=1")
    assert "The same match now; what comes later is not among them." in page.text
    demos.make("c")
    demos.parts.hub = Hub(demos.parts.replicas, demos.parts.clock)
    page = await demos.browser.open(demos.run)
    assert "1 other matches by now and is not among them." in page.text
    assert "2 of them match no longer and are changed all the same." in page.text


async def test_selected_rows_match_nothing(demos: Demos) -> None:
    demos.make("a")
    page = await demos.browser.send(PAGE, {"uid": demos.get("a")["metadata"]["uid"]})
    demos.run = page.location
    await demos.browser.send(demos.run, {"verb": "label", "label_set": "x=1", "try": ""})
    page = await demos.shows("Review: ")
    assert "match" not in page.text


async def test_what_goes_with_those_that_are_deleted_is_counted(demos: Demos) -> None:
    demos.make("a", "b")
    owner = {"kind": "Mydemo", "name": "a", "uid": demos.get("a")["metadata"]["uid"], "controller": True}
    owned = [
        {"metadata": {"name": f"web-{number}", "namespace": "x", "uid": str(number), "ownerReferences": [owner]}}
        for number in range(3)
    ]
    pods = Feeder("pods", demos.parts.clock, [row_of("pods", each) for each in owned])
    demos.parts.replicas._replicas["pods"] = pods.replica
    page = await demos.review(verb="delete", propagation="Orphan")
    assert "Known to belong to them: 3 Pods. What belongs to them stays, without an owner." in page.text


async def test_a_run_is_found_again_by_its_browser(demos: Demos) -> None:
    demos.make("a", "b")
    await demos.review(verb="label", label_set="x=1")
    page = await demos.browser.open("/runs/")
    assert f'href="{demos.run}"' in page.body
    assert "Labels: 2 Mydemos waits for its review to be confirmed" in page.text
    assert "None so far" in (await Browser(demos.parts).open("/runs/")).text


async def test_it_pauses_and_goes_on(demos: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos.make("a", "b")
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=0)
    monkeypatch.setattr("dashboard.bulk.taken.TRIES", 10_000)
    await demos.press("start")
    await demos.press("pause")
    await demos.shows("Paused: 0 of 2")
    held.through = 10_000
    await demos.press("go")
    await demos.shows("2 changed.")


async def test_what_failed_is_tried_again(demos: Demos, monkeypatch: pytest.MonkeyPatch) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=0)
    monkeypatch.setattr("dashboard.bulk.taken.TRIES", 1)
    await demos.press("start")
    page = await demos.shows("1 failed")
    assert "too busy" in page.text
    held.through = 10
    await demos.press("again")
    await demos.shows("1 changed.")


class Later(SystemClock):
    """So much later that a process that was silent since is known to have ended."""

    def time(self) -> float:
        return super().time() + DEAD_AFTER + 5


async def test_another_process_says_when_the_one_that_ran_it_ended_and_goes_on(
    demos: Demos, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a", "b", "c")
    await demos.review(verb="label", label_set="x=1")
    held = Held(monkeypatch, through=1)
    monkeypatch.setattr("dashboard.bulk.taken.TRIES", 10_000)
    await demos.press("start")
    await demos.shows("The API server asks to wait")
    await demos.parts.bulks.stop()
    demos.parts.clock = Later()
    demos.parts.bulks = bulks_for(demos.parts, database)
    page = await demos.shows("The process that ran this has ended.")
    assert "1 done" in page.text
    held.through = 10_000
    await demos.press("take_over")
    await demos.shows("3 changed.")


async def test_only_the_browser_that_began_a_run_sees_it(demos: Demos) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    page = await Browser(demos.parts).open(demos.run)
    assert page.status == 404
    assert "There is no such run here" in page.text


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({}, "Choose what is to be done"),
        ({"verb": "label"}, "Write at least one label"),
        ({"verb": "label", "label_set": "team"}, "line 1: “team” is not written as key=value"),
        (
            {"verb": "label", "label_set": "a=b c"},
            "The label value 'b c' must be empty",
        ),
        ({"verb": "label", "label_set": "a b=c"}, "The label key 'a b' must have a name"),
        ({"verb": "label", "label_set": "a=1", "label_remove": "a"}, "“a” is both set and removed"),
        ({"verb": "annotate", "annotate_set": "/x=1"}, "The annotation key '/x' has an empty prefix"),
        ({"verb": "patch", "patch": "spec:\n  port: [1"}, "line 2, column 9"),
        ({"verb": "patch", "patch": ""}, "The text is empty"),
        ({"verb": "patch", "patch": "metadata: {name: other}"}, "Of metadata only labels"),
        ({"verb": "patch", "patch": "metadata: {uid: other}"}, "Of metadata only labels"),
        ({"verb": "patch", "patch": "kind: Pod"}, "All are of one kind"),
        ({"verb": "patch", "patch": "status: {phase: x}"}, "it is not changed in bulk"),
        ({"verb": "delete", "grace": "other", "seconds": "soon"}, "“soon” is no grace period"),
    ],
)
async def test_what_cannot_be_sent_is_said_and_kept(demos: Demos, typed: dict[str, str], words: str) -> None:
    demos.make("a")
    page = await demos.choose(**typed)
    assert page.status == 422
    assert words in page.text
    for name, value in typed.items():
        assert page.form.values[name] == value


async def test_nothing_selected_and_all_gone_are_said(demos: Demos) -> None:
    demos.make("a")
    page = await demos.browser.send(PAGE, {"uid": ""})
    assert (page.status, "Nothing is selected" in page.text) == (422, True)
    page = await demos.browser.send(PAGE, {"uid": "no-such-uid"})
    assert (page.status, "Everything that was selected is gone" in page.text) == (422, True)


async def test_those_that_the_person_may_not_write_are_refused_in_the_clusters_words(demos: Demos) -> None:
    demos.make("a")
    async for bobs in parts_for(demos.cluster.kubeconfig_of("bob")):
        bobs.bulks = bulks_for(bobs)
        bob = Demos(demos.cluster, demos.collection, bobs, Browser(bobs))
        bobs.replicas._replicas.update(demos.parts.replicas._replicas)
        page = await bob.browser.press(await bob.browser.open(PAGE), "all")
        page = await bob.browser.open(page.location)
        assert "access rules do not let Deltaboard's account patch mydemos.crddemo.k8s.io in namespace" in page.text
        assert "access rules do not let Deltaboard's account delete mydemos.crddemo.k8s.io in namespace" in page.text
        assert page.main.count(" disabled>") == 5, "four ways and the button"
        page = await bob.review(verb="label", label_set="x=1")
        assert "1 refused" in page.text
        assert 'User "bob" cannot' in page.text
        await bobs.bulks.stop()


async def test_what_may_be_done_is_asked_together_and_of_objects_that_are_read_once(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    asked, both, items = set[str](), asyncio.Event(), Place.items
    reads = 0

    async def read(place: Place) -> tuple[Item, ...]:
        nonlocal reads
        reads += 1
        return await items(place)

    async def denial(right: Right) -> str:
        asked.add(right.verb)
        if asked == {"patch", "delete"}:
            both.set()
        await both.wait()
        return ""

    monkeypatch.setattr(Place, "items", read)
    monkeypatch.setattr(demos.parts.rights, "denial", denial)
    async with asyncio.timeout(30):
        page = await demos.press("choose")
    assert "What is to be done" in page.text
    assert reads == 1


async def test_without_tables_nothing_is_begun(demos: Demos, empty_database: str) -> None:
    demos.make("a")
    demos.parts.bulks = bulks_for(demos.parts, empty_database)
    page = await demos.browser.press(await demos.browser.open(PAGE), "all")
    assert page.status == 503
    assert "The database cannot be used" in page.text


async def test_a_spreadsheet_runs_nothing_of_what_the_api_server_said(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    await demos.choose(verb="label", label_set="x=1")
    said = AsyncMock(return_value=(Item("shop", "a", "uid", "failed", words="-1", said="=1+1"),))
    monkeypatch.setattr("dashboard.bulk.place.Place.items", said)
    assert "shop,a,uid,failed,'-1,'=1+1" in (await demos.browser.open(f"{demos.run}results.csv")).body
