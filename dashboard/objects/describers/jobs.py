"""Jobs and CronJobs: how many pods are to end well, how many have, and when it gives up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, joined, section
from dashboard.resources.facts.rollouts import selects
from dashboard.resources.facts.template import namespace_of
from dashboard.resources.loose import mapping, mappings, number, text, texts
from dashboard.resources.words import Words, age, moment_of, named, pods, span

_OVERLAP = {
    "Forbid": "Forbid: a run is left out while another one is going on",
    "Replace": "Replace: a run that is going on is ended for the next one",
    "Allow": "Allow: runs may overlap",
}
_NO_LIMIT = 2147483647


def job_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    return section(
        "pods", "Pods of the job",
        fact("Suspended", "it has no pods until it is resumed" if spec.get("suspend") is True else None, tone="warn"),
        fact("Pods", _counted(status)),
        fact("Done", _indexes(status.get("completedIndexes"))),
        fact("Failed", _indexes(status.get("failedIndexes")), tone="bad"),
        *_terms(spec),
        selects(obj, spec.get("selector")),
    )  # fmt: skip


def cronjob_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    running = [
        [named("jobs.batch", namespace_of(obj), text(job.get("name")))] for job in mappings(status.get("active"))
    ]
    suspended = "it starts no jobs until it is resumed" if spec.get("suspend") is True else None
    late, overlap = spec.get("startingDeadlineSeconds"), text(spec.get("concurrencyPolicy"))
    kept, failed = spec.get("successfulJobsHistoryLimit"), spec.get("failedJobsHistoryLimit")
    keeps = f"the last {text(kept)} jobs that ended well, {text(failed)} that failed"
    return (
        *section(
            "schedule", "Schedule",
            fact("Suspended", suspended, tone="warn"),
            fact("Started last", _ago(status.get("lastScheduleTime")) or [Words("never so far")]),
            fact("Ended well last", _ago(status.get("lastSuccessfulTime"))),
            fact("Running now", joined(running)),
            fact("Overlap", _OVERLAP.get(overlap, overlap) or None),
            fact("If it is late", f"a run is left out after {span(late)}" if late is not None else None),
            fact("Keeps", keeps if kept is not None else None),
        ),
        *section("jobs", "Each job", *_terms(mapping(mapping(spec.get("jobTemplate")).get("spec")))),
    )  # fmt: skip


def _terms(spec: Mapping[str, Any]) -> Iterator[Fact | None]:
    """What a job is to do, and when it gives up."""
    retries, each = spec.get("backoffLimit"), spec.get("backoffLimitPerIndex")
    most, deadline = spec.get("maxFailedIndexes"), spec.get("activeDeadlineSeconds")
    kept, manager = spec.get("ttlSecondsAfterFinished"), text(spec.get("managedBy"))
    yield fact("Wanted", _wanted(spec))
    yield fact(
        "Gives up",
        f"after {_failures(retries)}" if retries is not None and retries != _NO_LIMIT else None,
        f"on an index after {_failures(each)}" if each is not None else None,
        f"after {_failures(most, 'failed index', 'failed indexes')}" if most is not None else None,
        f"after {span(deadline)}" if deadline is not None else None,
    )
    yield fact("When a pod fails", *_rules(mapping(spec.get("podFailurePolicy"))))
    yield fact(
        "A failed pod", "is replaced when it has ended" if spec.get("podReplacementPolicy") == "Failed" else None
    )
    yield fact("Is a success", *_successes(mapping(spec.get("successPolicy"))))
    yield fact("Deleted", f"{span(kept)} after its end" if kept is not None else None)
    yield fact("Managed by", manager if manager not in ("", "kubernetes.io/job-controller") else None)


def _failures(most: Any, one: str = "failure", several: str = "failures") -> str:
    """How many are too many, where so many are let pass."""
    return f"the first {one}" if most == 0 else f"more than {text(most)} {one if most == 1 else several}"


def _indexes(given: Any) -> str | None:
    """``index 3``, ``indexes 0-2,5``; nothing where there are none."""
    found = text(given)
    return f"index{'' if found.isdigit() else 'es'} {found}" if found else None


def _wanted(spec: Mapping[str, Any]) -> str:
    completions, parallel = number(spec.get("completions")), number(spec.get("parallelism"))
    at_once = f"{1 if parallel is None else parallel} at a time"
    indexed = spec.get("completionMode") == "Indexed"
    if completions is None:
        return f"until one succeeds, {at_once}"
    last = completions - 1
    indexes = (f", one for each index from 0 to {last}" if last > 0 else ", of index 0") if indexed else ""
    successes = "1 success" if completions == 1 else f"{completions} successes"
    return f"{successes}{indexes}, {at_once}"


def _counted(status: Mapping[str, Any]) -> str | None:
    active, ready, going = (number(status.get(name)) or 0 for name in ("active", "ready", "terminating"))
    succeeded, failed = (number(status.get(name)) or 0 for name in ("succeeded", "failed"))
    if not status:
        return None
    end = f", {going} ending" if going else ""
    well = f", {ready} of them ready" if active else ""
    return f"{pods(active)} running{well}, {succeeded} succeeded, {failed} failed{end}"


def _rules(policy: Mapping[str, Any]) -> Iterator[str]:
    for rule in mappings(policy.get("rules")):
        codes, container = mapping(rule.get("onExitCodes")), text(mapping(rule.get("onExitCodes")).get("containerName"))
        other = "other than " if codes.get("operator") == "NotIn" else ""
        exits = f"exit {other}{', '.join(texts(codes.get('values')))}" + (f" of {container}" if container else "")
        conditions = ", ".join(text(each.get("type")) for each in mappings(rule.get("onPodConditions")))
        when = exits if codes else f"condition {conditions}"
        action = text(rule.get("action"))
        yield f"{when}: {_ACTIONS.get(action, action)}"


_ACTIONS = {
    "FailJob": "the job fails at once",
    "FailIndex": "its index fails at once",
    "Ignore": "does not count",
    "Count": "counts as a failure",
}


def _successes(policy: Mapping[str, Any]) -> Iterator[str]:
    for rule in mappings(policy.get("rules")):
        indexes, needed = text(rule.get("succeededIndexes")), text(rule.get("succeededCount"))
        yield " ".join(
            part
            for part in (f"with {needed}" if needed else "with all", f"of indexes {indexes}" if indexes else "")
            if part
        )


def _ago(value: Any) -> list[Words] | None:
    moment = moment_of(value)
    return None if moment is None else [age(moment), Words(" ago")]
