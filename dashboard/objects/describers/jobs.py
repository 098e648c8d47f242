"""Facts of Jobs and CronJobs: how many pods must succeed, how many have, and when the job gives up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, join_sentences, make_fact, make_section
from dashboard.objects.describers.name_and_namespace import namespace_of
from dashboard.objects.describers.workloads import selected_pods_fact
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps, as_text, as_texts
from dashboard.runtime.counts_and_times import format_pod_count, format_seconds, parse_timestamp
from dashboard.runtime.text_with_links import TextPiece, age_piece, object_piece

_OVERLAP = {
    "Forbid": "Forbid: a run is skipped while another one is active",
    "Replace": "Replace: an active run is ended for the next one",
    "Allow": "Allow: runs may overlap",
}
_NO_LIMIT = 2147483647


def job_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    return make_section(
        "pods", "Pods of the job",
        make_fact(
            "Suspended", "it has no pods until it is resumed" if spec.get("suspend") is True else None, tone="warn"
        ),
        make_fact("Pods", _progress_text(status)),
        make_fact("Done", _indexes(status.get("completedIndexes"))),
        make_fact("Failed", _indexes(status.get("failedIndexes")), tone="bad"),
        *_terms(spec),
        selected_pods_fact(obj, spec.get("selector")),
    )  # fmt: skip


def cronjob_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    running = [
        [object_piece("jobs.batch", namespace_of(obj), as_text(job.get("name")))]
        for job in as_maps(status.get("active"))
    ]
    suspended = "it starts no jobs until it is resumed" if spec.get("suspend") is True else None
    late, overlap = spec.get("startingDeadlineSeconds"), as_text(spec.get("concurrencyPolicy"))
    successful, failed = spec.get("successfulJobsHistoryLimit"), spec.get("failedJobsHistoryLimit")
    keeps = f"the last {as_text(successful)} successful and {as_text(failed)} failed jobs"
    return (
        *make_section(
            "schedule", "Schedule",
            make_fact("Suspended", suspended, tone="warn"),
            make_fact("Started last", _ago(status.get("lastScheduleTime")) or [TextPiece("never so far")]),
            make_fact("Last success", _ago(status.get("lastSuccessfulTime"))),
            make_fact("Running now", join_sentences(running)),
            make_fact("Overlap", _OVERLAP.get(overlap, overlap) or None),
            make_fact("If it is late", f"a run is skipped after {format_seconds(late)}" if late is not None else None),
            make_fact("Keeps", keeps if successful is not None else None),
        ),
        *make_section("jobs", "Each job", *_terms(as_map(as_map(spec.get("jobTemplate")).get("spec")))),
    )  # fmt: skip


def _terms(spec: Mapping[str, Any]) -> Iterator[Fact | None]:
    """The completions of a job, and when it gives up."""
    retries, each = spec.get("backoffLimit"), spec.get("backoffLimitPerIndex")
    most, deadline = spec.get("maxFailedIndexes"), spec.get("activeDeadlineSeconds")
    ttl, manager = spec.get("ttlSecondsAfterFinished"), as_text(spec.get("managedBy"))
    yield make_fact("Wanted", _completions_text(spec))
    yield make_fact(
        "Gives up",
        f"after {_failures(retries)}" if retries is not None and retries != _NO_LIMIT else None,
        f"on an index after {_failures(each)}" if each is not None else None,
        f"after {_failures(most, 'failed index', 'failed indexes')}" if most is not None else None,
        f"after {format_seconds(deadline)}" if deadline is not None else None,
    )
    yield make_fact("When a pod fails", *_rules(as_map(spec.get("podFailurePolicy"))))
    yield make_fact(
        "A failed pod", "is replaced when it has ended" if spec.get("podReplacementPolicy") == "Failed" else None
    )
    yield make_fact("Is a success", *_successes(as_map(spec.get("successPolicy"))))
    yield make_fact("Deleted", f"{format_seconds(ttl)} after its end" if ttl is not None else None)
    yield make_fact("Managed by", manager if manager not in ("", "kubernetes.io/job-controller") else None)


def _failures(most: Any, one: str = "failure", several: str = "failures") -> str:
    """``more than 6 failures``, ``the first failure``: when there are too many."""
    return f"the first {one}" if most == 0 else f"more than {as_text(most)} {one if most == 1 else several}"


def _indexes(indexes: Any) -> str | None:
    """``index 3``, ``indexes 0-2,5``; None where there are none."""
    text = as_text(indexes)
    return f"index{'' if text.isdigit() else 'es'} {text}" if text else None


def _completions_text(spec: Mapping[str, Any]) -> str:
    completions, parallel = as_int(spec.get("completions")), as_int(spec.get("parallelism"))
    at_once = f"{1 if parallel is None else parallel} at a time"
    indexed = spec.get("completionMode") == "Indexed"
    if completions is None:
        return f"until one succeeds, {at_once}"
    last = completions - 1
    indexes = (f", one for each index from 0 to {last}" if last > 0 else ", of index 0") if indexed else ""
    successes = "1 success" if completions == 1 else f"{completions} successes"
    return f"{successes}{indexes}, {at_once}"


def _progress_text(status: Mapping[str, Any]) -> str | None:
    active, ready, terminating = (as_int(status.get(name)) or 0 for name in ("active", "ready", "terminating"))
    succeeded, failed = (as_int(status.get(name)) or 0 for name in ("succeeded", "failed"))
    if not status:
        return None
    end = f", {terminating} ending" if terminating else ""
    well = f", {ready} of them ready" if active else ""
    return f"{format_pod_count(active)} running{well}, {succeeded} succeeded, {failed} failed{end}"


def _rules(policy: Mapping[str, Any]) -> Iterator[str]:
    for rule in as_maps(policy.get("rules")):
        codes, container = (
            as_map(rule.get("onExitCodes")),
            as_text(as_map(rule.get("onExitCodes")).get("containerName")),
        )
        other = "other than " if codes.get("operator") == "NotIn" else ""
        exits = f"exit {other}{', '.join(as_texts(codes.get('values')))}" + (f" of {container}" if container else "")
        conditions = ", ".join(as_text(each.get("type")) for each in as_maps(rule.get("onPodConditions")))
        when = exits if codes else f"condition {conditions}"
        action = as_text(rule.get("action"))
        yield f"{when}: {_ACTIONS.get(action, action)}"


_ACTIONS = {
    "FailJob": "the job fails at once",
    "FailIndex": "its index fails at once",
    "Ignore": "does not count",
    "Count": "counts as a failure",
}


def _successes(policy: Mapping[str, Any]) -> Iterator[str]:
    for rule in as_maps(policy.get("rules")):
        indexes, needed = as_text(rule.get("succeededIndexes")), as_text(rule.get("succeededCount"))
        yield " ".join(
            part
            for part in (f"with {needed}" if needed else "with all", f"of indexes {indexes}" if indexes else "")
            if part
        )


def _ago(value: Any) -> list[TextPiece] | None:
    moment = parse_timestamp(value)
    return None if moment is None else [age_piece(moment), TextPiece(" ago")]
