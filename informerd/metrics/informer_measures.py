"""Measures of an informer: its state, lists, watches, store and queue."""

from __future__ import annotations

from typing import get_args

from informerd.cache.health import State
from informerd.metrics.measures import Measure, Subject, Values, counts_by_label, single_value, value_if_known

STATES: tuple[str, ...] = get_args(State)


def _lists(subject: Subject) -> Values:
    return [(key, number) for key, number in [*subject.informer.counters.reflector.lists.items()]]


def _list_seconds(subject: Subject) -> Values:
    return [((method,), each) for method, each in subject.informer.counters.reflector.list_seconds.items()]


def _deltas(subject: Subject) -> Values:
    counters = subject.informer.counters
    return [
        (("added",), counters.added), (("updated",), counters.updated), (("deleted",), counters.deleted),
        (("ignored",), counters.ignored), (("replaced_all",), counters.lists), (("sync_all",), counters.resyncs),
        (("bookmark",), counters.bookmarks),
    ]  # fmt: skip


def _list_changes(subject: Subject) -> Values:
    counters = subject.informer.counters
    return [(("new",), counters.listed_new), (("known",), counters.listed_known), (("gone",), counters.listed_gone)]


def _state(subject: Subject) -> Values:
    return [((state,), float(state == subject.health.state)) for state in STATES]


def _age(subject: Subject) -> float | None:
    heard = subject.health.heard
    return None if heard is None else max(0.0, subject.now - heard)


def _resource_version(subject: Subject) -> float | None:
    version = subject.informer.store.resource_version
    return float(version[-15:]) if version.isdecimal() else None


INFORMER_MEASURES: tuple[Measure, ...] = (
    Measure(
        "gauge",
        "objects",
        "Objects in the store.",
        (),
        single_value(lambda s: len(s.informer.store)),
    ),
    Measure(
        "gauge",
        "synced",
        "1 once the store has held a first complete list.",
        (),
        single_value(lambda s: s.informer.has_synced),
    ),
    Measure(
        "gauge",
        "state",
        "1 for the state that the informer is in, 0 for the others.",
        ("state",),
        _state,
    ),
    Measure(
        "counter",
        "states_entered",
        "Changes of state, by the new one.",
        ("state",),
        counts_by_label(lambda s: s.informer.counters.states_entered),
    ),
    Measure(
        "gauge",
        "last_word_age_seconds",
        (
            "Seconds since the API server's last word: event, bookmark, list or answered probe, whichever is "
            "newest. It does not say that nothing is still on its way. Absent before the first word."
        ),
        (),
        value_if_known(_age),
    ),
    Measure(
        "gauge",
        "last_word_timestamp_seconds",
        "When the API server's last word came, in Unix seconds.",
        (),
        value_if_known(lambda s: s.health.heard),
    ),
    Measure(
        "gauge",
        "last_event_timestamp_seconds",
        "When the last event of a watch came, in Unix seconds.",
        (),
        value_if_known(lambda s: s.health.last_event),
    ),
    Measure(
        "counter",
        "reconnects",
        "Watches begun after the first.",
        (),
        single_value(lambda s: s.health.reconnects),
    ),
    Measure(
        "counter",
        "relists",
        "Lists begun after the first.",
        (),
        single_value(lambda s: s.health.relists),
    ),
    Measure(
        "counter",
        "lists",
        "Lists (= reflector_lists_total) by how they came, as a stream or in pages, and by outcome.",
        ("method", "outcome"),
        _lists,
    ),
    Measure(
        "histogram",
        "list_duration_seconds",
        "How long lists that came whole took (= reflector_list_duration_seconds).",
        ("method",),
        _list_seconds,
    ),
    Measure(
        "counter",
        "watches",
        (
            "Watches that have ended or could not begin (= reflector_watches_total; outcome short = "
            "reflector_short_watches_total)."
        ),
        ("outcome",),
        counts_by_label(lambda s: s.informer.counters.reflector.watches),
    ),
    Measure(
        "histogram",
        "watch_duration_seconds",
        "How long watches lasted that have ended (= reflector_watch_duration_seconds).",
        (),
        lambda s: [((), s.informer.counters.reflector.watch_seconds)],
    ),
    Measure(
        "counter",
        "deltas",
        (
            "Deltas that are in the store: added, updated, deleted are changes from watches as the store saw "
            "them, ignored are deletions of what it did not have, replaced_all lists, sync_all resyncs."
        ),
        ("type",),
        _deltas,
    ),
    Measure(
        "counter",
        "list_objects",
        (
            "Objects of lists: new to the store, known to it, and gone, which only the store had: deletions "
            "that were missed."
        ),
        ("change",),
        _list_changes,
    ),
    Measure(
        "gauge",
        "queued_deltas",
        "Deltas on their way into the store (= informer_queued_items).",
        (),
        single_value(lambda s: s.informer.queue_length[0]),
    ),
    Measure(
        "gauge",
        "queued_deltas_oldest_age_seconds",
        (
            "Lag inside this process: seconds since the oldest delta that is not in the store yet was read "
            "from the stream. When the API server made the change is not known."
        ),
        (),
        single_value(lambda s: s.informer.queue_length[1]),
    ),
    Measure(
        "counter",
        "restarts",
        "How often the informer failed by a fault of its own and began anew with a list.",
        (),
        single_value(lambda s: s.informer.counters.restarts),
    ),
    Measure(
        "counter",
        "faulty_objects",
        (
            "Objects that could not be taken as they came: unexpected (another kind, no identity: dropped), "
            "untransformed (the transform raised: left out), unfit (the projection does not fit: kept with "
            "its head only)."
        ),
        ("fault",),
        counts_by_label(lambda s: s.informer.counters.faults),
    ),
    Measure(
        "counter",
        "index_failures",
        "How often an index's function raised.",
        ("index",),
        counts_by_label(lambda s: s.informer.store.index_failures),
    ),
    Measure(
        "gauge",
        "store_resource_version",
        "The version that the store is at, its last 15 digits (= informer_store_resource_version).",
        (),
        value_if_known(_resource_version),
    ),
)
