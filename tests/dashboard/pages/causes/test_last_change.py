"""Tests of the change before a problem: found however busy its kind is, and doubted where it may be missing."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.publisher import MAX_ENTRIES
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.causes.last_change import LONGEST_BEFORE, SAME_TIME, LastChanges
from dashboard.pages.causes.top_owner import Subject
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod

WEB = Subject(KINDS["pods"], "default", "web")
BEGIN = "2027-01-15 08:00:00 UTC"


class Searched:
    """Last changes of a kind whose feed begins at BEGIN. `searches` are those that are not over."""

    def __init__(self, *, max_entries: int = 200_000) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock)
        self.history = FeedHistory([self.pods.replica], self.clock, max_entries=max_entries)
        self.pods.replica.on_change(self._apply)
        self.searches: list[SlicedWork] = []
        self.found = 0
        self.changes = LastChanges(self.history, self.searches.append, self._note_found)

    def _apply(self, change: Change) -> None:
        self.history.add("pods", change)
        self.changes.apply("pods", change)

    def _note_found(self) -> None:
        self.found += 1

    def change(self, words: str, *, name: str = "web", field: str = "images") -> None:
        self.pods._send(entries=(self.line(words, name, field),))

    def line(self, words: str, name: str = "web", field: str = "images") -> Entry:
        return msgspec.structs.replace(self.pods.entry(pod(name), "modified", words), fields=((field, "x"),))

    def after_a_flood(self, number: int) -> None:
        """So many changes of others, each a millisecond after the one before."""
        lines = []
        for each in range(number):
            self.clock.skip(0.001)
            lines.append(self.line("restarts", f"busy-{each}", "restarts"))
        self.pods._send(entries=tuple(lines))

    def search(self, begin: float) -> None:
        self.changes.search({WEB.place: begin})
        while self.searches:
            run_at_once(self.searches.pop())

    @property
    def said(self) -> tuple[str, str]:
        change = self.changes.get(WEB)
        return (f"{change.when}: {change.words}" if change is not None else "", self.changes.doubt(WEB))


@pytest.mark.slow
def test_a_change_is_found_behind_thousands_of_changes_of_other_objects() -> None:
    searched = Searched()
    searched.clock.skip(LONGEST_BEFORE)
    searched.change("images a → b")
    searched.after_a_flood(10 * MAX_ENTRIES)
    searched.clock.skip(60 - 5)
    searched.search(searched.clock.time())
    assert searched.said == ("60s after: images a → b", "")


def test_where_the_feed_does_not_reach_back_it_says_since_when_it_does() -> None:
    searched = Searched()
    searched.clock.skip(LONGEST_BEFORE - 1)
    searched.search(searched.clock.time())
    assert searched.said == ("", f"Changes of Pods before {BEGIN} are not in the feed.")
    searched.clock.skip(1)
    searched.search(searched.clock.time())
    assert searched.said == ("", "")


def test_lines_that_were_dropped_or_lost_since_the_change_are_doubted() -> None:
    searched = Searched(max_entries=1_000)
    searched.clock.skip(LONGEST_BEFORE)
    searched.change("images a → b")
    searched.after_a_flood(2_000)
    searched.search(searched.clock.time())
    change, doubt = searched.said
    assert change == ""
    assert doubt.startswith("Changes of Pods before 2027-01-15 09:00:0")
    lossy = Searched()
    lossy.clock.skip(LONGEST_BEFORE)
    lossy.change("images a → b")
    lossy.clock.skip(30)
    lossy.pods.lose_entries(3)
    lossy.change("restarts", name="other", field="restarts")
    lossy.clock.skip(30)
    lossy.search(lossy.clock.time())
    assert lossy.said == (
        "60s after: images a → b",
        "Changes of Pods before 2027-01-15 09:00:30 UTC are not in the feed.",
    )


def test_changes_of_a_kind_whose_feed_is_not_kept_are_not_known() -> None:
    searched = Searched()
    job = Subject(KINDS["jobs.batch"], "shop", "job")
    searched.changes.search({job.place: searched.clock.time()})
    run_at_once(searched.searches.pop())
    assert (searched.changes.get(job), searched.changes.doubt(job)) == (None, "Changes of Jobs are not known.")


def test_which_of_two_was_first_within_seconds_is_not_claimed() -> None:
    searched = Searched()
    searched.clock.skip(LONGEST_BEFORE)
    searched.change("images a → b")
    for seconds, when in ((-SAME_TIME, "about the same time as"), (SAME_TIME, "about the same time as"),
                          (SAME_TIME + 1, "6s after")):  # fmt: skip
        searched.search(searched.clock.time() + seconds)
        change = searched.changes.get(WEB)
        assert change is not None
        assert (change.when, change.is_before) == (when, when == "6s after")
    searched.search(searched.clock.time() - SAME_TIME - 1)
    assert searched.changes.get(WEB) is None


def test_a_search_runs_in_slices_while_new_lines_come_and_says_that_it_runs() -> None:
    searched = Searched()
    searched.clock.skip(LONGEST_BEFORE)
    searched.change("images a → b")
    searched.after_a_flood(2_000)
    begin = searched.clock.time()
    searched.changes.search({WEB.place: begin})
    (work,) = searched.searches
    next(work)
    assert searched.said == ("", "The feed is being searched for changes before it.")
    searched.changes.search({WEB.place: begin, ("pods", "default", "other"): begin})
    assert len(searched.searches) == 1, "one at a time"
    searched.change("images b → c")
    assert searched.said[0] == "about the same time as: images b → c"
    run_at_once(work)
    assert searched.found == 1
    assert searched.said == ("about the same time as: images b → c", "")
    searched.change("scaled", field="status.replicas")
    searched.clock.skip(SAME_TIME + 1)
    searched.change("images c → d")
    assert searched.said[0] == "about the same time as: images b → c"


def test_a_search_ends_where_all_are_found_and_is_not_repeated() -> None:
    searched = Searched()
    searched.clock.skip(LONGEST_BEFORE)
    searched.after_a_flood(2_000)
    searched.clock.skip(1)
    searched.change("images a → b")
    searched.clock.skip(60)
    begin = searched.clock.time()
    searched.changes.search({WEB.place: begin})
    assert [*searched.searches.pop()] == [], "its first chunk is the last that is read"
    searched.changes.search({WEB.place: begin})
    assert searched.searches == []
    searched.changes.keep_only([])
    assert searched.changes.get(WEB) is None
    searched.changes.search({WEB.place: begin})
    assert len(searched.searches) == 1


def test_what_the_cluster_sets_in_a_spec_itself_is_no_change_that_somebody_made() -> None:
    searched = Searched()
    searched.clock.skip(LONGEST_BEFORE)
    for field in ("spec.taints", "spec.taints[0].key", "spec.nodeName", "specification", "ready"):
        searched.change("by itself", field=field)
    searched.search(searched.clock.time() + 60)
    assert searched.said == ("", "")
    searched.change("by somebody", field="spec.template")
    assert searched.said == ("60s after: by somebody", "")
