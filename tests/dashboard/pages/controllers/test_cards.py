"""Tests of the text of a controller's card."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.pages.controllers.cards import POINTS, Card, card_of, chart_of, outcomes_of
from dashboard.pages.controllers.worker_messages import History
from tests.support.controllers.report_samples import NOW, busy, controller, failed, history

KINDS = parse_kinds(["pods", "mydemos"])


def card(**changes: Any) -> Card:
    return card_of(controller(**changes), history(), NOW, KINDS)


def test_a_quiet_controller_has_no_oldest_key_and_no_chart() -> None:
    nothing = History(int(NOW), 5, (0, 0), (0, 0), (0, 0))
    quiet = card_of(controller(reconciles={}, p50=None, last_at=None), nothing, NOW, KINDS)
    assert (quiet.oldest_since, quiet.last, quiet.rate, quiet.p50, quiet.outcomes) == (None, None, "0", "–", ())
    assert (quiet.depth_chart.line, quiet.depth_chart.words) == ("", "The queue's depth: 0 for 15 minutes")


def test_keys_lead_to_the_objects_details_where_the_kind_is_watched() -> None:
    shown = card(failed=(failed("default/a b"),))
    assert shown.failed[0].href == "/resources/mydemos.crddemo.k8s.io/default/a%20b/"
    assert shown.href == "/resources/mydemos.crddemo.k8s.io/"
    unwatched = card(resource="nodes", failed=(failed("node-1"),))
    assert (unwatched.href, unwatched.failed[0].href) == ("", "")
    strange = card(resource="", failed=(failed("anything"),))
    assert (strange.href, strange.failed[0].href) == ("", "")


def test_a_key_that_failed_names_what_the_button_sends_and_when_it_is_tried_next() -> None:
    line, final = card(failed=(failed("default/a"), failed("default/b", retry_at=None))).failed
    assert (line.item, line.error, line.failures) == ("crddemo/default/a", "ValueError: spec.port is 0", 3)
    assert line.retry is not None
    assert line.retry.datetime == "2026-11-21T08:00:12Z"
    assert final.retry is None


def test_the_oldest_waiting_key_has_the_moment_since_when_it_waits() -> None:
    shown = card_of(busy(), history(), NOW, KINDS)
    assert shown.oldest_since is not None
    assert shown.oldest_since.datetime == "2026-11-21T07:59:18Z"
    assert shown.oldest_href.startswith("/resources/pods/shop/checkout")
    assert shown.stuck[0].last is not None
    assert shown.stuck[0].last.datetime == "2026-11-21T07:47:26Z"


def test_keys_that_failed_keep_their_places_however_often_they_fail() -> None:
    newest_first = (failed("b", at=NOW), failed("c", at=NOW - 5), failed("a", at=NOW - 9))
    assert [line.key for line in card(failed=newest_first).failed] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("phase", "tone"),
    [("running", "ok"), ("waiting for caches", "busy"), ("waiting for leader", "busy"), ("failed", "bad")],
)
def test_a_phase_has_a_tone(phase: Any, tone: str) -> None:
    assert card(phase=phase).tone == tone


def test_outcomes_are_counted_in_words_and_unknown_ones_too() -> None:
    found = outcomes_of({"error": 3, "success": 1204, "panic": 0, "novel": 1})
    assert [(one.words, one.tone, one.count) for one in found] == [
        ("succeeded", "ok", 1204),
        ("failed", "bad", 3),
        ("novel", "idle", 1),
    ]


def test_a_chart_of_a_controller_that_began_of_late_begins_where_it_did() -> None:
    assert chart_of([1.0, 2.0], "Depth", "deep at most").line == "M99.4 31.5 100.0 3.0"


def test_a_chart_draws_bends_only() -> None:
    values = [0.0] * POINTS
    values[-2] = 5.0
    chart = chart_of(values, "Depth", "deep at most")
    assert chart.line == "M0.0 60.0 98.9 60.0 99.4 3.0 100.0 60.0"
    assert chart.area == chart.line + " 100 60 0.0 60Z"
    assert (chart.max_text, chart.words) == ("5", "Depth in the last 15 minutes: 5 deep at most")
