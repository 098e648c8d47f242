"""Causes that the overview would show for objects of a cluster, with the feed's lines of their changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.replication.feed_history import FeedHistory
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.printers.change_text import change_text
from dashboard.pages.causes.live_causes import LiveCauses
from dashboard.pages.causes.shown_causes import Causes
from informerd.clock import Clock
from tests.support.live.replica_feeder import EPOCH, Feeder, Feeders
from tests.support.objects.rows import row_of

Json = dict[str, Any]
FOLLOWED = ("pods", "mydemos.crddemo.k8s.io", "events", "namespaces", "nodes", "deployments.apps", "replicasets.apps")
"""The kinds that Deltaboard follows by default."""


def causes_of(
    objects: Mapping[str, Iterable[Json]], clock: Clock, changes: Iterable[tuple[str, float, Json, Json]] = ()
) -> Causes:
    """Causes of the problems of `objects`, by kind. `changes` are the kind's key, Unix seconds, before and after."""
    feeders = {key: Feeder(key, clock, [row_of(key, each) for each in objects.get(key, ())]) for key in FOLLOWED}
    for number, (key, time, before, after) in enumerate(changes):
        old, new = row_of(key, before), row_of(key, after)
        text = change_text(key, old, new)
        feeders[key].replica.entries.append(Entry(
            number + 1, time, "modified", new.namespace, new.name, new.uid, new.version, text.words, text.tone, EPOCH,
            fields=text.fields,
        ))  # fmt: skip
    kinds = HubKinds(Feeders(*feeders.values()), clock, lambda *_: None)
    kinds.kind_summaries.pass_time(clock.time())
    history = FeedHistory([feeder.replica for feeder in feeders.values()], clock)
    return LiveCauses(kinds, history, clock).found


def words_of(causes: Causes) -> list[str]:
    """Each card in a line."""
    return [
        f"{cause.subject.kind.singular} {cause.subject.namespace}/{cause.subject.name}: {cause.words} ({cause.count})"
        if cause.subject is not None
        else f"{cause.words} ({cause.count})"
        for cause in causes.shown
    ]


def changed(states: Iterable[Json], key: str, time: float) -> list[tuple[str, float, Json, Json]]:
    """Changes between the states of an object one after the other, all at `time`."""
    listed = list(states)
    return [(key, time, before, after) for before, after in pairwise(listed)]
