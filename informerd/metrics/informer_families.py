"""Families about informers, their handlers, and the probes of API servers.

client-go's names are those of tools/cache/reflector_metrics.go and, since 1.36, component-base's informer metrics; its
label ``name`` is here group, version, resource, namespace and selector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from prometheus_client.core import Metric

from informerd.cache.api_server_probe import Probe
from informerd.cache.counters import HandlerTotals
from informerd.cache.health import Health, State
from informerd.cache.listener import Listener
from informerd.cache.shared_informer import SharedInformer
from informerd.metrics.family_builder import Families
from informerd.metrics.unique_labels import LabelValues

LABELS = ("cluster", "group", "version", "resource", "namespace", "selector")
"""Every family about informers has these; namespace and selector are empty for an informer of everything."""


class Subject(NamedTuple):
    """One informer as it is looked at: its health at `now` (Unix seconds)."""

    informer: SharedInformer[Any]
    health: Health
    now: float


def informer_families(subjects: Mapping[LabelValues, Subject]) -> Iterator[Metric]:
    """An informer's state, lists, watches, store and queue."""
    of = Families(subjects, *LABELS)
    yield of.gauge("objects", "Objects in the store.", lambda s: len(s.informer.store))
    yield of.gauge("synced", "1 once the store has held a first complete list.", lambda s: s.informer.has_synced)
    yield of.gauge("state", "1 for the state that the informer is in, 0 for the others.", _state, "state")
    words = "Changes of state, by the new one."
    yield of.counter("states_entered", words, lambda s: s.informer.counters.states_entered, "state")
    words = (
        "Seconds since the API server's last word: event, bookmark, list or answered probe, whichever is newest. It "
        "does not say that nothing is still on its way. Absent before the first word."
    )
    yield of.gauge("last_word_age_seconds", words, _age)
    words = "When the API server's last word came, in Unix seconds."
    yield of.gauge("last_word_timestamp_seconds", words, lambda s: s.health.heard)
    words = "When the last event of a watch came, in Unix seconds."
    yield of.gauge("last_event_timestamp_seconds", words, lambda s: s.health.last_event)
    yield of.counter("reconnects", "Watches begun after the first.", lambda s: s.health.reconnects)
    yield of.counter("relists", "Lists begun after the first.", lambda s: s.health.relists)
    words = "Lists (= reflector_lists_total) by how they came, as a stream or in pages, and by outcome."
    yield of.counter("lists", words, lambda s: s.informer.counters.reflector.lists, "method", "outcome")
    words = "How long lists that came whole took (= reflector_list_duration_seconds)."
    yield of.histogram("list_duration_seconds", words, lambda s: s.informer.counters.reflector.list_seconds, "method")
    words = (
        "Watches that have ended or could not begin (= reflector_watches_total; outcome short = "
        "reflector_short_watches_total)."
    )
    yield of.counter("watches", words, lambda s: s.informer.counters.reflector.watches, "outcome")
    words = "How long watches lasted that have ended (= reflector_watch_duration_seconds)."
    yield of.histogram("watch_duration_seconds", words, lambda s: s.informer.counters.reflector.watch_seconds)
    words = (
        "Deltas that are in the store: added, updated, deleted are changes from watches as the store saw them, ignored "
        "are deletions of what it did not have, replaced_all lists, sync_all resyncs."
    )
    yield of.counter("deltas", words, _deltas, "type")
    words = (
        "Objects of lists: new to the store, known to it, and gone, which only the store had: deletions that were "
        "missed."
    )
    yield of.counter("list_objects", words, _list_changes, "change")
    words = "Deltas on their way into the store (= informer_queued_items)."
    yield of.gauge("queued_deltas", words, lambda s: s.informer.queue_length[0])
    words = (
        "Lag inside this process: seconds since the oldest delta that is not in the store yet was read from the "
        "stream. When the API server made the change is not known."
    )
    yield of.gauge("queued_deltas_oldest_age_seconds", words, lambda s: s.informer.queue_length[1])
    words = "How often the informer failed by a fault of its own and began anew with a list."
    yield of.counter("restarts", words, lambda s: s.informer.counters.restarts)
    words = (
        "Objects that could not be taken as they came: unexpected (another kind, no identity: dropped), untransformed "
        "(the transform raised: left out), unfit (the projection does not fit: kept with its head only), unreadable "
        "(nested too deeply or broken: taken out)."
    )
    yield of.counter("faulty_objects", words, lambda s: s.informer.counters.faults, "fault")
    words = "Objects that exist and cannot be read now: the store has no state of them."
    yield of.gauge("unreadable_objects", words, lambda s: len(s.informer.unreadable))
    words = "How often an index's function raised."
    yield of.counter("index_failures", words, lambda s: s.informer.store.index_failures, "index")
    words = "The version that the store is at, its last 15 digits (= informer_store_resource_version)."
    yield of.gauge("store_resource_version", words, _resource_version)


def handler_families(subjects: Mapping[LabelValues, Subject]) -> Iterator[Metric]:
    """An informer's handlers by name: the present ones for gauges, all that there were for counters."""
    of = Families(subjects, *LABELS)
    words = "Notifications that wait for a handler."
    yield of.gauge("handler_queued_notifications", words, _present(lambda each: each.depth, sum), "handler")
    words = (
        "Lag of a handler: seconds since the oldest notification that it has not dealt with, or one of the same batch, "
        "was put into its buffer."
    )
    yield of.gauge("handler_oldest_age_seconds", words, _present(lambda each: each.oldest_age, max), "handler")
    words = "Notifications put into a handler's buffer."
    yield of.counter("handler_notifications", words, _counted(lambda each: each.enqueued_count), "handler")
    yield of.counter("handler_failures", "How often a handler raised.", _counted(lambda each: each.failures), "handler")
    words = "How often a handler's buffer grew too long."
    yield of.counter("handler_overflows", words, _counted(lambda each: each.overflows), "handler")


def probe_families(probes: Mapping[LabelValues, Sequence[Probe]]) -> Iterator[Metric]:
    """The probes of each cluster, counted together."""
    of = Families(probes, LABELS[0])
    words = "Probes of the API server by outcome; refused is an answer too."
    yield of.counter("probes", words, _probe_outcomes, "outcome")
    words = "1 while the API server does not answer probes."
    yield of.gauge("api_server_silent", words, lambda group: any(probe.problem for probe in group))


def _state(subject: Subject) -> dict[str, float]:
    return {state: state == subject.health.state for state in get_args(State)}


def _age(subject: Subject) -> float | None:
    heard = subject.health.heard
    return None if heard is None else max(0.0, subject.now - heard)


def _deltas(subject: Subject) -> dict[str, float]:
    counters = subject.informer.counters
    return {
        "added": counters.added, "updated": counters.updated, "deleted": counters.deleted, "ignored": counters.ignored,
        "replaced_all": counters.lists, "sync_all": counters.resyncs, "bookmark": counters.bookmarks,
    }  # fmt: skip


def _list_changes(subject: Subject) -> dict[str, float]:
    counters = subject.informer.counters
    return {"new": counters.listed_new, "known": counters.listed_known, "gone": counters.listed_gone}


def _resource_version(subject: Subject) -> float | None:
    version = subject.informer.store.resource_version
    return float(version[-15:]) if version.isdecimal() else None


def _present(
    value: Callable[[Listener[Any]], float], join: Callable[[list[float]], float]
) -> Callable[[Subject], dict[str, float]]:
    """The numbers of handlers of one name are joined."""

    def read(subject: Subject) -> dict[str, float]:
        numbers_by_name: dict[str, list[float]] = {}
        for listener in subject.informer.registrations:
            name = subject.informer.counters.handlers.label(listener.name)
            numbers_by_name.setdefault(name, []).append(value(listener))
        return {name: join(numbers) for name, numbers in numbers_by_name.items()}

    return read


def _counted(value: Callable[[HandlerTotals], float]) -> Callable[[Subject], dict[str, float]]:
    return lambda s: {name: value(each) for name, each in s.informer.counters.handlers.by_name().items()}


def _probe_outcomes(probes: Sequence[Probe]) -> dict[str, float]:
    outcomes: dict[str, float] = {}
    for probe in probes:
        for outcome, number in dict(probe.outcomes).items():
            outcomes[outcome] = outcomes.get(outcome, 0) + number
    return outcomes
